"""The report: one HTML page about plans, their capacity and their cost."""

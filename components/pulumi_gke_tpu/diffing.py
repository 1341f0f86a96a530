"""Compares plans, each previewed before and after: what a change does, item by item."""

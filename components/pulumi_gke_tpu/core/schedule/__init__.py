"""Maintenance, capacity and planned runs on one time line."""

"""Alerts about the slices and queues of a plan."""

"""Formats that only calendars have."""

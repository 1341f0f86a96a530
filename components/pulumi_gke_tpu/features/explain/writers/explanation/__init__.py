"""Formats of an explanation of values."""

"""Formats of the preview of a plan."""

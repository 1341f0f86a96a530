"""Formats of the report about a change."""

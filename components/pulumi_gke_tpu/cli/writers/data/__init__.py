"""Formats of data for programs."""

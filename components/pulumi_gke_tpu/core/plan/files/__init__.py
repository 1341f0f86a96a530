"""Whole files: their kinds, and fixes in their text."""

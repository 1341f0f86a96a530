"""Recommended slices as text, Markdown and JSON."""

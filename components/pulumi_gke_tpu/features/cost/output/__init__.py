"""Costs of plans and their alternatives as text, Markdown and JSON."""

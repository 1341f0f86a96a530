"""Reservations and quota that plans use, as text, Markdown and JSON."""

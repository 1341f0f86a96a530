"""Compares two graphs: which resources and properties differ, and what the provider makes of it."""

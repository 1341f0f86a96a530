"""Compares two graphs: the resources and properties that differ, and the operation of the provider."""

"""Checks of maintenance windows and exclusions."""

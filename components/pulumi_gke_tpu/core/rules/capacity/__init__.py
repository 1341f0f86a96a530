"""Checks of capacity modes and reservations."""

"""Compares the real engine's preview with the expected change."""

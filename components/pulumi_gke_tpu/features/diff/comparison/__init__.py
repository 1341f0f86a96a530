"""Compares two sides: checks the plans, previews them and classifies the changes."""

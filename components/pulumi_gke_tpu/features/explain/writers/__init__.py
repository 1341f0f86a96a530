"""Formats of this feature alone: ``KIND/FORMAT.py``."""

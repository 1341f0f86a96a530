"""The rules of this feature."""

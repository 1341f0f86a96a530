"""The commands of this feature."""

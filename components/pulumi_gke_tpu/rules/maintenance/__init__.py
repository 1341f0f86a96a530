"""Rules about maintenance windows and exclusions."""

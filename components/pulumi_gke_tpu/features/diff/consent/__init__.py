"""What protects an item and what acknowledges its change."""

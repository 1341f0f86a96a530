"""What protects an item, what acknowledges its change, and the gates."""

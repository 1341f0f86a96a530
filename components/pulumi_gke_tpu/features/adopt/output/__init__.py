"""What was adopted, for people."""

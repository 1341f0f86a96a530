"""Rules about the standards of an organization."""

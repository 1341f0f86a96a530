"""Rules about several plans together."""

"""Rules about capacity modes and reservations."""

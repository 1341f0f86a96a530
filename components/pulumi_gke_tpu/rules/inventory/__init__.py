"""Rules about several plans together, and about plans against an inventory."""

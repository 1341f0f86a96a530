"""Rules about plans against an inventory."""

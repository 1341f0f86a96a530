"""Rules about changes of plans."""

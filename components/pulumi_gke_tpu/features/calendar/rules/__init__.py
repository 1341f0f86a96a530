"""Rules about the planned runs of a plan."""

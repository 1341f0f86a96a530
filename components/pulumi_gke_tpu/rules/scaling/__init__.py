"""Rules about the number of slices, autoscaling and upgrades."""

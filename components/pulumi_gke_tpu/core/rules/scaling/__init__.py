"""Checks of the number of slices, autoscaling and upgrades."""

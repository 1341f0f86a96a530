"""Checks of the shape, the placement and the names of slices."""

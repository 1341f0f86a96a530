"""The files of both sides of a comparison."""

"""Pages and data of the problems of a fleet."""

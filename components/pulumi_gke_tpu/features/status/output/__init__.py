"""Pages and data of what is wrong with a fleet."""

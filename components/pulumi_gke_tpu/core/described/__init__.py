"""The plan that a person would have written for the resources of any source."""

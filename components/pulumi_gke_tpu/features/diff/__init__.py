"""The effect of a new plan on existing resources, before it is applied."""

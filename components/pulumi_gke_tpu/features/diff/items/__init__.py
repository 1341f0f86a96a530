"""Groups the changes of resources by the items of a plan."""

"""Pages with the facts of the catalog."""

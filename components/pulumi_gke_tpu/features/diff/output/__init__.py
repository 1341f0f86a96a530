"""Changes in every output format."""

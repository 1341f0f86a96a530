"""Explanations and catalog pages in every output format."""

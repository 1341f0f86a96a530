"""Previews in every output format."""

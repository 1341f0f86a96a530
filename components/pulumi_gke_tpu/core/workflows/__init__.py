"""The use cases: load, check, preview and compare plans."""

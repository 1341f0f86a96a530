"""Rules about the file as such: its YAML, its keys, and provider properties under ``extra``."""

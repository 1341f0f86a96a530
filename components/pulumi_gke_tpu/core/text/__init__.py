"""Text and files: findings, documents, formats of values, YAML and JSON."""

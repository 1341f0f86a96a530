"""Generated pages, schemas and starter files."""

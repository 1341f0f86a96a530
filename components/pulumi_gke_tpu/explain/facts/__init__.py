"""The facts of the catalog as pages."""

"""From a fleet to declared resources, one module for each kind."""

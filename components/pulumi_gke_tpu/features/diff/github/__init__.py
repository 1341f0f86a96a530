"""GitHub: one comment and one label on a pull request, from a diff as JSON. The only part that uses the network."""

"""What several commands use: progress, completion, and writing fixes."""

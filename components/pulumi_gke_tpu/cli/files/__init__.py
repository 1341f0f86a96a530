"""What the command line reads and writes: files, revisions, side by side."""

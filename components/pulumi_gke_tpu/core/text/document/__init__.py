"""One model for everything that people read, and its two writers: text for a terminal, and Markdown."""

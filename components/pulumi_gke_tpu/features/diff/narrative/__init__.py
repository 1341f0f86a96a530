"""The words and notes of a change that do not depend on its output format."""

"""Answers to people's questions: how a value was derived, what a word means, what the catalog knows. Pure computing."""

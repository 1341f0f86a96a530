"""Kinds that a plan can name. The name of a module is the word in the plan."""

"""The commands of this feature, each in a module of its name."""

SECTION = "Operate"
"""The section of the help that lists them."""

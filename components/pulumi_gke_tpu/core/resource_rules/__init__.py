"""Checks resources of any tool with the rules about raw pools, and with those about plans."""

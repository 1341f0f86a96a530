"""Compares clusters and node pools of any tool with those of a plan, property by property, as the provider does."""

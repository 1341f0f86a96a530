"""Reads plans and inventories: what was written, what was meant, and what is wrong with its form."""

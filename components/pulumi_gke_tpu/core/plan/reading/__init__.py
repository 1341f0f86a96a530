"""Reads plans and inventories, reports errors of form, and suggests the intended values."""

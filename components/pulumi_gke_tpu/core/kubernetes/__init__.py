"""Kubernetes objects that follow from a plan, as plain data."""

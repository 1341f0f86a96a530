"""Explains names from Cloud TPU, GKE, price lists and this tool."""

"""Finds texts of failures in what a person pasted, and explains them."""

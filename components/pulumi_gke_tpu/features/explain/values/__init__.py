"""Explains how the values of a plan are derived."""

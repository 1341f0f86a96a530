"""Reads the command lines and blueprints of other tools as a plan."""

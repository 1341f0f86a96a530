"""Finds the slices that meet a need: candidates, checked by the rules of plans, ranked by cost."""

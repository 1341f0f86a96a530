"""Change: what another plan does to what exists, before it does it."""

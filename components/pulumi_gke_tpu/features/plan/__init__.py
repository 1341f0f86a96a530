"""Write, validate, correct and preview a plan."""

"""The syntax of others' formats: GKE locations and recurrence rules."""

"""The syntax of others' formats: names, locations and versions of GKE, labels, cluster references, recurrence rules."""

"""The Kubernetes side of slices: objects that users have, and objects that follow from a plan."""

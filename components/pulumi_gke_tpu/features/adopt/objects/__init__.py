"""The Kubernetes objects of a cluster that exist: those that its plan would render equally, and the others."""

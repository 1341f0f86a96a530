"""Rules that compare Kubernetes manifests with a plan."""

"""Checks Kubernetes manifests: the objects that TPU workloads of users consist of, with or without a plan."""

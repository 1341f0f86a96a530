"""Kubernetes objects of the workloads of a plan."""

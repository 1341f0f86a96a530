"""Rules about the workloads of a plan, and about slice groups that a ComputeClass serves."""

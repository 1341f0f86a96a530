"""Rules about the workloads of a plan, and about slice groups that a ComputeClass serves."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.WORKLOADS,)

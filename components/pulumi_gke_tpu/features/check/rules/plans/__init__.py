"""Rules about plans whose workloads have fields that only manifests have otherwise."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.WORKLOADS,)

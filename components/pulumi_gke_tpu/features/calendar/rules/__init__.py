"""Rules about the planned runs of a plan."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.RUNS,)

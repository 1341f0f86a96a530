"""Rules about node pools of any Pulumi program, which no plan can break."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.POOL, Scope.STACK)

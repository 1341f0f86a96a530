"""Rules about clusters that exist already, in plans and as arguments of ``TpuSlices``."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN, Scope.COMPONENT)

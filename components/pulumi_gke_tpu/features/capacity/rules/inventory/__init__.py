"""Rules about plans against an inventory."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.INVENTORY,)

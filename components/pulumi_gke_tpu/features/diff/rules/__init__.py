"""Rules about changes of plans."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.CHANGE,)

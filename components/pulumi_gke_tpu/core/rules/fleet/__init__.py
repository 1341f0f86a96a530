"""Rules about several plans together."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.FLEET,)

"""Rules about the standards of an organization."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.ORGANIZATION,)

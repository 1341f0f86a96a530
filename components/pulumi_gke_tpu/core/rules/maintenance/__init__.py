"""Checks of maintenance windows and exclusions."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN,)

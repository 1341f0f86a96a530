"""Checks of the shape, the placement and the names of slices."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN,)

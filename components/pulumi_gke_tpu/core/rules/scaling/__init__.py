"""Checks of the number of slices, autoscaling and upgrades."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN,)

"""Checks of clusters: location, network, versions, security, add-ons, auto-provisioning."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN,)

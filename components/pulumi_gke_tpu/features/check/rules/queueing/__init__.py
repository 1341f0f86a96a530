"""Rules about queues, quotas and requests of capacity, measured in slices."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.MANIFESTS,)

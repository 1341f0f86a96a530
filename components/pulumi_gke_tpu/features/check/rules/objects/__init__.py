"""Rules about objects by themselves, as the API server and the controllers check them."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.MANIFESTS,)

"""The rules of this feature, most of them about Kubernetes manifests."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.MANIFESTS,)

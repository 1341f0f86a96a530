"""Rules about the pods and volumes of Kubernetes manifests."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.MANIFESTS,)

"""Rules about files that should contain the Kubernetes objects of a plan, and nothing else of gke-tpu."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.RENDERED,)

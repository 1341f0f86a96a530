"""Rules about the objects of operators: JobSet, LeaderWorkerSet, Ray, Pathways, ComputeClass, Kueue."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.MANIFESTS,)

"""Rules about nodes: disks, labels, taints, network interfaces."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN,)

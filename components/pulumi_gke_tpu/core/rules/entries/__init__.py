"""Rules about the entries of a plan that declare moves, acknowledgements and acceptances."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN, Scope.FINDINGS)

"""Rules about the file as such: its YAML, its keys, and provider properties under ``extra``."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope

SCOPES = (Scope.PLAN, Scope.FILE)

"""The rules: each one is data and a small check, and every finding they make carries its source."""

from pulumi_gke_tpu.rules.engine.rule import Context, Hit, Rule
from pulumi_gke_tpu.rules.engine.run import validate

__all__ = ["Context", "Hit", "Rule", "validate"]

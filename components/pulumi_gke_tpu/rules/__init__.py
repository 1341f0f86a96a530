"""The rules: each one is data and a small check, and every finding they make carries its source."""

from pulumi_gke_tpu.rules.engine.check import check_plan
from pulumi_gke_tpu.rules.engine.rule import Context, Hit, Rule

__all__ = ["Context", "Hit", "Rule", "check_plan"]

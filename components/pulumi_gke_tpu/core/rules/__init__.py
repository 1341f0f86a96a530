"""The rules: each one is data and a small check, and every finding they make carries its source."""

from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.discovery import all_rules
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Rule, Scope
from pulumi_gke_tpu.core.rules.engine.run import check_plan

SCOPES = (Scope.PLAN,)

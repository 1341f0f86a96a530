"""Every rule, in the order of its id."""

from pulumi_gke_tpu.rules import slices
from pulumi_gke_tpu.rules.rule import Rule

RULES: tuple[Rule, ...] = tuple(sorted((*slices.RULES,), key=lambda rule: rule.id))

"""Rules as plain data for programs."""

from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.rules import Rule

FORMAT = 1
"""The version of the form. A new key keeps it; a key that goes away or changes its meaning raises it."""


def rules_json(rules: Iterable[Rule]) -> dict[str, Any]:
    """Give rules as data that ``json.dumps`` takes, in the order given."""
    return {"format": FORMAT, "rules": [_rule(rule) for rule in rules]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "severity": rule.severity.word,
        "severities": [{"severity": severity.word, "where": where} for severity, where in rule.severities.items()],
        "title": rule.title,
        "why": rule.why,
        "fix": rule.fix,
        "source": rule.source,
        "failing": rule.failing,
        "passing": rule.passing,
        "breakable": rule.breakable,
        "today": rule.today,
    }

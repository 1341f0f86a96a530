"""Runs the rules over a plan and turns what they hit into findings."""

import dataclasses
import datetime
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.catalog import Catalog, Fact
from pulumi_gke_tpu.findings import Finding, Path, Severity, printable, sort_findings
from pulumi_gke_tpu.plan import Plan
from pulumi_gke_tpu.plan.keys import field_of
from pulumi_gke_tpu.rules.engine.assumed import assumed_hits
from pulumi_gke_tpu.rules.engine.rule import Context, Hit, Rule, weighed


def validate(context: Context, rules: Iterable[Rule] | None = None) -> tuple[Finding, ...]:
    """Every finding of the rules about one plan, sorted; of all rules unless some are given."""
    if rules is None:
        from pulumi_gke_tpu.rules.engine.registry import RULES

        rules = RULES
    rules = tuple(rules)
    plan, catalog = context.plan, context.catalog
    findings = [
        finding_of(rule, hit, catalog, plan) for rule in rules if rule.check is not None for hit in rule.check(context)
    ]
    findings += [finding_of(rule, hit, catalog, plan) for rule, hit in assumed_hits(context, rules)]
    found = tuple(findings)
    findings += [
        finding_of(rule, hit, catalog, plan)
        for rule in rules
        if rule.review is not None
        for hit in rule.review(context, found)
    ]
    acceptances = Acceptances(plan, context.today)
    return sort_findings(acceptances.applied(finding) for finding in findings)


def finding_of(rule: Rule, hit: Hit, catalog: Catalog, plan: Any) -> Finding:
    """The finding for a hit. Only a certain fact may be an error: weaker and contested ones warn."""
    severity, fact = weighed(rule, hit.severity, hit.fact, catalog)
    return Finding(
        rule=rule.id,
        severity=severity,
        path=hit.path,
        message=hit.message,
        given=hit.given or _given(plan, hit.path),
        allowed=hit.allowed,
        why=hit.why or rule.why,
        fix=hit.fix,
        source=source_of(rule, fact, catalog),
    )


def source_of(rule: Rule, fact: Fact | None, catalog: Catalog) -> str:
    """Where a finding comes from: its fact, with what other sources say, or else the rule."""
    if fact is None:
        return rule.source
    return source_text(fact, catalog) + (f". Sources disagree: {fact.conflict.rstrip('.')}" if fact.conflict else "")


def source_text(fact: Fact, catalog: Catalog) -> str:
    """Where a fact comes from, in one line."""
    titles = [catalog.sources[source].title if source in catalog.sources else source for source in fact.source[:2]]
    more = f" and {len(fact.source) - 2} more" if len(fact.source) > 2 else ""
    doubt = "" if fact.confidence == "high" else f" (confidence {fact.confidence})"
    return f"{'; '.join(titles)}{more}, as of {fact.as_of}{doubt}"


def _given(plan: Any, path: Path) -> str:
    """``key: value`` at a path, where that is a single value."""
    value = plan
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        elif hasattr(type(value), "model_fields") and field_of(type(value), str(step)):
            value = getattr(value, "source" if step == "from" else str(step))
        else:
            return ""
    if isinstance(value, bool):
        value = "true" if value else "false"
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    return f"{printable(name)}: {printable(value)}" if isinstance(value, str | int | float) and name else ""


class Acceptances:
    """The warnings that a plan accepts on a day; none where no day is known."""

    def __init__(self, plan: Plan, today: datetime.date | None) -> None:
        self._reasons: dict[tuple[str, str | None], tuple[int, str]] = {}
        for index, entry in enumerate(plan.accept):
            if today is not None and today <= entry.until:
                self._reasons.setdefault((entry.rule, entry.of), (index, entry.reason))

    def applied(self, finding: Finding) -> Finding:
        """The finding, marked with the reason of the first entry that accepts it. An error cannot be accepted."""
        if finding.severity is Severity.ERROR:
            return finding
        entries = [self._reasons.get((finding.rule, item)) for item in items_around(finding.path)]
        first = min((entry for entry in entries if entry), default=None)
        return dataclasses.replace(finding, accepted=first[1]) if first else finding


def items_around(path: Path) -> tuple[str | None, ...]:
    """What an entry of a plan may name to cover a path: the whole plan (None), CLUSTER, CLUSTER/GROUP."""
    if len(path) < 2 or path[0] != "clusters":
        return (None,)
    inside_group = len(path) >= 4 and path[2] == "slices"
    return (None, f"{path[1]}", f"{path[1]}/{path[3]}") if inside_group else (None, f"{path[1]}")

"""Runs the rules over a plan, each once, and turns what they hit into findings, of which a plan can accept some."""

import dataclasses
import datetime
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Fact
from pulumi_gke_tpu.core.catalog.records.facts import Note, note_by_id
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.plan.keys import field_of
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, PlanFindings
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import ON_PLANS, Hit, Rule, Scope, links_of, source_of
from pulumi_gke_tpu.core.rules.engine.shape_variants import hits_of_every_shape
from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Fix,
    Path,
    Severity,
    as_only,
    is_respelling,
    printable,
    sort_findings,
    with_one_reading,
)
from pulumi_gke_tpu.core.text.formats.names import is_location


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
    match path:
        case ("clusters", cluster, "slices", group, *_):
            return (None, f"{cluster}", f"{cluster}/{group}")
        case ("clusters", cluster, *_):
            return (None, f"{cluster}")
        case _:
            return (None,)


def validate(context: PlanContext, rules: Iterable[Rule[Any]] | None = None) -> tuple[Finding, ...]:
    """Every finding of the rules about one plan, sorted; of all rules unless some are given."""
    plan, catalog = context.plan, context.catalog
    rules = rules_of(*scopes_of(plan), Scope.FINDINGS) if rules is None else tuple(rules)
    on_plans = [rule for rule in rules if rule.scope in ON_PLANS]
    found = findings_of(on_plans, context, catalog, plan)
    findings = list({(each.rule, each.path, each.message): each for each in found}.values())
    findings += [finding_of(rule, hit, catalog, plan) for rule, hit in hits_of_every_shape(context, on_plans)]
    reviewed = PlanFindings(context, tuple(findings))
    findings += findings_of([rule for rule in rules if rule.scope is Scope.FINDINGS], reviewed, catalog, plan)
    acceptances = Acceptances(plan, context.today)
    return sort_findings(acceptances.applied(finding) for finding in findings)


def scopes_of(plan: Plan) -> tuple[Scope, ...]:
    """The scopes of the rules about a plan. Some are imported only for a plan that has the keys that they are about."""
    found = [Scope.PLAN]
    clusters = plan.clusters.values()
    if any(
        cluster.kubernetes is not None or any(group.written("fallback") for group in cluster.slices.values())
        for cluster in clusters
    ):
        found.append(Scope.WORKLOADS)
    if any(cluster.runs for cluster in clusters):
        found.append(Scope.RUNS)
    return tuple(found)


def findings_of(rules: Iterable[Rule[Any]], subject: object, catalog: Catalog, plan: Any) -> Iterable[Finding]:
    """What rules find in a subject, in their order. ``plan`` is what paths of hits without a document lead through."""
    for rule in rules:
        for hit in rule.check(subject) if rule.check is not None else ():
            yield finding_of(rule, hit, catalog, plan)


def validate_together(
    rules: Iterable[Rule[Any]], subject: object, catalog: Catalog, today: datetime.date | None
) -> tuple[Finding, ...]:
    """The findings of rules that check several documents, each with its place in its file, sorted.

    Every hit names its document. Plans accept warnings as they do elsewhere, but not those about standards of the
    organization.
    """
    found: list[Finding] = []
    acceptances: dict[int, Acceptances] = {}
    for rule in rules:
        for hit in rule.check(subject) if rule.check is not None else ():
            if hit.document is None:
                raise ValueError(f"{rule.id} names no document")
            content = hit.document.content
            finding = finding_of(rule, hit, catalog, content)
            if isinstance(content, Plan) and rule.scope is not Scope.ORGANIZATION:
                if id(content) not in acceptances:
                    acceptances[id(content)] = Acceptances(content, today)
                finding = acceptances[id(content)].applied(finding)
            found += hit.document.locate([finding])
    return sort_findings(found)


def finding_of(rule: Rule[Any], hit: Hit, catalog: Catalog, plan: Any) -> Finding:
    """The finding for a hit. Only a certain fact may be an error: weaker and contested ones warn.

    Raises:
        ValueError: the hit has a severity that its rule does not declare.
    """
    if hit.severity is not None and hit.severity not in (rule.severity, *rule.otherwise):
        raise ValueError(f"{rule.id} does not declare the severity {hit.severity.name.lower()}")
    severity, fact = weighed(rule, hit.severity, hit.fact, catalog)
    given = hit.given or _given(plan, hit.path)
    fix, why = hit.fix, hit.why or rule.why
    # What an error is about cannot exist, unless the plan is only wrong beside other files. A change is not made yet.
    exists = rule.scope is not Scope.CHANGE and (severity is not Severity.ERROR or rule.scope not in ON_PLANS)
    if fix is not None and isinstance(plan, Plan) and exists:
        from pulumi_gke_tpu.core.rules.engine.replacing import replaced_by  # few plans have such findings

        why = ". ".join(filter(None, (why, replaced_by(fix, hit.path, plan, catalog))))
    return Finding(
        rule=rule.id,
        severity=severity,
        path=hit.path,
        message=hit.message,
        given=given,
        allowed=hit.allowed,
        why=why,
        change=as_only(fix) if fix and (fix.is_only or _is_spelling(given, fix, hit.allowed)) else fix,
        source=source_of(rule, fact, catalog),
        links=links_of(rule, fact, catalog),
        related=hit.related,
        advice="" if fix else hit.advice or rule.fix,
    )


def _is_spelling(given: str, fix: Fix, allowed: tuple[str, ...]) -> bool:
    """Whether the fix only spells the value: a region or zone is not a misspelling of another one."""
    return is_respelling(given, fix, allowed) and not is_location(given.rpartition(": ")[2])


def weighed(
    rule: Rule[Any], severity: Severity | None, fact: Fact | None, catalog: Catalog
) -> tuple[Severity, Fact | None]:
    """The severity of a broken rule, and the fact that it rests on.

    An error needs a certain fact, or, where no fact is involved, a rule about the format or about observed behavior;
    else the finding is a warning.
    """
    severity = rule.severity if severity is None else severity
    if fact is None and rule.note:
        fact = _note_of(catalog, rule.note)
    certain = fact.is_certain if fact is not None else rule.basis in ("format", "observed")
    return (Severity.WARNING if severity is Severity.ERROR and not certain else severity), fact


def _note_of(catalog: Catalog, id: str) -> Note | None:
    sections = (catalog.platform, catalog.capacity, catalog.maintenance, catalog.zones)
    return next((note for section in sections if (note := note_by_id(section.notes, id)) is not None), None)


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


def check_plan(
    document: Document[Plan],
    catalog: Catalog,
    today: datetime.date | None = None,
    *,
    rules: Iterable[Rule[Any]] | None = None,
    of_resources: bool = False,
    fleet: Fleet | None = None,
) -> CheckedPlan:
    """Derive and validate a plan. A document without content is returned with the findings of reading alone.

    ``today`` decides which acknowledgements and acceptances hold, and dates are compared with it. ``rules`` are all
    those about one plan unless given; with none, the plan is only derived. ``of_resources``: as in ``PlanContext``.
    ``fleet`` is what was derived from the plan, if it was already.
    """

    def context_of(plan: Plan, fleet: Fleet | None = None) -> PlanContext:
        return PlanContext(plan, catalog, fleet or derive(plan, catalog, today), today, of_resources)

    found = document.findings
    by_rules: tuple[Finding, ...] = ()
    if document.content is not None:
        context = context_of(document.content, fleet)
        by_rules, fleet = tuple(document.locate(validate(context, rules))), context.fleet
        found = (*found, *by_rules)
    if document.wrong and rules is None:
        from pulumi_gke_tpu.core.rules.engine.masked_findings import masked_findings  # only plans with errors need it

        # Not the rules about findings: that an entry is unused does not follow from a few possible values.
        def check(possible: Document[Plan]) -> tuple[Finding, ...]:
            assert possible.content is not None
            on_plans = rules_of(*scopes_of(possible.content))
            return possible.locate(validate(context_of(possible.content), on_plans))

        on_plans = {each.id for each in rules_of(*scopes_of(document.content))} if document.content else set()
        hidden = masked_findings(document, check, found, (each for each in by_rules if each.rule in on_plans))
        found = (*hidden.without_artifacts(found), *hidden.findings)
    return CheckedPlan(document, catalog, today, fleet, sort_findings(with_one_reading(found)))

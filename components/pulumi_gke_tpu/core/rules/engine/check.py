"""Checks a plan that was read: derives its fleet and runs the rules, each once."""

import datetime
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.rules.engine.run import scopes_of, validate
from pulumi_gke_tpu.core.text.findings import Finding, sort_findings, with_one_reading


def check_plan(
    document: Document[Plan],
    catalog: Catalog,
    today: datetime.date | None = None,
    *,
    rules: Iterable[Rule[Any]] | None = None,
) -> CheckedPlan:
    """Derive and validate a plan. A document without content is returned with the findings of reading alone.

    ``today`` decides which acknowledgements and acceptances hold, and dates are compared with it. ``rules`` are all
    those about one plan unless given; with none, the plan is only derived.
    """

    def context_of(plan: Plan) -> PlanContext:
        return PlanContext(plan, catalog, derive(plan, catalog, today), today)

    found, fleet = document.findings, None
    by_rules: tuple[Finding, ...] = ()
    if document.content is not None:
        context = context_of(document.content)
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

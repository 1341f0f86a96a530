"""Checks a plan that was read: derives its fleet and runs the rules, each once."""

import datetime
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import sort_findings
from pulumi_gke_tpu.fleet import derive
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.plan import Document, Plan
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.rule import Rule
from pulumi_gke_tpu.rules.engine.run import validate


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
    if document.content is None:
        return CheckedPlan(document, catalog, today, None, document.findings)
    context = PlanContext(document.content, catalog, derive(document.content, catalog, today), today)
    found = document.locate(validate(context, rules))
    return CheckedPlan(document, catalog, today, context.fleet, sort_findings((*document.findings, *found)))

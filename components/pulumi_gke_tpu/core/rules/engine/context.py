"""The argument of the check of a rule: one plan, or one plan with its findings."""

import datetime

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.text.findings import Finding


@frozen
class PlanContext:
    """One plan and what was derived from it.

    ``today`` is the date that dates are compared with; without it, rules that need a clock report nothing.
    """

    plan: Plan
    catalog: Catalog
    fleet: Fleet
    today: datetime.date | None = None


@frozen
class PlanFindings:
    """One plan, and what the rules about plans found in it."""

    context: PlanContext
    findings: tuple[Finding, ...]

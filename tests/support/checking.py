"""Checks a plan that is at hand as a value, and counts how often that is done."""

import datetime
from collections.abc import Callable

from support.work import calls_of

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.plan.reading import read
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine import run
from pulumi_gke_tpu.core.text.findings import Finding

_STEPS: dict[str, Callable[..., object]] = {"read": read._parse, "derive": derive, "validate": run.validate}


def validate(plan: Plan, catalog: Catalog, *, today: datetime.date | None = None) -> tuple[Finding, ...]:
    """The findings of the rules about a plan, sorted."""
    return check_plan(Document(plan), catalog, today).findings


def checks_in(action: Callable[[], object]) -> tuple[int, int, int]:
    """How many plans an action reads (data becomes a model), derives and validates."""
    calls = calls_of(_STEPS, action)
    return calls["read"], calls["derive"], calls["validate"]

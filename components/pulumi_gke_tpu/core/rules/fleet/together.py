"""Checks several plans together."""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import validate_together
from pulumi_gke_tpu.core.text.findings import Finding


def validate_fleet(
    plans: Iterable[CheckedPlan], catalog: Catalog, *, today: datetime.date | None = None
) -> tuple[Finding, ...]:
    """Every conflict between clusters of one plan or of several. Each finding has its position in its own file."""
    return validate_together(rules_of(Scope.FLEET), plans_in_fleet(plans), catalog, today)

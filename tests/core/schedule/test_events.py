"""The events of a calendar."""

import datetime

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import calendar_of

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)


@pytest.mark.parametrize(("year", "shown"), [("1000", set()), ("2026", {"window", "exclusion"}), ("9000", set())])
def test_windows_and_exclusions_of_an_implausible_year_cause_no_event(year: str, shown: set[str]) -> None:
    """Another rule reports them; the series of such a window can be long."""
    exclusion = {"start": f"{year}-11-01T00:00:00Z", "end": "end_of_support", "scope": "no_minor_upgrades"}
    window = {"start": f"{year}-01-04T02:00:00Z", "duration": "6h", "recurrence": "FREQ=WEEKLY;BYDAY=SA"}
    maintenance = {"window": window, "exclusions": {"frozen": exclusion}}
    cluster = {"mode": "standard", "location": "us-east5", "maintenance": maintenance}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    events = calendar_of([check_plan(plan, CATALOG, TODAY)], None, CATALOG, TODAY, today=TODAY).events
    assert {event.kind for event in events} == shown

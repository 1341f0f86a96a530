"""The calendar as text, Markdown and JSON: whole outputs for plans and an inventory of the test."""

import dataclasses
import datetime
import pathlib
from typing import Any

import pytest
from support.written import json_of, markdown_of, text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import Calendar, ClusterSupport, calendar_of
from pulumi_gke_tpu.features.calendar.output.document import calendar_page, support_texts
from pulumi_gke_tpu.features.calendar.output.json import calendar_json

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
DOCUMENTS = pathlib.Path(__file__).parent / "data" / "calendars"
ONE = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
WINDOW = {"start": "2026-01-03T22:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
FREEZE = {"start": "2026-12-01T00:00:00Z", "end": "2026-12-07T12:00:00Z", "scope": "no_upgrades"}
LONG = {"start": "2026-12-09T00:00:00Z", "end": "end_of_support", "scope": "no_minor_upgrades"}
POOL = {
    "name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 10,
    "from": "2026-12-01", "until": "2026-12-14",
}  # fmt: skip
EAST = {
    "mode": "standard", "location": "us-east5", "min_version": "1.35",
    "maintenance": {"window": WINDOW, "exclusions": {"freeze": FREEZE, "long": LONG}},
    "slices": {
        "reserved": ONE | {"capacity": {"reservation": "pool"}},
        "flex": ONE | {"capacity": "flex_start", "max": 1},
        "spot": ONE | {"capacity": "spot", "max": 1},
        "any": ONE | {"capacity": "spot", "fallback": ["flex_start"], "max": 1},
    },
    "runs": {
        "covered": {"slices": "reserved", "start": "2026-12-02T08:00:00Z", "duration": "3d"},
        "open": {"slices": "reserved", "start": "2026-12-07T08:00:00Z", "duration": "6d"},
        "short": {"slices": "flex", "start": "2026-12-03T08:30:00Z", "duration": "90m"},
        "cheap": {"slices": "spot", "start": "2026-12-03T08:00:00Z", "duration": "1d"},
        "either": {"slices": "any", "start": "2026-12-04T08:00:00Z", "duration": "1d"},
    },
}  # fmt: skip
WEST = {"mode": "autopilot", "location": "us-west4", "slices": {"a": {"tpu": "v5e", "topology": "2x2"}}}


def checked(name: str, **clusters: Any) -> CheckedPlan:
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": clusters})
    found = check_plan(dataclasses.replace(document, name=name), CATALOG, TODAY)
    assert not found.has_errors, found.findings
    return found


def shown(*plans: CheckedPlan, last: str = "2026-12-15", inventory: bool = True) -> Calendar:
    """The calendar with one note of the test, and with another source of the ends of support."""
    owned = Inventory.model_validate({"version": 1, "as_of": "2026-11-20", "reservations": [POOL]})
    first = datetime.date(2026, 12, 1)
    calendar = calendar_of(plans, owned if inventory else None, CATALOG, first, datetime.date.fromisoformat(last))
    known = {"source": ("a-page",), "as_of": "2026-11-01", "confidence": "high"}

    def of_test(item: ClusterSupport) -> ClusterSupport:
        fact = item.support.fact and dataclasses.replace(item.support.fact, **known)
        return dataclasses.replace(item, support=dataclasses.replace(item.support, fact=fact))

    return dataclasses.replace(
        calendar,
        catalog_version="2026-11-20",
        support=tuple(map(of_test, calendar.support)),
        notes=(dataclasses.replace(calendar.notes[0], text="Repair is not prevented", **known),),
    )


SHOWN = {
    "one-plan": shown(checked("plan.yaml", east=EAST)),
    "several-plans": shown(checked("one.yaml", east=EAST), checked("two.yaml", west=WEST), last="2026-12-05"),
    "nothing": shown(checked("plan.yaml", west=WEST), inventory=False),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("form", ["txt", "md", "json"])
def test_a_calendar_as_a_whole(name: str, form: str) -> None:
    written = {
        "txt": lambda: text_of(calendar_page(SHOWN[name])),
        "md": lambda: markdown_of(calendar_page(SHOWN[name])),
        "json": lambda: f"{json_of(calendar_json(SHOWN[name], ()))}\n",
    }[form]()
    path = DOCUMENTS / f"{name}.{form}"
    assert written == path.read_text(encoding="utf-8"), f"if the new text is right, write it to {path}"


def test_the_end_of_support_names_the_plan_where_two_plans_have_a_cluster_of_the_same_name() -> None:
    other = {"mode": "autopilot", "location": "us-west4", "slices": WEST["slices"]}
    plans = (checked("stacks/dev.yaml", east=other, west=WEST), checked("stacks/prod.yaml", east=EAST))
    calendar = shown(*plans)
    assert [line.partition(" (")[0] for line in support_texts(calendar)] == [
        "stacks/dev.yaml east: unknown, because the plan does not set `min_version`",
        "west: unknown, because the plan does not set `min_version`",
        "stacks/prod.yaml east: GKE 1.35 until 2027-04-11, unless the cluster runs a newer version",
    ]
    exclusions = "Exclusions to add: stacks/prod.yaml: replace clusters.east.maintenance.exclusions with:"
    assert exclusions in text_of(calendar_page(calendar))

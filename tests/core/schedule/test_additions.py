"""The exclusions for all runs of a cluster: one text for TPU624 and the calendar that covers them when it is pasted."""

import copy
import datetime
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import Addition, Calendar, calendar_of
from pulumi_gke_tpu.core.text.findings import Finding, format_path

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
OTHER = {"start": "2027-06-01T00:00:00Z", "end": "2027-06-03T00:00:00Z", "scope": "no_minor_upgrades"}
ENDLESS = {"start": "2026-12-01T00:00:00Z", "end": "end_of_support", "scope": "no_minor_upgrades"}
WEEKS = [f"2026-12-{day:02}T08:00:00Z" for day in (1, 8, 15, 22)]


def runs(*starts: str, duration: str = "6d") -> dict[str, Any]:
    return {f"run-{at}": {"slices": "train", "start": start, "duration": duration} for at, start in enumerate(starts)}


def plan(planned: dict[str, Any], **cluster: Any) -> dict[str, Any]:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 9, "capacity": {"reservation": "pool"}}
    body = {"mode": "standard", "location": "us-east5", "slices": {"train": group}, **cluster, "runs": planned}
    return {"version": 1, "project": "acme-ml", "clusters": {"east": body}}


def checked(data: dict[str, Any]) -> CheckedPlan:
    return check_plan(parse_plan(data), CATALOG, TODAY)


def interrupted(data: dict[str, Any]) -> list[Finding]:
    return [item for item in checked(data).findings if item.rule == "TPU624"]


def calendar(data: dict[str, Any], first: datetime.date = TODAY) -> Calendar:
    return calendar_of([checked(data)], None, CATALOG, first, today=TODAY)


def addition(data: dict[str, Any]) -> Addition:
    (item,) = calendar(data).additions
    assert item.cluster == "east"
    return item.addition


def pasted(data: dict[str, Any], added: Addition) -> dict[str, Any]:
    """The plan with the text at its place: instead of the key that it replaces, or beside the keys that are there."""
    data = copy.deepcopy(data)
    ((key, value),) = yaml.load(added.text, yaml.BaseLoader).items()
    mapping: Any = data
    for step in added.path[:-1] if added.replaces else added.path:
        mapping = mapping[step]
    assert (key in mapping) == added.replaces, "a key would be there a second time"
    assert not added.replaces or added.path[-1] == key
    mapping[key] = value
    return data


@pytest.mark.parametrize(
    "cluster",
    [
        {},
        {"maintenance": None},
        {"maintenance": {}},
        {"maintenance": {"window": WINDOW}},
        {"maintenance": {"window": WINDOW, "exclusions": {}}},
        {"maintenance": {"window": WINDOW, "exclusions": {"other": OTHER}}},
        {"maintenance": {"window": WINDOW, "exclusions": {"run-1": OTHER, "run-1-2": ENDLESS}}},
        {"maintenance": {"window": None, "exclusions": {"other": OTHER}}},
        {"maintenance": {"window": WINDOW, "exclusions": {"o" * 250: OTHER}}},
        {"maintenance": {"exclusions": {"other": OTHER}}},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "planned",
    [
        runs(WEEKS[0]),
        runs(*WEEKS),
        runs(*WEEKS, duration="20d"),
        runs(*WEEKS, duration="80d"),
        runs(*reversed(WEEKS), *WEEKS),
        {**runs(WEEKS[1]), "null": runs(WEEKS[2])["run-0"], "a: b": runs(WEEKS[3])["run-0"]},
    ],
)
def test_the_text_covers_all_runs_of_a_cluster_and_loses_nothing(
    planned: dict[str, Any], cluster: dict[str, Any]
) -> None:
    data = plan(planned, **cluster)
    added = addition(data)
    found = interrupted(data)
    assert {(item.fix, item.path) for item in found} == {(added.text, added.path)}
    result = pasted(data, added)
    assert not interrupted(result)
    assert not checked(result).has_errors
    before, after = (cluster.get("maintenance") or {}), result["clusters"]["east"]["maintenance"]
    kept = before.get("exclusions") or {}
    assert {name: after["exclusions"].get(name) for name in kept} == kept
    assert before.get("window") in (None, after["window"])
    assert not calendar(result).additions


def test_runs_beyond_the_limit_are_named_and_the_others_covered() -> None:
    starts = [f"2027-{1 + at // 2:02}-{1 + 14 * (at % 2):02}T00:00:00Z" for at in range(22)]
    data = plan(runs(*starts, duration="8d"), maintenance={"window": WINDOW})
    (item,) = calendar_of([checked(data)], None, CATALOG, TODAY, datetime.date(2028, 1, 1), today=TODAY).additions
    assert item.addition.left == ("run-20", "run-21")
    assert len(item.addition.proposals) == CATALOG.maintenance.exclusions.max_total
    found = interrupted(data)
    assert {finding.fix for finding in found} == {item.addition.text}
    unfixed = [finding.message for finding in found if "no exclusion is left for this one" in finding.message]
    assert len(unfixed) == 2
    result = checked(pasted(data, item.addition))
    assert [finding.path[-1] for finding in result.findings if finding.rule == "TPU625"] == ["run-20", "run-21"]


def test_a_finding_names_the_other_runs_that_its_fix_covers() -> None:
    one, *_ = interrupted(plan(runs(WEEKS[0]), maintenance={"window": WINDOW}))
    assert "also covers" not in one.message
    first, second = interrupted(plan(runs(*WEEKS[:2]), maintenance={"window": WINDOW}))
    assert first.message.endswith(". The fix also covers `run-1`")
    assert second.message.endswith(". The fix also covers `run-0`")


def test_the_calendar_of_later_days_has_the_same_text_as_the_finding() -> None:
    data = plan(runs(*WEEKS), maintenance={"window": WINDOW})
    (item,) = calendar(data, datetime.date(2026, 12, 20)).additions
    assert item.addition.text == interrupted(data)[0].fix
    assert not calendar(data, datetime.date(2027, 2, 1)).additions, "no run is shown"


def test_a_place_with_dots_in_a_name_is_exact() -> None:
    data = plan(runs(WEEKS[0]), maintenance={"window": WINDOW})
    data["clusters"]["east.1"] = data["clusters"].pop("east")
    (item,) = calendar(data).additions
    assert format_path(item.addition.path) == 'clusters["east.1"].maintenance'

"""Capacity and maintenance as people write them first: one complete entry is shown."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Finding

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}


def findings(group: dict[str, Any] | None = None, **cluster: Any) -> list[Finding]:
    whole = {"mode": "standard", "location": "us-east5", "slices": {"a": GROUP | (group or {})}} | cluster
    return list(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": whole}}).findings)


@pytest.mark.parametrize(
    ("word", "key", "value", "fix"),
    [
        ("reserved", "reservation", "pool", "capacity: {reservation: pool}"),
        ("reservation", "reservation", "pool", "capacity: {reservation: pool}"),
        ("flex-start", "max_duration", "3d", "capacity: {flex_start: {max_run_duration: 3d}}"),
        ("flex_start", "max_run_duration", "3d", "capacity: {flex_start: {max_run_duration: 3d}}"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_capacity_mode_and_its_setting_beside_it_are_one_entry(
    word: str, key: str, value: str, fix: str, first: bool
) -> None:
    group = {"capacity": word, key: value} if first else {key: value, "capacity": word}
    (finding,) = findings(group)
    assert (finding.rule, finding.fix) == ("TPU020", fix)


@pytest.mark.parametrize("word", ["any", "none", "specific", "any-reservation-then-fail"])
def test_a_value_of_gcloud_does_not_name_a_reservation(word: str) -> None:
    (finding,) = findings({"capacity": {"reservation": word}})
    assert finding.message == f"invalid `reservation`: {word}"
    assert "`reservation: {name: NAME}`" in finding.why
    assert finding.change is None
    assert findings({"capacity": {"reservation": {"name": word}}}) == []
    (finding,) = findings({"reservation": word})
    assert finding.change is None


def test_another_capacity_mode_is_one_of_two_readings() -> None:
    (finding,) = findings({"capacity": "spot", "reservation": "pool"})
    assert finding.fix == "capacity: spot      # or capacity: {reservation: pool}, for `reservation`"
    assert not finding.only_fix


@pytest.mark.parametrize(
    ("time", "days", "start"),
    [
        ("02:00", ["SAT", "SUN"], "2026-01-03T02:00:00Z"),
        ("02:00", ["MON"], "2026-01-05T02:00:00Z"),
        ("22:30 UTC", None, "2026-01-01T22:30:00Z"),
    ],
)
def test_a_time_alone_gets_a_date_on_one_of_the_days(time: str, days: list[str] | None, start: str) -> None:
    window = {"start": time, "duration": "12h"} | ({"days": days} if days else {})
    (finding,) = findings(maintenance={"window": window})
    assert finding.fix.partition("  ")[0] == f"start: {start}"
    assert finding.only_fix is ("UTC" in time)
    assert "GKE requires a date" in finding.why


def test_the_weekend_is_saturday_and_sunday() -> None:
    window = {"start": "2026-01-03T02:00:00Z", "duration": "12h"}
    (finding,) = findings(maintenance={"window": window | {"days": "weekend"}})
    assert finding.fix == "days: [SAT, SUN]"
    (finding,) = findings(maintenance={"window": window | {"days": ["weekend"]}})
    assert (finding.fix, finding.why) == ("days: [SAT, SUN]", "`days: [SAT, SUN]` means these days")


def test_the_end_of_an_exclusion_is_exclusive() -> None:
    window = {"start": "2026-01-03T02:00:00Z", "duration": "12h"}
    freeze = {"start": "2026-12-01T00:00:00Z", "end": "2026-12-20"}
    (finding,) = findings(maintenance={"window": window, "exclusions": {"freeze": freeze}})
    assert "to include the whole last day, write the next day" in finding.why

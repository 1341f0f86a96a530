"""Rules about planned runs, and the time in which their reservation exists."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.inventory_texts import OWNED, on, plan
from support.several import findings_about
from support.work import lines_executed

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan, read_inventory_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("2026-12-02T00:00:00Z", []),  # the run needs the reservation later
        ("2026-11-20T00:00:00Z", ["TPU630"]),  # it starts before the reservation
        ("2026-11-10T00:00:00Z", ["TPU810"]),  # it has ended
    ],
)
def test_a_group_whose_run_is_planned_may_wait_for_its_reservation(
    listed: Found, start: str, expected: list[str]
) -> None:
    text = plan(on()) + f"    runs: {{llama: {{slices: g0, start: {start}, duration: 3d}}}}\n"
    assert [item.partition(" ")[0] for item in listed(text, inventory=OWNED % ", from: 2026-12-01")] == expected


PLAN = """
version: 1
project: {project}
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: 1, {group}}}
    maintenance:
      window: {{start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}}
      exclusions:
        all: {{start: 2026-11-20T00:00:00Z, end: 2026-12-31T00:00:00Z}}
    runs:
      llama: {{slices: main, {run}}}
"""

RESERVED = "capacity: {reservation: {name: pool, project: acme-ml}}"

RUN = "start: 2026-12-01T00:00:00Z, duration: 10d"

INVENTORY = (
    "reservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64, "
    "shared_with: [acme-web]%s}\n"
)


@pytest.fixture
def found(catalog: Catalog, tmp_path: Path) -> Found:
    """The rules about reservations and runs that a plan breaks, with their messages."""

    def of(
        dates: str, run: str = RUN, group: str = RESERVED, project: str = "acme-ml", today: datetime.date = TODAY
    ) -> list[str]:
        plan = PLAN.format(group=group, run=run, project=project)
        example = f"{plan}\n--- inventory\n{INVENTORY % dates}"
        findings = findings_about(example, catalog, tmp_path, today)
        return [f"{item.rule}: {item.message}" for item in findings if item.rule in ("TPU627", "TPU630")]

    return of


@pytest.mark.parametrize(
    ("dates", "run", "expected"),
    [
        ("", RUN, []),
        (", until: 2026-12-11", RUN, []),
        (", until: 2026-12-12", RUN, []),
        # The time of the day at which a reservation ends is unknown
        (
            ", until: 2026-12-11",
            RUN.replace("10d", "864001s"),
            ["TPU627: run `llama` ends on 2026-12-11 00:00 UTC, but reservation `pool` ends on 2026-12-11"],
        ),
        (
            ", until: 2026-12-10",
            RUN,
            ["TPU627: run `llama` ends on 2026-12-11 00:00 UTC, but reservation `pool` ends on 2026-12-10"],
        ),
        (", from: 2026-12-01", RUN, []),
        (
            ", from: 2026-12-01",
            RUN.replace("2026-12-01T00:00:00Z", "2026-11-30T23:59:59Z"),
            ["TPU630: run `llama` starts on 2026-11-30 23:59 UTC, but reservation `pool` begins on 2026-12-01"],
        ),
        (
            ", from: 2026-12-02, until: 2026-12-10",
            RUN,
            [
                "TPU627: run `llama` ends on 2026-12-11 00:00 UTC, but reservation `pool` ends on 2026-12-10",
                "TPU630: run `llama` starts on 2026-12-01 00:00 UTC, but reservation `pool` begins on 2026-12-02",
            ],
        ),
        # In another time zone, the run is in the reservation
        (", from: 2026-12-01", RUN.replace("2026-12-01T00:00:00Z", "2026-11-30T19:00:00-05:00"), []),
        # Other rules report the time of the run
        (", until: 2026-12-10", RUN.replace("10d", "0s"), []),
        (", until: 2026-12-10", RUN.replace("10d", "9999d"), []),
    ],
)
def test_a_run_must_be_within_its_reservation(found: Found, dates: str, run: str, expected: list[str]) -> None:
    assert sorted(found(dates, run)) == expected


def test_runs_that_have_ended_or_use_other_capacity_are_not_compared(found: Found) -> None:
    dates = ", until: 2026-12-05"
    assert len(found(dates)) == 1
    assert len(found(dates, today=datetime.date(2026, 12, 11))) == 1
    assert found(dates, today=datetime.date(2026, 12, 12)) == []
    assert found(dates, group="capacity: on_demand") == []
    assert found(dates, group="capacity: {reservation: {name: other, project: acme-ml}}") == []


def test_a_shared_reservation_and_one_with_fallback_are_compared(found: Found) -> None:
    dates = ", until: 2026-12-05"
    assert len(found(dates, project="acme-web")) == 1
    assert len(found(dates, group=f"{RESERVED}, fallback: [on_demand]")) == 1


def test_a_group_on_an_unknown_reservation_hides_no_other(catalog: Catalog, tmp_path: Path) -> None:
    other = "main: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: unknown}}"
    plan = PLAN.format(group=RESERVED, run=RUN, project="acme-ml").replace("main:", "last:").replace(": main", ": last")
    plan = plan.replace("    slices:\n", f"    slices:\n      {other}\n")
    found = findings_about(f"{plan}\n--- inventory\n{INVENTORY % ', until: 2026-12-05'}", catalog, tmp_path, TODAY)
    assert [item.rule for item in found if item.rule in ("TPU627", "TPU630")] == ["TPU627"]


def test_work_grows_with_groups_and_runs() -> None:
    catalog = read_catalog()
    text = f"version: 1\nas_of: 2026-11-20\n{INVENTORY % ', until: 2026-12-05'}"
    inventory = read_inventory_content(text.encode(), "inventory.yaml")

    def work(count: int) -> int:
        group = {
            "tpu": "v6e",
            "topology": "4x4",
            "zone": "us-east5-b",
            "capacity": {"reservation": {"name": "pool", "project": "acme-ml"}},
        }
        body = {
            "mode": "standard",
            "location": "us-east5",
            "slices": {f"g{index}": group for index in range(count)},
            "runs": {
                f"r{index}": {"slices": f"g{index}", "start": "2026-12-01T00:00:00Z", "duration": "10d"}
                for index in range(count)
            },
        }
        checked = check_plan(
            parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}}), catalog, TODAY
        )
        return lines_executed(lambda: validate_inventory([checked], inventory, catalog, today=TODAY))

    work(2)
    assert work(120) - work(60) <= 2.2 * (work(60) - work(30))

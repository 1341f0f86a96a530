"""The end of support of minor versions: in the calendar, and against exclusions and runs."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import icalendar
import pytest
from support.calendars import calendar_data
from support.sampling import sample

GkeTpu = Callable[..., Any]
PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "1.35"
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
      exclusions:
        hold: {start: 2027-03-01T00:00:00Z, end: 2027-06-01T00:00:00Z, scope: no_minor_or_node_upgrades}
    runs:
      llama: {slices: pretrain, start: 2027-04-01T00:00:00Z, duration: 14d}
"""
EXISTING = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    location: us-east5
    release_channel: regular
    version: "1.35"
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
    runs:
      llama: {slices: pretrain, start: 2027-04-01T00:00:00Z, duration: 14d}
"""
DAYS = ("--today", "2026-11-20", "--from", "2027-04-01", "--until", "2027-04-30")
RULES = {"TPU632", "TPU633"}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Write the plan of the folder."""
    monkeypatch.chdir(tmp_path)

    def written(text: str) -> None:
        (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")

    return written


def calendar(gke_tpu: GkeTpu, *more: str) -> dict[str, Any]:
    return calendar_data(gke_tpu, *DAYS, *more)


def found(gke_tpu: GkeTpu, *more: str) -> dict[str, str]:
    """Rule -> severity of the findings about the end of support."""
    run = gke_tpu("validate", "--format", "json", "--today", "2026-11-20", *more)
    return {item["rule"]: item["severity"] for item in json.loads(run.out)["findings"] if item["rule"] in RULES}


def ends(data: dict[str, Any]) -> list[str]:
    return [item["start"][:10] for item in data["events"] if item["kind"] == "support_end"]


def test_the_calendar_shows_the_end_of_support_with_its_source(gke_tpu: GkeTpu, write: Callable[[str], None]) -> None:
    write(PLAN)
    data = calendar(gke_tpu)
    assert data["support"] == [
        {
            "plan": "plan.yaml",
            "cluster": "train",
            "version": "1.35",
            "day": "2027-04-11",
            "minimum": True,
            "source": ["endoflife-gke", "gke-release-schedule-copy"],
            "as_of": "2026-08-21",
            "confidence": "medium",
            "upgrades_at_any_time": False,
        }
    ]
    assert ends(data) == ["2027-04-11"]
    text = " ".join(gke_tpu("calendar", *DAYS, "--format", "markdown").out.split())
    assert "train: GKE 1.35 until 2027-04-11, unless the cluster runs a newer version (endoflife-gke" in text
    assert "support of GKE 1.35 ends" in text
    assert "GKE upgrades clusters of this version, despite windows and exclusions" in text
    event = next(
        item
        for item in icalendar.Calendar.from_ical(gke_tpu("calendar", *DAYS, "--format", "icalendar").out).walk("VEVENT")
        if str(item["summary"]) == "support of GKE 1.35 ends: train"
    )
    assert str(event["dtstart"].dt) == "2027-04-11"
    assert "exclusions" in event["description"]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ('min_version: "1.37"', "the catalog has no date for GKE 1.37"),
        ("deletion_protection: true", "the plan does not set `min_version`"),
        ('release_channel: extended\n    min_version: "1.36"', "no date for GKE 1.36 in the Extended channel"),
    ],
)
def test_the_end_of_support_is_unknown_without_a_date(
    gke_tpu: GkeTpu, write: Callable[[str], None], keys: str, reason: str
) -> None:
    write(PLAN.replace('min_version: "1.35"', keys))
    data = calendar(gke_tpu)
    assert (data["support"][0]["day"], data["support"][0]["confidence"], ends(data)) == (None, None, [])
    assert reason in " ".join(gke_tpu("calendar", *DAYS).out.split())
    assert found(gke_tpu) == {}


OVERLAY = """
maintenance:
  support_ends:
    "1.35": {day: "2027-05-02", extended_day: "2028-02-11", source: [page], as_of: "2026-11-19", confidence: high}
sources:
  page: {title: "GKE: Release schedule"}
"""


@pytest.mark.parametrize(
    ("channel", "day", "rules"),
    [
        ("regular", "2027-05-02", {"TPU632": "warning"}),
        ("extended", "2028-02-11", {}),
    ],
)
def test_your_own_facts_set_the_end_of_support(
    gke_tpu: GkeTpu, write: Callable[[str], None], channel: str, day: str, rules: dict[str, str]
) -> None:
    write(PLAN.replace("location: us-east5\n", f"location: us-east5\n    release_channel: {channel}\n"))
    Path("facts.yaml").write_text(OVERLAY, encoding="utf-8")
    support = calendar(gke_tpu, "--catalog", "facts.yaml")["support"][0]
    assert (support["day"], support["source"][-1], support["confidence"]) == (day, "page", "high")
    assert found(gke_tpu, "--catalog", "facts.yaml") == rules


@pytest.mark.parametrize(
    ("form", "day"),
    sample(
        itertools.product(
            ("text", "json", "markdown", "icalendar"), ("0001-01-01", "1999-12-31", "2200-01-01", "9999-12-31")
        ),
        4,
        lambda case: case[0],
    ),
)
def test_an_end_of_support_can_be_any_day(gke_tpu: GkeTpu, write: Callable[[str], None], form: str, day: str) -> None:
    write(PLAN)
    Path("facts.yaml").write_text(OVERLAY.replace("2027-05-02", day), encoding="utf-8")
    run = gke_tpu("calendar", *DAYS, "--catalog", "facts.yaml", "--format", form)
    assert (run.code, run.err) == (0, "")
    assert form == "icalendar" or day in run.out
    assert found(gke_tpu, "--catalog", "facts.yaml") == {}


@pytest.mark.parametrize("day", ["2027-02-30", "2027-4-1", "soon", "2027-13-01"])
def test_an_end_of_support_must_be_a_day(gke_tpu: GkeTpu, write: Callable[[str], None], day: str) -> None:
    write(PLAN)
    Path("facts.yaml").write_text(OVERLAY.replace("2027-05-02", day), encoding="utf-8")
    run = gke_tpu("calendar", *DAYS, "--catalog", "facts.yaml")
    assert run.code == 2
    assert "day" in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ("", "", {"TPU632": "warning", "TPU633": "warning"}),
        ("end: 2027-06-01", "end: 2027-04-11", {"TPU633": "warning"}),
        ("end: 2027-06-01T00:00:00Z", "end: 2027-04-11T00:00:01Z", {"TPU632": "warning", "TPU633": "warning"}),
        ("end: 2027-06-01T00:00:00Z", "end: end_of_support", {"TPU633": "warning"}),
        # The cluster runs a newer version by then
        ("start: 2027-03-01", "start: 2027-04-11", {"TPU633": "warning"}),
        ("start: 2027-04-01", "start: 2027-04-11", {"TPU632": "warning"}),
        ("duration: 14d", "duration: 10d", {"TPU632": "warning"}),
        ("duration: 14d", "duration: 864001s", {"TPU632": "warning", "TPU633": "warning"}),
        # GKE does not upgrade flex-start nodes while they run
        ("capacity: {reservation: v6e-pretrain}", "max: 2, capacity: flex_start", {"TPU632": "warning"}),
    ],
)
def test_exclusions_and_runs_that_continue_after_the_end_of_support_are_reported(
    gke_tpu: GkeTpu, write: Callable[[str], None], old: str, new: str, rules: dict[str, str]
) -> None:
    assert old in PLAN
    write(PLAN.replace(old, new, 1) if old else PLAN)
    assert found(gke_tpu) == rules


def test_a_date_of_low_confidence_gives_a_note(gke_tpu: GkeTpu, write: Callable[[str], None]) -> None:
    write(PLAN)
    facts = OVERLAY.replace("confidence: high", "confidence: low").replace("2027-05-02", "2027-04-11")
    Path("facts.yaml").write_text(facts, encoding="utf-8")
    run = gke_tpu("validate", "--format", "json", "--today", "2026-11-20", "--catalog", "facts.yaml")
    severities = {item["rule"]: item["severity"] for item in json.loads(run.out)["findings"] if item["rule"] in RULES}
    assert severities == {"TPU632": "note", "TPU633": "note"}


def test_the_version_of_an_existing_cluster_is_not_a_minimum(gke_tpu: GkeTpu, write: Callable[[str], None]) -> None:
    write(EXISTING)
    (support,) = calendar(gke_tpu)["support"]
    assert (support["version"], support["minimum"], support["day"]) == ("1.35", False, "2027-04-11")
    assert "train: GKE 1.35 until 2027-04-11 (endoflife-gke" in " ".join(gke_tpu("calendar", *DAYS).out.split())
    assert found(gke_tpu) == {"TPU633": "warning"}


def test_a_run_in_an_existing_cluster_has_an_unknown_state(gke_tpu: GkeTpu, write: Callable[[str], None]) -> None:
    write(EXISTING)
    data = calendar(gke_tpu)
    (run,) = (item for item in data["events"] if item["kind"] == "run")
    assert (run["coverage"]["state"], run["coverage"]["proposal"]) == ("unknown", None)
    assert "the maintenance window is unknown" in gke_tpu("calendar", *DAYS, "--format", "markdown").out
    assert "TPU636" in {item["rule"] for item in data["findings"]["findings"]}


INCIDENT = Path(__file__).parents[3] / "docs" / "examples" / "incident"
REPORTED = {
    "cluster": "train",
    "taken": "2026-11-28",
    "standard_end": "2027-04-11",
    "extended_end": "2028-02-11",
    "statuses": ["UPGRADE_PAUSED"],
    "paused": ["MAINTENANCE_WINDOW"],
    "minor_target": "1.36.2-gke.1100000",
    "patch_target": "",
    "missing": "",
}


def test_a_snapshot_adds_what_gke_reports(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    plan, today = INCIDENT / "plan.yaml", ("--today", "2026-11-28")
    (reported,) = json.loads(gke_tpu("calendar", plan, "--snapshot", INCIDENT, *today, "--format", "json").out)[
        "reported"
    ]
    assert REPORTED.items() <= reported.items()
    for form in ("text", "markdown"):
        shown = " ".join(gke_tpu("calendar", plan, "--snapshot", INCIDENT, *today, "--format", form).out.split())
        for part in ("2027-04-11", "2028-02-11", "get-upgrade-info, 2026-11-28"):
            assert part in shown
    (tmp_path / "snapshot.json").write_text((INCIDENT / "snapshot.json").read_text(encoding="utf-8"), encoding="utf-8")
    assert "train: not read, read.sh did not read it" in gke_tpu("calendar", plan, "--snapshot", tmp_path, *today).out
    hostile = {"autoUpgradeStatus": [7, "\x1b[31m"], "pausedReason": "x", "endOfStandardSupportTimestamp": {}}
    for content in (json.dumps(hostile), "[]", "7", "{"):
        (tmp_path / "upgrades-train.json").write_text(content, encoding="utf-8")
        done = gke_tpu("calendar", plan, "--snapshot", tmp_path, *today)
        assert (done.code, "\x1b" in done.out) == (0, False)
    (tmp_path / "snapshot.json").unlink()
    assert gke_tpu("calendar", plan, "--snapshot", tmp_path, *today).code == 2
    assert (
        "exactly one plan"
        in gke_tpu("calendar", plan, INCIDENT.parent / "runs.yaml", "--snapshot", INCIDENT, *today).err
    )

"""What a plan can mean in two ways is left to people: sizes, zones and capacity modes stay as they are written."""

import datetime

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, decision, is_fixable, readings_of

FIXER = Fixer(read_catalog(), datetime.date(2026, 11, 20))
GROUP = "{tpu: v6e, topology: 4x4, zone: us-east5-b}"


def plan(group: str = GROUP, location: str = "us-east5", days: str = "[SAT]") -> str:
    return (
        f"version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: {location}\n"
        f"    maintenance:\n      window: {{start: 2026-01-03T02:00:00Z, duration: 12h, days: {days}}}\n"
        f"    slices:\n      main: {group}\n"
    )


def in_lines(group: str) -> str:
    """The group with an entry per line."""
    return "\n" + "".join(f"        {part}\n" for part in group.strip("{}").split(", "))


def fixed(text: str) -> tuple[str, tuple[Finding, ...]]:
    report = FIXER.fix([FixableFile("plan.yaml", text.encode())])
    return report.after[0].content.decode(), report.findings


TWO_READINGS = [
    ("tpu: v6e-256, topology: 4x4", "tpu: v6e", "topology: 16x16"),
    ("tpu: v6e-256, chips: 16", "tpu: v6e", "topology: 16x16"),
    ("tpu: v6e-256-4, topology: 16x16, count: 2", "tpu: v6e", "count: 4"),
    ("tpu: v6e-4x8, topology: 4x4", "tpu: v6e", "topology: 4x8"),
    ("tpu: v5litepod-8, topology: 4x4", "tpu: v5e", "topology: 2x4"),
    ("tpu: v5p-512, topology: 4x4x4", "tpu: v5p", "topology: 4x8x8"),
    ("tpu: v6e, topology: 4x4, capacity: spot, spot: false", "capacity: spot", "spot: false"),
    ("tpu: v6e, topology: 4x4, capacity: spot, preemptible: false", "", ""),
    ("tpu: v6e, topology: 4x4, capacity: spot-or-on-demand", "", ""),
    ("tpu: v6e, topology: 4x4, count: 16 chips", "", ""),
    ("tpu: v5p, topology: v6e-256", "topology: 4x8x8", ""),
]


@pytest.mark.parametrize("style", ["braces", "lines"])
@pytest.mark.parametrize(("entries", "one", "other"), TWO_READINGS, ids=[case[0] for case in TWO_READINGS])
def test_a_group_with_two_readings_is_not_changed(entries: str, one: str, other: str, style: str) -> None:
    group = f"{{{entries}, zone: us-east5-{'a' if 'v5p' in entries else 'b'}}}"
    text = plan(group if style == "braces" else in_lines(group))
    after, findings = fixed(text)
    assert after == text
    assert not any(is_fixable(finding) for finding in findings)
    assert any(one in finding.fix and other in f"{finding.fix} {finding.why}" for finding in findings)


HOSTS = ({"topology": "2x4", "chips_per_host": 8}, {"topology": "2x4", "chips_per_host": 4})
CHOICES: list[tuple[str, tuple[dict[str, object], ...]]] = [
    ("tpu: v6e-8", HOSTS),
    ("tpu: v6e-2x4", HOSTS),
    ("tpu: v5litepod-8", HOSTS),
    ("tpu_type: v6e-8, num_slices: 2", HOSTS),
    ("tpu: v6e, chips: v6e-8", HOSTS),
    ("tpu: v6e, topology: 2x4", HOSTS),
    ("tpu: v6e, topology: 4x4, capacity: dws", ({"capacity": "flex_start"}, {"capacity": "queued"})),
    ("tpu: v6e, topology: 4x4, dws: true", ({"capacity": "flex_start"}, {"capacity": "queued"})),
    ("tpu: v6e, topology: 4x4, labels: {a: b}", ({"node_labels": {"a": "b"}}, {"resource_labels": {"a": "b"}})),
    ("tpu: v6e, topology: 4x4, labels: a=b", ({"node_labels": {"a": "b"}}, {"resource_labels": {"a": "b"}})),
]


@pytest.mark.parametrize("style", ["braces", "lines"])
@pytest.mark.parametrize(("entries", "meant"), CHOICES, ids=[case[0] for case in CHOICES])
def test_a_person_chooses_between_readings(entries: str, meant: tuple[dict[str, object], ...], style: str) -> None:
    group = f"{{{entries}, zone: us-east5-b}}"
    report = FIXER.fix([FixableFile("plan.yaml", plan(group if style == "braces" else in_lines(group)).encode())])
    (open_finding,) = (finding for finding in report.findings if readings_of(finding))
    assert len(readings_of(open_finding)) == len(meant)
    assert all(reading.meaning and reading.text in decision(open_finding) for reading in readings_of(open_finding))
    for number, keys in enumerate(meant):
        chosen = FIXER.decide(report, lambda finding, number=number: readings_of(finding)[number])  # type: ignore[misc]
        written = yaml.safe_load(chosen.after[0].content)["clusters"]["train"]["slices"]["main"]
        assert keys.items() <= written.items()
        assert not [finding for finding in chosen.findings if finding.severity.name == "ERROR"]
    assert FIXER.decide(report, lambda _: None) == report


@pytest.mark.parametrize("key", ["accelerator_type", "accelerator", "tpu_type"])
@pytest.mark.parametrize("style", ["braces", "lines"])
def test_another_key_for_the_generation_keeps_its_size(key: str, style: str) -> None:
    group = f"{{{key}: v6e-256, topology: 4x4, zone: us-east5-b}}"
    after, _ = fixed(plan(group if style == "braces" else in_lines(group)))
    assert "v6e-256" in after
    assert "topology: 4x4" in after


@pytest.mark.parametrize(
    ("entries", "meant"),
    [
        ("tpu: v6e-16, topology: 4x4", {"tpu": "v6e", "topology": "4x4"}),
        ("tpu: v5litepod-16, topology: 4x4", {"tpu": "v5e", "topology": "4x4"}),
        ("tpu: trillium, topology: 4x4", {"tpu": "v6e", "topology": "4x4"}),
        ("tpu: v6e-256", {"tpu": "v6e", "topology": "16x16"}),
        ("tpu: v6e, topology: 4x4, spot: false", {"tpu": "v6e", "topology": "4x4", "capacity": {"spot": False}}),
        ("tpu: v6e, topology: 4x4, capacity: spot, spot: true", {"tpu": "v6e", "topology": "4x4", "capacity": "spot"}),
        ("tpu: v6e, topology: 4x4, count: 2 slices", {"tpu": "v6e", "topology": "4x4", "count": 2}),
    ],
)
def test_a_group_with_one_reading_is_fixed(entries: str, meant: dict[str, object]) -> None:
    after, _ = fixed(plan(f"{{{entries}, zone: us-east5-b}}"))
    assert yaml.safe_load(after)["clusters"]["train"]["slices"]["main"] == {**meant, "zone": "us-east5-b"}


@pytest.mark.parametrize("capacity", ["", ", capacity: {reservation: v6e-pretrain}", ", capacity: spot"])
def test_neither_the_zone_of_a_group_nor_that_of_its_cluster_moves(capacity: str) -> None:
    text = plan(f"{{tpu: v6e, topology: 4x4, zone: us-east5-b{capacity}}}", location="us-east5-a")
    after, findings = fixed(text)
    assert after == text
    (finding,) = (finding for finding in findings if finding.rule == "TPU206")
    assert finding.fix == "zone: us-east5-a"
    assert "`location: us-east5`" in finding.why


def test_a_zone_without_the_generation_does_not_become_its_neighbor() -> None:
    text = plan("{tpu: v5p, topology: 4x4x4, zone: us-east5-b}")
    assert fixed(text)[0] == text


@pytest.mark.parametrize("days", ["[Sat/Sun]", "[Sat|Sun]", "[S]", "[T, WED]"])
def test_several_days_in_one_item_do_not_become_the_first(days: str) -> None:
    text = plan(days=days)
    assert fixed(text)[0] == text


@pytest.mark.parametrize(
    ("days", "meant"),
    [
        ("Sat-Sun", ["SAT", "SUN"]),
        ("Fri - Mon", ["FRI", "SAT", "SUN", "MON"]),
        ("Monday to Wednesday", ["MON", "TUE", "WED"]),
        ("[Saturday]", ["SAT"]),
        ("weekend", ["SAT", "SUN"]),
        ("[Sat-Sun]", ["SAT", "SUN"]),
        ("[Sa-Su]", ["SAT", "SUN"]),
        ("[weekend]", ["SAT", "SUN"]),
        ("[Sat-Mon, Wed]", ["SAT", "SUN", "MON", "WED"]),
        ("[Mon-Tue, Fri-Sat]", ["MON", "TUE", "FRI", "SAT"]),
        ("[Mon-Fri, WED]", ["MON", "TUE", "WED", "THU", "FRI"]),
    ],
)
def test_days_with_one_meaning_are_written(days: str, meant: list[str]) -> None:
    after, _ = fixed(plan(days=days))
    assert yaml.safe_load(after)["clusters"]["train"]["maintenance"]["window"]["days"] == meant


def test_the_days_of_a_range_are_stated() -> None:
    document = read_plan_content(plan(days="[Sat-Mon]").encode(), "plan.yaml")
    (finding,) = (finding for finding in document.findings if finding.rule == "TPU023")
    assert finding.why == "`days: [SAT, SUN, MON]` means these days"


@pytest.mark.parametrize(
    ("key", "following"), [("start", "to begin after the day"), ("end", "to include the whole day")]
)
def test_a_date_without_a_time_is_left_to_people(key: str, following: str) -> None:
    """The day of a date can be included or excluded."""
    times = {"start": "2026-12-01T00:00:00Z", "end": "2026-12-20T00:00:00Z"} | {key: "2026-12-10"}
    exclusion = f"exclusions: {{rest: {{start: {times['start']}, end: {times['end']}, scope: no_upgrades}}}}"
    text = plan().replace("      window:", f"      {exclusion}\n      window:")
    after, findings = fixed(text)
    assert after == text
    (finding,) = (finding for finding in findings if finding.path[-1] == key)
    assert "2026-12-10T00:00:00Z" in finding.fix
    assert f"2026-12-11T00:00:00Z, {following}" in f"{finding.fix} {finding.why}"

"""Rules about what a plan acknowledges and accepts."""

import datetime

import pytest
from support.checking import validate
from support.fixtures.checks import Check

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Severity


def plan(entries: str, group: str = "{tpu: v6e, topology: 2x2, zone: us-east5-b}") -> str:
    cluster = f"{{mode: standard, location: us-east5, slices: {{main: {group}}}}}"
    return f"version: 1\nproject: acme-ml\nclusters:\n  train: {cluster}\n{entries}\n"


def acknowledge(of: str, until: str = "2026-12-01") -> str:
    return f"acknowledge: [{{change: delete, of: {of}, reason: no longer used, until: {until}}}]"


def accept(rule: str, of: str = "", until: str = "2026-12-01") -> str:
    return f"accept: [{{rule: {rule}, {f'of: {of}, ' if of else ''}reason: we know, until: {until}}}]"


WEAK_ZONE = "{tpu: v6e, topology: 2x2, zone: us-east5-c}"
"""A zone where the generation is not documented, which is a warning."""


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (acknowledge("train"), []),
        (acknowledge("train/main"), []),
        (acknowledge("train/pretrain"), ["TPU901"]),
        (acknowledge("main"), ["TPU901"]),
        (acknowledge("train/"), ["TPU901"]),
        (acknowledge('""'), ["TPU901"]),
        (acknowledge("train", "2026-11-20"), []),
        (acknowledge("train", "2026-11-19"), ["TPU902"]),
        (acknowledge("gone", "2026-11-19"), ["TPU901"]),
        (accept("TPU901", "gone"), ["TPU901"]),
        (accept("TPU901", "gone", "2026-11-19"), ["TPU901"]),
        (accept("TPU901", until="2026-11-19"), ["TPU902"]),
        (accept("TPU000"), ["TPU903"]),
        (accept("TPU901"), ["TPU904"]),
        (accept("TPU112"), ["TPU904"]),
        (accept("TPU020"), ["TPU903"]),
        (accept("TPU804"), []),
    ],
)
def test_entries(check: Check, entries: str, expected: list[str]) -> None:
    assert [item.rule for item in check(plan(entries))] == expected


def test_a_removed_item_needs_two_updates(check: Check) -> None:
    (finding,) = check(plan(acknowledge("serve-west/chat")))
    assert "two updates" in finding.why
    assert finding.fix == ""


def test_the_fix_for_a_misspelled_item_is_the_nearest_one(check: Check) -> None:
    (finding,) = check(plan(acknowledge("train/mian")))
    assert (finding.fix, finding.given) == ("of: train/main", "of: train/mian")
    assert "two updates" not in finding.why


def test_the_fix_never_names_another_item(check: Check) -> None:
    """Pasted, it would lift the protection of an item that the entry is not about."""
    pool = "{tpu: v6e, topology: 2x2, zone: us-east5-b}"
    group = f"{pool}, pretrain-2: {pool}, serve-eu: {pool}, tune: {pool}, pretrain: {pool}"
    for of in ("train/pretrain-1", "train/pretrain-22", "train/serve-us", "train/tuned-b", "train/tub", "train/x"):
        (finding,) = check(plan(acknowledge(of), group))
        assert (finding.rule, finding.fix) == ("TPU901", ""), of
        assert "two updates" in finding.why
    for of in ("train", "train/pretrain-2"):
        assert check(plan(acknowledge(of), group)) == ()


@pytest.mark.parametrize("of", ["train/m", "train/", "train/trian", "trains/a", "tra/in"])
def test_the_fix_for_a_group_is_never_its_whole_cluster(check: Check, of: str) -> None:
    (finding,) = check(plan(acknowledge(of)))
    assert (finding.rule, finding.fix) == ("TPU901", "")


def test_the_fix_for_a_renamed_item_is_its_new_name(check: Check) -> None:
    entries = acknowledge("train/zzz") + "\nmoved: [{from: train/zzz, to: train/main}]"
    (finding,) = check(plan(entries))
    assert finding.fix == "of: train/main"


def test_without_a_clock_nothing_has_expired(catalog: Catalog) -> None:
    entry = {"change": "delete", "of": "train", "reason": "x", "until": "2020-01-01"}
    cluster = {"mode": "standard", "location": "us-east5"}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}, "acknowledge": [entry]})
    assert document.content is not None
    assert [item.rule for item in validate(document.content, catalog)] == []


def test_a_warning_can_be_accepted(check: Check) -> None:
    (unaccepted,) = check(plan("", WEAK_ZONE))
    assert (unaccepted.severity, unaccepted.accepted) == (Severity.WARNING, "")
    (finding,) = check(plan(accept(unaccepted.rule, "train/main"), WEAK_ZONE))
    assert (finding.rule, finding.accepted) == (unaccepted.rule, "we know")


def test_an_acceptance_of_another_item_has_no_effect(check: Check) -> None:
    (unaccepted,) = check(plan("", WEAK_ZONE))
    text = plan(accept(unaccepted.rule, "other"), WEAK_ZONE)
    other = "  other: {mode: standard, location: us-east5}\n"
    head, rest = text.split("  train:", 1)
    found = {item.rule: item.accepted for item in check(f"{head}{other}  train:{rest}")}
    assert found == {unaccepted.rule: "", "TPU904": ""}


def test_an_error_stays_one(check: Check) -> None:
    found = check(plan(accept("TPU112"), "{tpu: v6e, topology: 4x3, zone: us-east5-b}"))
    assert {item.rule: item.severity.word for item in found} == {"TPU112": "error", "TPU903": "warning"}


def test_an_expired_acceptance_is_reported_once_with_the_warning(check: Check) -> None:
    (unaccepted,) = check(plan("", WEAK_ZONE))
    found = check(plan(accept(unaccepted.rule, until="2026-11-19"), WEAK_ZONE))
    assert {item.rule: item.accepted for item in found} == {unaccepted.rule: "", "TPU902": ""}


def test_many_unknown_names_are_reported_quickly(catalog: Catalog) -> None:
    groups = {f"group-{index}": {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"} for index in range(500)}
    entries = [
        {"change": "delete", "of": f"train/grup-{index}", "reason": "x", "until": "2026-12-01"} for index in range(500)
    ]
    cluster = {"mode": "standard", "location": "us-east5", "slices": groups}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}, "acknowledge": entries})
    assert document.content is not None
    found = validate(document.content, catalog, today=datetime.date(2026, 11, 20))
    assert len(found) == 500
    assert 0 < sum(bool(item.fix) for item in found) < 50

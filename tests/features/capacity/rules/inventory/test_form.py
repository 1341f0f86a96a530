"""Rules about problems of an inventory itself."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.inventory_texts import OWNED, PRETRAIN, cluster, plan, quota, reservation

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Document, parse_plan, read_inventory
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory

TODAY = datetime.date(2026, 11, 20)

CATALOG = read_catalog()

Found = Callable[..., list[str]]

SERVE = "tpu: v6e, topology: 2x2, zone: us-east5-b"


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-11-20", []),
        ("2026-10-21", []),
        ("2026-10-20", ["TPU831 note"]),
        ("2026-11-21", []),
        ("2027-11-20", ["TPU831 note"]),
    ],
)
def test_age(found: Found, as_of: str, expected: list[str]) -> None:
    assert found(cluster(SERVE), inventory=f"version: 1\nas_of: {as_of}") == expected


@pytest.mark.parametrize(
    ("inventory", "expected"),
    [
        ("reservations:\n" + reservation() + reservation(vms=1), ["TPU832 error"]),
        ("reservations:\n" + reservation() * 3, ["TPU832 error", "TPU832 error"]),
        ("reservations:\n" + reservation() + reservation(project="acme-web"), []),
        ("quotas:\n" + quota() + quota(family="ct6e"), ["TPU832 error"]),
        ("quotas:\n" + quota() + quota(family="CT3"), []),
        ("quotas:\n" + quota("CPUS", 24) + quota("NVIDIA_L4_GPUS", 0), []),
        ("quotas:\n" + quota("CPUS", 24, region="global"), []),
        ("quotas:\n" + quota("CPUS", 24, region="us_east5"), ["TPU835 warning"]),
        ("quotas:\n" + quota(family="V6E"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpu_per_tpu_family"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpu_per_tpu_family", project="acme-web"), ["TPU834 note"]),
        ("quotas:\n" + quota(family="V6E", region="us-east1"), ["TPU834 note"]),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)"), []),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)", family="ct6e"), []),
        ("quotas:\n" + quota("tpus_per_tpu_family (CT6E)", family="CT3"), ["TPU834 warning"]),
        ("quotas:\n" + quota("tpus_per_tpu_family (V6E)"), ["TPU834 warning"]),
        ("quotas:\n" + quota(family="ct6e") + quota("tpus_per_tpu_family (CT6E)"), ["TPU832 error"]),
        ("reservations:\n" + reservation(zone="us-east5"), ["TPU835 warning"]),
        ("gke_versions: {everywhere: {}}", ["TPU835 warning"]),
    ],
)
def test_the_inventory_by_itself(found: Found, inventory: str, expected: list[str]) -> None:
    assert found(cluster(SERVE), inventory=inventory) == expected


@pytest.mark.parametrize(
    ("machine_type", "fix"),
    [("ct6e-standard4t", "machine_type: ct6e-standard-4t"), ("n2-", ""), ("ct6e", ""), ("!", "")],
)
def test_the_fix_of_an_unknown_machine_type_is_one_of_similar_spelling(
    machine_type: str, fix: str, findings: Callable[..., tuple[Finding, ...]]
) -> None:
    listed = "reservations:\n" + reservation(machine_type=f'"{machine_type}"')
    assert [item.fix for item in findings(cluster(SERVE), inventory=listed)] == [fix]


@pytest.mark.parametrize(
    ("entry", "given", "allowed"),
    [
        (quota(family="V6E"), "family V6E", ("CT3", "CT3P", "CT6E", "tpu7x")),
        (
            "  - {project: acme-ml, metric: tpus_per_tpu_family, region: us-east5, limit: 8}\n",
            "no family",
            ("CT3", "CT3P", "CT6E", "tpu7x"),
        ),
    ],
)
def test_a_quota_per_machine_family_allows_the_families_of_this_quota(
    entry: str, given: str, allowed: tuple[str, ...], findings: Callable[..., tuple[Finding, ...]]
) -> None:
    (found,) = findings(cluster(SERVE), inventory="quotas:\n" + entry)
    assert found.message.endswith(f"is per machine family, but this entry has {given}")
    assert found.allowed == allowed


def test_a_finding_has_its_position_in_its_own_file(findings: Callable[..., tuple[Finding, ...]]) -> None:
    listed = "reservations:\n" + reservation(name="other") + reservation(name="other")
    places = {
        item.rule: item.position and (item.position.file, item.position.text.strip())
        for item in findings(cluster(SERVE), cluster(PRETRAIN, name="b"), inventory=listed)
    }
    assert places == {
        "TPU801": ("plan-1.yaml", f"g0: {{{PRETRAIN}}}"),
        "TPU832": ("inventory.yaml", reservation(name="other").strip()),
    }


def test_what_cannot_be_read_is_passed_over() -> None:
    nothing: Document[Inventory] = Document(None, "inventory.yaml")
    empty: Document[Inventory] = Document(Inventory.model_validate({"version": 1, "as_of": TODAY}), "inventory.yaml")
    unreadable = check_plan(Document(None, "plan.yaml"), CATALOG)
    assert validate_inventory([unreadable], nothing, CATALOG, today=TODAY) == ()
    assert validate_inventory([unreadable], empty, CATALOG, today=TODAY) == ()
    assert validate_inventory([], empty, CATALOG, today=None) == ()


@pytest.mark.parametrize(
    "changes",
    [{"name": "other"}, {"vms": 0}, {"zone": "us-east5-a"}, {"project": "web\x1b[2J", "shared_with": ["acme"]}],
)
def test_hostile_text_of_a_program_is_made_printable(changes: dict[str, object]) -> None:
    name = "v6e\u202e\x1b[31m"
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": {"reservation": name}}
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"g\x07": group}}
    entry = {"name": name, "project": "acme", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 9}
    owned = Inventory.model_validate({"version": 1, "as_of": TODAY, "reservations": [entry | changes]})
    plan = check_plan(parse_plan({"version": 1, "project": "acme", "clusters": {"c\x9b": cluster}}), CATALOG, TODAY)
    findings = validate_inventory([plan], Document(owned), CATALOG, today=TODAY)
    assert len(findings) == 1
    for item in findings:
        assert all(text.isprintable() for text in (item.message, item.given, item.fix, *item.allowed)), item


def test_reasons_about_keys_of_an_inventory_do_not_mention_plans_or_resources(tmp_path: Path) -> None:
    path = tmp_path / "inventory.yaml"
    path.write_text("version: 1\nreservations: []\nquota:\n" + quota(), encoding="utf-8")
    reasons = {finding.rule: finding.why for finding in read_inventory(path, path.name).findings}
    assert "resource" not in reasons["TPU021"]
    assert reasons["TPU020"] == "the key for this setting is `quotas`"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (", in_use: 64", []),
        (", in_use: 65", ["TPU837 error: `in_use` is 65 VMs, but `vms` is 64"]),
        (", blocks: [{name: a, vms: 32}, {name: b, vms: 32}]", []),
        (
            ", blocks: [{name: a, vms: 33}, {name: b, vms: 32}]",
            ["TPU837 error: `blocks` have 65 VMs in total, but `vms` is 64"],
        ),
        (
            ", blocks: [{name: a, vms: 8, sub_blocks: [{name: s, vms: 9}]}]",
            ["TPU837 error: `sub_blocks` have 9 VMs in total, but `vms` is 8"],
        ),
        (
            ", blocks: [{name: a, vms: 8}, {name: a, vms: 8}]",
            ["TPU832 error: duplicate block a: entry 1 of this list already defines it"],
        ),
        (
            ", blocks: [{name: a, vms: 8, sub_blocks: [{name: s, vms: 1}]}, "
            "{name: b, vms: 8, sub_blocks: [{name: s, vms: 1}]}]",
            [],
        ),
        (
            ", from: 2026-12-01, until: 2026-12-01",
            ["TPU838 error: reservation `pool` ends on 2026-12-01, but begins on 2026-12-01"],
        ),
    ],
)
def test_contradictions_inside_a_reservation(listed: Found, keys: str, expected: list[str]) -> None:
    assert listed(plan("capacity: spot"), inventory=OWNED % keys) == expected

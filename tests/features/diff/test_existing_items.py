"""A plan that starts or stops to refer to its own cluster as an existing one: classes, consent and text."""

import pytest
from support.plan_edits import findings, items, only_item, report

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.comparison.gates import Gates
from pulumi_gke_tpu.features.diff.engine.model import Report

GROUPS = """\
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      held: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: held}}
"""
HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n"
REFERENCE = "projects/acme-ml/locations/us-east5/clusters/train"
CREATED = f"{HEAD}    location: us-east5\n{GROUPS}"
UNPROTECTED = f"{HEAD}    location: us-east5\n    deletion_protection: false\n{GROUPS}"
ACCOUNT = "    node_service_account: gke-train-d2a7804c@acme-ml.iam.gserviceaccount.com\n"
EXISTING = f"{HEAD}    existing: {REFERENCE}\n{ACCOUNT}{GROUPS}"
ACKNOWLEDGED = "acknowledge: [{change: delete, of: train, reason: retained, until: 2026-12-01}]\n"
AUTOPILOT = """\
version: 1
project: acme-ml
clusters:
  dev:
    mode: autopilot
    location: us-central1
    slices: {note: {tpu: v5e, topology: 2x2, count: 2}}
"""
ON_EXISTING_AUTOPILOT = AUTOPILOT.replace(
    "location: us-central1", "existing: projects/acme-ml/locations/us-central1/clusters/dev"
)


def rules(before: str, after: str) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings(before, after)]


def test_the_slices_are_deleted_with_the_cluster() -> None:
    found = items(CREATED, EXISTING)
    assert {name: item.change for name, item in found.items()} == dict.fromkeys(
        ("train", "train/main", "train/held"), "delete"
    )
    assert found["train/main"].hosts_gone == Range(4, 4)
    assert found["train/main"].consequence == (
        "The slices (4 hosts) are deleted with cluster `train`, which is deleted; running jobs on them stop."
    )
    assert "with its node pools (8 TPU hosts)" in found["train"].consequence
    assert Gates.parse("delete").closed(Report(report(CREATED, EXISTING))) == ("train and 2 more are delete",)


def test_one_rule_reports_it_and_one_entry_allows_it() -> None:
    assert rules(CREATED, EXISTING) == ["TPU966 error"]
    assert rules(UNPROTECTED, EXISTING) == ["TPU966 error"]
    (fix,) = items(CREATED, EXISTING)["train"].fixes
    assert fix.text == "acknowledge: [{change: delete, of: train, reason: WHY, until: 2026-12-04}]"
    assert fix.side == "head"
    found = items(CREATED, EXISTING + ACKNOWLEDGED)["train"]
    assert (found.change, found.refused, found.fixes) == ("delete", "", ())
    assert rules(CREATED, EXISTING + ACKNOWLEDGED) == []


def test_deletion_protection_is_named_only_where_it_is_enabled() -> None:
    assert "deletion protection" in items(CREATED, EXISTING)["train"].refused
    assert items(UNPROTECTED, EXISTING)["train"].refused == ""


def test_an_entry_that_is_new_with_the_change_does_not_count_where_those_of_the_base_do() -> None:
    found = items(CREATED, EXISTING + ACKNOWLEDGED, ack_from="base")["train"]
    assert found.updates == 2
    assert found.fixes


def test_the_way_that_keeps_the_cluster_is_in_the_report() -> None:
    assert "`retain_on_delete=True`" in items(CREATED, EXISTING)["train"].consequence
    assert (
        "`retain_on_delete=True`"
        not in items(UNPROTECTED, EXISTING.replace(REFERENCE, f"{REFERENCE}-2"))["train"].consequence
    )


def test_another_existing_cluster_replaces_the_slices() -> None:
    found = items(UNPROTECTED, EXISTING.replace(REFERENCE, f"{REFERENCE}-2"))
    assert {name: item.change for name, item in found.items()} == {
        "train": "delete",
        "train/main": "replace",
        "train/held": "replace",
    }


def test_slices_on_autopilot_are_deleted_with_their_cluster() -> None:
    found = items(AUTOPILOT, ON_EXISTING_AUTOPILOT)
    assert {name: item.change for name, item in found.items()} == {"dev": "delete", "dev/note": "delete"}
    assert found["dev/note"].hosts_gone == Range(0, 2)
    assert "system pool" not in found["dev"].refused
    assert rules(AUTOPILOT, ON_EXISTING_AUTOPILOT) == ["TPU966 error"]


def test_a_cluster_that_exists_cannot_be_created() -> None:
    assert "TPU967 error" in rules(EXISTING, CREATED)
    found = items(EXISTING, CREATED)["train"]
    assert found.refused == "`pulumi up` will fail: the cluster exists already, so GKE does not create it."
    assert (found.change, found.fixes) == ("create", ())


def test_a_reference_to_another_cluster_changes_only_the_slices() -> None:
    """Nothing reports a replaced cluster, or its deletion protection."""
    other = EXISTING.replace(REFERENCE, f"{REFERENCE}-2")
    assert set(items(EXISTING, other)) == {"train/main", "train/held"}
    assert rules(EXISTING, other) == ["TPU964 error"]  # the protected group


@pytest.mark.parametrize("fact", ['version: "1.35"', "release_channel: rapid", "location: us-east5", "name: train"])
def test_a_stated_fact_changes_nothing(fact: str) -> None:
    assert items(EXISTING, EXISTING.replace("    slices:", f"    {fact}\n    slices:")) == {}


def test_a_setting_of_the_node_pools_changes_them() -> None:
    one = EXISTING.replace(
        "      held: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: held}}\n", ""
    )
    item = only_item(one, one.replace("    slices:", "    private_nodes: true\n    slices:"))
    assert (item.item, item.change) == ("train/main", "in-place")


@pytest.mark.parametrize("plan", [CREATED, EXISTING])
def test_a_cluster_that_stays_what_it_is_is_not_reported(plan: str) -> None:
    labeled = plan.replace("zone: us-east5-b}", "zone: us-east5-b, node_labels: {team: ml}}")
    assert rules(plan, labeled) == []
    assert set(items(plan, labeled)) == {"train/main"}


def test_slices_leave_an_existing_cluster_without_its_consent() -> None:
    """The plan does not own the cluster, so no deletion protection holds it."""
    other = "  other: {mode: standard, location: us-east1}\n"
    free = EXISTING[: EXISTING.index("      held:")]
    found = items(free + other, HEAD.partition("  train:")[0] + other)
    assert {name: (item.change, item.refused) for name, item in found.items()}["train/main"] == ("delete", "")
    assert "TPU953 error" not in rules(free + other, HEAD.partition("  train:")[0] + other)

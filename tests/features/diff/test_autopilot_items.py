"""Slices on Autopilot have no node pools: they go with their cluster, and stay while that stays."""

import pytest
from support.plan_edits import findings, items, report

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.comparison.gates import Gates
from pulumi_gke_tpu.features.diff.engine.model import Report

HEAD = "version: 1\nproject: acme-ml\nclusters:\n"
CLUSTER = """\
  dev:
    mode: autopilot
    location: us-central1
    deletion_protection: false
    slices:
      note: {tpu: v5e, topology: 2x2, count: 2}
      batch: {tpu: v5e, topology: 4x4, capacity: spot, count: {min: 0, max: 3}}
"""
OTHER = "  other: {mode: standard, location: us-central1}\n"
PLAN = HEAD + CLUSTER + OTHER
STANDARD = (
    PLAN.replace("autopilot", "standard")
    .replace("count: 2}", "count: 2, zone: us-central1-a}")
    .replace("max: 3}}", "max: 3}, zone: us-central1-a}")
)


def test_slices_are_deleted_with_their_cluster() -> None:
    found = items(PLAN, HEAD + OTHER)
    assert {name: item.change for name, item in found.items()} == dict.fromkeys(
        ("dev", "dev/note", "dev/batch"), "delete"
    )
    note, batch = found["dev/note"], found["dev/batch"]
    assert note.consequence == (
        "The slices (up to 2 hosts) are deleted with cluster `dev`, which is deleted; running jobs on them stop."
    )
    assert (note.hosts_gone, batch.hosts_gone) == (Range(0, 2), Range(0, 12))
    assert Gates.parse("delete").closed(Report(report(PLAN, HEAD + OTHER))) == ("dev and 2 more are delete",)


def test_slices_of_a_replaced_cluster_are_replaced() -> None:
    found = items(PLAN, PLAN.replace("us-central1\n", "us-west4\n"))
    assert found["dev/note"].change == "replace"
    assert found["dev/note"].consequence == (
        "The slices (up to 2 hosts) are deleted with cluster `dev`, which is replaced; running jobs on them stop. "
        "Autopilot creates them again when workloads request them; no capacity until then."
    )


def test_slices_that_become_node_pools_of_a_standard_cluster_are_replaced() -> None:
    found = items(PLAN, STANDARD)["dev/note"]
    assert found.change == "replace"
    assert "The slices (up to 2 hosts) are deleted with cluster `dev`, which is replaced" in found.consequence
    assert "`note` is created with 2 hosts (8 chips)" in found.consequence
    assert (found.hosts_gone, found.hosts_new) == (Range(0, 2), Range(2, 2))


def test_node_pools_that_become_slices_on_autopilot_are_deleted() -> None:
    found = items(STANDARD, PLAN)["dev/note"]
    assert found.change == "delete"
    assert "`note` is deleted (2 hosts, 8 chips)" in found.consequence
    assert "On Autopilot, GKE creates the slices when workloads request them." in found.consequence


def test_a_deleted_group_in_a_kept_cluster_deletes_no_hosts() -> None:
    found = items(PLAN, PLAN.replace("      note: {tpu: v5e, topology: 2x2, count: 2}\n", ""))["dev/note"]
    assert (found.change, found.hosts_gone) == ("metadata", Range(0, 0))
    assert "nothing is deleted" in found.consequence


def test_slices_of_a_renamed_cluster_stay_once_that_is_declared() -> None:
    renamed = PLAN.replace("  dev:", "  lab:")
    found = items(PLAN, renamed)
    assert found["dev/note"].change == "delete"
    assert found["dev/note"].fixes == found["dev"].fixes
    (fix,) = found["dev"].fixes
    assert fix.text == "moved: [{from: dev, to: lab}]"
    declared = items(PLAN, f"{renamed}{fix.text}\n")
    assert {key: (item.former_item, item.change, item.hosts_gone.maximum) for key, item in declared.items()} == {
        "lab": ("dev", "metadata", 0)
    }


@pytest.mark.parametrize(("of", "closed"), [("dev", False), ("other", True)])
def test_an_acknowledgement_of_the_cluster_covers_its_slices(of: str, closed: bool) -> None:
    entry = f"acknowledge: [{{change: delete, of: {of}, reason: no longer used, until: 2026-12-01}}]\n"
    assert bool(Gates.parse("delete").closed(Report(report(PLAN + entry, HEAD + OTHER)))) == closed


PROTECTED = PLAN.replace("    deletion_protection: false\n", "")


@pytest.mark.parametrize(
    "after",
    [HEAD + OTHER, PROTECTED.replace("us-central1", "us-east1"), STANDARD],
    ids=["deleted", "moved", "standard"],
)
def test_the_failure_at_a_protected_cluster_mentions_no_node_pools(after: str) -> None:
    cluster = items(PROTECTED, after)["dev"]
    assert cluster.refused.startswith("`pulumi up` will fail: deletion protection of the cluster is enabled. ")
    (resource,) = (change for change in cluster.resources if change.refused_by == "provider")
    assert resource.refused.endswith("the update fails at the deletion of the cluster")
    reported = [found for found in findings(PROTECTED, after) if found.rule in ("TPU953", "TPU962", "TPU964")]
    assert reported
    shown = [cluster.consequence, cluster.refused, *(text for found in reported for text in (found.message, found.why))]
    assert [text for text in shown if "node pool" in text] == []


def test_the_failure_at_a_protected_standard_cluster_comes_after_its_node_pools() -> None:
    standard = STANDARD.replace("    deletion_protection: false\n", "")
    cluster = items(standard, HEAD + OTHER)["dev"]
    assert "only after Pulumi has deleted the node pools of the cluster" in cluster.refused
    (resource,) = (change for change in cluster.resources if change.refused_by == "provider")
    assert resource.refused.endswith(", after the deletion of its node pools")

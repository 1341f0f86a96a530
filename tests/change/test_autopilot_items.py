"""Slices on Autopilot have no node pools: they go with their cluster, and stay while that stays."""

import pytest
from support.plan_edits import items, report

from pulumi_gke_tpu.engine_check.report import Report
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.workflows.gates import Gates

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
    assert "On Autopilot, workloads request the slices." in found.consequence


def test_a_group_that_goes_while_its_cluster_stays_takes_nothing_away() -> None:
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
    assert items(PLAN, f"{renamed}{fix.text}\n") == {}


@pytest.mark.parametrize(("of", "closed"), [("dev", False), ("other", True)])
def test_an_acknowledgement_of_the_cluster_covers_its_slices(of: str, closed: bool) -> None:
    entry = f"acknowledge: [{{change: delete, of: {of}, reason: no longer used, until: 2026-12-01}}]\n"
    assert bool(Gates.parse("delete").closed(Report(report(PLAN + entry, HEAD + OTHER)))) == closed

"""Clusters that exist already: which keys speak about them, and what is not made for them."""

import datetime
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.cohorts import most_chips, most_together
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.service_accounts import service_accounts
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.plan import parse_plan

TODAY = datetime.date(2026, 11, 20)
GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "spot"}
EXISTING = {"existing": "projects/acme-ml/locations/us-east5/clusters/train"}


def cluster(**keys: Any) -> Cluster:
    whole = {"mode": "standard", "location": "us-east5", "slices": {"a": GROUP}} | keys
    read = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": whole}})
    assert read.content is not None, read.findings
    (found,) = derive(read.content, read_catalog(), TODAY).clusters
    return found


@pytest.mark.parametrize(
    ("keys", "name", "version"),
    [
        ({"min_version": "1.34"}, "min_version", "1.34"),
        ({}, "min_version", None),
        (EXISTING | {"version": "1.33"}, "version", "1.33"),
        (EXISTING, "version", None),
    ],
)
def test_the_version_of_a_cluster_is_requested_or_stated(keys: dict[str, Any], name: str, version: str | None) -> None:
    found = cluster(**keys)
    assert (found.version_key, found.version) == (name, version)


AUTOPILOT = {"mode": "autopilot"}


@pytest.mark.parametrize(
    ("keys", "provisioned", "protected"),
    [({}, True, True), (EXISTING, False, False), (AUTOPILOT, False, True), (AUTOPILOT | EXISTING, False, False)],
)
def test_only_a_cluster_that_the_plan_makes_is_protected_and_provisions_nodes(
    keys: dict[str, Any], provisioned: bool, protected: bool
) -> None:
    limits = {"autoprovisioning": {"cpu": 64, "memory_gib": 256, "tpu": {"v6e": 64}}}
    found = cluster(**limits | keys)
    assert (found.autoprovisioning is not None, found.deletion_protection) == (provisioned, protected)
    assert cluster(**keys).autoprovisioning is None
    assert not cluster(**keys, deletion_protection=False).deletion_protection


def test_a_bucket_is_written_if_any_volume_of_a_workload_writes_it() -> None:
    def volume(mount: str, bucket: str, *, read_only: bool) -> dict[str, Any]:
        return {"mount": mount, "bucket": {"name": bucket}, "read_only": read_only}

    job = {"kind": "job", "slices": "a", "image": "us-docker.pkg.dev/p/i/x:1", "service_account": "trainer"}
    volumes = {
        "in": volume("/in", "acme-data", read_only=True),
        "out": volume("/out", "acme-runs", read_only=False),
        "back": volume("/back", "acme-runs", read_only=True),
    }
    found = cluster(
        kubernetes={
            "service_accounts": {"trainer": {"google": "create"}},
            "workloads": {"w": job | {"volumes": volumes}},
        }
    )
    objects = kubernetes_objects(found)
    assert objects is not None
    (account,) = service_accounts(objects)
    assert {use.bucket: use.writes for use in account.buckets} == {"acme-data": False, "acme-runs": True}


def test_a_queue_borrows_only_from_its_own_cohort() -> None:
    queues = {name: {"chips": {"a": 16}, "cohort": name} for name in ("research", "serving")}
    cohorts = {"research": {"chips": {"a": 16}}, "serving": {"chips": {"a": 128}}}
    group = GROUP | {"count": {"min": 0, "max": 12}}
    objects = kubernetes_objects(cluster(slices={"a": group}, kubernetes={"queues": queues, "cohorts": cohorts}))
    assert objects is not None
    (flavor,) = objects.flavors
    found = {queue.name: most_chips(objects, queue, flavor) for queue in objects.queues}
    assert found == {"research": 32, "serving": 144}


@pytest.mark.parametrize(
    ("queue", "cohort", "most"),
    [
        ({}, {}, 56),
        ({"borrow": {"a": 4}}, {}, 20),
        ({"borrow": {"a": 64}}, {}, 56),
        ({"lend": {"a": 4}}, {}, 56),
        ({}, {"borrow": {"a": 8}}, 24),
        ({}, {"chips": {"a": 8}, "borrow": {"a": 8}}, 32),
        ({}, {"chips": {"a": 8}, "lend": {"a": 4}}, 64),
        ({}, {"parent": None}, 16),
    ],
)
def test_a_queue_gets_what_its_cohorts_lend(queue: dict[str, Any], cohort: dict[str, Any], most: int) -> None:
    """32 chips of the cohort above, 8 of the 16 of another queue there, and the own 16."""
    queues = {
        "q": {"chips": {"a": 16}, "cohort": "below"} | queue,
        "other": {"chips": {"a": 16}, "lend": {"a": 8}, "cohort": "above"},
    }
    cohorts = {"below": {"parent": "above"} | cohort, "above": {"chips": {"a": 32}}}
    group = GROUP | {"count": {"min": 0, "max": 12}}
    objects = kubernetes_objects(cluster(slices={"a": group}, kubernetes={"queues": queues, "cohorts": cohorts}))
    assert objects is not None
    (flavor,) = objects.flavors
    assert {item.name: most_chips(objects, item, flavor) for item in objects.queues}["q"] == most


@pytest.mark.parametrize(("each", "together"), [(16, 64), (24, 48), (40, 40), (64, 64), (65, 0)])
def test_queues_together_get_whole_slices(each: int, together: int) -> None:
    """64 chips, of which another queue keeps 8 for itself."""
    queues = {
        "q": {"chips": {"a": 16}, "cohort": "above"},
        "other": {"chips": {"a": 16}, "lend": {"a": 8}, "cohort": "above"},
    }
    kubernetes = {"queues": queues, "cohorts": {"above": {"chips": {"a": 32}}}}
    group = GROUP | {"count": {"min": 0, "max": 12}}
    objects = kubernetes_objects(cluster(slices={"a": group}, kubernetes=kubernetes))
    assert objects is not None
    (flavor,) = objects.flavors
    assert most_together(objects, objects.queues, flavor, each) == together


@pytest.mark.parametrize(
    ("group", "topology", "names"),
    [(GROUP, {}, ()), ({"tpu": "tpu7x", "zone": "us-central1-c", "slicing": "dynamic"}, {"topology": "4x4x4"}, ("w",))],
)
def test_only_slices_of_cubes_have_names(
    group: dict[str, Any], topology: dict[str, str], names: tuple[str, ...]
) -> None:
    job = {"kind": "jobset", "slices": "a", "image": "us-docker.pkg.dev/p/i/x:1", "partitions": [["a1"]], **topology}
    objects = kubernetes_objects(cluster(slices={"a": group}, kubernetes={"workloads": {"w": job}}))
    assert objects is not None
    assert [workload.slice_names for workload in objects.workloads] == [names]


@pytest.mark.parametrize(
    ("days", "today", "protected"), [(0, TODAY, False), (1, TODAY, False), (-1, TODAY, True), (1, None, True)]
)
def test_an_acknowledgment_lifts_protection_until_its_day(
    days: int, today: datetime.date | None, protected: bool
) -> None:
    group = GROUP | {"capacity": {"reservation": "r"}}
    whole = {"mode": "standard", "location": "us-east5", "slices": {"a": group}}
    entry = {"change": "delete", "of": "train", "until": TODAY + datetime.timedelta(days), "reason": "moved"}
    read = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": whole}, "acknowledge": [entry]})
    assert read.content is not None, read.findings
    (found,) = derive(read.content, read_catalog(), today).clusters
    assert found.deletion_protection is protected
    assert found.groups[0].protect is protected

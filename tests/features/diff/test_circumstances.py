"""The effect of an update by its context: taints, limits and exclusions before and after, and its users."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.preview import Graph, Unknown

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"


def resource(token: str, name: str, **inputs: Any) -> Resource:
    return Resource(
        urn=f"urn:pulumi:prod::gke-tpu::{token}::{name}", type=token, name=name, custom=True, parent="", inputs=inputs
    )


def changed(token: str, was: dict[str, Any], will: dict[str, Any], *others: Resource) -> ResourceChange:
    """What happens to one resource, beside others that stay."""
    before, after = (Graph((resource(token, "it", **inputs), *others)) for inputs in (was, will))
    found = {change.name: change for change in compare(before, after, read_catalog().provider)}
    return found["it"]


def follows(change: ResourceChange) -> str:
    """All that follows, in one text."""
    return " ".join(fact.text for item in change.differences for fact in item.follows)


# Taints

EVICTS = {"key": "a", "value": "1", "effect": "NO_EXECUTE"}
REPELS = {**EVICTS, "effect": "NO_SCHEDULE"}
PREFERS = {**EVICTS, "effect": "PREFER_NO_SCHEDULE"}


@pytest.mark.parametrize(
    ("was", "will", "effect", "said"),
    [
        pytest.param([], [EVICTS], "restart", "evicts running Pods", id="new"),
        pytest.param([REPELS], [REPELS, EVICTS], "restart", "evicts running Pods", id="new beside another"),
        pytest.param([REPELS], [EVICTS], "restart", "evicts running Pods", id="other effect"),
        pytest.param([EVICTS], [{**EVICTS, "value": "2"}], "restart", "evicts running Pods", id="other value"),
        pytest.param([EVICTS, REPELS], [REPELS, EVICTS], "in-place", "", id="other order"),
        pytest.param([EVICTS], [], "in-place", "", id="gone"),
        pytest.param([EVICTS, REPELS], [EVICTS], "in-place", "", id="one of two gone"),
        pytest.param([], [REPELS], "in-place", "are not scheduled", id="new Pods only"),
        pytest.param([EVICTS], [REPELS], "in-place", "are not scheduled", id="weaker"),
        pytest.param([], [PREFERS], "in-place", "", id="only preferred"),
    ],
)
def test_taints(was: list[Any], will: list[Any], effect: str, said: str) -> None:
    change = changed(POOL, {"nodeConfig": {"taints": was}}, {"nodeConfig": {"taints": will}})
    assert (change.operation, change.effect) == ("update", effect)
    assert bool(follows(change)) == bool(said)
    assert said in follows(change)


# Numbers of nodes


def autoscaled(**limits: int) -> dict[str, Any]:
    return {"autoscaling": limits}


@pytest.mark.parametrize(
    ("was", "will", "effect", "may_stay"),
    [
        pytest.param(autoscaled(totalMaxNodeCount=8), {"nodeCount": 4}, "restart", False, id="below the limit"),
        pytest.param(autoscaled(totalMaxNodeCount=4), {"nodeCount": 4}, "in-place", False, id="at the limit"),
        pytest.param(autoscaled(maxNodeCount=8), {"nodeCount": 4}, "restart", False, id="below the limit of a zone"),
        pytest.param({}, {"nodeCount": 4}, "in-place", False, id="from an unknown number"),
        pytest.param({"nodeCount": 4}, autoscaled(totalMaxNodeCount=2), "in-place", True, id="limit below the count"),
        pytest.param({"nodeCount": 4}, autoscaled(totalMaxNodeCount=4), "in-place", False, id="limit at the count"),
        pytest.param(
            autoscaled(totalMaxNodeCount=8), autoscaled(totalMaxNodeCount=4), "in-place", True, id="smaller limit"
        ),
        pytest.param(
            autoscaled(totalMaxNodeCount=4), autoscaled(totalMaxNodeCount=8), "in-place", False, id="larger limit"
        ),
    ],
)
def test_numbers_of_nodes(was: dict[str, Any], will: dict[str, Any], effect: str, may_stay: bool) -> None:
    change = changed(POOL, was, will)
    assert (change.operation, change.effect) == ("update", effect)
    assert ("nodes in use can stay" in follows(change)) == may_stay


# Nodes that run


@pytest.mark.parametrize(
    ("around", "effect", "stay"),
    [
        ({}, "restart", False),
        ({"nodeConfig": {"flexStart": True}}, "in-place", True),
        ({"queuedProvisioning": {"enabled": True}}, "in-place", True),
    ],
)
def test_nodes_of_flex_start_and_queued_pools_stay_as_they_are(around: dict[str, Any], effect: str, stay: bool) -> None:
    disks = ({"nodeConfig": {**around.get("nodeConfig", {}), "bootDisk": {"sizeGb": size}}} for size in (100, 200))
    was, will = ({**around, **disk} for disk in disks)
    change = changed(POOL, was, will)
    assert change.effect == effect
    assert ("node pool do not change" in follows(change)) == stay


def test_a_pool_without_slices_gets_no_reasons_about_slices() -> None:
    change = changed(POOL, *({"nodeConfig": {"machineType": f"n2-standard-{size}"}} for size in (4, 8)))
    (found,) = change.differences
    assert found.effect == "restart"
    assert "slice" not in found.fact.text


# What a cluster uses

PODS = {"rangeName": "pods", "ipCidrRange": "10.16.0.0/14"}
LARGER = {**PODS, "ipCidrRange": "10.24.0.0/14"}
MORE = {"rangeName": "more", "ipCidrRange": "10.64.0.0/14"}
ON_IT = resource(CLUSTER, "cl", subnetwork=Unknown((f"urn:pulumi:prod::gke-tpu::{SUBNETWORK}::it",)))
BESIDE = resource(CLUSTER, "cl", subnetwork="other")


@pytest.mark.parametrize(
    ("was", "will", "cluster", "refused_by"),
    [
        pytest.param([PODS], [LARGER], ON_IT, "GKE", id="other range"),
        pytest.param([PODS, MORE], [MORE], ON_IT, "GKE", id="range taken away"),
        pytest.param([PODS], [PODS, MORE], ON_IT, "", id="range added"),
        pytest.param([PODS], [LARGER], BESIDE, "", id="no cluster on it"),
    ],
)
def test_ranges_below_a_cluster(was: list[Any], will: list[Any], cluster: Resource, refused_by: str) -> None:
    change = changed(SUBNETWORK, {"secondaryIpRanges": was}, {"secondaryIpRanges": will}, cluster)
    assert (change.operation, change.refused_by) == ("update", refused_by)
    assert change.effect == ("refused" if refused_by else "in-place")


def test_a_reason_without_a_source_has_low_confidence() -> None:
    change = changed(SUBNETWORK, {"secondaryIpRanges": [PODS]}, {"secondaryIpRanges": [LARGER]}, ON_IT)
    assert {item.fact.confidence for item in change.differences} == {"low"}


# Later on


def exclusion(name: str = "run", start: str = "2026-12-01", end: str = "2026-12-20", scope: str = "") -> dict[str, Any]:
    times = {"startTime": f"{start}T00:00:00Z", "endTime": f"{end}T00:00:00Z"} if end else {"startTime": start}
    return {"exclusionName": name, **times, "exclusionOptions": {"scope": scope or "NO_MINOR_OR_NODE_UPGRADES"}}


def policy(*exclusions: dict[str, Any]) -> dict[str, Any]:
    window = {"recurringWindow": {"recurrence": "FREQ=DAILY"}}
    return {"maintenancePolicy": {**window, **({"maintenanceExclusions": list(exclusions)} if exclusions else {})}}


@pytest.mark.parametrize(
    ("will", "lifted"),
    [
        pytest.param(policy(), True, id="gone"),
        pytest.param({}, True, id="gone with all around it"),
        pytest.param(policy(exclusion("other")), True, id="another one"),
        pytest.param(policy(exclusion(end="2026-12-10")), True, id="shorter"),
        pytest.param(policy(exclusion(start="2026-12-05")), True, id="later"),
        pytest.param(policy(exclusion(scope="NO_MINOR_UPGRADES")), True, id="narrower"),
        pytest.param(policy(exclusion(scope="NO_UPGRADES")), False, id="wider"),
        pytest.param(policy(exclusion(end="2026-12-24")), False, id="longer"),
        pytest.param(policy(exclusion(end="")), False, id="until the end of support"),
        pytest.param(policy(exclusion(), exclusion("more")), False, id="one more"),
    ],
)
def test_exclusions_that_hold_back_less(will: dict[str, Any], lifted: bool) -> None:
    change = changed(CLUSTER, policy(exclusion()), will)
    assert change.effect == "in-place"
    assert ("upgrades that were blocked can start" in follows(change)) == lifted


@pytest.mark.parametrize(
    ("token", "was", "will", "said"),
    [
        (CLUSTER, {"minMasterVersion": "1.34"}, {"minMasterVersion": "1.35"}, "GKE may re-create nodes later"),
        (CLUSTER, {"minMasterVersion": "1.35"}, {"minMasterVersion": "1.34"}, ""),
        (CLUSTER, {"releaseChannel": {"channel": "REGULAR"}}, {"releaseChannel": {"channel": "RAPID"}}, "may upgrade"),
        (NETWORK, {"mtu": 8896}, {"mtu": 1460}, "running VMs"),
        (NETWORK, {"routingMode": "REGIONAL"}, {"routingMode": "GLOBAL"}, ""),
    ],
)
def test_what_follows_later(token: str, was: dict[str, Any], will: dict[str, Any], said: str) -> None:
    change = changed(token, was, will)
    assert bool(follows(change)) == bool(said)
    assert said in follows(change)


@pytest.mark.parametrize(
    ("path", "sure"), [("nodeConfig.labels", True), ("nodeConfig.tags", False), ("upgradeSettings.maxSurge", False)]
)
def test_only_a_source_excludes_a_node_restart(path: str, sure: bool) -> None:
    block, name = path.split(".")
    values: list[Any] = [{"a": "1"}, {"a": "2"}] if name == "labels" else [["a"], ["b"]] if name == "tags" else [1, 2]
    (found,) = changed(POOL, *({block: {name: value}} for value in values)).differences
    assert ("no source in the catalog mentions a node restart" not in found.fact.text) == sure

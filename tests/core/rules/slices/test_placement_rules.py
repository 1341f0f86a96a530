"""Workload policies, collections and additional network interfaces: the slices that support them."""

from collections.abc import Callable
from typing import Any

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity

Broken = Callable[[str], list[str]]
Check = Callable[[str], tuple[Finding, ...]]

ONE_HOST = "tpu: v6e\ntopology: 2x2\n"
FOUR_HOSTS = "tpu: v6e\ntopology: 4x4\n"
V5P = "tpu: v5p\ntopology: 2x2x2\nzone: us-east5-a\n"
POLICY = "placement: {workload_policy: own}\n"
PROFILE = "network_profile: auto\n"
NETWORKS = "additional_networks: [{network: n1, subnetwork: s1}]\n"


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (FOUR_HOSTS + POLICY, []),
        (ONE_HOST + POLICY, ["TPU131"]),
        (V5P + POLICY, ["TPU132"]),
        (V5P.replace("2x2x2", "2x2x1") + POLICY, ["TPU131"]),
        # collections
        (ONE_HOST + "collection: {name: chat}", []),
        (FOUR_HOSTS + "collection: {name: chat, workload: high_throughput}", []),
        (ONE_HOST + "collection: {name: chat, workload: high_throughput}", ["TPU143"]),
        (ONE_HOST + "collection: {name: chat}\ncapacity: spot", ["TPU142"]),
        (ONE_HOST + "collection: {name: chat}\ncapacity: flex_start", []),
        (ONE_HOST + "collection: {name: chat}\ncapacity: {reservation: ours}", []),
        (V5P + "collection: {name: chat}", ["TPU141"]),
        (V5P + "collection: {name: chat, workload: high_throughput}\ncapacity: spot", ["TPU141"]),
        # interfaces
        (FOUR_HOSTS + PROFILE, []),
        (ONE_HOST + PROFILE, []),
        (FOUR_HOSTS + NETWORKS, []),
        (V5P + NETWORKS, []),
        (FOUR_HOSTS + PROFILE + NETWORKS, ["TPU581"]),
        (V5P + PROFILE, ["TPU583"]),
    ],
)
def test_placement_collections_and_interfaces_depend_on_the_slices(
    group: str, expected: list[str], broken: Broken
) -> None:
    assert broken(group) == expected


def cluster(groups: str, mode: str = "standard", more: str = "") -> str:
    return f"mode: {mode}\nlocation: us-east5\n{more}slices: {{{groups}}}"


def pool(name: str, keys: str) -> str:
    return f"{name}: {{tpu: v6e, zone: us-east5-b, {keys}}}"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("topology: 4x4, collection: {name: chat}", "topology: 4x4, collection: {name: chat}", []),
        ("topology: 4x4, collection: {name: chat}", "topology: 4x8, collection: {name: talk}", []),
        ("topology: 4x4, collection: {name: chat}", "topology: 4x8", []),
        ("topology: 4x4, collection: {name: chat}", "topology: 4x8, collection: {name: chat}", ["TPU144"]),
        (
            "topology: 4x4, collection: {name: chat}",
            "topology: 4x4, collection: {name: chat, workload: high_throughput}",
            ["TPU144"],
        ),
    ],
)
def test_node_pools_of_a_collection_have_the_same_shape(
    one: str, other: str, expected: list[str], broken: Broken
) -> None:
    assert broken(cluster(f"{pool('one', one)}, {pool('other', other)}")) == expected


def test_collections_of_two_clusters_are_independent(broken: Broken) -> None:
    clusters = "".join(
        f"  {name}: {{mode: standard, location: us-east5, "
        f"slices: {{{pool('main', f'topology: {topology}, collection: {{name: chat}}')}}}}}\n"
        for name, topology in (("a", "4x4"), ("b", "4x8"))
    )
    assert broken(f"version: 1\nproject: acme-ml\nclusters:\n{clusters}") == []


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("topology: 4x4", []),
        ("topology: 4x4, network_profile: auto", ["TPU582"]),
        ("topology: 4x4, additional_networks: [{network: n1, subnetwork: s1}]", ["TPU582"]),
    ],
)
def test_interfaces_require_dataplane_v2(keys: str, expected: list[str], check: Check) -> None:
    findings = check(cluster(pool("main", keys), more="security: {dataplane_v2: false}\n"))
    assert [item.rule for item in findings if item.rule.startswith("TPU58")] == expected


@pytest.mark.parametrize(
    ("more", "networks", "expected"),
    [
        ("", "[{network: n1, subnetwork: s1}, {network: n2, subnetwork: s1}]", []),
        ("", "[{network: n1, subnetwork: s1}, {network: n1, subnetwork: s2}]", [1]),
        ("", "[{network: n1, subnetwork: s1}, {network: n1, subnetwork: s2}, {network: n1, subnetwork: s3}]", [1, 2]),
        ("network: {network: shared, subnetwork: nodes}\n", "[{network: shared, subnetwork: s1}]", [0]),
        ("network: {network: shared, subnetwork: nodes}\n", "[{network: n1, subnetwork: s1}]", []),
    ],
)
def test_every_interface_has_its_own_network(more: str, networks: str, expected: list[int], check: Check) -> None:
    findings = check(cluster(pool("main", f"topology: 4x4, additional_networks: {networks}"), more=more))
    assert [item.path[-2] for item in findings if item.rule == "TPU584"] == expected


def test_the_cluster_has_one_finding_for_all_its_groups(check: Check) -> None:
    groups = ", ".join(pool(name, "topology: 4x4, network_profile: auto") for name in ("a", "b", "c"))
    findings = check(cluster(groups, more="security: {dataplane_v2: false}\n"))
    (finding,) = [item for item in findings if item.rule == "TPU582"]
    assert finding.message == "the network interfaces of train/a and 2 more require Dataplane V2"
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("topology", ["2x2x1", "2x2x2"])
def test_tpu7x_slices_can_use_an_existing_policy(topology: str, check: Check) -> None:
    group = f"{{tpu: tpu7x, topology: {topology}, zone: us-central1-c, placement: {{workload_policy: own}}}}"
    findings = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {group}}}")
    assert [item.rule for item in findings if item.rule.startswith("TPU1")] == (
        ["TPU131"] if topology == "2x2x1" else []
    )


def test_unknown_values_are_not_checked(catalog: Any) -> None:
    group = {
        "tpu": "v6e",
        "topology": "4x4",
        "zone": "us-east5-b",
        "placement": {"workload_policy": Unknown(output=object())},
        "node_labels": {"team": Unknown(output=object())},
        "additional_networks": [{"network": Unknown(output=object()), "subnetwork": Unknown(output=object())}],
    }
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"main": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    assert validate(document.content, catalog) == ()

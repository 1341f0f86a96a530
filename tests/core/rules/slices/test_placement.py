"""Rules about placement and of collections."""

from typing import Any

import pytest
from support.checking import validate
from support.fixtures.checks import Broken, Check
from support.rule_plans import named_group, with_groups

from pulumi_gke_tpu.core.plan import Unknown, parse_plan

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
    ],
)
def test_placement_collections_and_interfaces_depend_on_the_slices(
    group: str, expected: list[str], broken: Broken
) -> None:
    assert broken(group) == expected


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
    assert broken(with_groups(f"{named_group('one', one)}, {named_group('other', other)}")) == expected


def test_collections_of_two_clusters_are_independent(broken: Broken) -> None:
    clusters = "".join(
        f"  {name}: {{mode: standard, location: us-east5, "
        f"slices: {{{named_group('main', f'topology: {topology}, collection: {{name: chat}}')}}}}}\n"
        for name, topology in (("a", "4x4"), ("b", "4x8"))
    )
    assert broken(f"version: 1\nproject: acme-ml\nclusters:\n{clusters}") == []


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

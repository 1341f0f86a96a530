"""Previews of plans: where in the plan each resource comes from, and what a reader should know besides."""

from typing import Any

import pytest
import yaml

from pulumi_gke_tpu import FindingsError
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.registered import preview_notes
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.preview import Graph, preview_plan

PLAN = """
version: 1
project: acme-ml
clusters:
  east:
    mode: standard
    location: us-central1
    network: create
    slices:
      cubes: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c}
      2nd: {tpu: v5e, topology: 2x2, zone: us-central1-a, name: second}
  dev:
    mode: autopilot
    location: us-central1
    slices:
      notebook: {tpu: v5e, topology: 2x2}
"""


def data(text: str = PLAN) -> Any:
    return yaml.safe_load(text)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return preview_plan(data(), name="prod")


def test_every_resource_names_its_place_in_the_plan(graph: Graph) -> None:
    places: dict[str, set[str]] = {}
    for resource in graph.resources:
        places.setdefault(resource.plan_path, set()).add(f"{resource.type.rsplit(':', 1)[1]} {resource.name}")
    assert places == {
        "": {"TpuFleet prod"},
        "clusters.east": {
            "StandardCluster east",
            "Cluster east",
            "Network east",
            "Subnetwork east",
            "Router east",
            "RouterNat east",
            "Account east",
            "IAMMember east/roles/artifactregistry.reader",
            "IAMMember east/roles/container.defaultNodeServiceAccount",
            "NodePool east/system",
        },
        "clusters.east.slices.cubes": {
            "TpuSlices east/cubes",
            "ResourcePolicy east/cubes",
            "NodePool east/cubes/cubes-0",
        },
        'clusters.east.slices["2nd"]': {"TpuSlices east/2nd", "NodePool east/2nd/second"},
        "clusters.dev": {
            "AutopilotCluster dev",
            "Cluster dev",
            "Account dev",
            "IAMMember dev/roles/artifactregistry.reader",
            "IAMMember dev/roles/container.defaultNodeServiceAccount",
        },
        "clusters.dev.slices.notebook": {"TpuSlices dev/notebook"},
    }


def test_the_name_is_that_of_the_stack(graph: Graph) -> None:
    assert {resource.urn.split("::")[0] for resource in graph.resources} == {"urn:pulumi:prod"}


def test_a_preview_is_the_same_every_time(graph: Graph) -> None:
    assert preview_plan(data(), name="prod") == graph


def test_what_is_derived_already_gives_the_same_preview(graph: Graph) -> None:
    document, catalog = parse_plan(data()), read_catalog()
    assert document.content is not None
    assert fleet_graph(data(), derive(document.content, catalog), catalog, name="prod") == graph


def test_a_plan_with_errors_has_no_preview() -> None:
    with pytest.raises(FindingsError) as refused:
        preview_plan(data(PLAN.replace("topology: 2x2x2", "topology: 2x2x5")))
    assert [finding.rule for finding in refused.value.findings] == ["TPU112"]


# Notes


def notes(text: str) -> tuple[str, ...]:
    document, catalog = parse_plan(data(text)), read_catalog()
    assert document.content is not None
    return tuple(map(str, preview_notes(derive(document.content, catalog), catalog)))


CLUSTER = "version: 1\nproject: acme-ml\nclusters:\n  east:\n    mode: standard\n    location: us-east5\n"


def test_slices_that_wait_for_capacity_are_noted() -> None:
    """The autoscaler gives up a node pool that is not complete after 10 hours."""
    group = "tpu: v6e, zone: us-east5-b, topology"
    text = f"""{CLUSTER}    network: create
    slices:
      a: {{{group}: 4x4, count: {{max: 2}}}}
      b: {{{group}: 4x4, capacity: flex_start}}
      c: {{{group}: 4x4, fallback: [spot]}}
      fixed: {{{group}: 4x4}}
      single: {{{group}: 2x2, count: {{max: 2}}}}
      reserved: {{{group}: 4x4, count: {{max: 2}}, capacity: {{reservation: ours}}}}
"""
    (told,) = (note for note in notes(text) if "10 hours" in note)
    assert told.startswith("east/a, east/b, east/c: if a TPU node pool is not complete after 10 hours, ")
    assert not told.endswith(".")
    assert [note for note in notes(text.replace("4x4", "2x2")) if "10 hours" in note] == []


IDLE = """version: 1
project: acme-ml
clusters:
  east:
    mode: autopilot
    location: us-east5
    network: create
    slices:
      a: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 4}
      b: {tpu: v6e, topology: 4x4, zone: us-east5-b}
    kubernetes:
      operators: {jobset: {}}
      workloads: {run: {slices: a, image: train}}
"""
_B_IS_IDLE = ("east/b", "0 of 1 slice", "all 1")


@pytest.mark.parametrize(
    ("change", "idle"),
    [
        (("", ""), [("east/a", "1 of 4 slices", "all 4"), _B_IS_IDLE]),
        (("image: train", "image: train, count: 4"), [_B_IS_IDLE]),
        (
            (
                "image: train}",
                "image: train, kind: leaderworkerset, autoscale: {min: 1, max: 4, metric: m, target: 2}}",
            ),
            [_B_IS_IDLE],
        ),
        (("image: train}", "image: train, count: 3}, serve: {slices: a, image: serve}"), [_B_IS_IDLE]),
        (("count: 4}", "count: {max: 4}}"), [("east/a", "1 of 4 slices", "all 4"), _B_IS_IDLE]),
        (("image: train}", "fallback: [b], image: train, queue: q}}\n      queues: {q: {}"), []),
        (("image: train}", "image: train}}\n      queues: {q: {chips: {a: 64}}"), [_B_IS_IDLE]),
        (("workloads: {run: {slices: a, image: train}}", "workloads: {}"), []),
        (("mode: autopilot", "mode: standard"), []),
    ],
)
def test_slices_that_no_workload_asks_for_are_noted_where_nodes_follow_pods(
    change: tuple[str, str], idle: list[tuple[str, str, str]]
) -> None:
    assert [note for note in notes(IDLE.replace(*change)) if "ask for" in note] == [
        f"{group}: the workloads of the plan ask for {asked}, and GKE creates nodes only for Pods; chips, cost "
        f"and quota are those of {most}"
        for group, asked, most in idle
    ]


@pytest.mark.parametrize(
    ("slices", "wants"),
    [
        ("v5p, topology: 2x2x1, zone: us-east5-a", ""),
        ("v6e, topology: 2x2, zone: us-east5-b", "; 8896 is recommended for its slices"),
    ],
)
def test_the_default_network_is_noted(slices: str, wants: str) -> None:
    told = notes(f"{CLUSTER}    slices: {{a: {{tpu: {slices}, zone: us-east5-a}}}}")
    assert told[0] == f"east: the plan sets no network, so GKE uses the project's default network with MTU 1460{wants}"


PUBLIC = (
    "east: nodes get public addresses, because the plan sets neither network nor private_nodes; "
    "to keep them private, set network, or private_nodes: true"
)


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("keys", "is_public"),
    [
        ("", True),
        ("private_nodes: true", False),
        ("private_nodes: false", False),
        ("network: {create: {}}", False),
        ("network: {network: shared, subnetwork: tpu}", False),
    ],
)
def test_public_addresses_that_no_key_asks_for_are_noted_in_both_modes(mode: str, keys: str, is_public: bool) -> None:
    text = CLUSTER.replace("mode: standard", f"mode: {mode}")
    told = notes(f"{text}    {keys}\n" if keys else text)
    assert (PUBLIC in told) is is_public


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("{logging_config: {enable_components: [SYSTEM_COMPONENTS]}}", []),
        ("{default_max_pods_per_node: 64}", ["defaultMaxPodsPerNode: changing it"]),
        ("{defaultMaxPodsPerNode: 64}", ["defaultMaxPodsPerNode: changing it"]),
        ("{enable_l4_ilb_subsetting: true}", ["enableL4IlbSubsetting: switching it off"]),
        (
            "{private_cluster_config: {master_ipv4_cidr_block: 172.16.0.0/28}}",
            ["privateClusterConfig.masterIpv4CidrBlock: changing it"],
        ),
    ],
)
def test_extra_properties_of_a_cluster_that_would_replace_it(extra: str, expected: list[str]) -> None:
    told = notes(f"{CLUSTER}    network: create\n    extra: {extra}")
    assert list(told) == [f"east: extra {what} later replaces the resource" for what in expected]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("{node_config: {logging_variant: MAX_THROUGHPUT}}", []),
        ("{node_config: {metadata: {my_key: a}}}", ["nodeConfig.metadata"]),
        ("{node_config: {resource_manager_tags: {tagKeys/1: tagValues/2}}}", []),
        ("{node_config: {minCpuPlatform: AMD Milan}}", ["nodeConfig.minCpuPlatform"]),
        (
            "{network_config: {additional_pod_network_configs: [{max_pods_per_node: 8}]}}",
            [
                "networkConfig.additionalPodNetworkConfigs",
                "networkConfig.additionalPodNetworkConfigs.maxPodsPerNode",
            ],
        ),
    ],
)
def test_extra_properties_of_pools_that_would_replace_them(extra: str, expected: list[str]) -> None:
    group = f"{{tpu: v6e, topology: 2x2, zone: us-east5-b, extra: {extra}}}"
    told = notes(f"{CLUSTER}    network: create\n    slices: {{a: {group}}}")
    assert list(told) == [f"east/a: extra {path}: changing it later replaces the resource" for path in expected]

"""What Pulumi does not compare: what GKE adds by itself, where neither a key nor ``extra`` sets it."""

import copy
from typing import Any

import pytest
import yaml
from support.each import each
from support.matrix import GENERATIONS, cells, plan_of
from support.plan_corpus import catalog, source, sources
from support.shipped import TODAY

from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL

THREADS = "nodeConfig.advancedMachineFeatures"
ENDPOINT = "privateClusterConfig.enablePrivateEndpoint"
SIZE = {"initialNodeCount", "nodeCount"}
OF_CONSOLE = {
    THREADS,
    "queuedProvisioning",
    "placementPolicy",
    "nodeConfig.ephemeralStorageLocalSsdConfig",
    "nodeConfig.localNvmeSsdBlockConfig",
}
AFFINITY, HOST_MAINTENANCE = "nodeConfig.reservationAffinity", "nodeConfig.hostMaintenancePolicy"
KEPT = {
    "maintenancePolicies",
    "nodeConfig.gvnic",
    "nodeConfig.kubeletConfig",
    "nodeConfig.shieldedInstanceConfig",
    "nodeConfig.taints",
    "nodeConfig.workloadMetadataConfig",
}
EXTRA = [
    "{nodeConfig: {advancedMachineFeatures: {threadsPerCore: 2}}}",
    "{node_config: {advanced_machine_features: {enable_nested_virtualization: true}}}",
    "{nodeConfig: {advancedMachineFeatures: null}}",
    "{queuedProvisioning: {enabled: true}}",
    "{placementPolicy: null}",
    "{placement_policy: {type: COMPACT}}",
    "{nodeConfig: {ephemeralStorageLocalSsdConfig: {localSsdCount: 2}}}",
    "{nodeConfig: {local_nvme_ssd_block_config: {local_ssd_count: 1}}}",
    "{maintenancePolicies: [{exclusionUntilEndOfSupports: [{enabled: true}]}]}",
    "{nodeConfig: {reservationAffinity: {consumeReservationType: ANY_RESERVATION}}}",
    "{nodeConfig: {kubeletConfig: {cpuManagerPolicy: static}}}",
    "{nodeConfig: {gvnic: {enabled: false}}}",
    "{nodeConfig: {shieldedInstanceConfig: {enableSecureBoot: true}}}",
    "{nodeConfig: {taints: [{key: a, value: b, effect: NO_EXECUTE}]}}",
    "{nodeConfig: {workload_metadata_config: {mode: GCE_METADATA}}}",
]
KEYS = {
    "topology: 4x4": "placementPolicy",
    "capacity: {flex_start: {queued: true}}": "queuedProvisioning",
    "capacity: {reservation: ours}": AFFINITY,
    "host_maintenance: periodic": HOST_MAINTENANCE,
}


def graph(cluster: str, *, adds: bool = True) -> Graph:
    """A plan with one cluster, c."""
    data = {"version": 1, "project": "acme-ml", "clusters": {"c": {"location": "us-east5", **yaml.safe_load(cluster)}}}
    return graph_of(data, adds=adds)


def graph_of(data: Any, *, adds: bool = True) -> Graph:
    facts = catalog()
    if not adds:
        facts = copy.copy(facts)
        facts.__dict__["gke_adds"] = {NODE_POOL: (), CLUSTER: ()}
    found = source("plan", data, TODAY)
    assert found is not None
    return fleet_graph(data, found.fleet, facts)


def ignored(resource: Resource) -> set[str]:
    paths = resource.options.ignore_changes
    assert len(paths) == len(set(paths))
    return set(paths)


def one(resources: Graph, resource_type: str, name: str) -> Resource:
    (found,) = [item for item in resources.resources if item.type == resource_type and name in item.name]
    return found


def tpu_pool(group: str) -> Resource:
    defaults = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
    written = {**defaults, **yaml.safe_load(f"{{{group}}}")}
    return one(graph(yaml.safe_dump({"mode": "standard", "slices": {"group": written}})), NODE_POOL, "c/group/")


def cpu_pool(pool: str) -> Resource:
    written = {"machine_type": "n2-standard-16", "nodes": 2, **yaml.safe_load(f"{{{pool}}}")}
    return one(graph(yaml.safe_dump({"mode": "standard", "cpu_pools": {"head": written}})), NODE_POOL, "head")


def cluster(text: str) -> Resource:
    return one(graph(text), CLUSTER, "c")


@each("generation", GENERATIONS)
def test_new_tpu_pools_leave_the_threads_per_core_to_gke(generation: str) -> None:
    resources = graph_of(plan_of(list(cells(generation, "standard")))).resources
    pools = [item for item in resources if item.type == NODE_POOL and "nodeLocations" in item.inputs]
    of_tpus = [item for item in pools if item.inputs["nodeConfig"]["machineType"].startswith(("ct", "tpu"))]
    assert of_tpus
    assert {frozenset(ignored(pool) - SIZE) for pool in of_tpus} == {frozenset({THREADS})}


def test_new_pools_without_tpus_ignore_nothing_that_gke_adds() -> None:
    assert ignored(cpu_pool("")) == set()
    assert ignored(cpu_pool("nodes: null, min_nodes: 1, max_nodes: 2")) == SIZE
    assert ignored(one(graph("mode: standard"), NODE_POOL, "system")) == SIZE


def test_adopted_pools_leave_to_gke_what_the_console_adds() -> None:
    assert ignored(tpu_pool("adopted: true")) == {*OF_CONSOLE, *KEPT, AFFINITY, HOST_MAINTENANCE}
    assert ignored(cpu_pool("adopted: true")) == {*OF_CONSOLE, *KEPT, AFFINITY}


@pytest.mark.parametrize("pool", [tpu_pool, cpu_pool])
@each("extra", EXTRA)
def test_what_extra_sets_is_compared(pool: Any, extra: str) -> None:
    without, having = pool("adopted: true"), pool(f"adopted: true, extra: {extra}")
    (left,) = ignored(without) - ignored(having)
    assert ignored(having) < ignored(without)
    name = left.rpartition(".")[2]
    assert name.lower() in extra.replace("_", "").lower()


def test_what_extra_sets_in_a_new_tpu_pool_is_compared() -> None:
    for extra in EXTRA[:3]:
        assert ignored(tpu_pool(f"extra: {extra}")) == set()


@each("key", KEYS)
def test_what_a_key_sets_is_compared(key: str) -> None:
    assert KEYS[key] in ignored(tpu_pool("adopted: true"))
    assert KEYS[key] not in ignored(tpu_pool(f"adopted: true, {key}"))


def test_beside_extra_an_adopted_pool_sends_no_default_of_the_same_block() -> None:
    extra = "extra: {nodeConfig: {kubeletConfig: {cpuManagerPolicy: static}}}"
    sent = {"cpuManagerPolicy": "static"}
    for pool in (tpu_pool, cpu_pool):
        assert pool(f"adopted: true, {extra}").inputs["nodeConfig"]["kubeletConfig"] == sent
        default = {"insecureKubeletReadonlyPortEnabled": "FALSE"}
        assert pool(extra).inputs["nodeConfig"]["kubeletConfig"] == {**default, **sent}


WITHOUT_IP = ["{}", "{private_nodes: true}", "{control_plane: {dns_endpoint: true}}", "{network: {}}"]
WITH_IP = [
    "{control_plane: {authorized_networks: {office: 198.51.100.0/24}}}",
    "{control_plane: {dns_endpoint: false}}",
    "{control_plane: {private: true}}",
    "{extra: {controlPlaneEndpointsConfig: {ipEndpointsConfig: {enabled: true}}}}",
]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_private_endpoint_is_compared_if_the_cluster_has_an_ip_endpoint(mode: str) -> None:
    for text in (*WITHOUT_IP, *WITH_IP):
        found = cluster(yaml.safe_dump({"mode": mode, **yaml.safe_load(text)}))
        assert (ENDPOINT in ignored(found)) == (text in WITHOUT_IP), text


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("value", ["true", "false"])
def test_a_private_endpoint_in_extra_is_compared(mode: str, value: str) -> None:
    assert ENDPOINT not in ignored(
        cluster(f"{{mode: {mode}, extra: {{private_cluster_config: {{enable_private_endpoint: {value}}}}}}}")
    )


def test_an_adopted_cluster_keeps_its_endpoint_unless_the_plan_sets_it() -> None:
    base = "mode: standard, adopted: true, private_nodes: true"
    assert ignored(cluster(f"{{{base}}}")) == {"initialNodeCount", ENDPOINT}
    assert ignored(cluster(f"{{{base}, control_plane: {{private: true}}}}")) == {"initialNodeCount"}
    assert ignored(cluster("{mode: standard, adopted: true}")) == {"initialNodeCount"}


def test_the_default_pool_is_ignored_where_the_plan_has_it_deleted() -> None:
    """An import stores what the provider refuses in ``nodeConfig``; Autopilot has no default pool."""
    assert {"initialNodeCount", "nodeConfig"} <= ignored(cluster("mode: standard"))
    assert "nodeConfig" not in ignored(cluster("{mode: standard, adopted: true}"))
    assert ignored(cluster("mode: autopilot")) == {ENDPOINT}


@pytest.mark.parametrize("kind", ["stacks", "pages"])
def test_what_gke_adds_changes_no_property_of_a_stack_that_exists(kind: str) -> None:
    differing = 0
    for item in sources(kind):
        with_facts, without = (graph_of(item.data, adds=adds) for adds in (True, False))
        for after, before in zip(with_facts.resources, without.resources, strict=True):
            assert (after.urn, after.inputs) == (before.urn, before.inputs), item
            differing += after.options != before.options
    assert differing

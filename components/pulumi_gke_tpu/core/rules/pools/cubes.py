"""Node pools that are cubes for dynamic slicing, of any source: TPU470 and TPU471."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.described.node_pools import place_of_cubes
from pulumi_gke_tpu.core.resources.pools import PoolContext, at
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, number, quoted

_ADDON = "addonsConfig.sliceControllerConfig.enabled"
_CUBE = """
pool:
  cluster: ironwood
  nodeConfig:
    machineType: tpu7x-standard-4t
    reservationAffinity:
      consumeReservationType: SPECIFIC_RESERVATION
      key: compute.googleapis.com/reservation-name
      values: [ironwood/reservationBlocks/block-1]
  nodeCount: 16
  placementPolicy: {type: "", policyName: cubes}
policy:
  name: cubes
  workloadPolicy: {type: HIGH_THROUGHPUT, acceleratorTopology: 4x4x4, acceleratorTopologyMode: PROVISION_ONLY}
cluster:
  name: ironwood
  location: us-central1
  releaseChannel: {channel: RAPID}
  addonsConfig: {sliceControllerConfig: {enabled: true}}
"""


@warning(
    "TPU470",
    scope=Scope.STACK,
    title="Wrong number of nodes for a cube",
    why="for dynamic slicing, a node pool is a cube. If it has fewer nodes, GKE cannot form a slice of the whole cube",
    fix="Divide the chips of a cube by the chips per host, and set `nodeCount` to the result. For a node pool that "
    "exists, count its nodes first.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler"],
    failing=_CUBE.replace("nodeCount: 16", "nodeCount: 12"),
    edit=("nodeCount: 12", "nodeCount: 16"),
)
def incomplete_cube(context: PoolContext) -> Iterable[Hit]:
    """An answer of gcloud has the number of nodes at creation only."""
    pool, facts = context.pool, context.catalog.kubernetes.pods.dynamic_slices
    if not _place_of_cube(context) or pool.machine is None:
        return
    hosts = facts.cube_chips // pool.machine.chips
    sizes = {name: pool.values.known_number(name) for name in ("nodeCount", "initialNodeCount")}
    for name, size in sizes.items():
        if size and size != hosts:
            message = f"invalid size of {number(size, 'node')}: a cube of {pool.machine_type} has {hosts:,} hosts"
            yield Hit(at(name), message, fact=facts, fix=SetKeys.of({name: hosts}))
    created = context.stack.stored.known_number("initialNodeCount") if context.stack is not None else None
    if created and created != hosts and not any(sizes.values()):
        message = f"created with {number(created, 'node')}: a cube of {pool.machine_type} has {hosts:,} hosts"
        yield Hit(at("initialNodeCount"), message, fact=facts)


@warning(
    "TPU471",
    scope=Scope.STACK,
    title="Cubes in a cluster without the add-on for dynamic slicing",
    why="the slice controller of GKE forms the slices of cubes. Without the add-on, the chips of hosts are never "
    "connected, and Pods that wait for a slice stay Pending",
    fix="Enable the slice controller of the cluster, for example with `gcloud container clusters update CLUSTER "
    "--enable-slice-controller`.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler"],
    failing=_CUBE.replace("{enabled: true}", "{enabled: false}"),
    edit=("{enabled: false}", "{enabled: true}"),
)
def cube_without_slice_controller(context: PoolContext) -> Iterable[Hit]:
    cluster, place = context.pool.cluster, _place_of_cube(context)
    if place and cluster is not None and not cluster.flag(_ADDON):
        name = quoted(cluster.known_text("name"))
        message = f"cluster {name} does not have the add-on slice controller, which forms slices of cubes"
        yield Hit(at(place), message, fact=context.catalog.platform.addons["slice_controller"])


def _place_of_cube(context: PoolContext) -> str:
    """The property that makes a node pool a cube; empty if it is none, or if that is unknown."""
    pool, facts = context.pool, context.catalog.kubernetes.pods.dynamic_slices
    if str(pool.topology or facts.cube_topology) != facts.cube_topology:
        return ""
    policy = context.stack.policy if context.stack is not None else None
    return place_of_cubes(pool, policy.values if policy is not None else None, facts)

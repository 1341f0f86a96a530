"""TPU node pools in a program, alone and inside a cluster, whose properties may be unknown or have the wrong type."""

import functools
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.records.generation import Generation, MachineType
from pulumi_gke_tpu.core.catalog.topologies import custom_problem, custom_topologies, selectable_rows
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import (
    CLUSTER,
    NETWORK,
    NODE_POOL,
    RESOURCE_POLICY,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import parse_cluster

CHECKED_TYPES = (NODE_POOL, CLUSTER, RESOURCE_POLICY, NETWORK, SUBNETWORK, ROUTER_NAT)

_MOST_POOLS = 1_000


@frozen
class CheckedResource:
    """A resource as a policy sees it. ``options`` are those that the engine passes to policies.

    ``written`` are properties that the program certainly sets, of sources that do not contain the options.
    """

    type: str
    name: str
    values: Values
    options: Values
    written: frozenset[str] = frozenset()


@frozen(slots=False)
class TpuPool:
    """A node pool of TPU machines."""

    resource: CheckedResource
    values: Values
    place: str
    """The path of the pool in its resource: empty, or with a dot at the end."""
    generation_name: str
    generation: Generation
    machine_type: str
    machine: MachineType | None
    """None for a type that its family does not have."""
    cluster: Values | None
    """The properties of the cluster, if they are available."""

    @functools.cached_property
    def topology(self) -> Topology | None:
        """The topology of the slice; None if the pool has none or it is malformed."""
        try:
            return Topology.parse(self.values.text("placementPolicy.tpuTopology"))
        except ValueError:
            return None

    @functools.cached_property
    def hosts(self) -> int | None:
        """The hosts of a slice; 1 for single-host node pools, None if unknown."""
        if not self.values.sets("placementPolicy"):
            return 1
        topology = self.topology
        if topology is None or self.machine is None or not _exists(self.generation, self.machine_type, topology):
            return None
        return topology.chips // self.machine.chips

    @property
    def multi_host(self) -> bool:
        """Whether a slice certainly spans several hosts."""
        return (self.hosts or 0) > 1


@functools.cache
def _exists(generation: Generation, machine_type: str, topology: Topology) -> bool:
    """Whether the machine type forms such slices; another rule reports it if not."""
    rows = selectable_rows(generation, "standard", machine_type)
    if any(row.topology == str(topology) for row in rows):
        return True
    custom = custom_topologies(generation, "standard")
    if custom is None or len(topology.dimensions) != generation.dimensions:
        return False
    return not custom_problem(custom, topology)


def cluster_id(values: Values) -> tuple[str, str]:
    """Location and name in the reference to the cluster; a bare name has no location."""
    try:
        reference = values.text("cluster")
    except NotKnownError:
        return "", ""
    found = parse_cluster(reference)
    return (found.location, found.name) if found else ("", reference)


class Machines:
    """Finds the TPU pools of a resource by their machine types."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        names = catalog.generation_names
        self._families = {family: name for name in names for family in catalog.generation(name).families}

    def pools(self, resource: CheckedResource, cluster: Values | None = None) -> Iterator[TpuPool]:
        """Every TPU node pool of a resource; node pools with other or unknown machine types are skipped."""
        if resource.type == NODE_POOL:
            yield from self._pool(resource, resource.values.data, "", cluster)
        elif resource.type == CLUSTER:
            data = resource.values.data
            inside = mapping(data).get("nodePools")
            for index, item in enumerate(inside[:_MOST_POOLS] if isinstance(inside, list) else ()):
                yield from self._pool(resource, item, f"nodePools[{index}].", resource.values)

    def _pool(self, resource: CheckedResource, data: Any, place: str, cluster: Values | None) -> Iterator[TpuPool]:
        values = Values(data)
        try:
            machine_type = values.text("nodeConfig.machineType")
        except NotKnownError:
            return
        name = self._families.get(machine_type.split("-", 1)[0])
        if name is not None:
            generation = self._catalog.generation(name)
            machine = generation.machine_types.get(machine_type)
            yield TpuPool(resource, values, place, name, generation, machine_type, machine, cluster)


AFFINITY = "nodeConfig.reservationAffinity"
AFFINITY_TYPE = f"{AFFINITY}.consumeReservationType"


@frozen
class InStack:
    """What the other resources of a program show about a node pool."""

    stored: Values
    """The properties of the pool as the provider reports them."""
    policy: CheckedResource | None
    """The workload policy of the pool, if it is in the program."""
    by_reference: bool = False
    """Whether the program refers to the cluster of the pool, so that it is certain which one it is."""


@frozen
class PoolContext:
    """A node pool alone, or together with the other resources of its program."""

    pool: TpuPool
    catalog: Catalog
    stack: InStack | None = None
    """None for a pool that is checked alone."""


def at(properties: str) -> Path:
    """The path of a property: ``nodeConfig.labels``."""
    return tuple(properties.split("."))


def labels_of(pool: TpuPool) -> dict[str, Any]:
    """The labels of the nodes."""
    return mapping(pool.values.get("nodeConfig.labels"))


def on_request(pool: TpuPool) -> bool:
    """Whether the capacity mode is flex-start or queued provisioning."""
    return pool.values.flag("nodeConfig.flexStart") or pool.values.flag("queuedProvisioning.enabled")


def takes_reservation(pool: TpuPool) -> bool:
    """Whether the pool consumes a reservation."""
    return pool.values.text(AFFINITY_TYPE) in ("SPECIFIC_RESERVATION", "ANY_RESERVATION")


def ignored_paths(pool: TpuPool) -> tuple[str, ...]:
    """The properties whose changes the program ignores."""
    return pool.resource.options.texts("ignoreChanges")

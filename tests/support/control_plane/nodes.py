"""Nodes as GKE would create them for a derived fleet, as objects without a machine.

Labels, taints and sizes are written here from GKE's documentation and read from the catalog's YAML: nothing that
renders workloads is used, so that a mistake there does not appear on both sides. Simpler than GKE's nodes: no volumes,
no images, and the resources that GKE reserves follow its documented formula for nodes of at most 110 Pods. All cubes
are whole and healthy, with no label of a subblock.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from support.control_plane.client import Object
from support.matrix import facts

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.names import compute_class_name
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import Taint

NODE_POOL = "cloud.google.com/gke-nodepool"
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
_QUEUED_TAINT = {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}
_PARTS = {"4x4x4": 16, "2x4x4": 8, "2x2x4": 4, "2x2x2": 2, "2x2x1": 1}
"""The parts of a cube, with their hosts."""
_GIB_PER_CPU = {"standard": 4.0, "highmem": 8.0, "highcpu": 1.0}
_SHARED_CORES = {"e2-small": (2, 2.0), "e2-medium": (2, 4.0)}
_GIB = 1024**3
_MIB = 1024**2


@dataclass(frozen=True)
class Pool:
    """A node pool: equal nodes."""

    name: str
    nodes: int
    labels: dict[str, str]
    taints: tuple[dict[str, str], ...]
    cpus: int
    memory_gib: float
    chips: int = 0
    cube: bool = False
    """Whether slices are formed of its nodes, which then have labels of the parts of the cube that they are in."""

    def node_name(self, number: int) -> str:
        return f"gke-{self.name}-{number:04}"

    def node(self, number: int) -> Object:
        """One of its nodes."""
        name = self.node_name(number)
        cpus, memory = _allocatable(self.cpus, self.memory_gib)
        resources = {"cpu": f"{cpus}m", "memory": str(memory), "pods": "110", "ephemeral-storage": "47Gi"}
        if self.chips:
            resources["google.com/tpu"] = str(self.chips)
        labels = {
            NODE_POOL: self.name,
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            **self.labels,
            **(self._parts(number) if self.cube else {}),
        }
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is ready"}
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": {"taints": list(self.taints)},
            "status": {"capacity": resources, "allocatable": resources, "conditions": [ready]},
        }

    def _parts(self, number: int) -> dict[str, str]:
        """The labels of the parts of a cube that a node is in: ID and health."""
        labels = {}
        for shape, hosts in _PARTS.items():
            prefix = f"cloud.google.com/gke-tpu-partition-{shape}"
            labels |= {f"{prefix}-id": f"{self.name}-{shape}-{number // hosts}", f"{prefix}-state": "HEALTHY"}
        return labels


def pools_of(cluster: Cluster, slices: int | None = None) -> list[Pool]:
    """The pools of a cluster at their maximum size.

    The plan has no pools on Autopilot and for groups with ``fallback``: GKE creates one for each slice of several
    hosts, for as many as Pods request, which is ``slices`` if it is given.
    """
    pools = [pool for group in cluster.groups for pool in _slice_pools(cluster, group, slices)]
    return pools + list(_cpu_pools(cluster))


def nodes_of(pools: Iterable[Pool]) -> list[Object]:
    """The nodes of all pools, interleaved: neighbors in any order by age are in different pools."""
    nodes = [[pool.node(number) for number in range(pool.nodes)] for pool in pools]
    return [node for row in itertools.zip_longest(*nodes) for node in row if node is not None]


def _slice_pools(cluster: Cluster, group: SliceGroup, created: int | None) -> Iterator[Pool]:
    slices = group.slices.maximum if group.pools or created is None else created
    hosts = group.shape.hosts
    machine = facts(f"generations/{group.shape.generation}")["machine_types"][group.shape.machine_type]
    family = facts(f"generations/{group.shape.generation}")["families"][machine["family"]]
    labels = {
        "cloud.google.com/gke-tpu-accelerator": family["accelerator_label"],
        "cloud.google.com/gke-tpu-topology": str(group.shape.topology),
        "cloud.google.com/gke-accelerator-count": str(machine["chips"]),
        **_place(cluster, group.zones),
        "node.kubernetes.io/instance-type": group.shape.machine_type,
        **_capacity_labels(group),
        **group.plan.node_labels,
    }
    if group.dynamic:
        del labels["cloud.google.com/gke-tpu-topology"]  # comes with a slice
        reservation = group.plan.capacity.reservation
        labels["cloud.google.com/gke-accelerator-topology-mode"] = "PROVISION_ONLY"
        labels["cloud.google.com/gce-topology-block"] = (reservation.block if reservation else None) or "unknown"
    policy = (
        None
        if group.dynamic
        else group.policy_name or (group.plan.placement.workload_policy if group.plan.placement else None)
    )
    if policy is not None:
        labels["cloud.google.com/placement-policy-name"] = str(policy)
    if group.plan.fallback:  # GKE also sets a taint with this key, and lets the Pods of the class tolerate it
        labels["cloud.google.com/compute-class"] = f"tpu-{group.name}"
    if group.plan.collection is not None:
        labels["cloud.google.com/gke-nodepool-group-name"] = group.plan.collection.name
        labels["cloud.google.com/gke-workload-type"] = group.plan.collection.workload.upper()
    if group.plan.fallback:
        labels["cloud.google.com/compute-class"] = compute_class_name(group.name)
    taints = (_TPU_TAINT, *([_QUEUED_TAINT] if group.plan.capacity.is_queued else ()), *map(_taint, group.plan.taints))
    names = [pool.name for pool in group.pools] or [f"nap-{group.name}-{index}" for index in range(slices)]
    size = hosts if hosts > 1 else slices
    for name in names[: slices if hosts > 1 else 1]:
        chips = machine["chips"]
        yield Pool(name, size, labels, taints, machine["vcpu"], machine["memory_gib"], chips, cube=group.dynamic)


def _capacity_labels(group: SliceGroup) -> dict[str, str]:
    capacity = group.plan.capacity
    if capacity.spot:
        return {"cloud.google.com/gke-spot": "true", "cloud.google.com/gke-provisioning": "spot"}
    labels = {"cloud.google.com/gke-queued": "true"} if capacity.is_queued else {}
    if capacity.flex_start is not None:
        labels["cloud.google.com/gke-flex-start"] = "true"
        labels["cloud.google.com/gke-provisioning"] = "flex-start"
    if capacity.reservation is not None:
        named = {
            "reservation-name": capacity.reservation.name,
            "reservation-project": capacity.reservation.project,
            "reservation-affinity": "specific",
            "reservation-blocks": capacity.reservation.block,
            "reservation-subblocks": capacity.reservation.sub_block,
        }
        labels |= {f"cloud.google.com/{key}": value for key, value in named.items() if value is not None}
    return labels


def _cpu_pools(cluster: Cluster) -> Iterator[Pool]:
    """The system pool and the pools without TPUs; on Autopilot, where GKE creates nodes for Pods, one large pool."""
    if cluster.mode == "autopilot":
        yield _cpu_pool(cluster, "nap-cpu", "n2-standard-128", 10)
        return
    if not cluster.existing:
        system = cluster.plan.system_pool or SystemPool()
        nodes = max(1, system.max_nodes)
        yield _cpu_pool(cluster, "system", system.machine_type, nodes, system.node_labels, system.taints)
    for pool in cluster.cpu_pools:
        plan = pool.plan
        spot = {"cloud.google.com/gke-spot": "true"} if plan.spot else {}
        labels = {**spot, **plan.node_labels}
        yield _cpu_pool(cluster, pool.name, plan.machine_type, max(1, pool.nodes.maximum), labels, plan.taints)


def _cpu_pool(
    cluster: Cluster,
    name: str,
    machine_type: str,
    nodes: int,
    labels: dict[str, str] | None = None,
    taints: Iterable[Taint] = (),
) -> Pool:
    cpus, gib = cpu_machine(machine_type)
    own = {**_place(cluster, ()), "node.kubernetes.io/instance-type": machine_type, **(labels or {})}
    return Pool(name, nodes, own, tuple(map(_taint, taints)), cpus, gib)


def cpu_machine(machine_type: str) -> tuple[int, float]:
    """vCPUs and GiB by the name of a machine type, such as n2-highmem-16.

    Raises:
        ValueError: the name does not contain them.
    """
    if machine_type in _SHARED_CORES:
        return _SHARED_CORES[machine_type]
    parts = re.fullmatch(r"[a-z0-9]+-(standard|highmem|highcpu)-(\d+)", machine_type)
    if parts is None:
        raise ValueError(f"the size of {machine_type} is not in its name")
    cpus = int(parts[2])
    return cpus, cpus * _GIB_PER_CPU[parts[1]]


def _place(cluster: Cluster, zones: tuple[str, ...]) -> dict[str, str]:
    zone = zones[0] if zones else cluster.location if cluster.zonal else f"{cluster.region}-b"
    return {"topology.kubernetes.io/region": cluster.region, "topology.kubernetes.io/zone": zone}


def _taint(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, "value": taint.value, "effect": _EFFECTS[taint.effect.upper()]}


def _allocatable(cpus: int, memory_gib: float) -> tuple[int, int]:
    """Thousandths of CPUs and bytes that GKE leaves to Pods.

    https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes: of the CPU 6 % of the first core, 1 % of
    the second, 0.5 % of two more, 0.25 % of all others; of the memory 25 % of the first 4 GiB, 20 % of the next 4, 10 %
    of the next 8, 6 % of the next 112, 2 % of the rest, and 100 MiB for evictions.
    """
    cpu = 0.06 + 0.01 * (cpus > 1) + 0.005 * min(max(cpus - 2, 0), 2) + 0.0025 * max(cpus - 4, 0)
    reserved, left = 0.0, memory_gib
    for size, share in ((4, 0.25), (4, 0.20), (8, 0.10), (112, 0.06), (left, 0.02)):
        reserved += min(left, size) * share
        left -= min(left, size)
    return round((cpus - cpu) * 1000), int((memory_gib - reserved) * _GIB) - 100 * _MIB

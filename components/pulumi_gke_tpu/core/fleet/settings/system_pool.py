"""The node pool for system workloads of a Standard cluster that is created."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from pulumi_gke_tpu.core.fleet.model import Cluster, Range
from pulumi_gke_tpu.core.fleet.settings.derived import DEFAULT, FROM_PLAN, Derived
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import listed


@frozen
class SystemPoolSettings:
    """The system pool. Numbers of nodes are totals over all zones."""

    keys: SystemPool
    """The keys with their defaults."""
    machine_type: Derived[str]
    min_nodes: Derived[int]
    max_nodes: Derived[int]
    zones: Derived[Sequence[str] | None]
    """None if GKE selects them."""
    boot_disk_type: Derived[str | None]
    boot_disk_size_gib: Derived[int | None]
    node_labels: Derived[dict[str, object]]
    taints: Derived[Sequence[Taint]]

    @property
    def nodes(self) -> Range:
        """The number of nodes, which the autoscaler decides."""
        return Range(self.min_nodes.value, self.max_nodes.value)

    @property
    def note(self) -> str:
        """Why it has this size: from the plan, the default, or both."""
        size = {"machine_type": self.machine_type, "min_nodes": self.min_nodes, "max_nodes": self.max_nodes}
        written = [name for name, item in size.items() if item.written]
        if len(written) in (0, len(size)):
            return self.machine_type.note
        return f"{listed(written)} {FROM_PLAN}, otherwise {DEFAULT}"


def system_pool(cluster: Cluster) -> SystemPoolSettings | None:
    """The effective settings; None where no system pool is created: on Autopilot and in an existing cluster."""
    if cluster.mode == "autopilot" or cluster.existing:
        return None
    written = keys_of_system_pool(cluster)

    def derived(key: str) -> Derived[Any]:
        value = getattr(written, key)
        if written.written(key):
            return Derived(value, "plan", FROM_PLAN)
        return Derived(value, "default", DEFAULT) if value is not None else Derived(None, "fact", "chosen by GKE")

    names = (item.name for item in fields(SystemPoolSettings) if item.name != "keys")
    return SystemPoolSettings(written, *map(derived, names))


def keys_of_system_pool(cluster: Cluster) -> SystemPool:
    """The keys of the system pool with their defaults, for rules, which name the keys that they check."""
    return cluster.plan.system_pool or SystemPool()

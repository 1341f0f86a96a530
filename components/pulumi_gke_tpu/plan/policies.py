"""Model of workload policies."""

from typing import Literal

from pulumi_gke_tpu.plan.base import PlanModel, key


class WorkloadPolicy(PlanModel):
    """A new workload policy: how Compute Engine places the hosts of a workload."""

    topology: str | None = key(
        "Topology of the slices, AxB or AxBxC; multi-host slices require it.", default=None, form="topology"
    )
    topology_mode: Literal["auto_connect", "provision_only"] | None = key(
        "When the chips of a slice are connected: at the creation of the VMs, or by dynamic slicing (provision_only). "
        "Compute Engine uses auto_connect if not set.",
        default=None,
    )
    type: Literal["high_throughput", "high_availability"] = key(
        "Goal of the placement; a topology requires high_throughput.", default="high_throughput"
    )
    max_topology_distance: Literal["cluster", "block", "subblock"] | None = key(
        "Maximum distance of the hosts from each other; instead of topology.", default=None
    )

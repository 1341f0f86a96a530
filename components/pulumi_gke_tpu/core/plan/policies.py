"""Models of workload policies, and of the placement of slice groups."""

from typing import Literal

from pulumi_gke_tpu.core.plan.base import MaybeOutput, PlanModel, key, optional


class WorkloadPolicySpec(PlanModel):
    """A new workload policy: how Compute Engine places the hosts of a workload."""

    topology: str | None = optional(
        "Topology of the slices, AxB or AxBxC; multi-host slices require it.",
        form="topology",
        sends="workloadPolicy.acceleratorTopology",
    )
    topology_mode: Literal["auto_connect", "provision_only"] | None = optional(
        "When the chips of a slice are connected: at the creation of the VMs, or by dynamic slicing (provision_only). "
        "Compute Engine uses auto_connect if not set.",
        sends="workloadPolicy.acceleratorTopologyMode",
    )
    type: Literal["high_throughput", "high_availability"] = key(
        "Goal of the placement; a topology requires high_throughput.",
        default="high_throughput",
        sends="workloadPolicy.type",
    )
    max_topology_distance: Literal["cluster", "block", "subblock"] | None = optional(
        "Maximum distance of the hosts from each other; instead of topology.",
        sends="workloadPolicy.maxTopologyDistance",
    )


class Placement(PlanModel):
    """Placement by a workload policy that gke-tpu does not create for the group alone."""

    workload_policy: MaybeOutput[str] = key(
        "Name of a workload policy: in workload_policies of the cluster, or an existing one in the project and region "
        "of the node pool.",
        sends="placementPolicy.policyName",
        creates=("workload policy",),
    )


class Collection(PlanModel):
    """Collection scheduling: node pools that together keep an inference service available."""

    name: str = key("Name of the collection.", sends='nodeConfig.labels["cloud.google.com/gke-nodepool-group-name"]')
    workload: Literal["high_availability", "high_throughput"] = key(
        "Goal of the scheduling.",
        default="high_availability",
        sends='nodeConfig.labels["cloud.google.com/gke-workload-type"]',
    )

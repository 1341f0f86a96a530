"""Wrong states of node pools that no plan can express: only raw resources can break these rules.

Their examples are properties of ``gcp.container.NodePool``. A property test proves that nothing which is derived from
a plan is ever in such a state; ``extra`` apart, which hands properties on as they are written.
"""

import functools

from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.rules.engine.rule import Rule

_TERRAFORM_NOTES = "Live API answers for TPU pools (public notes, 2025 and 2026)"
_INJECTION = "GKE cluster autoscaler: node pool injection"
_OBSERVED = "Observed with the real Pulumi engine and gcp provider"
_PLAN_TPUS = "GKE: Plan TPUs in GKE (Google Cloud documentation)"
_NODE_POOLS = "Cluster Toolkit: node pools"


_raw = functools.partial(Rule, breakable="derived")
"""A rule for raw node pools."""


_PLACEMENT: tuple[Rule, ...] = (
    _raw(
        "TPU161",
        title="Compact placement where slices need a workload policy",
        why="the pool is created and then ends in the state ERROR; the next update calls it healthy",
        fix="Make a workload policy with the slice's topology and name it in policyName, with an empty type.",
        source="vLLM CI (pull request 547); GKE: TPU7x (Ironwood)",
        basis="catalog",
        failing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, tpuTopology: 4x4x4}
""",
        passing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: "", policyName: train-4x4x4, tpuTopology: 4x4x4}
""",
    ),
    _raw(
        "TPU162",
        title="Placement type beside a policy name",
        why="GKE stores policy and topology without the type, so every preview finds a difference, for ever",
        fix='Write type: "" beside policyName.',
        source=f"vLLM CI (pull request 547); {_OBSERVED}",
        basis="catalog",
        failing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, policyName: train-4x4x4, tpuTopology: 4x4x4}
""",
        passing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: "", policyName: train-4x4x4, tpuTopology: 4x4x4}
""",
    ),
    _raw(
        "TPU163",
        title="Topology on a single-host pool",
        why="GKE refuses a topology for pools of single hosts: each node is a slice of its own",
        fix="Leave placementPolicy out.",
        source="XPK (pull request 825)",
        basis="catalog",
        failing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeCount: 1
placementPolicy: {type: COMPACT, tpuTopology: 2x2}
""",
        passing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeCount: 1
""",
    ),
    _raw(
        "TPU164",
        title="Slice without its topology",
        why="GKE reports a slice's topology, so the next refresh finds a difference and replaces a healthy slice",
        fix="Write tpuTopology beside policyName.",
        source=_OBSERVED,
        basis="observed",
        failing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: "", policyName: train-4x4x4}
""",
        passing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: "", policyName: train-4x4x4, tpuTopology: 4x4x4}
""",
    ),
)

_CAPACITY: tuple[Rule, ...] = (
    _raw(
        "TPU361",
        title="Reservation affinity ANY",
        why="TPUs take reservations by name only, and GKE refuses any other affinity",
        fix="Name the reservation (SPECIFIC_RESERVATION), or say NO_RESERVATION.",
        source=f"{_INJECTION}; {_PLAN_TPUS}",
        basis="catalog",
        failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: ANY_RESERVATION}
""",
        passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
    ),
    _raw(
        "TPU362",
        title="Flex-start or queued pool with a reservation",
        why="flex-start and queued provisioning never use reservations, and GKE refuses an affinity other than none",
        fix="Say NO_RESERVATION.",
        source=f"{_INJECTION}; {_NODE_POOLS}",
        basis="catalog",
        failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  flexStart: true
  reservationAffinity:
    consumeReservationType: SPECIFIC_RESERVATION
    key: compute.googleapis.com/reservation-name
    values: [v6e-pretrain]
""",
        passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  flexStart: true
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
    ),
    _raw(
        "TPU363",
        title="Spot together with flex-start or a reservation",
        why="a pool has exactly one capacity mode; GKE refuses flex-start with Spot, and Spot takes no reservation",
        fix="Keep one of them.",
        source=f"GKE ComputeClass API; {_INJECTION}",
        basis="catalog",
        failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  spot: true
  flexStart: true
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
        passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  spot: true
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
    ),
    _raw(
        "TPU364",
        title="Specific affinity that names no reservation",
        why="neither the provider nor a preview notices that key and values are missing, and no host is reserved then",
        fix="Write the key compute.googleapis.com/reservation-name and one reservation as value.",
        source=_OBSERVED,
        basis="catalog",
        note="reservation-affinity",
        failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: SPECIFIC_RESERVATION}
""",
        passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity:
    consumeReservationType: SPECIFIC_RESERVATION
    key: compute.googleapis.com/reservation-name
    values: [v6e-pretrain]
""",
    ),
    _raw(
        "TPU365",
        title="Reservation affinity left open",
        why="adding or removing the affinity of an existing pool replaces it, so it has to be said from the start",
        fix="Say NO_RESERVATION.",
        source=_OBSERVED,
        basis="observed",
        failing="nodeConfig: {machineType: ct6e-standard-4t}",
        passing="""
nodeConfig:
  machineType: ct6e-standard-4t
  reservationAffinity: {consumeReservationType: NO_RESERVATION}
""",
    ),
    _raw(
        "TPU366",
        title="Queued pool without its label",
        why="GKE adds the taint of queued pools and not the label, so no workload can select their nodes",
        fix='Add the label cloud.google.com/gke-queued: "true".',
        source=_NODE_POOLS,
        severity=Severity.WARNING,
        note="queued-label",
        failing="""
nodeConfig: {machineType: ct6e-standard-4t}
queuedProvisioning: {enabled: true}
""",
        passing="""
nodeConfig: {machineType: ct6e-standard-4t, labels: {cloud.google.com/gke-queued: "true"}}
queuedProvisioning: {enabled: true}
""",
    ),
    _raw(
        "TPU367",
        title="Run duration that is not in seconds",
        why="the API takes seconds such as 604800s; the provider and a preview let 7d pass",
        fix="Write the duration in seconds.",
        source=_OBSERVED,
        basis="catalog",
        note="durations-in-seconds",
        failing="nodeConfig: {machineType: ct6e-standard-4t, flexStart: true, maxRunDuration: 7d}",
        passing="nodeConfig: {machineType: ct6e-standard-4t, flexStart: true, maxRunDuration: 604800s}",
    ),
)

_SCALING: tuple[Rule, ...] = (
    _raw(
        "TPU461",
        title="Slice with total autoscaling limits",
        why="GKE reads the missing per-zone limit as 0 and refuses the pool: 0 is no valid size of the slice",
        fix="Write minNodeCount and maxNodeCount, which count per zone.",
        source="vLLM CI (pull request 545); Cluster Toolkit (pull request 5111)",
        basis="catalog",
        failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
        passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: ANY}
""",
    ),
    _raw(
        "TPU462",
        title="Slice of the wrong size",
        why="a slice has exactly as many hosts as its chips need; with any other number it is refused or stays empty",
        fix="Set nodeCount, or minNodeCount 0 and maxNodeCount, to chips divided by chips per host.",
        source=f"{_PLAN_TPUS}; {_NODE_POOLS}",
        basis="catalog",
        failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, tpuTopology: 16x16}
""",
        passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 64
placementPolicy: {type: COMPACT, tpuTopology: 16x16}
ignoreNodeCountChanges: true
""",
    ),
    _raw(
        "TPU463",
        title="Slice whose node count is watched",
        why="while a host is repaired the count differs, and setting it again is a manual resize: GKE answers 501",
        fix="Write ignoreNodeCountChanges: true; to resize a slice, replace it.",
        source=f"{_TERRAFORM_NOTES}; {_OBSERVED}",
        basis="catalog",
        note="multi-host-no-resize",
        failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 4
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
        passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 4
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
ignoreNodeCountChanges: true
""",
    ),
    _raw(
        "TPU464",
        title="TPU pool over several zones, or over none in particular",
        why="the hosts of a slice are wired within one zone, and a pool without zones takes those of the cluster",
        fix="Name exactly one zone in nodeLocations.",
        source=f"vLLM CI (pull request 545); {_NODE_POOLS}",
        basis="catalog",
        note="multi-host-one-zone",
        failing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeLocations: [us-east5-a, us-east5-b]
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
        passing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeLocations: [us-east5-b]
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
    ),
    _raw(
        "TPU465",
        title="Location policy other than ANY",
        why="BALANCED spreads nodes over zones: no slice can be put together, and Spot and flex-start find no capacity",
        fix="Write locationPolicy: ANY.",
        source=f"vLLM CI (pull request 545); {_INJECTION}",
        basis="catalog",
        failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: BALANCED}
""",
        passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: ANY}
""",
    ),
    _raw(
        "TPU466",
        title="Node count together with another size",
        why="provider and autoscaler would set the size in turns, and nodeCount with initialNodeCount is refused",
        fix="Keep nodeCount for a fixed size; initialNodeCount and autoscaling for an autoscaled pool.",
        source=_OBSERVED,
        basis="observed",
        failing="""
nodeCount: 2
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
        passing="""
initialNodeCount: 0
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
    ),
    _raw(
        "TPU467",
        title="Per-zone and total limits mixed",
        why="GKE takes one kind of limit; neither the provider nor a preview notices both",
        fix="Keep the per-zone limits for a slice of several hosts, the total ones for single hosts.",
        source=_OBSERVED,
        basis="catalog",
        note="limits-per-zone-or-total",
        failing="autoscaling: {minNodeCount: 1, totalMaxNodeCount: 4, locationPolicy: ANY}",
        passing="autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}",
    ),
)

_NODES: tuple[Rule, ...] = (
    _raw(
        "TPU591",
        title="Image other than Container-Optimized OS",
        why="GKE supports TPU nodes with Container-Optimized OS only",
        fix="Leave imageType out.",
        source=_PLAN_TPUS,
        basis="catalog",
        failing="nodeConfig: {machineType: ct6e-standard-4t, imageType: UBUNTU_CONTAINERD}",
        passing="nodeConfig: {machineType: ct6e-standard-4t}",
    ),
    _raw(
        "TPU592",
        title="Threads per core of a TPU host",
        why="GKE sets them itself, and machine types that run with one thread per core refuse two",
        fix="Leave advancedMachineFeatures out.",
        source=f"{_PLAN_TPUS}; GKE cluster autoscaler: manager",
        basis="catalog",
        failing="nodeConfig: {machineType: ct6e-standard-8t, advancedMachineFeatures: {threadsPerCore: 2}}",
        passing="nodeConfig: {machineType: ct6e-standard-8t}",
    ),
    _raw(
        "TPU593",
        title="Boot disk described twice",
        why="diskSizeGb and diskType beside bootDisk can differ from it, and then every preview plans an update",
        fix="Keep bootDisk.",
        source=_OBSERVED,
        basis="observed",
        failing="nodeConfig: {machineType: ct6e-standard-4t, diskSizeGb: 100, bootDisk: {sizeGb: 200}}",
        passing="nodeConfig: {machineType: ct6e-standard-4t, bootDisk: {sizeGb: 200}}",
    ),
)

RULES: tuple[Rule, ...] = (*_PLACEMENT, *_CAPACITY, *_SCALING, *_NODES)

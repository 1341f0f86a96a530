"""Wrong states that the properties of one raw node pool do not show: its options, and what it refers to.

In the examples ``pool`` are properties of ``gcp.container.NodePool``, ``options`` its resource options, and the other
keys the properties of other resources; ``stored`` is what GKE reports of the pool after an update. The components make
none of these states; tests of the policy pack prove it with every shipped stack.
"""

import functools

from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.rules.engine.rule import Rule

_OBSERVED = "Observed with the real Pulumi engine and gcp provider"


_relation = functools.partial(Rule, breakable="derived")


RULES: tuple[Rule, ...] = (
    _relation(
        "TPU165",
        severity=Severity.ERROR,
        title="Workload policy of another topology",
        why="the policy says where the hosts of a slice are placed; with another topology or type the pool ends in an "
        "error or stays empty",
        fix="Give the policy type HIGH_THROUGHPUT and the slice's topology as acceleratorTopology.",
        source="XPK: workload policies; GKE: TPU7x (Ironwood)",
        basis="catalog",
        note="tpu7x-workload-policy",
        failing="""
pool:
  nodeConfig: {machineType: tpu7x-standard-4t}
  nodeCount: 16
  placementPolicy: {type: "", policyName: train, tpuTopology: 4x4x4}
policy: {name: train, workloadPolicy: {type: HIGH_THROUGHPUT, acceleratorTopology: 4x4x8}}
""",
        passing="""
pool:
  nodeConfig: {machineType: tpu7x-standard-4t}
  nodeCount: 16
  placementPolicy: {type: "", policyName: train, tpuTopology: 4x4x4}
policy: {name: train, workloadPolicy: {type: HIGH_THROUGHPUT, acceleratorTopology: 4x4x4}}
""",
    ),
    _relation(
        "TPU166",
        severity=Severity.WARNING,
        title="Changes of what makes the slice are ignored",
        why="a new topology or machine type in the program would be neither applied nor told",
        fix="Take these properties out of ignoreChanges.",
        source=_OBSERVED,
        failing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {ignoreChanges: [placementPolicy]}
""",
        passing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {ignoreChanges: [initialNodeCount, nodeCount]}
""",
    ),
    _relation(
        "TPU167",
        severity=Severity.WARNING,
        title="Slice that cannot take a new topology",
        why="a new topology takes a replacement. Without replaceOnChanges the provider plans an update for ever and "
        "sends nothing; with it, but without deleteBeforeReplace, the new pool meets the name of the old one",
        fix="Set replaceOnChanges for placementPolicy.tpuTopology, nodeConfig.machineType and nodeLocations, and "
        "deleteBeforeReplace.",
        source=_OBSERVED,
        failing="""
pool:
  name: pretrain-0
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {}
""",
        passing="""
pool:
  name: pretrain-0
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {deleteBeforeReplace: true}
""",
    ),
    _relation(
        "TPU168",
        severity=Severity.ERROR,
        title="Change that was not applied",
        why="GKE fixes this when the pool is created; the provider plans an update, sends nothing and reports success",
        fix="Set replaceOnChanges for the property and deleteBeforeReplace, or replace the pool by hand "
        "(pulumi up --replace URN).",
        source=_OBSERVED,
        basis="observed",
        failing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x8}
stored:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
        passing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x8}
stored:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x8}
""",
    ),
)

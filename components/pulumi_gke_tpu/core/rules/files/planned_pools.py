"""TPU891 and TPU892: node pools in the files of other tools that are not those of a plan."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.core.text.findings import Severity

POOL_DIFFERS = rule(
    "TPU891",
    "pool-differs-from-plan",
    scope=Scope.FILE,
    title="Node pool is not the one of the plan",
    why="the file and the plan have the node pool with the same cluster and name, and one of the two is not up to date",
    fix="Set the value of the plan in the other tool, or change the plan.",
    basis="format",
    source="gke-tpu: the properties of node pools follow from the plan",
    failing="# Not about content: a node pool of a Terraform plan with 4x8, and its slice group in the plan with 4x4",
    edit=("with 4x8, and", "with 4x4, and"),
)
POOL_NOT_PLANNED = rule(
    "TPU892",
    "pool-not-in-plan",
    scope=Scope.FILE,
    severity=Severity.NOTE,
    title="TPU node pool is not in the plan",
    why="the plan has the cluster of the node pool, and other slice groups. It can be intended",
    fix="Add the slice group to the plan, or leave the node pool to the other tool.",
    source="gke-tpu: the names of node pools follow from the plan",
    failing="# Not about content: a Terraform plan with the node pool trial-0, and a plan without a slice group for it",
    edit=("a plan without a slice group", "a plan with a slice group"),
)

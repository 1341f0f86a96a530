"""The fleet: everything that follows from a plan, derived once for rules, components, cost and reports."""

from pulumi_gke_tpu.core.fleet.derive import derive
from pulumi_gke_tpu.core.fleet.model import (
    Autoprovisioning,
    ChipBudget,
    Cluster,
    CpuPool,
    Fleet,
    InterfaceNetwork,
    NodePool,
    Range,
    Shape,
    ShapeProblem,
    SliceGroup,
    WorkloadPolicy,
)

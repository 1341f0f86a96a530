"""Cloud TPU slices on GKE as Pulumi components, proven against a sourced catalog before anything is created."""

from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu._version import __version__

if TYPE_CHECKING:
    from pulumi_gke_tpu.findings import Finding, FindingsError, Severity
    from pulumi_gke_tpu.preview.graph import Graph
    from pulumi_gke_tpu.program import load_plan
    from pulumi_gke_tpu.resources.args import (
        AutopilotClusterArgs,
        SliceGroupArgs,
        StandardClusterArgs,
        TpuFleetArgs,
        TpuSlicesArgs,
    )
    from pulumi_gke_tpu.resources.autopilot import AutopilotCluster
    from pulumi_gke_tpu.resources.slices import TpuSlices
    from pulumi_gke_tpu.resources.standard import StandardCluster
    from pulumi_gke_tpu.resources.tpu_fleet import TpuFleet

_HOMES = {
    "AutopilotCluster": "pulumi_gke_tpu.resources.autopilot",
    "AutopilotClusterArgs": "pulumi_gke_tpu.resources.args",
    "Finding": "pulumi_gke_tpu.findings",
    "FindingsError": "pulumi_gke_tpu.findings",
    "Graph": "pulumi_gke_tpu.preview.graph",
    "Severity": "pulumi_gke_tpu.findings",
    "SliceGroupArgs": "pulumi_gke_tpu.resources.args",
    "StandardCluster": "pulumi_gke_tpu.resources.standard",
    "StandardClusterArgs": "pulumi_gke_tpu.resources.args",
    "TpuFleet": "pulumi_gke_tpu.resources.tpu_fleet",
    "TpuFleetArgs": "pulumi_gke_tpu.resources.args",
    "TpuSlices": "pulumi_gke_tpu.resources.slices",
    "TpuSlicesArgs": "pulumi_gke_tpu.resources.args",
    "load_plan": "pulumi_gke_tpu.program",
}

__all__ = [
    "AutopilotCluster",
    "AutopilotClusterArgs",
    "Finding",
    "FindingsError",
    "Graph",
    "Severity",
    "SliceGroupArgs",
    "StandardCluster",
    "StandardClusterArgs",
    "TpuFleet",
    "TpuFleetArgs",
    "TpuSlices",
    "TpuSlicesArgs",
    "__version__",
    "load_plan",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing Pulumi and its gcp package takes seconds."""
    import importlib

    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

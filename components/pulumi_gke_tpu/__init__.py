"""Cloud TPU slices on GKE as Pulumi components, proven against a sourced catalog before anything is created.

Components: ``TpuSlices`` (one group of equal slices, in any cluster), ``StandardCluster``, ``AutopilotCluster``,
``TpuFleet`` for a whole plan, which ``load_plan`` reads from a file, and ``TpuWorkloads`` for the Kubernetes objects of
one of its clusters. Arguments are typed dictionaries: the classes whose names end in ``Args``. Wrong ones raise
``FindingsError``, with every finding at once, before anything is registered. ``pulumi_gke_tpu.preview.run_program``
runs a program without cloud, credentials or Pulumi CLI.
"""

from typing import TYPE_CHECKING

from pulumi_gke_tpu._version import __version__

if TYPE_CHECKING:
    from pulumi_gke_tpu.components.args import *
    from pulumi_gke_tpu.components.autopilot import AutopilotCluster
    from pulumi_gke_tpu.components.cluster_component import ExistingCluster
    from pulumi_gke_tpu.components.load import load_plan
    from pulumi_gke_tpu.components.slices import TpuSlices
    from pulumi_gke_tpu.components.standard import StandardCluster
    from pulumi_gke_tpu.components.tpu_fleet import TpuFleet
    from pulumi_gke_tpu.components.tpu_workloads import TpuWorkloads
    from pulumi_gke_tpu.core.graph.model import Graph
    from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Severity, format_path

_HOMES = {
    "Addon": "components.args",
    "AutopilotCluster": "components.autopilot",
    "ExistingCluster": "components.cluster_component",
    "Finding": "core.text.findings",
    "FindingsError": "core.text.findings",
    "Generation": "components.args",
    "Graph": "core.graph.model",
    "Severity": "core.text.findings",
    "StandardCluster": "components.standard",
    "TpuFleet": "components.tpu_fleet",
    "TpuSlices": "components.slices",
    "TpuWorkloads": "components.tpu_workloads",
    "format_path": "core.text.findings",
    "load_plan": "components.load",
}
_ARGUMENTS = "components.args"

__all__ = [
    "AcceptanceArgs",
    "AcknowledgementArgs",
    "AdditionalContainerArgs",
    "AdditionalNetworkArgs",
    "Addon",
    "AdoptedArgs",
    "AdoptedCpuPoolArgs",
    "AutopilotCluster",
    "AutopilotClusterArgs",
    "AutoprovisioningArgs",
    "AutoscaleArgs",
    "BlueGreenArgs",
    "BootDiskArgs",
    "BucketArgs",
    "CapacityArgs",
    "CheckpointsArgs",
    "ChipBudgetArgs",
    "ClusterArgs",
    "CohortArgs",
    "CollectionArgs",
    "ComputeClassArgs",
    "ControlPlaneArgs",
    "CountArgs",
    "CpuPoolArgs",
    "CreateNetworkArgs",
    "DiskArgs",
    "DisruptionBudgetArgs",
    "ExclusionArgs",
    "ExistingCluster",
    "ExistingNetworkArgs",
    "ExitCodesArgs",
    "FilestoreArgs",
    "Finding",
    "FindingsError",
    "FlexStartArgs",
    "GatewayArgs",
    "Generation",
    "Graph",
    "GroupMaintenanceArgs",
    "HeadArgs",
    "HostMaintenanceArgs",
    "InferencePoolArgs",
    "InterfaceNetworkArgs",
    "KubeRayArgs",
    "KubernetesArgs",
    "KueueArgs",
    "LustreArgs",
    "MaintenanceArgs",
    "MoveArgs",
    "MultiKueueArgs",
    "MultiKueueWorkerArgs",
    "NamespaceArgs",
    "NetworkArgs",
    "OperatorArgs",
    "OperatorsArgs",
    "OpportunisticMaintenanceArgs",
    "ParallelstoreArgs",
    "PathwaysArgs",
    "PathwaysElasticArgs",
    "PathwaysServerArgs",
    "PlacementArgs",
    "PriorityClassArgs",
    "ProbeArgs",
    "ProbesArgs",
    "PythonSidecarArgs",
    "QueueArgs",
    "ReservationArgs",
    "RetentionArgs",
    "RunArgs",
    "SecondaryBootDiskArgs",
    "SecretKeyArgs",
    "SecurityArgs",
    "ServiceAccountArgs",
    "Severity",
    "SliceGroupArgs",
    "StandardCluster",
    "StandardClusterArgs",
    "SystemPoolArgs",
    "TaintArgs",
    "TimeoutsArgs",
    "TpuFleet",
    "TpuFleetArgs",
    "TpuSlices",
    "TpuSlicesArgs",
    "TpuWorkloads",
    "TpuWorkloadsArgs",
    "UpgradeArgs",
    "VolumeArgs",
    "WaitForPodsReadyArgs",
    "WindowArgs",
    "WorkloadArgs",
    "WorkloadPolicyArgs",
    "__version__",
    "format_path",
    "load_plan",
]

if not TYPE_CHECKING:  # a type checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used: importing Pulumi and its gcp package takes seconds."""
        import importlib

        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = _ARGUMENTS if name.endswith("Args") else _HOMES[name]
        try:
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
        except ModuleNotFoundError as missing:
            if missing.name not in ("pulumi", "pulumi_gcp"):
                raise
            text = f"{name} requires the Pulumi SDK: install gke-tpu with the extra `pulumi`"
            raise ModuleNotFoundError(text, name=missing.name) from None

    def __dir__() -> list[str]:
        """What completion offers, also before it is loaded."""
        return list(__all__)

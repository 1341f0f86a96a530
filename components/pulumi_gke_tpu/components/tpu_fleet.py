"""``TpuFleet``: a whole plan."""

from collections.abc import Mapping
from typing import Any

import pulumi

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.args import TpuFleetArgs
from pulumi_gke_tpu.components.autopilot import AutopilotCluster
from pulumi_gke_tpu.components.creation import creation_hooks
from pulumi_gke_tpu.components.resolve import resolve_fleet
from pulumi_gke_tpu.components.site import component_options
from pulumi_gke_tpu.components.standard import StandardCluster
from pulumi_gke_tpu.components.tokens import token
from pulumi_gke_tpu.fleet import Fleet


class TpuFleet(pulumi.ComponentResource):
    """Every cluster and slice of a plan.

    ``args`` is a plan in canonical form, or as a plan file says it. ``catalog`` replaces the shipped facts.

    Raises:
        FindingsError: the plan has errors; every finding is listed.
    """

    kubeconfig_commands: pulumi.Output[Mapping[str, str]]
    """Cluster -> the gcloud command that writes credentials for kubectl."""

    def __init__(
        self,
        name: str,
        args: TpuFleetArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        catalog: Catalog | None = None,
        _derived: tuple[Fleet, Catalog] | None = None,
    ) -> None:
        """Register everything in the plan.

        ``name`` is unique in the program; clusters are named by the plan. ``args`` are described by ``TpuFleetArgs``;
        ``load_plan`` reads them from a file. ``opts`` hold for everything inside.
        """
        fleet, catalog = _derived or resolve_fleet(args, catalog)
        super().__init__(token("TpuFleet"), name, {"project": fleet.project}, component_options(opts, ()))
        has_pools = any(cluster.mode == "standard" for cluster in fleet.clusters)
        hooks = creation_hooks(f"TpuFleet {name}", catalog.provider) if has_pools else None
        self._clusters: dict[str, StandardCluster | AutopilotCluster] = {}
        for cluster in fleet.clusters:
            kind: Any = StandardCluster if cluster.mode == "standard" else AutopilotCluster
            self._clusters[cluster.key] = kind(
                cluster.key,
                args["clusters"][cluster.key],
                pulumi.ResourceOptions(parent=self),
                _derived=(cluster, catalog, hooks),
            )
        self.kubeconfig_commands = pulumi.Output.all(
            **{key: cluster.kubeconfig_command for key, cluster in self._clusters.items()}
        )
        self.register_outputs({"kubeconfig_commands": self.kubeconfig_commands})

    @property
    def clusters(self) -> Mapping[str, StandardCluster | AutopilotCluster]:
        """The clusters by name."""
        return self._clusters

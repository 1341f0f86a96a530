"""``TpuFleet``: a whole plan."""

from collections.abc import Mapping

import pulumi

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.args import TpuFleetArgs
from pulumi_gke_tpu.components.autopilot import AutopilotCluster
from pulumi_gke_tpu.components.cluster_component import ExistingCluster
from pulumi_gke_tpu.components.registration import DeclaredComponent, Within, alone
from pulumi_gke_tpu.components.resolve import resolve_fleet
from pulumi_gke_tpu.components.standard import StandardCluster
from pulumi_gke_tpu.graph.builders.fleet import tpu_fleet
from pulumi_gke_tpu.graph.types import AUTOPILOT_CLUSTER, EXISTING_CLUSTER, STANDARD_CLUSTER


class TpuFleet(DeclaredComponent):
    """Every cluster and slice of a plan.

    ``args`` is a plan in canonical form, or as a plan file has it. ``catalog`` replaces the shipped facts.

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
        _within: Within | None = None,
    ) -> None:
        """Register everything in the plan.

        ``name`` is unique in the program; clusters are named by the plan. ``args`` are described by ``TpuFleetArgs``;
        ``load_plan`` reads them from a file. ``opts`` hold for everything inside.
        """
        if _within is None:
            fleet, catalog = resolve_fleet(name, args, catalog)
            _within = alone(tpu_fleet(fleet, catalog, args, name), catalog)
        super().__init__(opts, _within)

    @property
    def clusters(self) -> Mapping[str, StandardCluster | AutopilotCluster | ExistingCluster]:
        """The clusters by name."""
        return self._components

    def _classes(self) -> Mapping[str, type[DeclaredComponent]]:
        return {
            STANDARD_CLUSTER: StandardCluster,
            AUTOPILOT_CLUSTER: AutopilotCluster,
            EXISTING_CLUSTER: ExistingCluster,
        }

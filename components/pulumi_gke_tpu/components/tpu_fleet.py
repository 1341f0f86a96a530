"""``TpuFleet``: a whole plan."""

from collections.abc import Mapping
from typing import Any, overload

import pulumi
from typing_extensions import Unpack

from pulumi_gke_tpu.components.args import TpuFleetArgs
from pulumi_gke_tpu.components.arguments import given_arguments
from pulumi_gke_tpu.components.autopilot import AutopilotCluster
from pulumi_gke_tpu.components.cluster_component import ExistingCluster
from pulumi_gke_tpu.components.registration import DeclaredComponent, alone
from pulumi_gke_tpu.components.resolve import resolve_fleet
from pulumi_gke_tpu.components.standard import StandardCluster
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.resource_types import AUTOPILOT_CLUSTER, EXISTING_CLUSTER, STANDARD_CLUSTER


class TpuFleet(DeclaredComponent, arguments=TpuFleetArgs):
    """Every cluster and slice of a plan.

    ``args`` is a plan in canonical form, or as a plan file has it. ``catalog`` replaces the shipped facts.

    Raises:
        FindingsError: the plan has errors; every finding is listed.
    """

    @property
    def kubeconfig_commands(self) -> pulumi.Output[Mapping[str, str]]:
        """Cluster -> the gcloud command that writes credentials for kubectl."""
        return self._output("kubeconfig_commands")

    @overload
    def __init__(
        self,
        resource_name: str,
        args: TpuFleetArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        catalog: Catalog | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self,
        resource_name: str,
        *,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
        **arguments: Unpack[TpuFleetArgs],
    ) -> None: ...

    def __init__(
        self,
        resource_name: str,
        args: TpuFleetArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
        *,
        catalog: Catalog | None = None,
        **arguments: Any,
    ) -> None:
        """Register everything in the plan.

        Give the arguments as a mapping (``args``) or as keywords. ``load_plan`` reads a mapping from a
        file. ``resource_name`` is unique in the program; the plan names the clusters. ``catalog`` replaces the shipped
        facts. ``opts`` apply to everything inside.
        """
        given: Any = given_arguments("TpuFleet", args, arguments)
        fleet, catalog = resolve_fleet(resource_name, given, catalog)
        super().__init__(opts, alone(tpu_fleet(fleet, catalog, given, resource_name), catalog))

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

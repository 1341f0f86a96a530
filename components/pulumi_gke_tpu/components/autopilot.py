"""``AutopilotCluster``: a GKE Autopilot cluster. GKE creates the nodes that workloads request."""

from typing import Any, overload

import pulumi
from typing_extensions import Unpack

from pulumi_gke_tpu.components.args import AutopilotClusterArgs
from pulumi_gke_tpu.components.arguments import given_arguments
from pulumi_gke_tpu.components.cluster_component import ClusterComponent
from pulumi_gke_tpu.components.registration import alone
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.core.graph.builders.standard import autopilot_cluster


class AutopilotCluster(ClusterComponent, arguments=AutopilotClusterArgs):
    """A GKE Autopilot cluster with its own node account.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    @overload
    def __init__(
        self,
        resource_name: str,
        args: AutopilotClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self,
        resource_name: str,
        *,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Unpack[AutopilotClusterArgs],
    ) -> None: ...

    def __init__(
        self,
        resource_name: str,
        args: AutopilotClusterArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Any,
    ) -> None:
        """Register the cluster.

        Give the arguments as a mapping (``args``) or as keywords. ``resource_name`` is unique in the program, and
        the name of the cluster in GKE unless ``name`` is set. ``opts`` apply to everything inside.
        """
        given: Any = given_arguments("AutopilotCluster", args, arguments)
        cluster, catalog = resolve_cluster(resource_name, "autopilot", given)
        super().__init__(opts, alone(autopilot_cluster(cluster, catalog, given), catalog))

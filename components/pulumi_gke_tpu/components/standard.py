"""``StandardCluster``: a GKE Standard cluster with a system pool, and the TPU slices of the plan."""

from typing import Any, overload

import pulumi
from typing_extensions import Unpack

from pulumi_gke_tpu.components.args import StandardClusterArgs
from pulumi_gke_tpu.components.arguments import given_arguments
from pulumi_gke_tpu.components.cluster_component import ClusterComponent
from pulumi_gke_tpu.components.registration import alone
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.core.graph.builders.standard import standard_cluster


class StandardCluster(ClusterComponent, arguments=StandardClusterArgs):
    """A GKE Standard cluster: VPC-native, Dataplane V2, its own node account, one CPU pool, and TPU slices.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    @overload
    def __init__(
        self,
        resource_name: str,
        args: StandardClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self,
        resource_name: str,
        *,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Unpack[StandardClusterArgs],
    ) -> None: ...

    def __init__(
        self,
        resource_name: str,
        args: StandardClusterArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Any,
    ) -> None:
        """Register the cluster.

        Give the arguments as a mapping (``args``) or as keywords. ``resource_name`` is unique in the program, and
        the name of the cluster in GKE unless ``name`` is set. ``opts`` apply to everything inside.
        """
        given: Any = given_arguments("StandardCluster", args, arguments)
        cluster, catalog = resolve_cluster(resource_name, "standard", given)
        super().__init__(opts, alone(standard_cluster(cluster, catalog, given), catalog))

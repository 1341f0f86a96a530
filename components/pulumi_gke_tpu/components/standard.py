"""``StandardCluster``: a GKE Standard cluster with a system pool, and the TPU slices of the plan."""

import pulumi

from pulumi_gke_tpu.components.args import StandardClusterArgs
from pulumi_gke_tpu.components.cluster_component import ClusterComponent
from pulumi_gke_tpu.components.registration import Within, alone
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.graph.builders.standard import standard_cluster


class StandardCluster(ClusterComponent):
    """A GKE Standard cluster: VPC-native, Dataplane V2, its own node account, one CPU pool, and TPU slices.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    def __init__(
        self,
        name: str,
        args: StandardClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _within: Within | None = None,
    ) -> None:
        """Register the cluster.

        ``name`` is unique in the program, and the cluster's name in GKE unless the arguments give another one. ``args``
        are described by ``StandardClusterArgs``. ``opts`` hold for everything inside.
        """
        if _within is None:
            cluster, catalog = resolve_cluster(name, "standard", args)
            _within = alone(standard_cluster(cluster, catalog, args), catalog)
        super().__init__(opts, _within)

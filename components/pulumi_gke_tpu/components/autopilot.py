"""``AutopilotCluster``: a GKE Autopilot cluster. GKE creates the nodes that workloads request."""

import pulumi

from pulumi_gke_tpu.components.args import AutopilotClusterArgs
from pulumi_gke_tpu.components.cluster_component import ClusterComponent
from pulumi_gke_tpu.components.registration import Within, alone
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.graph.builders.autopilot import autopilot_cluster


class AutopilotCluster(ClusterComponent):
    """A GKE Autopilot cluster with its own node account.

    Raises:
        FindingsError: the arguments have errors; every finding is listed.
    """

    def __init__(
        self,
        name: str,
        args: AutopilotClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _within: Within | None = None,
    ) -> None:
        """Register the cluster.

        ``name`` is unique in the program, and the cluster's name in GKE unless the arguments give another one. ``args``
        are described by ``AutopilotClusterArgs``. ``opts`` hold for everything inside.
        """
        if _within is None:
            cluster, catalog = resolve_cluster(name, "autopilot", args)
            _within = alone(autopilot_cluster(cluster, catalog, args), catalog)
        super().__init__(opts, _within)

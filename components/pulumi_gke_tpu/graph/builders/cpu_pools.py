"""Node pools without TPUs."""

from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.graph.builders.properties import ClusterContext, former_names, given, timeouts
from pulumi_gke_tpu.graph.declared import Declared, DeclaredOptions, Key
from pulumi_gke_tpu.graph.types import NODE_POOL
from pulumi_gke_tpu.plan.cluster import SystemPool

SYSTEM_POOL = "system"


def system_pool(cluster: Cluster, context: ClusterContext, parent: Key, plan_path: str) -> Declared:
    """The pool for the system.

    It starts with one node per zone, since nothing runs before. That can be more than the maximum in all zones: no
    source says what GKE does then.
    """
    system, security = cluster.plan.system_pool or SystemPool(), cluster.plan.security
    disk = given(diskType=system.boot_disk_type, sizeGb=system.boot_disk_size_gib)
    properties = {
        "name": SYSTEM_POOL,
        "cluster": context.cluster_name,
        "project": context.project,
        "location": context.location,
        "initialNodeCount": 1,
        "autoscaling": {
            "totalMinNodeCount": system.min_nodes,
            "totalMaxNodeCount": system.max_nodes,
            "locationPolicy": "ANY",
        },
        "management": {"autoRepair": True, "autoUpgrade": True},
        "networkConfig": {"enablePrivateNodes": context.private_nodes},
        "nodeConfig": given(
            machineType=system.machine_type,
            serviceAccount=context.service_account,
            oauthScopes=[context.catalog.platform.hardening.oauth_scope],
            resourceLabels=context.resource_labels or None,
            bootDisk=disk or None,
            reservationAffinity={"consumeReservationType": "NO_RESERVATION"},
            shieldedInstanceConfig={
                "enableSecureBoot": security.secure_boot,
                "enableIntegrityMonitoring": True,
            },
            workloadMetadataConfig={"mode": "GKE_METADATA"} if security.workload_identity else None,
            kubeletConfig={"insecureKubeletReadonlyPortEnabled": "FALSE"},
        ),
        "nodeLocations": system.zones,
    }
    return Declared(
        NODE_POOL,
        f"{cluster.key}/{SYSTEM_POOL}",
        parent,
        properties,
        DeclaredOptions(
            ignore_changes=("initialNodeCount", "nodeCount"),
            custom_timeouts=timeouts(None),
            aliases=former_names(f"{key}/{SYSTEM_POOL}" for key in cluster.former_keys),
            checked_update=True,
        ),
        plan_path,
    )

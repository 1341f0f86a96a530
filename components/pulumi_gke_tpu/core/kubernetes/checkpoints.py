"""CheckpointConfigurations: where GKE runs the driver of multi-tier checkpointing."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checkpoints import CHECKPOINTS, checkpointing
from pulumi_gke_tpu.core.fleet.scheduling import shared_tolerations
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity


def checkpoint_configurations(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """A configuration for each type of machines whose hosts have the folder in memory."""
    item = checkpointing(cluster)
    if item is None:
        return
    facts, kind = catalog.kubernetes, catalog.kubernetes.kinds.objects["checkpoint_configuration"]
    for machine_type, groups in item.machines.items():
        spec = {
            "cloudStorageBucketName": item.plan.bucket,
            "nodeSelector": {facts.pods.host_name.machine_type_label: machine_type},
            "tolerations": [toleration(taint) for taint in shared_tolerations(groups, catalog)],
            "inMemoryVolumeSize": canonical_quantity(item.plan.memory),
            "gcsFuseMountOptions": list(facts.storage.checkpoints.mount_options),
        }
        yield manifest("storage", kind, f"{CHECKPOINTS}-{machine_type}", item.path, {"spec": spec})

"""Storage of workloads: disks with their claims and StorageClasses, and the volumes and claims of file systems."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.file_systems import MountedFileSystem, file_systems
from pulumi_gke_tpu.core.fleet.names import LABEL_VALUE_LIMIT, shortened
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload, claim_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import quantities

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.volumes import Disk


SOURCE_SUFFIX = "-source"
_ACCESS_MODES = {"read_write_once": "ReadWriteOnce", "read_only_many": "ReadOnlyMany"}


@frozen
class _NewDisk:
    """A new disk of a workload."""

    workload: Workload
    volume: str
    plan: "Disk"

    @property
    def path(self) -> Path:
        return (*self.workload.path, "volumes", self.volume, "disk")

    @property
    def storage_class(self) -> str:
        """The name of its StorageClass: the type of the disk, and the zones of the slices."""
        return shortened("-".join(["tpu", self.plan.type, *self.workload.zones]), LABEL_VALUE_LIMIT)


def disks(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The StorageClasses of all new disks, each once, and the claims of the workloads."""
    new = [
        _NewDisk(workload, name, volume.disk)
        for workload in objects.workloads
        for name, volume in workload.plan.volumes.items()
        if volume.disk is not None
    ]
    for disk in {disk.storage_class: disk for disk in reversed(new)}.values():
        yield _storage_class(disk, catalog)
    for disk in new:
        yield from _claims(disk, catalog)


def _storage_class(disk: _NewDisk, catalog: Catalog) -> Manifest:
    """A class whose disks are created in the zone of the first Pod that uses them: a disk attaches only in its zone."""
    facts = catalog.kubernetes.storage.classes
    zones = disk.workload.zones
    allowed = [{"matchLabelExpressions": [{"key": facts.zone_label, "values": list(zones)}]}]
    fields = {
        "provisioner": facts.provisioner,
        "parameters": {"type": disk.plan.type},
        "allowVolumeExpansion": True,
        "volumeBindingMode": "WaitForFirstConsumer",
        **({"allowedTopologies": allowed} if zones else {}),
    }
    kind = catalog.kubernetes.kinds.objects["storage_class"]
    return manifest("storage", kind, disk.storage_class, disk.path, fields)


def _claims(disk: _NewDisk, catalog: Catalog) -> Iterator[Manifest]:
    """The claim of a disk.

    A disk that many nodes read must be written before. It is a copy of a snapshot of another disk, which one Pod writes
    and which has a claim too. As long as the snapshot does not exist, Pods with the claim stay Pending.
    """
    kind = catalog.kubernetes.kinds.objects["persistent_volume_claim"]
    shared = catalog.kubernetes.storage.shared
    name, namespace = claim_name(disk.workload, disk.volume), disk.workload.namespace
    spec = _claim(disk, disk.plan.access)
    if disk.plan.access == "read_only_many":
        source = {"spec": _claim(disk, "read_write_once")}
        yield manifest("storage", kind, f"{name}{SOURCE_SUFFIX}", disk.path, source, namespace=namespace)
        spec["dataSource"] = {"apiGroup": shared.source_group, "kind": shared.source_kind, "name": name}
    yield manifest("storage", kind, name, disk.path, {"spec": spec}, namespace=namespace)


def _claim(disk: _NewDisk, access: str) -> dict[str, Any]:
    return {
        "accessModes": [_ACCESS_MODES[access]],
        "storageClassName": disk.storage_class,
        "resources": {"requests": quantities({"storage": f"{disk.plan.size_gib}Gi"})},
    }


def shared_file_systems(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The PersistentVolume and the claim of each file system, once for each namespace whose workloads mount it."""
    mounted = {item.volume: item for item in reversed(list(file_systems(objects, catalog)))}
    for item in reversed(mounted.values()):
        yield from _volume_and_claim(item, catalog)


def _volume_and_claim(item: MountedFileSystem, catalog: Catalog) -> Iterator[Manifest]:
    """A volume that only this claim can bind, and a claim that binds only this volume."""
    kinds, namespace = catalog.kubernetes.kinds.objects, item.workload.namespace
    size = quantities({"storage": f"{item.plan.size_gib}Gi"})
    shared = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeMode": "Filesystem"}
    options = {"mountOptions": item.mount_options} if item.mount_options else {}
    source = {"driver": item.facts.driver, "volumeHandle": item.handle, "volumeAttributes": item.attributes}
    spec = {
        **shared,
        "capacity": size,
        "persistentVolumeReclaimPolicy": "Retain",
        "claimRef": {"namespace": namespace, "name": item.claim},
        **options,
        "csi": source,
    }
    yield manifest("storage", kinds["persistent_volume"], item.volume, item.path, {"spec": spec})
    spec = {**shared, "volumeName": item.volume, "resources": {"requests": size}}
    kind = kinds["persistent_volume_claim"]
    yield manifest("storage", kind, item.claim, item.path, {"spec": spec}, namespace=namespace)

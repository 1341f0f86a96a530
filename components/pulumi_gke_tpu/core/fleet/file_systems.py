"""The file systems that the workloads of a cluster mount: Filestore, Managed Lustre and Parallelstore."""

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.workloads import FileSystem
from pulumi_gke_tpu.core.fleet.names import shortened
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.volumes import Filestore, Lustre, Parallelstore, Volume


_CLAIM_LIMIT = 54
"""The longest name of a claim without the hash at its end."""
_HASH = 8
"""The length of the hash in names."""


@frozen
class MountedFileSystem:
    """A file system as a volume of one workload mounts it."""

    kind: str
    """The key of the plan: filestore, lustre or parallelstore."""
    path: Path
    workload: Workload
    plan: "Filestore | Lustre | Parallelstore"
    facts: FileSystem

    @property
    def handle(self) -> str:
        """The ID by which the driver finds it."""
        values = {"project": self.workload.cluster.project, **_texts(self.plan)}
        return self.facts.handle.format(**values)

    @property
    def attributes(self) -> dict[str, str]:
        """What the driver has to know."""
        from pulumi_gke_tpu.core.plan.volumes import Filestore, Lustre  # checks of manifests need no models of plans

        plan = self.plan
        if isinstance(plan, Filestore):
            return {"ip": plan.ip, "volume": plan.share}
        if isinstance(plan, Lustre):
            return {"ip": plan.ip, "filesystem": plan.filesystem}
        network = {"network": plan.network} if plan.network is not None else {}
        return {"accessPoints": ",".join(plan.access_points), **network}

    @property
    def mount_options(self) -> list[str]:
        """The options of its mount."""
        from pulumi_gke_tpu.core.plan.volumes import Parallelstore

        return list(self.plan.mount_options) if isinstance(self.plan, Parallelstore) else []

    @property
    def claim(self) -> str:
        """The name of its claim in each namespace.

        Nothing of a volume can change, so another value leads to another name: the claim and the volume are new, and
        the Pods that still use the old ones are not disturbed.
        """
        everything = [self.handle, self.attributes, self.mount_options, self.plan.size_gib]
        digest = hashlib.sha256(json.dumps(everything, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{shortened(f'{self.kind}-{self.plan.instance}', _CLAIM_LIMIT)}-{digest[:_HASH]}"

    @property
    def volume(self) -> str:
        """The name of its PersistentVolume, which is unique in the cluster: a volume has one claim."""
        return f"{self.workload.namespace}-{self.claim}"


def _texts(plan: "Filestore | Lustre | Parallelstore") -> dict[str, Any]:
    """The values of the keys that the plan sets."""
    return {name: value for name, value in plan if value is not None}


def file_system(workload: Workload, name: str, volume: "Volume", catalog: Catalog) -> MountedFileSystem | None:
    """The file system of a volume; None if its source is another one."""
    for kind, facts in catalog.kubernetes.storage.file_systems.items():
        plan = getattr(volume, kind)
        if plan is not None:
            return MountedFileSystem(kind, (*workload.path, "volumes", name, kind), workload, plan, facts)
    return None


def file_systems(objects: KubernetesObjects, catalog: Catalog) -> Iterator[MountedFileSystem]:
    """The file systems of all volumes, as often as workloads mount them."""
    for workload in objects.workloads:
        for name, volume in workload.plan.volumes.items():
            found = file_system(workload, name, volume, catalog)
            if found is not None:
                yield found

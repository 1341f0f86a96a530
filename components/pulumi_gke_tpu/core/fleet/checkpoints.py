"""Multi-tier checkpointing of a cluster: the machines whose hosts have a folder in memory, and who copies it."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.volumes import Checkpoints


CHECKPOINTS = "checkpoints"


@frozen
class Checkpointing:
    """What the key ``checkpoints`` asks for on a cluster."""

    cluster: Cluster
    path: Path
    plan: "Checkpoints"

    @property
    def groups(self) -> tuple[SliceGroup, ...]:
        """The slice groups whose hosts have the folder."""
        groups = self.cluster.groups
        return tuple(group for group in groups if not self.plan.slices or group.path[-1] in self.plan.slices)

    @property
    def machines(self) -> dict[str, tuple[SliceGroup, ...]]:
        """The groups by machine type. No two configurations can select one node, and each node has one machine type."""
        types = dict.fromkeys(group.shape.machine_type for group in self.groups)
        return {name: tuple(item for item in self.groups if item.shape.machine_type == name) for name in types}

    @property
    def key(self) -> str:
        """The Pulumi name of the grant on the bucket."""
        return self._key(self.cluster.key)

    @property
    def former_keys(self) -> tuple[str, ...]:
        """Pulumi names before a rename of the cluster."""
        return tuple(map(self._key, self.cluster.former_keys))

    def _key(self, cluster: str) -> str:
        return f"{cluster}/{CHECKPOINTS}/{self.plan.bucket}"

    def account(self, catalog: Catalog) -> str | None:
        """The account that copies checkpoints to the bucket; None if the plan has no number of its project."""
        number = self.plan.project_number
        facts = catalog.kubernetes.storage.checkpoints
        return facts.account.format(number=number, project=self.cluster.project) if number is not None else None


def checkpointing(cluster: Cluster) -> Checkpointing | None:
    """Multi-tier checkpointing of a cluster; None if the plan does not ask for it."""
    plan = cluster.plan.kubernetes
    if plan is None or plan.checkpoints is None:
        return None
    return Checkpointing(cluster, (*cluster.path, "kubernetes", CHECKPOINTS), plan.checkpoints)

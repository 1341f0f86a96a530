"""The Kubernetes service accounts of a plan: where they are, what their Pods act as, and which buckets they use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.names import account_id
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import service_account_email

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import ServiceAccountSpec


CREATE = "create"
"""The word of the plan for a new Google service account."""
SERVICE_ACCOUNTS = "service_accounts"


@frozen
class BucketUse:
    """A bucket that workloads mount."""

    bucket: str
    writes: bool


@frozen
class ServiceAccount:
    """A Kubernetes service account."""

    name: str
    path: Path
    cluster: Cluster
    namespaces: tuple[str, ...]
    """Those of the workloads that use it; that of the other objects if none does."""
    buckets: tuple[BucketUse, ...]
    """The buckets of these workloads, each once."""
    plan: "ServiceAccountSpec"

    @property
    def key(self) -> str:
        """The Pulumi name of its Google service account."""
        return f"{self.cluster.key}/{SERVICE_ACCOUNTS}/{self.name}"

    @property
    def former_keys(self) -> tuple[str, ...]:
        """Pulumi names before a rename of the cluster."""
        return tuple(f"{key}/{SERVICE_ACCOUNTS}/{self.name}" for key in self.cluster.former_keys)

    @property
    def account_id(self) -> str:
        """The ID of its Google service account, if gke-tpu creates one."""
        cluster = self.cluster
        first = (cluster.former_keys or (cluster.key,))[-1] if cluster.existing else ""
        return account_id(cluster.project, cluster.name, cluster.location, first, (SERVICE_ACCOUNTS, self.name))

    @property
    def email(self) -> str | Unknown | None:
        """The Google service account that its Pods act as; None if they act as no other account."""
        google = self.plan.google
        return service_account_email(self.account_id, self.cluster.project) if google == CREATE else google


def service_accounts(objects: KubernetesObjects) -> Iterator[ServiceAccount]:
    """The service accounts that a plan defines on a cluster."""
    plan = objects.cluster.plan.kubernetes
    for name, item in plan.service_accounts.items() if plan is not None else ():
        users = [workload for workload in objects.workloads if workload.plan.service_account == name]
        namespaces = tuple(dict.fromkeys(user.namespace for user in users)) or (objects.namespace,)
        path = (*objects.cluster.path, "kubernetes", SERVICE_ACCOUNTS, name)
        yield ServiceAccount(name, path, objects.cluster, namespaces, tuple(_buckets(users)), item)


def _buckets(users: list[Workload]) -> Iterator[BucketUse]:
    writes: dict[str, bool] = {}
    for user in users:
        for volume in user.plan.volumes.values():
            if volume.bucket is not None:
                name = volume.bucket.name
                writes[name] = writes.get(name, False) or not volume.read_only
    for name, written in writes.items():
        yield BucketUse(name, written)

"""Service accounts of workloads."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.service_accounts import service_accounts
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest


def accounts(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """A ServiceAccount in each namespace whose workloads use it, with the Google service account that it acts as."""
    kind, annotation = (
        catalog.kubernetes.kinds.objects["service_account"],
        catalog.kubernetes.storage.identity.annotation,
    )
    for account in service_accounts(objects):
        annotations: dict[str, Any] = {annotation: account.email} if account.email is not None else {}
        for namespace in account.namespaces:
            yield manifest(
                "service-accounts", kind, account.name, account.path, {}, namespace=namespace, annotations=annotations
            )

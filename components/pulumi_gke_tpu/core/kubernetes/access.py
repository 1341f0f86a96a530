"""Who can use a namespace, and how many chips its Pods can request."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Namespace
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity

_QUOTA = "chips"
_JOBS = "jobs"
_VIEWERS = "viewers"
_KINDS = {"user": "User", "group": "Group", "serviceAccount": "User"}
"""Kubernetes sees a Google service account as a user with its email."""


def access(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The ResourceQuota and the RoleBindings of each namespace."""
    for namespace in objects.namespaces:
        yield from _quota(namespace, catalog)
        yield from _bindings(namespace, catalog, queues=bool(objects.queues))


def _quota(namespace: Namespace, catalog: Catalog) -> Iterator[Manifest]:
    chips = namespace.plan.chips
    if chips is not None:
        name = f"{catalog.kubernetes.access.quota_prefix}{catalog.kubernetes.pods.resource.name}"
        kind, spec = catalog.kubernetes.kinds.objects["resource_quota"], {"hard": {name: canonical_quantity(chips)}}
        yield manifest("access", kind, _QUOTA, namespace.path, {"spec": spec}, namespace=namespace.name)


def _bindings(namespace: Namespace, catalog: Catalog, *, queues: bool) -> Iterator[Manifest]:
    """A RoleBinding for each role. Who creates workloads also needs the role of Kueue for their kinds."""
    kind, facts = catalog.kubernetes.kinds.objects["role_binding"], catalog.kubernetes.access
    members: dict[str, list[str]] = {key: getattr(namespace.plan, key) for key in facts.roles}
    for key, role in facts.roles.items():
        if members[key]:
            yield manifest(
                "access", kind, key, (*namespace.path, key), _binding(members[key], role), namespace=namespace.name
            )
    creators = [one for key, found in members.items() if key != _VIEWERS for one in found]
    if queues and creators:
        fields = _binding(creators, facts.job_role)
        yield manifest("access", kind, _JOBS, namespace.path, fields, namespace=namespace.name)


def _binding(members: list[str], role: str) -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    subjects = [_subject(member, group) for member in dict.fromkeys(members)]
    return {"roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role}, "subjects": subjects}


def _subject(member: str, group: str) -> dict[str, str]:
    word, _, email = member.partition(":")
    return {"apiGroup": group, "kind": _KINDS.get(word, "User"), "name": email}

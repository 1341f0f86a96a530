"""What workloads of a cluster share: namespaces, service accounts, priority classes, claims and checkpoints."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checkpoints import CHECKPOINTS, checkpointing
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips, shared_tolerations
from pulumi_gke_tpu.core.fleet.service_accounts import service_accounts
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Namespace, chips_to_claim, claim_template_name
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
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


_PREEMPTION = {"lower_priority": "PreemptLowerPriority", "never": "Never"}


def priority_classes(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The PriorityClasses. With queues, each has a WorkloadPriorityClass of the same name and value.

    The scheduler compares Pods by the former, and Kueue compares workloads by the latter.
    """
    kinds = catalog.kubernetes.kinds.objects
    for item in objects.priority_classes:
        description: dict[str, Any] = {"description": item.plan.description} if item.plan.description else {}
        value = {"value": item.plan.value, **description}
        pods = {"preemptionPolicy": _PREEMPTION[item.plan.preemption], **value}
        yield manifest("priority-classes", kinds["priority_class"], item.name, item.path, pods)
        if objects.queues:
            yield manifest("priority-classes", kinds["workload_priority_class"], item.name, item.path, value)


_REQUEST = "tpus"


def claim_templates(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The templates of the claims of workloads, each once in a namespace.

    Kubernetes makes a claim from the template for each Pod. Until the template exists, the Pods are Pending.
    """
    facts, kind = catalog.kubernetes.pods.resource_claims, catalog.kubernetes.kinds.objects["resource_claim_template"]
    written: set[tuple[str, str]] = set()
    for workload in objects.workloads:
        name = claim_template_name(workload, catalog)
        if not claims_chips(workload.group, catalog) or (workload.namespace, name) in written:
            continue
        written.add((workload.namespace, name))
        chips = chips_to_claim(workload, catalog)
        amount: dict[str, Any] = {"allocationMode": facts.allocation_mode} if chips is None else {"count": chips}
        devices = {"requests": [{"name": _REQUEST, "exactly": {"deviceClassName": facts.device_class, **amount}}]}
        spec = {"spec": {"spec": {"devices": devices}}}
        yield manifest("workloads", kind, name, workload.path, spec, namespace=workload.namespace)


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

"""The objects that were given: which of them a plan can be about, and the cluster that each belongs to."""

from collections.abc import Iterable, Mapping, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.kinds.manifest import Manifest, is_managed
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.clusters import by_cluster

Identity = tuple[str, str, str, str]
"""API group, kind, namespace and name."""
_SYSTEM_PREFIXES = ("kube-", "gke-", "gmp-", "system-")
_DEFAULT = "default"
_QUEUEING = "kueue"
_MADE_BY_KUEUE = "Workload"


@frozen(eq=False)
class GivenObjects:
    """The objects of one cluster."""

    by_identity: Mapping[Identity, KubernetesObject]
    twice: tuple[KubernetesObject, ...]
    """Other objects with the kind and name of one of them."""

    def of(self, kind: str, group: str = "") -> tuple[KubernetesObject, ...]:
        """Those of a kind."""
        return tuple(item for item in self.by_identity.values() if item.is_a(kind, group))


@frozen(eq=False)
class Assigned:
    """The objects by the key of their cluster."""

    objects: Mapping[str, GivenObjects]
    unassigned: tuple[KubernetesObject, ...]
    """Those that can belong to any of several clusters."""


def identity(item: KubernetesObject) -> Identity:
    """What identifies an object in its cluster."""
    return item.group, item.kind, item.namespace, item.name


def identity_of(item: Manifest) -> Identity:
    """What identifies a rendered object in its cluster."""
    metadata = item.object["metadata"]
    group = str(item.object["apiVersion"]).rpartition("/")[0]
    return group, item.kind, str(metadata.get("namespace", "")), item.name


def title_of(item: Manifest) -> str:
    """Kind, namespace and name of a rendered object: ``JobSet research/train``."""
    namespace = item.object["metadata"].get("namespace")
    return f"{item.kind} {f'{namespace}/' if namespace else ''}{item.name}"


def assigned(objects: Sequence[KubernetesObject], keys: Sequence[str], *, one: bool) -> Assigned:
    """The objects of each cluster: of the only one, or of that with the name of the folder or file."""
    if one:
        return Assigned({keys[0]: _given(objects)}, ())
    found: dict[str, GivenObjects] = {}
    rest: tuple[KubernetesObject, ...] = ()
    for part in by_cluster(objects, keys):
        own = tuple(item for item in part.objects if item.index in part.reported)
        if part.clusters is None:
            rest = own
        else:
            found[next(iter(part.clusters))] = _given(own)
    return Assigned(found, rest)


def _given(objects: Iterable[KubernetesObject]) -> GivenObjects:
    found: dict[Identity, KubernetesObject] = {}
    twice = []
    for item in objects:
        if found.setdefault(identity(item), item) is not item:
            twice.append(item)
    return GivenObjects(found, tuple(twice))


class Relevance:
    """Tells the objects that a plan can be about from others."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._queueing = catalog.kubernetes.controllers[_QUEUEING].group
        self._of_operators = {
            item.namespace for item in catalog.kubernetes.operators.installations.values() if item.namespace
        }

    def concerns(self, item: KubernetesObject) -> bool:
        """Whether an object is listed as left alone if no plan renders it.

        Others are those of controllers, of the system, and of workloads without TPUs.
        """
        if not item.name or item.metadata.get("ownerReferences") or item.is_secret:
            return False
        if self.is_system(item.namespace or (item.name if item.is_a("Namespace") else "")):
            return False
        return is_managed(item) or self._is_of_queues_or_tpus(item)

    def _is_of_queues_or_tpus(self, item: KubernetesObject) -> bool:
        if item.group == self._queueing:
            return item.kind != _MADE_BY_KUEUE
        if item.is_a("Namespace"):
            return item.name != _DEFAULT
        if item.is_a("PriorityClass", "scheduling.k8s.io"):
            return not item.name.startswith(_SYSTEM_PREFIXES)
        return any(map(self.uses_tpus, pod_templates(item)))

    def is_system(self, namespace: str) -> bool:
        """Whether a namespace belongs to Kubernetes, GKE or an operator."""
        return namespace.startswith(_SYSTEM_PREFIXES) or namespace in self._of_operators

    def uses_tpus(self, template: PodTemplate) -> bool:
        """Whether the Pods of a template select nodes with TPUs, or request chips."""
        resource = self._catalog.kubernetes.pods.resource.name
        label = self._catalog.platform.names.node_labels.accelerator
        asked = any(one.amount("limits", resource) or one.amount("requests", resource) for one in template.containers())
        return asked or label in template.node_selector

"""The queues in manifests: flavors, cluster queues, local queues, and what they hold in chips."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, Selection, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping, text
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity, parse_quantity

_KUEUE = "kueue"
_PREVENTING = ("NoSchedule", "NoExecute")
_OF_BYTES, _KIB, _MILLI = ("memory", "ephemeral-storage"), 1024, 1000


@frozen
class FlavorQuota:
    """The nominal quota of a flavor in a cluster queue. ``amount`` is None if it is open or not a quantity."""

    queue: KubernetesObject
    flavor: str
    resource: str
    path: Path
    amount: Fraction | None

    @property
    def chips(self) -> Fraction | None:
        """The amount of a quota of chips."""
        return self.amount


def of_kueue(objects: tuple[KubernetesObject, ...], kind: str, catalog: Catalog) -> Iterator[KubernetesObject]:
    """The objects of a kind of Kueue."""
    group = catalog.kubernetes.controllers[_KUEUE].group
    return (found for found in objects if found.is_a(kind, group))


def flavor_labels(flavor: KubernetesObject) -> dict[str, Selection]:
    """The node labels of a flavor, in the form of what pods select."""
    labels = mapping(flavor.spec.get("nodeLabels"))
    return {key: Selection((str(value),), ("spec", "nodeLabels", key), is_open(value)) for key, value in labels.items()}


def different_label(pod: PodTemplate, flavor: KubernetesObject) -> tuple[KubernetesObject, str, str, Selection] | None:
    """The first label of a flavor that the pods select with another value, with its value; None if the flavor fits.

    Kueue ignores the labels that the pods do not select.
    """
    if is_open(mapping(flavor.spec).get("nodeLabels")):
        return None
    for key, label in flavor_labels(flavor).items():
        selected = pod.selection(key)
        if selected is not None and not selected.open and not label.open and label.values[0] not in selected.values:
            return flavor, key, label.values[0], selected
    return None


def untolerated_taints(pod: PodTemplate, flavor: KubernetesObject) -> Iterator[Mapping[str, Any]]:
    """The taints of a flavor that keep Kueue from admitting the pods to it: those that nothing tolerates."""
    if is_open(flavor.spec.get("nodeTaints")) or is_open(flavor.spec.get("tolerations")):
        return
    further = items(flavor.spec.get("tolerations"))
    for taint in map(mapping, items(flavor.spec.get("nodeTaints"))):
        key, effect = text(taint.get("key")), text(taint.get("effect"))
        value = taint.get("value", "")
        if not key or effect not in _PREVENTING or is_open(key) or is_open(value):
            continue
        if not tolerates(pod, key, str(value), effect=effect, further=further):
            yield taint


def flavors_of(queue: KubernetesObject) -> Iterator[str]:
    """The names of the flavors of a cluster queue."""
    for group in items(queue.spec.get("resourceGroups")):
        for flavor in items(mapping(group).get("flavors")):
            yield known_text(mapping(flavor).get("name"))


def chip_quotas(queue: KubernetesObject, resource: str) -> Iterator[FlavorQuota]:
    """The quotas of chips in a cluster queue, by flavor."""
    return (quota for quota in quotas_of(queue) if quota.resource == resource)


def quotas_of(queue: KubernetesObject) -> Iterator[FlavorQuota]:
    """The quotas of a cluster queue or cohort, by flavor and resource."""
    for index, group in enumerate(items(queue.spec.get("resourceGroups"))):
        for place, flavor in enumerate(items(mapping(group).get("flavors"))):
            for position, entry in enumerate(items(mapping(flavor).get("resources"))):
                found: dict[str, Any] = mapping(entry)
                path = ("spec", "resourceGroups", index, "flavors", place, "resources", position, "nominalQuota")
                written = found.get("nominalQuota")
                amount = None if is_open(written) else parse_quantity(written)
                yield FlavorQuota(queue, text(mapping(flavor).get("name")), text(found.get("name")), path, amount)


def is_held(queue: KubernetesObject) -> bool:
    """Whether a ClusterQueue or LocalQueue admits no workload."""
    return known_text(queue.spec.get("stopPolicy")) not in ("", "None")


def quantity_text(amount: Fraction, resource: str) -> str:
    """An amount as Kubernetes writes it, of memory in units of bytes."""
    in_bytes = resource in _OF_BYTES and amount % _KIB == 0
    return canonical_quantity(f"{amount / _KIB}Ki" if in_bytes else f"{-(-amount * _MILLI // 1)}m")

"""The queues in manifests: flavors, cluster queues, local queues, and what they hold in chips."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.kubernetes.objects import KubernetesObject, Selection, is_open
from pulumi_gke_tpu.kubernetes.objects.document import items, mapping, text
from pulumi_gke_tpu.kubernetes.objects.quantity import parse_quantity

_KUEUE = "kueue"


@frozen
class FlavorQuota:
    """The nominal quota of a flavor in a cluster queue. ``chips`` is None if it is open or not a quantity."""

    queue: KubernetesObject
    flavor: str
    path: Path
    chips: Fraction | None


def of_kueue(objects: tuple[KubernetesObject, ...], kind: str, catalog: Catalog) -> Iterator[KubernetesObject]:
    """The objects of a kind of Kueue."""
    group = catalog.kubernetes.controllers[_KUEUE].group
    return (found for found in objects if found.is_a(kind, group))


def flavor_labels(flavor: KubernetesObject) -> dict[str, Selection]:
    """The node labels of a flavor, in the form of what pods select."""
    labels = mapping(flavor.spec.get("nodeLabels"))
    return {key: Selection((str(value),), ("spec", "nodeLabels", key), is_open(value)) for key, value in labels.items()}


def chip_quotas(queue: KubernetesObject, resource: str) -> Iterator[FlavorQuota]:
    """The quotas of chips in a cluster queue, by flavor."""
    for index, group in enumerate(items(queue.spec.get("resourceGroups"))):
        for place, flavor in enumerate(items(mapping(group).get("flavors"))):
            for position, entry in enumerate(items(mapping(flavor).get("resources"))):
                found: dict[str, Any] = mapping(entry)
                if found.get("name") == resource:
                    path = ("spec", "resourceGroups", index, "flavors", place, "resources", position, "nominalQuota")
                    amount = found.get("nominalQuota")
                    chips = None if is_open(amount) else parse_quantity(amount)
                    yield FlavorQuota(queue, text(mapping(flavor).get("name")), path, chips)

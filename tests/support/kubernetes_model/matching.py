"""Which nodes a Pod may use by labels and taints, and which Pods a selector of labels matches."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from support.control_plane.client import Object

from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

NODE_POOL = "cloud.google.com/gke-nodepool"
TPU = "google.com/tpu"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_HARD = ("NoSchedule", "NoExecute")


@dataclass(frozen=True)
class NodePool:
    """Equal nodes: the label of the node pool is among the labels."""

    name: str
    hosts: int
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    allocatable: Mapping[str, str]
    only_for: frozenset[str] = frozenset()
    """Labels that a Pod has to select: GKE taints these nodes, and lets the Pods that select the label tolerate it."""


def matches(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether labels fulfill one requirement.

    Raises:
        ValueError: the operator is not one of the four that labels of Pods know.
    """
    value = labels.get(expression["key"])
    match expression["operator"]:
        case "In":
            return value in expression["values"]
        case "NotIn":
            return value not in expression["values"]
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise ValueError(f"operator {expression['operator']} is not known here")


def selects(spec: Object, labels: Mapping[str, str], only: Iterable[str] | None = None) -> bool:
    """Whether node selector and required node affinity of a Pod match labels. ``only``: requirements on these keys."""

    def relevant(key: str) -> bool:
        return only is None or key in only

    if any(labels.get(key) != value for key, value in spec.get("nodeSelector", {}).items() if relevant(key)):
        return False
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get(REQUIRED, {}).get("nodeSelectorTerms")
    if terms is None:
        return True
    left = [[one for one in term["matchExpressions"] if relevant(one["key"])] for term in terms]
    return any(all(matches(one, labels) for one in term) for term in left)


def tolerates(spec: Object, taints: Iterable[Mapping[str, str]], more: Iterable[Object] = ()) -> bool:
    """Whether a Pod with these tolerations, and ``more``, may be placed beside all taints; soft ones are ignored."""
    tolerations = [*spec.get("tolerations", ()), *more]
    return all(any(_tolerated(taint, one) for one in tolerations) for taint in taints if taint["effect"] in _HARD)


def _tolerated(taint: Mapping[str, str], toleration: Object) -> bool:
    key = toleration.get("key")
    return (
        toleration.get("effect") in (None, "", taint["effect"])
        and key in (None, "", taint["key"])
        and (toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", ""))
    )


def requests_of(spec: Object) -> dict[str, int]:
    """What a Pod requests, in thousandths: the sum of its containers and sidecars, or an init container if more.

    A limit without a request is also the request, as the API server writes it.
    """
    running = [*spec["containers"], *(one for one in spec.get("initContainers", ()) if _is_sidecar(one))]
    total: dict[str, int] = {}
    for container in running:
        for name, value in _of(container).items():
            total[name] = total.get(name, 0) + value
    for container in spec.get("initContainers", ()):
        for name, value in _of(container).items() if not _is_sidecar(container) else ():
            total[name] = max(total.get(name, 0), value)
    return total


@functools.cache
def thousandths(quantity: str | int) -> int:
    """A quantity in thousandths.

    Raises:
        ValueError: it is not a quantity.
    """
    value = parse_quantity(quantity)
    if value is None:
        raise ValueError(f"{quantity!r} is not a quantity")
    return int(value * 1000)


def hosts_for(spec: Object, pool: NodePool) -> bool:
    """Whether a Pod alone fits a node of a pool: labels, taints, and what it requests."""
    if not pool.only_for <= spec.get("nodeSelector", {}).keys():
        return False
    if not selects(spec, pool.labels) or not tolerates(spec, pool.taints):
        return False
    return all(value <= thousandths(pool.allocatable.get(name, 0)) for name, value in requests_of(spec).items())


def _of(container: Object) -> dict[str, int]:
    resources = container.get("resources", {})
    return {
        name: thousandths(value)
        for name, value in {**resources.get("limits", {}), **resources.get("requests", {})}.items()
    }


def _is_sidecar(container: Object) -> bool:
    return bool(container.get("restartPolicy") == "Always")

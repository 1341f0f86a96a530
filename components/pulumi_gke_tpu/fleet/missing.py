"""What of a plan with errors is not in its fleet, and plans without such parts, so that the rest can be compared."""

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from pulumi_gke_tpu.findings import Finding, Path, Severity
from pulumi_gke_tpu.fleet.model import Fleet
from pulumi_gke_tpu.plan import Document, Plan, parse_plan

WHOLE = ""
"""Stands for the whole plan among items."""

_HARMLESS = "accept"
"""The one key at the top that nothing is created from."""


def missing_items(document: Document[Plan], fleet: Fleet) -> frozenset[str]:
    """The items, as ``cluster`` or ``cluster/group``, that a plan has and its fleet lacks, or has only in part.

    Those are items whose form is wrong, and slice groups without a possible shape. Whatever else rules refuse is
    derived all the same, and as it was meant.
    """
    return touched_items(document.findings) | frozenset(_item(item.path) for item in fleet.unresolved)


def touched_items(findings: Iterable[Finding]) -> frozenset[str]:
    """The items in which errors stand; ``WHOLE`` where it cannot be said in which."""
    wrong = (finding.path for finding in findings if finding.severity is Severity.ERROR)
    return frozenset(_item(path) for path in wrong if path[:1] != (_HARMLESS,))


def _item(path: Path) -> str:
    match path:
        case ("clusters", cluster, "slices", group, *_):
            return f"{cluster}/{group}"
        case ("clusters", cluster, *_):
            return str(cluster)
        case _:
            return WHOLE


def items_from(fleet: Fleet, items: Collection[str]) -> frozenset[str]:
    """The items of a fleet that are one of some items, now or under a former name."""
    found = set()
    for cluster in fleet.clusters:
        if not {cluster.key, *cluster.former_keys}.isdisjoint(items):
            found.add(cluster.key)
        found.update(group.key for group in cluster.groups if not {group.key, *group.former_keys}.isdisjoint(items))
    return frozenset(found)


def without(document: Document[Plan], items: Collection[str]) -> Document[Plan] | None:
    """A plan from a file without some of its items; None where no cluster is left."""
    assert document.yaml is not None
    data: dict[str, Any] = dict(document.yaml.data)
    clusters = {key: cluster for key, cluster in data["clusters"].items() if key not in items}
    for key, cluster in clusters.items():
        if isinstance(cluster, dict) and isinstance(cluster.get("slices"), dict):
            kept = {name: group for name, group in cluster["slices"].items() if f"{key}/{name}" not in items}
            clusters[key] = {**cluster, "slices": kept}
    if not clusters:
        return None
    data["clusters"] = clusters
    return Document(
        parse_plan(data).content, document.name, document.findings, dataclasses.replace(document.yaml, data=data)
    )

"""The items of a plan with errors that its fleet does not have, and plans without them, for comparing the rest."""

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from pulumi_gke_tpu.core.fleet.model import Fleet
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, Path, Severity

WHOLE = ""
"""Represents the whole plan among items."""

_HARMLESS = "accept"
"""The only top-level key that creates nothing."""


def missing_items(document: Document[Plan], fleet: Fleet) -> frozenset[str]:
    """The items, as ``cluster`` or ``cluster/group``, that a plan has but its fleet does not have or has only in part.

    These are malformed items and slice groups without a possible shape. The fleet has all other items, even if rules
    report errors in them.
    """
    return touched_items(document.findings) | frozenset(_item(item.path) for item in fleet.unresolved)


def touched_items(findings: Iterable[Finding]) -> frozenset[str]:
    """The items with errors; ``WHOLE`` for an error that belongs to no item."""
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
    """The items of a fleet that are among some items, by their key or by a former one."""
    found = set()
    for cluster in fleet.clusters:
        if not {cluster.key, *cluster.former_keys}.isdisjoint(items):
            found.add(cluster.key)
        found.update(group.key for group in cluster.groups if not {group.key, *group.former_keys}.isdisjoint(items))
    return frozenset(found)


def without(document: Document[Plan], items: Collection[str]) -> Document[Plan] | None:
    """A plan from a file without some of its items; None if no cluster is left."""
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

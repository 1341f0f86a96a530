"""Compares node pools in the files of other tools with those of a plan that have the same cluster and name."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.model import NODE_POOL, Resource
from pulumi_gke_tpu.core.graph.property_values import ABSENT, plain
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.rules.files.planned_pools import POOL_DIFFERS, POOL_NOT_PLANNED
from pulumi_gke_tpu.core.text.findings import Finding, Path, Verbatim, printable, quoted
from pulumi_gke_tpu.core.text.formats.property_path import Steps
from pulumi_gke_tpu.features.adopt.live import LivePool, live_pools
from pulumi_gke_tpu.features.adopt.proof import Prover

_LONGEST_ADDRESS, _LONGEST_VALUE = 300, 120
_OF_THE_PROVIDER = ("ignoreNodeCountChanges",)
"""Properties that the API does not have."""
_NOT_SHOWN = "nodeConfig.metadata"
"""Scripts often contain secrets that no provider marks."""


def check_against_plan(resources: Iterable[RawResource], checked: CheckedPlan) -> Iterator[Finding]:
    """The properties in which node pools, as the files want them, differ from the plan."""
    if checked.fleet is None or checked.has_errors or checked.document.yaml is None:
        return
    catalog = checked.catalog
    graph = fleet_graph(checked.document.yaml.data, checked.fleet, catalog)
    by_key = {cluster.key: cluster for cluster in checked.fleet.clusters}
    planned = {_place(item, by_key): item for item in graph.of_type(NODE_POOL)}
    clusters = {place[:2] for place in planned}
    prover, machines = Prover(catalog), Machines(catalog)
    for pool in live_pools(map(_as_wanted, filter(_stays, resources)), catalog.provider):
        place = (pool.place.name, pool.place.location) if pool.place is not None else ("", "")
        wanted = planned.get((*place, pool.name))
        if wanted is not None:
            for found in prover.outcome(pool.values, wanted).planned:
                if not isinstance(found.will, Unknown) and _can_tell(pool.raw, found.steps):
                    yield _differs(pool, wanted, found)
        elif place in clusters and any(machines.pools(pool.raw.asked)):
            yield _finding(pool, POOL_NOT_PLANNED, (), f"the plan has no node pool {quoted(pool.name)} in this cluster")


def _place(item: Resource, clusters: Mapping[str, Cluster]) -> tuple[str, str, str]:
    """Cluster, location and name: a node pool refers to a cluster of the plan by an output."""
    cluster = clusters[item.plan_path.split(".")[1]]
    return cluster.name, cluster.location, str(item.inputs["name"])


def _stays(raw: RawResource) -> bool:
    """Whether the resource exists after a plan of Terraform."""
    return raw.action is None or raw.action.kinds not in (("delete",), ("forget",))


def _as_wanted(raw: RawResource) -> RawResource:
    """The resource as a plan wants it: what exists before does not matter."""
    return dataclasses.replace(raw, before=None, action=None)


def _can_tell(raw: RawResource, steps: Steps) -> bool:
    """Whether the file has the property, and its value is not known only after the apply."""
    value = raw.values.data
    if raw.origin.source is SourceFormat.API and steps[0] in _OF_THE_PROVIDER:
        return False
    for step in steps:
        if value is UNKNOWN:
            return False
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value is not UNKNOWN


def _differs(pool: LivePool, wanted: Resource, found: PropertyDiff) -> Finding:
    spelling = pool.raw.spelling
    group = "/".join(wanted.plan_path.split(".")[1::2])
    hidden = found.plain_path.startswith(_NOT_SHOWN)
    here, there = ("another value", "the value") if hidden else (_shown(found.was), _shown(found.will))
    message = f"{spelling.written(found.plain_path)}: {here} here, {there} in slice group {quoted(group)} of the plan"
    scalar = isinstance(found.will, str | int | bool) and isinstance(found.steps[-1], str) and not hidden
    fix = Verbatim(spelling.entry(str(found.steps[-1]), found.will)) if scalar else None
    return _finding(pool, POOL_DIFFERS, spelling.place(found.plain_path), message, fix)


def _finding(pool: LivePool, rule: Rule[object], place: Path, message: str, fix: Verbatim | None = None) -> Finding:
    origin = pool.raw.origin
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        path=(origin.address, *place),
        message=f"{printable(origin.address, _LONGEST_ADDRESS)}: {message}",
        why=rule.why,
        change=fix or Verbatim(rule.fix),
        source=rule.source,
        position=origin.locate(place),
    )


def _shown(value: object) -> str:
    if value is ABSENT:
        return "not set"
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, default=str)
    return printable(text, _LONGEST_VALUE) or '""'

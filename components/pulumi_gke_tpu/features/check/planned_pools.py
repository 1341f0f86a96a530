"""Compares node pools in the files of other tools with those of a plan that have the same cluster and name."""

import dataclasses
import json
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.against_plan.comparison import Drift, against_plan
from pulumi_gke_tpu.core.against_plan.live import LiveCluster, LivePool
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.property_values import ABSENT, plain
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.rules.files.reading import POOL_DIFFERS, POOL_NOT_PLANNED
from pulumi_gke_tpu.core.text.findings import Finding, Path, printable, quoted

_LONGEST_ADDRESS, _LONGEST_VALUE = 300, 120


def check_against_plan(resources: Iterable[RawResource], checked: CheckedPlan) -> Iterator[Finding]:
    """The properties in which node pools, as the files want them, differ from the plan."""
    if checked.fleet is None or checked.has_errors or checked.document.yaml is None:
        return
    compared = against_plan(map(_as_wanted, filter(_stays, resources)), checked)
    groups = {pool.key: group.key for _, group in checked.fleet.groups() for pool in group.pools}
    for item in compared.pools:
        group = groups.get(item.planned.name)
        name = f"slice group {quoted(group)}" if group else f"node pool {quoted(item.planned.name)}"
        for found in item.differences:
            yield _differs(item.live, name, found)
    clusters = {(item.location, item.name) for item in checked.fleet.clusters if item.mode == "standard"}
    machines = Machines(checked.catalog)
    for pool in compared.others:
        place = (pool.place.location, pool.place.name) if pool.place is not None else ("", "")
        if place in clusters and any(machines.pools(pool.raw.asked)):
            yield _finding(pool, POOL_NOT_PLANNED, (), f"the plan has no node pool {quoted(pool.name)} in this cluster")


def _stays(raw: RawResource) -> bool:
    """Whether the resource exists after a plan of Terraform."""
    return raw.action is None or raw.action.kinds not in (("delete",), ("forget",))


def _as_wanted(raw: RawResource) -> RawResource:
    """The resource as a plan wants it: what exists before does not matter."""
    return dataclasses.replace(raw, before=None, action=None)


def _differs(pool: LivePool | LiveCluster, item: str, found: PropertyDiff) -> Finding:
    spelling = pool.raw.spelling
    hidden = Drift.hides(found)
    here, there = ("another value", "the value") if hidden else (_shown(found.was), _shown(found.will))
    message = f"{spelling.written(found.plain_path)}: {here} here, {there} in {item} of the plan"
    scalar = isinstance(found.will, str | int | bool) and isinstance(found.steps[-1], str) and not hidden
    fix = spelling.entry(found.plain_path, found.will) if scalar else ""
    return _finding(pool, POOL_DIFFERS, spelling.place(found.plain_path), message, fix)


def _finding(pool: LivePool | LiveCluster, rule: Rule[object], place: Path, message: str, fix: str = "") -> Finding:
    origin = pool.raw.origin
    return rule.finding(
        f"{printable(origin.address, _LONGEST_ADDRESS)}: {message}",
        position=origin.locate(place),
        path=(origin.address, *place),
        fix=fix,
    )


def _shown(value: object) -> str:
    if value is ABSENT:
        return "not set"
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, default=str)
    return printable(text, _LONGEST_VALUE) or '""'

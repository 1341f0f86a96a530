"""A node pool or cluster of any program as the plan that would describe it, so that rules about plans check it too.

A rule about plans declares with ``on_pools`` and ``on_clusters`` that it checks them, and what has to be known for it.
The rules read plans; this module maps each property to a key of a plan.
"""

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args, get_origin

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import NodeLabels
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, GROUP_KEYS, plan_keys
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan import SliceGroupSpec, parse_plan
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.plan.copied import CopiedKey, copied_keys
from pulumi_gke_tpu.core.resource_rules.violation import Violation
from pulumi_gke_tpu.core.resources.pools import CheckedResource, TpuPool
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope
from pulumi_gke_tpu.core.rules.engine.run import check_plan
from pulumi_gke_tpu.core.text.findings import EntryText, Finding, Fix, SetKeys, printable
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_CLUSTER_PATH = ("clusters", "program")
_POOL_PATH = (*_CLUSTER_PATH, "slices", "pool")
_RESERVATION = lazy_pattern(
    r"(?:projects/(?P<project>[^/]+)/)?(?:zones/[^/]+/)?(?:reservations/)?(?P<name>[^/]+)"
    r"(?:/reservationBlocks/(?P<block>[^/]+))?(?:/reservationSubBlocks/(?P<sub_block>[^/]+))?(?:/.*)?\Z"
)
_DURATION = lazy_pattern(r"\d{1,9}s\Z", re.ASCII)

_SAME_VALUE = ("boot_disk.type", "machine_type", "topology", "zone")
"""Keys whose value a resource takes as the plan spells it, so that a fix for a plan is one for a resource too."""


_OLDER = {"nodeConfig.bootDisk.diskType": "nodeConfig.diskType"}
"""Properties that another one of the same meaning replaced."""


@dataclass
class _Lift:
    """Keys of a plan, read one part at a time; ``unknown`` names parts that are not known yet."""

    keys: dict[str, Any] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)

    def part(self, name: str, read: Callable[[], Any]) -> Any:
        """The value of a part, also stored as a key of that name; None if there is none, or it is not known."""
        try:
            value = read()
        except NotKnownError:
            self.unknown.add(name)
            return None
        if value not in (None, "", {}):
            self.keys[name] = value
        return value


@frozen(eq=False)
class LiftedPool:
    """A node pool as a slice group of a plan: its keys, those of its cluster, and the parts that are not known."""

    group: dict[str, Any]
    location: str
    version: str
    unknown: frozenset[str]


def lift_pool(pool: TpuPool, catalog: Catalog, *, by_cluster: bool = False) -> LiftedPool | None:
    """A node pool as a plan describes it; None if its shape is not known.

    ``by_cluster``: the version is that of the cluster.
    """
    try:
        keys = _shape(pool)
    except NotKnownError:
        return None
    lift = _Lift(keys)
    version = (lambda: _cluster_version(pool)) if by_cluster else (lambda: pool.values.text("version"))
    cluster = _Lift()
    cluster.part("location", lambda: pool.location)
    cluster.part("version", version)
    zone = lift.part("zone", lambda: _zone(pool))
    lift.part("capacity", lambda: capacity_keys(pool))
    lift.part("collection", lambda: _collection(pool, catalog.platform.names.node_labels))
    lift.part("upgrade", lambda: _upgrade(pool))
    for name, copied in _copied_parts():
        lift.part(name, functools.partial(_copied, copied, pool.values))
    lift.part("placement", lambda: _placement(pool))
    confidential = lift.part("confidential", lambda: pool.values.get("nodeConfig.confidentialNodes"))
    size = lift.part("size", lambda: _size(pool))
    group = {name: value for name, value in lift.keys.items() if name not in ("confidential", "size")} | (size or {})
    if confidential:
        group["extra"] = {"nodeConfig": {"confidentialNodes": {"enabled": True}}}
    location = cluster.keys.get("location") or region_of(zone or "")
    return LiftedPool(group, location, cluster.keys.get("version", ""), frozenset(lift.unknown | cluster.unknown))


def check_pool(
    pool: TpuPool, rules: Iterable[Rule[Any]], catalog: Catalog, *, by_cluster: bool = False
) -> list[Violation]:
    """What the rules about plans find in a pool. ``by_cluster``: its version is that of the cluster."""
    rules = tuple(rules)
    lifted = lift_pool(pool, catalog, by_cluster=by_cluster) if rules else None
    if lifted is None:
        return []
    body: dict[str, Any] = {"mode": "standard", "location": lifted.location, "slices": {"pool": lifted.group}}
    if lifted.version:
        body["min_version"] = lifted.version
    chosen = [rule for rule in rules if not lifted.unknown & set(rule.on_pools or ())]
    version_property = "minMasterVersion" if by_cluster or pool.place else "version"
    name = printable(pool.resource.name)
    found = _checked(body, chosen, catalog)
    verdicts = (_verdict(finding, rule, catalog, name, version_property) for finding, rule in found)
    return [_where_it_is(verdict, pool.values) for verdict in verdicts]


def _where_it_is(verdict: Violation, values: Values) -> Violation:
    """The violation at the older property, if the program sets that one."""
    older = _OLDER.get(verdict.where, "")
    return replace(verdict, where=older) if older and not values.sets(verdict.where) and values.sets(older) else verdict


def check_cluster(resource: CheckedResource, rules: Iterable[Rule[Any]], catalog: Catalog) -> list[Violation]:
    """What the rules about plans find in a cluster itself."""
    values, lift = resource.values, _Lift()
    lift.part("location", lambda: values.text("location"))
    lift.part("mode", lambda: "autopilot" if values.flag("enableAutopilot") else "standard")
    lift.part("release_channel", lambda: _channel(values))
    missing = {"location", "mode"} - lift.keys.keys()
    body = {"mode": "standard", "location": "", **lift.keys}
    chosen = [rule for rule in rules if not (missing | lift.unknown) & set(rule.on_clusters or ())]
    found = _checked(body, chosen, catalog)
    return [_verdict(finding, rule, catalog, "", "minMasterVersion") for finding, rule in found]


def _checked(body: dict[str, Any], rules: list[Rule[Any]], catalog: Catalog) -> Iterator[tuple[Finding, Rule[Any]]]:
    by_id = {rule.id: rule for rule in rules}
    for finding in _findings(json.dumps(body, sort_keys=True), frozenset(by_id), catalog):
        yield finding, by_id[finding.rule]


@functools.lru_cache(maxsize=512)
def _findings(body: str, ids: frozenset[str], catalog: Catalog) -> tuple[Finding, ...]:
    """What rules find in a cluster of a plan, written as JSON. A fleet has many node pools of one kind."""
    document = parse_plan({"version": 1, "project": "program", "clusters": {"program": json.loads(body)}})
    if document.content is None or document.findings:
        return ()  # a value that no plan can contain: the provider or GKE reports it
    return check_plan(document, catalog, rules=[rule for rule in rules_of(Scope.PLAN) if rule.id in ids]).findings


def _verdict(finding: Finding, rule: Rule[Any], catalog: Catalog, name: str, version: str) -> Violation:
    """A finding about the plan as a violation of the resource.

    ``version`` is the property that was read as ``min_version``.
    """
    key = ".".join(str(step) for step in finding.path[len(_POOL_PATH) :])
    found = plan_keys().property_of(f"{GROUP_KEYS}{key}", "TPU node pool") if key else ""
    if not key:
        key = ".".join(str(step) for step in finding.path[len(_CLUSTER_PATH) :])
        found = version if key == "min_version" else plan_keys().property_of(f"{CLUSTER_KEYS}{key}", "cluster")

    def words(text: str) -> str:
        return text.replace("`min_version`", f"`{version}`")

    return Violation(
        rule=finding.rule,
        severity=finding.severity,
        where=found or "nodeConfig",
        message=words(finding.message.replace("/".join((_CLUSTER_PATH[-1], _POOL_PATH[-1])), name or "the pool")),
        allowed=finding.allowed,
        advice=words(rule.fix),
        change=_fix(finding, key, found, catalog),
        why=finding.why,
        source=finding.source,
        links=finding.links,
    )


def _fix(finding: Finding, key: str, found: str, catalog: Catalog) -> Fix | None:
    """The fix for a plan as a fix for a resource; None if it is not the value of the same key."""
    entry = finding.change.single if isinstance(finding.change, SetKeys) else None
    if entry is None or key not in (*_SAME_VALUE, "min_version") or entry.key != key.rpartition(".")[2]:
        return None
    known = catalog.provider.resources[NODE_POOL].properties.get(found)
    several = known is not None and known.type == "strings"
    value = [entry.value] if several else entry.value
    return SetKeys((EntryText(found.rpartition(".")[2], value, entry.remark),))


# The parts of a node pool as keys of a plan


def _shape(pool: TpuPool) -> dict[str, Any]:
    """Generation, machine type and topology. A node pool without placement has single-host slices."""
    keys: dict[str, Any] = {"tpu": pool.generation_name, "machine_type": pool.machine_type}
    topology = pool.values.text("placementPolicy.tpuTopology")
    if topology:
        return {**keys, "topology": topology}
    if pool.values.text("placementPolicy.policyName"):
        raise NotKnownError  # a multi-host slice with an unknown topology
    return {**keys, "chips": pool.machine.chips if pool.machine else 1}


def _zone(pool: TpuPool) -> str | None:
    """The zone of the node pool; None if it has several."""
    zones = set(pool.values.texts("nodeLocations"))
    return zones.pop() if len(zones) == 1 else None


def capacity_keys(pool: TpuPool) -> dict[str, Any]:
    """The capacity mode. Several at once cannot be a plan, and another rule reports them."""
    values = pool.values
    if values.flag("nodeConfig.preemptible"):
        raise NotKnownError  # the older kind of Spot VMs, which the catalog does not cover
    duration = values.text("nodeConfig.maxRunDuration")
    modes: dict[str, Any] = {}
    if values.flag("nodeConfig.spot"):
        modes["spot"] = True
    if values.text("nodeConfig.reservationAffinity.consumeReservationType") == "SPECIFIC_RESERVATION":
        modes["reservation"] = _reservation(values.texts("nodeConfig.reservationAffinity.values"))
    queued = values.flag("queuedProvisioning.enabled")
    if values.flag("nodeConfig.flexStart"):
        modes["flex_start"] = {"queued": queued}
        if _DURATION.match(duration):
            modes["flex_start"]["max_run_duration"] = duration
    elif queued:
        modes["queued"] = True
    if len(modes) > 1:
        raise NotKnownError
    return modes or {"on_demand": True}


def _reservation(values: tuple[str, ...]) -> dict[str, str]:
    match = _RESERVATION.match(values[0]) if values else None
    if match is None:
        return {"name": "unnamed"}
    return {key: value for key, value in match.groupdict().items() if value}


@functools.cache
def _copied_parts() -> tuple[tuple[str, tuple[CopiedKey, ...]], ...]:
    """The keys of a group that are copied to a property, by the key that holds them. Capacity is read as a whole."""
    by_part = itertools.groupby(copied_keys(SliceGroupSpec), key=lambda copied: copied.names[0])
    return tuple((name, tuple(found)) for name, found in by_part if name != "capacity")


def _copied(copied: tuple[CopiedKey, ...], values: Values) -> Any:
    """The value of a key, or a mapping with those of the keys in it."""
    read: dict[str, Any] = {}
    for key in copied:
        value = _value(key, values)
        if value is not None:
            read[key.names[-1]] = value
    return read.get(copied[0].names[0]) if len(copied[0].names) == 1 else read


def _value(key: CopiedKey, values: Values) -> Any:
    """The value of a key; None if there is none, or if no plan can contain it."""
    if key.type is int:
        number = values.number(key.path)
        return number if number is not None and number >= (key.least or 0) else None
    text = values.text(key.path) or values.text(_OLDER.get(key.path, ""))
    if key.values is not None:
        return next((word for word, value in key.values.items() if value == text.upper()), None)
    return text if text and (get_origin(key.type) is not Literal or text in get_args(key.type)) else None


def _collection(pool: TpuPool, known: NodeLabels) -> dict[str, str]:
    labels = pool.values.get("nodeConfig.labels")
    if not isinstance(labels, dict):
        return {}
    name, workload = labels.get(known.collection), labels.get(known.workload)
    if isinstance(name, Unknown):
        raise NotKnownError
    if not isinstance(name, str) or not name:
        return {}
    kinds = ("high_availability", "high_throughput")
    chosen = workload.lower() if isinstance(workload, str) else ""
    return {"name": name, **({"workload": chosen} if chosen in kinds else {})}


def _upgrade(pool: TpuPool) -> dict[str, str]:
    strategy = pool.values.text("upgradeSettings.strategy").lower()
    return {"strategy": strategy} if strategy in ("surge", "blue_green") else {}


def _placement(pool: TpuPool) -> dict[str, str]:
    name = pool.values.text("placementPolicy.policyName")
    return {"workload_policy": name} if name else {}


def _size(pool: TpuPool) -> dict[str, int]:
    """The number of slices: the hosts of a single-host node pool; one, or zero to one, if the node pool is a slice."""
    values = pool.values
    scaled = values.has("autoscaling")
    if values.sets("placementPolicy"):
        fewest = values.number("autoscaling.minNodeCount") or values.number("autoscaling.totalMinNodeCount")
        return {"min": 1 if fewest else 0, "max": 1} if scaled else {}
    if not scaled:
        count = values.number("nodeCount")
        return {} if count is None or count < 0 else {"count": count}
    most = values.number("autoscaling.totalMaxNodeCount") or values.number("autoscaling.maxNodeCount") or 1
    fewest = values.number("autoscaling.totalMinNodeCount") or values.number("autoscaling.minNodeCount") or 0
    return {"min": max(0, fewest), "max": max(1, most, fewest)}


def _channel(values: Values) -> str:
    """The release channel: GKE uses one unless the program asks for none."""
    return "none" if values.text("releaseChannel.channel") == "UNSPECIFIED" else "regular"


def _cluster_version(pool: TpuPool) -> str:
    return pool.cluster.text("minMasterVersion") if pool.cluster is not None else ""

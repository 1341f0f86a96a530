"""What the rules about plans find in a described plan, as violations of the resources that it was made of."""

import datetime
import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.model import DescribedPlan, Located, is_key_of, property_of_key
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, CPU_POOL_KEYS, GROUP_KEYS
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.resource_rules.violation import Violation, in_place
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope
from pulumi_gke_tpu.core.rules.engine.run import check_plan
from pulumi_gke_tpu.core.text.findings import EntryText, Finding, Fix, Path, SetKeys, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_KEY = lazy_pattern(r"`([a-z][a-z_]*(?:\.[a-z_]+)*)((?:: [^`]*)?)`")
_POOL = lazy_pattern(r"(?<![a-z0-9-])([a-z][a-z0-9-]*)/([a-z0-9][a-z0-9-]*)")
_WORDS = (
    *((" of the plan", ""), (" from `extra`", ""), ("the plan", "the source")),
    *(("slice group", "node pool"), ("number of slices", "number of nodes")),
    *(("missing key", "missing property"), ("Add the key", "Add the property")),
)
_CLUSTER = 2
"""The length of the path of a cluster; that of a part inside is longer."""
_WHOLE = {"clusters": "name", "slices": "nodeConfig", "cpu_pools": "nodeConfig", "workload_policies": "workloadPolicy"}
"""The property at which a finding about a whole part is shown."""
_VERSIONS = ("min_version", "version")
_OF_NETWORKS = tuple(f"network.create.{key}" for key in ("mtu", "pods", "services", "subnet"))
_SAME_VALUE = ("boot_disk.type", "machine_type", "name", "topology", "zone", *_VERSIONS, *_OF_NETWORKS)
"""Keys whose value a resource takes as the plan spells it, so that a fix for a plan is one for a resource too."""

PLANNED = tuple(rule for rule in rules_of(Scope.PLAN) if not rule.plans_only)
"""The rules about plans that reach every source."""
_BY_ID: Mapping[str, Rule[Any]] = {rule.id: rule for rule in PLANNED}
_OF_VERSIONS = tuple(
    rule for rule in PLANNED if {f"{CLUSTER_KEYS}{key}" for key in _VERSIONS} & set(map(str, rule.about))
)


@frozen
class _Needs:
    """The keys that decide a rule, by the part that has them."""

    cluster: frozenset[str]
    group: frozenset[str]
    cpu_pool: frozenset[str]


@functools.cache
def _needs(id: str) -> _Needs:
    rule = _BY_ID[id]
    keys = [key.replace("[]", "") for key in (*rule.about, *rule.needs) if isinstance(key, str)]
    group, pool = (frozenset(_below(keys, prefix)) for prefix in (GROUP_KEYS, CPU_POOL_KEYS))
    others = [key for key in keys if not key.startswith((GROUP_KEYS, CPU_POOL_KEYS))]
    return _Needs(frozenset(_below(others, CLUSTER_KEYS)), group, pool)


def _below(keys: list[str], prefix: str) -> Iterator[str]:
    return (key.removeprefix(prefix).partition(".*")[0] for key in keys if key.startswith(prefix))


def check_described(
    described: DescribedPlan, catalog: Catalog, today: datetime.date | None
) -> Iterator[tuple[str, Violation]]:
    """What the rules find, each with the URN of its resource. What rests on a value that is not known is left out."""
    rules = PLANNED
    if described.only_versions is not None:
        rules = tuple(rule for rule in PLANNED if (rule in _OF_VERSIONS) is described.only_versions)
    document, fleet = described.document, described.fleet
    for finding in check_plan(document, catalog, today, rules=rules, of_resources=True, fleet=fleet).findings:
        rule = _BY_ID.get(finding.rule)
        if rule not in rules or not _is_decided(described, finding):
            continue
        for place in described.located(finding.path):
            yield place.source.urn, _violation(described, finding, rule, place, catalog)


def _is_decided(described: DescribedPlan, finding: Finding) -> bool:
    """Whether the source knows every key that decides a finding."""
    part, path, rest = described.part_of(finding.path)
    if part is None:
        return False
    own = ".".join(str(step) for step in rest)
    if own and described.is_unknown(path, own):
        return False
    needs = _needs(finding.rule)
    cluster, is_inside = path[:_CLUSTER], len(path) > _CLUSTER
    # Keys of other parts do not decide a finding in a node pool: those of the same name, and those of the system pool.
    others = {str(rest[0]), "system_pool"} if rest and is_inside else set[str]()
    if any(described.is_unknown(cluster, key) for key in needs.cluster if others.isdisjoint(key.split("."))):
        return False
    if is_inside:
        return not any(described.is_unknown(path, key) for key in (*needs.group, *needs.cpu_pool))
    return not any(
        described.is_unknown(inner, key)
        for inner in described.inside(cluster)
        for key in (*needs.group, *needs.cpu_pool)
    )


def _violation(
    described: DescribedPlan, finding: Finding, rule: Rule[Any], place: Located, catalog: Catalog
) -> Violation:
    _, at, rest = described.part_of(finding.path)
    key = ".".join(str(step) for step in rest if isinstance(step, str))
    words = functools.partial(_words, described, at, place, rest)
    change = _fix(finding, key, place.property, catalog)
    found = Violation(
        rule=finding.rule,
        severity=finding.severity,
        where=place.property or _WHOLE[str(at[_CLUSTER]) if len(at) > _CLUSTER else "clusters"],
        message=words(finding.message),
        inside=place.inside,
        allowed=finding.allowed,
        advice="" if change else words(_advice(finding, rule), fixed=True),
        change=change,
        why=_with_properties(described, at, place, rest, finding.why, fixed=True),
        source=finding.source,
        links=finding.links,
    )
    return in_place(found, place.source.place)


def _advice(finding: Finding, rule: Rule[Any]) -> str:
    own = finding.advice or rule.fix
    return rule.fix_of_resources or own if own == rule.fix else own


_WITH_NAMES = frozenset(
    {"authorized_networks", "exclusions", "labels", "node_labels", "resource_labels", "sysctls", "tpu"}
)
"""The keys of a plan whose own keys are names that a person chooses."""


def _words(described: DescribedPlan, at: Path, place: Located, rest: Path, text: str, *, fixed: bool = False) -> str:
    """A sentence about a plan as one about a resource: its name, and its properties instead of the keys."""

    def pool(match: re.Match[str]) -> str:
        kinds = (described.parts.get(("clusters", match[1], kind, match[2])) for kind in ("slices", "cpu_pools"))
        found = next(filter(None, kinds), None)
        if found is None:
            return match[0]
        own = place.source in found.sources
        return printable((place.source if own else found.sources[0]).name)

    text = _POOL.sub(pool, text)
    for written, instead in _WORDS:
        text = text.replace(written, instead)
    return _with_properties(described, at, place, rest, text, fixed=fixed)


def _with_properties(
    described: DescribedPlan, at: Path, place: Located, rest: Path, text: str, *, fixed: bool = False
) -> str:
    """A sentence with the properties of a resource instead of the keys of a plan.

    A key without those above it is the nearest one: beside the last step of ``rest``, or further out. Those of the
    cluster and of its other parts count only in a ``fixed`` text, which quotes nothing: a name can be that of a key.
    A step that a person chooses, such as the name of a limit, stays.
    """
    beside = rest[:-1]
    chosen = {name for above, name in itertools.pairwise(rest) if above in _WITH_NAMES}
    holders = tuple(dict.fromkeys((beside, rest, *(rest[:length] for length in range(len(rest) - 2, -1, -1)))))

    def named(key: str) -> str:
        if key in chosen:
            return ""
        part = described.parts.get(at)
        names = tuple(key.split("."))
        own = (part.properties.get((*holder, *names)) for holder in holders if part is not None)
        found = next(filter(None, own), None)
        if found is None and key in _VERSIONS:
            return place.property
        others = (at[:_CLUSTER], *((*at[:_CLUSTER], kind, "*") for kind in ("slices", "workload_policies")))
        parts = (at, *(others if fixed else ()))
        declared = (_declared(each, (*holder, *names)) for each in parts for holder in holders)
        found = found or next(filter(None, declared), None) or property_of_key(at, key)
        is_part = not fixed and found == place.property and bool(rest) and names[-1] != rest[-1]
        return "" if is_part else found

    return _KEY.sub(lambda match: f"`{named(match[1]) or match[1]}{match[2]}`", text)


def _declared(at: Path, keys: Path) -> str:
    """The property of a key that a part can have; empty if it cannot."""
    key = ".".join(str(step) for step in keys)
    return property_of_key(at, key) if is_key_of(at, key) else ""


def _fix(finding: Finding, key: str, found: str, catalog: Catalog) -> Fix | None:
    """The fix for a plan as a fix for a resource; None if it is not the value of the same key."""
    entry = finding.change.single if isinstance(finding.change, SetKeys) else None
    if entry is None or key not in _SAME_VALUE or entry.key != key.rpartition(".")[2]:
        return None
    known = catalog.provider.resources[NODE_POOL].properties.get(found)
    several = known is not None and known.type == "strings"
    value = [entry.value] if several else entry.value
    return SetKeys((EntryText(found.rpartition(".")[2], value, entry.remark),))

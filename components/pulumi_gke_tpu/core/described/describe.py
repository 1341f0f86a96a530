"""From the resources of any source to the plan that a person would have written for them."""

import dataclasses
import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.clusters import WORDS, cluster_keys
from pulumi_gke_tpu.core.described.model import DescribedPart, DescribedPlan, DescribedSource
from pulumi_gke_tpu.core.described.networks import created_network, note_pod_ranges
from pulumi_gke_tpu.core.described.node_pools import cpu_pool, policy_keys, shared_keys, slice_group
from pulumi_gke_tpu.core.described.part import Keys, Part
from pulumi_gke_tpu.core.described.stack import Stack, StackResource
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.plan import Document, Plan, SliceGroupSpec, parse_plan
from pulumi_gke_tpu.core.plan.adoption import AdoptedNodes
from pulumi_gke_tpu.core.resources.pools import Machines, TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import is_gke_name, parse_cluster, region_of
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PROJECT = "project"
_POLICY = lazy_pattern(r"[A-Za-z0-9_-]{1,63}\Z")
"""A name of a workload policy that a plan can have as a key, also one that Compute Engine refuses."""
_MOST_POOLS = 1_000


@dataclass(eq=False)
class _Pool:
    """A node pool and the keys that describe it."""

    source: DescribedSource
    part: Part
    version: str
    tpus: bool


@dataclass(eq=False)
class _Cluster:
    """A cluster of the plan, with its node pools."""

    name: str
    part: Part
    sources: tuple[DescribedSource, ...]
    """None if no source contains it."""
    version: str = ""
    pools: list[_Pool] = field(default_factory=list)
    policies: list[tuple[DescribedSource, Part]] = field(default_factory=list)
    is_named: bool = False
    """Whether its source knows the name, which otherwise is the one in the program."""
    has_every_pool: bool = False


def _by_version(cluster: _Cluster) -> Iterator[_Cluster]:
    """The cluster, and one for each other version that some of its node pools have."""
    others: dict[str, list[_Pool]] = {}
    for pool in cluster.pools:
        if pool.version not in ("", cluster.version):
            others.setdefault(pool.version, []).append(pool)
    if not others:
        yield cluster
        return
    rest = [pool for pool in cluster.pools if pool.version in ("", cluster.version)]
    yield dataclasses.replace(cluster, pools=rest)
    for version, pools in others.items():
        part = cluster.part
        keys = {key: value for key, value in part.keys.items() if key != "min_version"} | {"version": version}
        properties: dict[Keys, str] = {("version",): "version"}
        own = Part(part.values, keys, properties, unknown=part.unknown - {"version", "min_version"})
        yield _Cluster(cluster.name, own, tuple(pool.source for pool in pools), version, pools)


def describe(
    resources: Iterable[StackResource],
    catalog: Catalog,
    *,
    apart: bool = False,
    without: Mapping[str, str] | None = None,
) -> DescribedPlan:
    """The plan for clusters and node pools of one program, or of what exists.

    A node pool whose cluster is not among the resources is in a cluster of the plan that exists already. ``apart``:
    each node pool is an entry of its own, also one of equal slices, and one with GPUs, of which no key has the GPUs.
    ``without`` has the reasons to leave out node pools, by URN.
    """
    return _Describing(tuple(resources), catalog, without or {}, apart=apart).plan()


class _Describing:
    def __init__(
        self, resources: tuple[StackResource, ...], catalog: Catalog, without: Mapping[str, str], *, apart: bool
    ) -> None:
        self.resources = resources
        self.without = without
        self.apart = apart
        self.catalog = catalog
        self.stack = Stack(resources)
        self.machines = Machines(catalog)
        self.clusters: dict[tuple[str, ...], _Cluster] = {}
        self.left_out: dict[str, str] = {}
        self.shape = functools.cache(self._shape)
        self.users: dict[str, _Cluster] = {}
        """URN of a workload policy -> the first cluster with a node pool that uses it."""

    def plan(self) -> DescribedPlan:
        steps = {CLUSTER: self._cluster, NODE_POOL: self._pool, RESOURCE_POLICY: self._policy}
        for kind, step in steps.items():
            for member in self.resources:
                if member.asked.type == kind:
                    step(member)
        clusters = [*self.clusters.values()]
        for cluster in clusters:
            for key, value, source, first in shared_keys([(pool.part.values, pool.tpus) for pool in cluster.pools]):
                if key != "private_nodes" or "existing" in cluster.part.keys:
                    cluster.part.set(key, value, source)
                    cluster.part.elsewhere[tuple(key.split("."))] = cluster.pools[first].source
            note_pod_ranges(cluster.part, ((pool.part.values, pool.tpus) for pool in cluster.pools), self.catalog)
        split = [*itertools.chain.from_iterable(map(_by_version, clusters))]
        if len(split) == len(clusters) and all(one is other for one, other in zip(clusters, split, strict=True)):
            return self._plan(clusters, None, None)
        return self._plan(clusters, only_versions=False, versions=self._plan(split, True, None))

    def _plan(
        self, clusters: Iterable[_Cluster], only_versions: bool | None, versions: DescribedPlan | None
    ) -> DescribedPlan:
        written: dict[str, Any] = {}
        parts: dict[Path, DescribedPart] = {}
        whole: list[str] = []
        for found in clusters:
            key = _free_key(found.name, written)
            whole += [key] if found.has_every_pool else []
            written[key] = self._written(found, ("clusters", key), parts)
            if key != found.name and _keeps_name(found, written, key):
                written[key]["name"] = found.name
        project = next(filter(None, map(_project_of, self.resources)), _PROJECT)
        document = _read({"version": 1, "project": project, "clusters": written})
        if document.content is not None:
            _note_pools(document.content, parts)
            for key in whole:
                document.content.clusters[key].note_every_pool()
        return DescribedPlan(document, parts, self.left_out, only_versions, versions)

    def _cluster(self, member: StackResource) -> None:
        values = member.asked.values
        part = cluster_keys(values, _project_of(member), self.catalog, reported=member.reported)
        created_network(part, member, self.stack, self.catalog)
        version = str(part.keys.get("version") or part.keys.get("min_version") or "")
        name = values.known_text("name") or member.asked.name
        found = _Cluster(name, part, (DescribedSource(member.urn, member.asked.name),), version)
        found.has_every_pool = member.with_pools
        found.is_named = bool(values.known_text("name"))
        self.clusters[(member.urn,)] = found
        if part.keys["mode"] == "autopilot":
            return
        inside = values.data.get("nodePools") if isinstance(values.data, dict) else None
        tpus = {pool.place: pool for pool in self.machines.pools(member.asked)}
        for index, item in enumerate(inside[:_MOST_POOLS] if isinstance(inside, list) else ()):
            place = f"nodePools[{index}]."
            own = item.get("name") if isinstance(item, dict) else None
            name = own if isinstance(own, str) else f"node pool {index + 1}"
            source = DescribedSource(member.urn, name, place, member.exists)
            inner = Values(item)
            policy = self.stack.policy_in(inner)
            if policy is not None:
                self.users.setdefault(policy.urn, found)
            known = policy.asked.values if policy is not None else None
            self._add(found, source, tpus.get(place), inner, inner, reported=member.reported, policy=known)

    def _pool(self, member: StackResource) -> None:
        cluster = self.stack.cluster_of(member)
        pool = next(self.machines.pools(member.asked, cluster.asked.values if cluster else None), None)
        source = DescribedSource(member.urn, member.asked.name, exists=member.exists)
        home = self._home(member, pool, cluster)
        if home.part.keys["mode"] == "autopilot":
            self.left_out[member.urn] = "GKE manages the node pools of its cluster"
            return
        if member.urn in self.without:
            self.left_out[member.urn] = self.without[member.urn]
            return
        policy = self.stack.policy_of(member)
        if policy is not None:
            self.users.setdefault(policy.urn, home)
        known = policy.asked.values if policy is not None else None
        self._add(home, source, pool, member.asked.values, member.stored, reported=member.reported, policy=known)

    def _policy(self, member: StackResource) -> None:
        """A workload policy: in the cluster whose node pools use it, otherwise in the first one of its region."""
        values = member.asked.values
        part = policy_keys(values)
        if part is None:
            return
        region = values.known_text("region")
        home = self.users.get(member.urn) or next(
            (found for found in self.clusters.values() if region_of(str(found.part.keys["location"])) == region), None
        )
        if home is not None:
            home.policies.append((DescribedSource(member.urn, values.known_text("name") or member.asked.name), part))
        if home is None or part.unknown:
            for found in self.clusters.values():
                found.part.unknown.add("workload_policies")

    def _add(
        self,
        home: _Cluster,
        source: DescribedSource,
        pool: TpuPool | None,
        values: Values,
        stored: Values,
        *,
        reported: bool,
        policy: Values | None = None,
    ) -> None:
        version = values.known_text("version")
        version = "" if version in WORDS else version
        if pool is not None:
            part = slice_group(pool, stored, self.catalog, reported=reported, policy=policy)
            home.pools.append(_Pool(source, part, version, True))
            return
        try:
            part = cpu_pool(values, stored, reported=reported)
            reason = "" if self.apart else part.reason
        except NotKnownError:
            reason = "its machine type is not known"
        if reason:
            self.left_out[source.urn] = reason
            home.has_every_pool = False
        else:
            home.pools.append(_Pool(source, part, version, False))

    def _home(self, member: StackResource, pool: TpuPool | None, cluster: StackResource | None) -> _Cluster:
        """The cluster of a node pool, made up as far as the node pool shows it if no source contains it."""
        values = member.asked.values
        own = values.known_text("location") or cluster_id(values)[0]
        if cluster is not None:
            location = cluster.asked.values.known_text("location")
            if not own or not location or own == location:
                return self.clusters[(cluster.urn,)]
        name = cluster_id(values)[1] or (cluster.asked.values.known_text("name") if cluster else "") or "cluster"
        try:
            zones = values.texts("nodeLocations")
        except NotKnownError:
            zones = ()
        place = (_project_of(member), own or region_of(zones[0] if zones else ""), name)
        key = (member.folder, *place)
        if key not in self.clusters:
            self.clusters[key] = _elsewhere(*place)
            part = self.clusters[key].part
            if values.known_text("location") and not member.reported:
                part.note("location", "location")
                part.elsewhere["location",] = DescribedSource(member.urn, member.asked.name, exists=member.exists)
            elif not own:
                part.unknown.add("location")
        return self.clusters[key]

    def _written(self, found: _Cluster, path: Path, parts: dict[Path, DescribedPart]) -> dict[str, Any]:
        """The keys of a cluster with its node pools. Equal multi-host slices are one group."""
        part = found.part
        parts[path] = _described(part, found.sources)
        body = dict(part.keys)
        for key, tpus in (("slices", True), ("cpu_pools", False)):
            groups: dict[Any, list[_Pool]] = {}
            for pool in found.pools:
                if pool.tpus is tpus:
                    groups.setdefault(self._group_key(pool, str(body["mode"])), []).append(pool)
            written: dict[str, Any] = {}
            for members in groups.values():
                first = members[0]
                name = _free_key(first.source.name, written)
                written[name] = _with_number(first.part.keys, len(members))
                inner = (*path, key, name)
                parts[inner] = _described(first.part, tuple(pool.source for pool in members))
            if written:
                body[key] = written
        for source, own in found.policies:
            named = body.setdefault("workload_policies", {})
            key = source.name if _POLICY.match(source.name) and source.name not in named else _free_key("item", named)
            named[key] = own.keys
            inner = (*path, "workload_policies", key)
            parts[inner] = _described(own, (source,))
        return body

    def _group_key(self, pool: _Pool, mode: str) -> Any:
        keys = pool.part.keys
        if self.apart or not pool.tpus or not self.shape(mode, *(keys.get(name) for name in _SHAPE)):
            return id(pool)
        kept = pool.part.kept.get("adopted")
        return json.dumps([keys, kept], sort_keys=True, default=repr), json.dumps(sorted(pool.part.unknown))

    def _shape(self, mode: Any, *values: Any) -> bool:
        """Whether keys make a multi-host slice."""
        keys = {name: value for name, value in zip(_SHAPE, values, strict=True) if value is not None}
        shape = shape_of(self.catalog, mode, SliceGroupSpec(**keys))
        return isinstance(shape, Shape) and shape.multi_host


def _described(part: Part, sources: tuple[DescribedSource, ...]) -> DescribedPart:
    exists = all(source.exists for source in sources)
    return DescribedPart(
        sources, part.properties, part.inside, part.elsewhere, part.kept, exists, frozenset(part.unknown)
    )


def _read(data: dict[str, Any]) -> Document[Plan]:
    """The plan without values that no plan can have, with a finding for each. They hide nothing else."""
    document = parse_plan(data)
    findings = document.findings
    for _ in range(_MOST_PASSES):
        wrong = [finding.path for finding in document.findings if len(finding.path) > _ITEM]
        if not any([_removed(data, path) for path in wrong]):  # noqa: C419 - all of them
            break
        document = parse_plan(data)
        findings = (*findings, *(found for found in document.findings if found not in findings))
    return dataclasses.replace(document, findings=findings, describes_resources=True)


def _removed(data: Any, path: Path) -> bool:
    """Whether there was an entry, which is removed."""
    data = value_at(data, path[:-1])
    if isinstance(data, dict) and path[-1] in data:
        del data[path[-1]]
        return True
    return False


_ITEM = 4
_MOST_PASSES = 3
_SIZES = ("max_surge", "max_unavailable")
_SHAPE = ("tpu", "topology", "chips", "machine_type", "slicing")


def _with_number(keys: dict[str, Any], number: int) -> dict[str, Any]:
    if number == 1:
        return keys
    if "max" in keys:
        return {**keys, "min": keys.get("min", 0) * number, "max": number}
    return {**keys, "count": number}


def _elsewhere(project: str, location: str, name: str) -> _Cluster:
    """A cluster that no source contains: only its place is known."""
    part = Part(Values({}), {"mode": "standard", "location": location})
    part.keys["existing"] = f"projects/{project or _PROJECT}/locations/{location or 'unknown'}/clusters/{name}"
    part.unknown |= {
        "addons", "autoprovisioning", "control_plane", "maintenance", "min_version", "multi_networking", "network",
        "node_service_account", "private_nodes", "release_channel", "security", "system_pool", "version",
    }  # fmt: skip
    return _Cluster(name, part, ())


def _project_of(member: StackResource) -> str:
    found = member.asked.values.known_text("project")
    if found:
        return found
    reference = parse_cluster(member.asked.values.known_text("cluster"))
    return reference.project if reference else ""


def _free_key(name: str, taken: dict[str, Any]) -> str:
    key = name if is_gke_name(name) else "item"
    if key not in taken:
        return key
    number = len(taken)
    while f"{key}-{number}" in taken:
        number += 1
    return f"{key}-{number}"


def _keeps_name(found: _Cluster, written: dict[str, Any], key: str) -> bool:
    """Whether a cluster that needs another key keeps its name: GKE refuses it, or others of that name are elsewhere.

    Clusters of one name in one location are in several projects, which a plan cannot say.
    """
    if "existing" in written[key]:
        return False
    places = [(one.get("name", other), one.get("location")) for other, one in written.items() if other != key]
    return found.is_named and (found.name, written[key].get("location")) not in places


def _note_pools(plan: Any, parts: dict[Any, DescribedPart]) -> None:
    """Give each group the names of its node pools, which no pattern has to make, and what only existing ones have."""
    for key, cluster in plan.clusters.items():
        for name, group in cluster.slices.items():
            part = parts["clusters", key, "slices", name]
            sizes = {size: part.kept.get("upgrade", {}).get(size) for size in _SIZES}
            upgrade = {size: number for size, number in sizes.items() if number is not None and any(sizes.values())}
            names = tuple(source.name for source in part.sources)
            group.note_pools(names, _kept_nodes(part), upgrade, exist=part.exists)
        for name, pool in cluster.cpu_pools.items():
            pool.note_kept(_kept_nodes(parts["clusters", key, "cpu_pools", name]))


def _kept_nodes(part: DescribedPart) -> AdoptedNodes:
    """What the node pools have, unchecked."""
    return AdoptedNodes.model_construct(**part.kept.get("adopted", {}))

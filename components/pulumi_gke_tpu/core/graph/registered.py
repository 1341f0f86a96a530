"""From declared resources to what the engine gets, the result of a preview, and previews that were stored as JSON."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.estimate import AutoProvisioned, FleetCost, QuotaNeed
from pulumi_gke_tpu.core.estimate.reservations import NO_RESERVATIONS, OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key, Ref
from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource, instances_in
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.messages.pages import FailurePage
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import Unknown, format_duration
from pulumi_gke_tpu.core.text.findings import Finding, listed, number, printable
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json


def registered(declared: Declarations, *, project: str, stack: str) -> Graph:
    """The graph that a program with these declarations registers in a preview."""
    engine = _Engine(f"urn:pulumi:{stack}::{project}::")
    resources = [engine.register(resource) for resource in declared]
    return Graph(tuple(sorted(resources, key=lambda resource: resource.urn)))


class _Engine:
    """The resources that are registered so far, with their known values."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._chains: dict[Key, str] = {"": ""}
        """The types of a component and of all around it, each with a ``$`` behind."""
        self._urns: dict[Key, str] = {"": ""}
        self._inputs: dict[Key, Mapping[str, Any]] = {}
        self._values: dict[int, tuple[Any, tuple[str, ...]]] = {}
        """By identity of a declared value, which the pools of a group share."""
        self._options: dict[Options, Options] = {}

    def register(self, declared: Declared) -> Resource:
        key, chain = declared.key, self._chains[declared.parent] + declared.type
        urn = f"{self._place}{chain}::{declared.name}"
        self._chains[key], self._urns[key] = f"{chain}$", urn
        inputs: dict[str, Any] = {}
        sources: dict[str, tuple[str, ...]] = {}
        for name, value in sorted(declared.properties.items()):
            if value is not None:
                inputs[name], urns = self._value(value)
                if urns:
                    sources[name] = urns
        self._inputs[key] = inputs
        return Resource(
            urn=urn,
            type=declared.type,
            name=declared.name,
            parent=self._urns[declared.parent],
            custom=declared.custom,
            inputs=inputs,
            options=self._registered_options(declared, sources),
            plan_path=declared.plan_path,
            sources=sources,
        )

    def _registered_options(self, declared: Declared, sources: Mapping[str, tuple[str, ...]]) -> Options:
        given = declared.options
        explicit = (self._urns[key] for key in given.depends_on)
        options = Options(
            protect=given.protect,
            delete_before_replace=given.delete_before_replace,
            replace_on_changes=given.replace_on_changes,
            ignore_changes=given.ignore_changes,
            custom_timeouts=given.custom_timeouts,
            aliases=tuple(map(str, given.aliases)),
            depends_on=tuple(sorted({*explicit, *(urn for urns in sources.values() for urn in urns)})),
        )
        return self._options.setdefault(options, options)

    def _value(self, value: object) -> tuple[Any, tuple[str, ...]]:
        """A property as it is sent, and the URNs of all that it comes from."""
        if isinstance(value, _SCALARS):
            return _scalar(value), ()
        found = self._values.get(id(value))
        if found is None:
            urns = tuple(sorted({self._urns[ref.resource] for ref in instances_in(value, Ref)}))
            found = self._values[id(value)] = (self._sent(value, urns), urns)
        return found

    def _sent(self, value: object, urns: tuple[str, ...]) -> Any:
        if isinstance(value, _SCALARS):
            return _scalar(value)
        if isinstance(value, Mapping):
            return {name: self._sent(item, urns) for name, item in sorted(value.items())}
        if isinstance(value, list | tuple):
            return [self._sent(item, urns) for item in value]
        if isinstance(value, Ref):
            return self._referred(value, Unknown(urns))
        return Unknown(urns) if isinstance(value, Unknown) else _scalar(value)

    def _referred(self, ref: Ref, unknown: Unknown) -> Any:
        """The value of a property that the other resource is sent; any other is unknown until that resource exists."""
        found = self._inputs[ref.resource].get(ref.property, unknown)
        if isinstance(found, Unknown):
            return unknown
        return ref.read(found) if ref.read else found


_SCALARS = (str, int, float, type(None))
"""The types of most values. They are tested first, because abstract base classes are slow to test."""


def _scalar(value: object) -> Any:
    """A number as the engine gets it: numbers are sent as doubles, and whole ones are read as integers again."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


_REPLACING = {
    "replace": "changing it",
    "replace-off": "switching it off",
    "replace-shrink": "another range that does not contain it",
}


@frozen
class PreviewNote:
    """Something that a reader should know about clusters or slice groups, by their keys; about none: the whole plan."""

    about: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{', '.join(self.about)}: {self.text}" if self.about else self.text


def joined_notes(notes: Iterable[PreviewNote]) -> list[str]:
    """Notes as texts, with one for all clusters or groups of which they say the same."""
    about: dict[str, list[str]] = {}
    for note in notes:
        about.setdefault(note.text, []).extend(note.about)
    return [f"{listed(keys, '', most=_MOST_KEYS)}: {text}" if keys else text for text, keys in about.items()]


_MOST_KEYS = 5


@frozen
class PlanPreview:
    """One plan, previewed. ``name`` is the plan file as given."""

    name: str
    catalog_version: str
    plan: Plan
    fleet: Fleet
    cost: FleetCost
    quota: tuple[QuotaNeed, ...]
    autoprovisioned: tuple[AutoProvisioned, ...]
    """What GKE may create on demand; neither ``cost`` nor ``quota`` has it."""
    graph: Graph
    findings: tuple[Finding, ...]
    notes: tuple[PreviewNote, ...]
    reservations: OwnedReservations = NO_RESERVATIONS
    """Those of the inventory."""
    exists: bool = False
    """Whether the plan describes resources that other tools wrote."""
    if_it_fails: tuple[FailurePage, ...] = ()
    """What to read if the update ends as the findings expect."""


def preview_notes(fleet: Fleet, catalog: Catalog) -> tuple[PreviewNote, ...]:
    """What follows from leaving things out or going around the plan.

    The default network, public addresses, ComputeClasses, slices that wait for capacity, and ``extra`` whose later
    change replaces a resource.
    """
    notes: list[PreviewNote] = []
    for cluster in fleet.clusters:
        if cluster.predates_plan:
            notes += _unknown_facts(cluster)
        else:
            notes += _network_notes(cluster, catalog)
            notes += _address_notes(cluster)
        notes += _class_notes(cluster)
        notes += _idle_notes(cluster)
        notes += _scale_up_notes(cluster, catalog)
        notes += _provisioning_notes(cluster, catalog)
        notes += _extra_notes(cluster, catalog)
        notes += _operator_notes(cluster, catalog)
    return tuple(notes)


def _operator_notes(cluster: Cluster, catalog: Catalog) -> list[PreviewNote]:
    """The operators that the objects of a cluster need, and that the plan does not install."""
    if cluster.plan.kubernetes is None:
        return []
    from pulumi_gke_tpu.core.kubernetes.operators import missing_operators  # only plans with Kubernetes keys need it

    needs = missing_operators(cluster, catalog)
    return [PreviewNote((cluster.key,), needs)] if needs else []


def _class_notes(cluster: Cluster) -> list[PreviewNote]:
    """What it means for nodes, cost and quota that a ComputeClass serves a group."""
    return [
        PreviewNote(
            (group.key,),
            "a ComputeClass serves the group, so gke-tpu creates no node pools; GKE creates node pools when Pods need "
            "them and keeps no node running without Pods; cost and quota are the maximum over the capacity modes",
        )
        for group in cluster.groups
        if group.compute_class is not None
    ]


def _idle_notes(cluster: Cluster) -> list[PreviewNote]:
    """Slices that no Pod asks for, where GKE creates nodes for Pods only; who submits to a queue is not in the plan."""
    if cluster.plan.kubernetes is None or cluster.workers:
        return []
    from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects  # only plans with Kubernetes keys need it

    objects = kubernetes_objects(cluster)
    workloads = objects.workloads if objects is not None else ()
    quotas = [quota for queue in (objects.queues if objects is not None else ()) for quota in queue.quotas]
    queued = {group.key for quota in quotas for group in quota.flavor.groups}
    notes = []
    for group in cluster.groups:
        asked, most = sum(item.slices for item in workloads if group in item.groups), group.slices.maximum
        if not group.pools and group.key not in queued and workloads and asked < most:
            text = (
                f"the workloads of the plan ask for {asked:,} of {number(most, 'slice')}, and GKE creates nodes only "
                f"for Pods; chips, cost and quota are those of all {most:,}"
            )
            notes.append(PreviewNote((group.key,), text))
    return notes


def _provisioning_notes(cluster: Cluster, catalog: Catalog) -> list[PreviewNote]:
    """Node pools that are created with a part of their nodes, and hosts that are maintained while they are idle."""
    fact = note_by_id(catalog.maintenance.notes, "opportunistic-maintenance-provider")
    needs = fact.text if fact is not None else ""
    notes = []
    for group in cluster.groups if cluster.mode == "standard" else ():
        least, most = group.plan.best_effort, group.first_nodes
        if least is not None and least < most:
            text = f"GKE creates the node pool with {least:,} of {number(most, 'node')}, and adds the others later"
            notes.append(PreviewNote((group.key,), f"{text}. {needs}"))
        host = group.plan.host_maintenance
        if host is not None and host.opportunistic is not None:
            idle = host.opportunistic
            text = (
                f"GKE maintains hosts that are idle for {format_duration(idle.idle)} in the last "
                f"{format_duration(idle.window)} before the announced date, and keeps {number(idle.min_nodes, 'node')} "
                "of each node pool"
            )
            notes.append(PreviewNote((group.key,), f"{text}. {needs}"))
    return notes


def _scale_up_notes(cluster: Cluster, catalog: Catalog) -> list[PreviewNote]:
    """How long GKE tries to create a slice of several hosts that waits for capacity."""
    waiting = [
        group.key
        for group in cluster.groups
        if group.autoscaled and group.shape.multi_host and group.capacity_modes != ("reservation",)
    ]
    note = note_by_id(catalog.capacity.notes, "pending-ten-hours")
    if not waiting or note is None:
        return []
    return [PreviewNote(tuple(waiting), f"{note.text[:1].lower()}{note.text[1:].rstrip('.')}")]


def _unknown_facts(cluster: Cluster) -> list[PreviewNote]:
    """The facts about a cluster from before the plan that the plan does not state, and what follows."""
    settings = ClusterSettings(cluster)
    facts = {
        "version": cluster.version,
        "release_channel": settings.release_channel.value,
        "private_nodes": settings.private_nodes.value if cluster.mode == "standard" else "",
    }
    unknown = [name for name, value in facts.items() if value is None]
    if not unknown:
        return []
    kind = "existing" if cluster.existing else "adopted"
    text = f"the plan does not state {listed(unknown)} of the {kind} cluster; "
    return [PreviewNote((cluster.key,), f"{text}rules about unknown values are skipped or warn")]


def _network_notes(cluster: Cluster, catalog: Catalog) -> list[PreviewNote]:
    if cluster.plan.network is not None:
        return []
    facts = catalog.platform.network
    jumbo = any(catalog.generation(group.shape.generation).jumbo_frames for group in cluster.groups)
    better = f"; {facts.jumbo_mtu} is recommended for its slices" if jumbo else ""
    used = f"GKE uses the project's default network with MTU {facts.default_mtu}"
    return [PreviewNote((cluster.key,), f"the plan sets no network, so {used}{better}")]


def _address_notes(cluster: Cluster) -> list[PreviewNote]:
    """Both cluster modes give nodes public addresses where a plan has neither of the two keys."""
    if cluster.plan.network is not None or cluster.plan.private_nodes is not None:
        return []
    return [
        PreviewNote(
            (cluster.key,),
            "nodes get public addresses, because the plan sets neither network nor private_nodes; to keep them "
            "private, set network, or private_nodes: true",
        )
    ]


def _extra_notes(cluster: Cluster, catalog: Catalog) -> list[PreviewNote]:
    """Every ``extra`` key whose later change would replace the cluster or its pools."""
    notes = _replacing(catalog, CLUSTER, cluster.key, cluster.plan.extra)
    for pool in cluster.cpu_pools:
        notes += _replacing(catalog, NODE_POOL, pool.key, pool.plan.extra)
    for group in cluster.groups:
        notes += _replacing(catalog, NODE_POOL, group.key, group.plan.extra)
    return notes


def _replacing(catalog: Catalog, resource_type: str, item: str, extra: Mapping[str, object]) -> list[PreviewNote]:
    properties = catalog.provider.resources[resource_type].properties
    found: dict[str, str] = {}

    def walk(path: str, value: object) -> None:
        if path not in properties:
            return  # a key of a map, such as a label
        if properties[path].change in _REPLACING:
            found[path] = _REPLACING[properties[path].change]
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                for key, below in inner.items():
                    walk(f"{path}.{camel_case(str(key))}", below)

    for key, value in extra.items():
        walk(camel_case(str(key)), value)
    return [
        PreviewNote((item,), f"extra {path}: {what} later replaces the resource")
        for path, what in sorted(found.items())
    ]


LARGEST = 200_000_000
"""Bytes of the largest file that is read."""

_LIMITS = Limits(size=LARGEST, depth=60)
_FORMAT = 1
_AGAIN = "store it again: gke-tpu preview PLAN --format json --resources"


class StoredError(ValueError):
    """A file that is not a stored preview. The message has the reason and the next step, safe to print."""


@frozen
class StoredPreview:
    """What a comparison needs of a stored preview."""

    name: Annotated[str, Field(alias="plan")]
    """The plan file, as it was given."""
    catalog_version: Annotated[str, Field(alias="catalog")]
    written: Mapping[str, Any]
    """The plan in its canonical form."""
    resources: tuple[Resource, ...]
    """As the version that stored them registered them, in any order."""

    @property
    def graph(self) -> Graph:
        """The resources in the order of their URNs."""
        return Graph(tuple(sorted(self.resources, key=lambda resource: resource.urn)))


def read_stored(content: bytes) -> StoredPreview:
    """Read a stored preview.

    Raises:
        StoredError: it is none, or one without what a comparison needs.
    """
    from pulumi_gke_tpu.core.text.jsonfile.form import from_data

    try:
        data = parse_json(content, _LIMITS)
        _check_kind(data)
        stored = from_data(StoredPreview, data)
    except JsonError as error:
        raise StoredError(f"{error}; {_AGAIN}") from None
    if len({resource.urn for resource in stored.resources}) != len(stored.resources):
        raise StoredError(f"two resources have the same URN; {_AGAIN}")
    return stored


def _check_kind(data: Any) -> None:
    if not isinstance(data, dict) or "catalog" not in data or "plan" not in data:
        raise StoredError(f"it is not a stored preview; {_AGAIN}")
    if data.get("format") != _FORMAT:
        found = printable(data.get("format"), 20)
        raise StoredError(f"its format is {found}, and this version reads {_FORMAT}; {_AGAIN}")
    if "resources" not in data or "written" not in data:
        raise StoredError(f"it was stored without its resources; {_AGAIN}")

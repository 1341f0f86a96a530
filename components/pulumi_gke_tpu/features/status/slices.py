"""The state of each slice group: its node pools, hosts and errors in a snapshot, and the root of each problem."""

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.messages import KindStatus
from pulumi_gke_tpu.core.estimate.quota import QuotaNeed, quota_needs
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.model import NodePool, Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.search import Explained, MessageSearch
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.reports import ObjectReport, condition_of, reports_of
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.reported import reported
from pulumi_gke_tpu.core.text.findings import Path, format_path, listed, number, printable, quoted
from pulumi_gke_tpu.features.status.capacity import limit_of, quota_limits, reservation_of
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.model import Fault, GroupStatus, State

_RESTS = ("", "RUNNING")
"""The status of a node pool that GKE does not change."""
_ALL_CHANGE = ("PROVISIONING", "STOPPING")
"""The status of a cluster that GKE creates or deletes with all of its node pools."""
_RUNS = ("PENDING", "RUNNING", "ABORTING")
_REPLACES_NODES = ("UPGRADE_NODES", "AUTO_UPGRADE_NODES", "AUTO_REPAIR_NODES")
_CAPACITY = ("stockout", "quota", "reservation-errors", "error", "pending")
"""Pages of messages behind which a quota or a full reservation can be."""
_OTHER_QUOTAS = ("disk-quota", "address-quota", "network-quota")
"""Messages about quotas against which no chips count."""
_WORST: tuple[State, ...] = ("failed", "missing", "not whole", "changing", "not read", "ready", "idle")
_MOST_TEXTS, _MOST_NAMES, _MOST_NODES, _LONGEST = 3, 3, 8, 400


@frozen(eq=False)
class _Seen:
    """A node pool of the plan, as the snapshot shows it."""

    name: str
    state: State
    ready: int | None
    text: str = ""
    since: str = ""
    next_up: str = ""
    what: str = ""
    """What was found, where no message of the catalog says it better."""


class SliceJudge:
    """Compares the slice groups of a plan with a snapshot."""

    def __init__(self, fleet: Fleet, snapshot: Snapshot, catalog: Catalog, search: MessageSearch) -> None:
        self._fleet, self._snapshot, self._catalog, self._search = fleet, snapshot, catalog, search
        self._live = dict(snapshot.node_pools())
        self._operations = {cluster.key: _by_pool(snapshot, cluster.key) for cluster in fleet.clusters}
        self._deleted = {cluster.key: [*_deleted_nodes(snapshot, cluster.key)] for cluster in fleet.clusters}
        self._changing = {cluster.key for cluster in fleet.clusters if _changes(snapshot, cluster)}
        self._errors: dict[str, list[str]] = {}
        for group, errors in snapshot.errors.items():
            self._errors[group] = [said for each in errors if (said := _said(mapping(each)))]
        self._limits = list(quota_limits(snapshot))

    @functools.cached_property
    def _needs(self) -> Sequence[QuotaNeed]:
        """The quota that the fleet needs; only for the cause of a problem."""
        return quota_needs(self._fleet, self._catalog)

    def groups(self) -> Iterator[GroupStatus]:
        """The status of each group, in the order of the plan."""
        for cluster, group in self._fleet.groups():
            yield self._group(cluster, group) if group.pools else self._made_by_gke(cluster, group)

    def _group(self, cluster: Cluster, group: SliceGroup) -> GroupStatus:
        pools = [self._pool(cluster, group, pool) for pool in group.pools]
        known = [pool.ready for pool in pools if pool.ready is not None]
        ready = sum(known) if len(known) == len(pools) else None
        found = sum(count // group.shape.hosts for count in known) if ready is not None else None
        state = min((pool.state for pool in pools), key=_WORST.index)
        problems = tuple(self._problems(cluster, group, pools))
        return GroupStatus(group.key, state, group.slices, found, ready, group.hosts, problems)

    def _made_by_gke(self, cluster: Cluster, group: SliceGroup) -> GroupStatus:
        """Slices of which GKE makes the node pools: as many as Pods ask for."""
        if cluster.key in self._snapshot.gone:
            return GroupStatus(group.key, "missing", group.slices, 0, 0, group.hosts, ())
        if not self._snapshot.has("nodes", cluster.key):
            return GroupStatus(group.key, "not read", group.slices, None, None, group.hosts, ())
        names = self._catalog.platform.names.node_labels
        wanted = {names.accelerator: group.shape.accelerator_label, names.topology: str(group.shape.topology)}
        nodes = [each for each in self._snapshot.objects.get(cluster.key, ()) if each.is_a("Node")]
        ours = [each for each in nodes if all(each.labels.get(key) == value for key, value in wanted.items())]
        base, is_changing = _Seen(group.key, "ready", None), cluster.key in self._changing
        pool = self._by_hosts(base, ours, Range(0, len(ours)), group, is_changing=is_changing)
        problems = tuple(self._problems(cluster, group, [pool]))
        found = (pool.ready or 0) // group.shape.hosts
        return GroupStatus(group.key, pool.state, group.slices, found, pool.ready, group.hosts, problems)

    def _pool(self, cluster: Cluster, group: SliceGroup, pool: NodePool) -> _Seen:
        raw = self._live.get((cluster.name, cluster.location, pool.name))
        operations = self._operations[cluster.key].get(pool.name, [])
        if raw is None:
            return self._missing(cluster, pool, operations)
        said = reported(raw)
        nodes = self._snapshot.nodes.get((cluster.key, pool.name), ())
        errors = self._instance_errors(raw)
        if said.is_problem:
            reasons = dict.fromkeys((said.status, *said.reasons, *errors))
            return _failed(cluster, _Seen(pool.name, "failed", len(nodes)), said.status, reasons, operations)
        is_changing = said.status not in _RESTS or cluster.key in self._changing
        if not self._snapshot.has("nodes", cluster.key):
            return _Seen(pool.name, "changing" if is_changing and not errors else "not read", None)
        busy = [text(each.get("operationType")) for each in operations if each.get("status") in _RUNS]
        replaced = next((kind for kind in busy if kind in _REPLACES_NODES), "")
        lost = self._lost(cluster, nodes, raw) if len(nodes) < pool.hosts.minimum else []
        base = _Seen(pool.name, "ready", None, "; ".join((*errors, *([replaced] if replaced else []), *lost)))
        return self._by_hosts(base, nodes, pool.hosts, group, is_changing=is_changing)

    def _missing(self, cluster: Cluster, pool: NodePool, operations: Sequence[Mapping[str, Any]]) -> _Seen:
        """A node pool that no answer has."""
        if cluster.key not in self._snapshot.gone and not self._snapshot.has_pools(cluster.key):
            return _Seen(pool.name, "not read", None)
        if any(each.get("status") in _RUNS for each in operations):
            return _Seen(pool.name, "changing", 0)
        up = "`pulumi up --refresh` creates it"
        return _Seen(pool.name, "missing", 0, *_error_of(operations), next_up=up, what="The node pool does not exist")

    def _by_hosts(
        self,
        pool: _Seen,
        nodes: Sequence[KubernetesObject],
        wanted: Range,
        group: SliceGroup,
        *,
        is_changing: bool,
    ) -> _Seen:
        """The state by the hosts that are there; ``pool.text`` has what GKE says of others."""
        broken = {each.owner.name: each for each in reports_of(nodes, self._catalog.statuses)}
        for node in nodes:
            if node.name not in broken and (said := _maintenance(node, self._catalog.statuses["Node"])):
                broken[node.name] = ObjectReport(node, ("metadata", "labels"), said)
        slice_hosts = group.shape.hosts
        for said, path, names in self._useless(nodes, broken, group):
            told = f"{said} on {listed([printable(node.name) for node in names], most=_MOST_NODES)}"
            broken |= {node.name: ObjectReport(node, path, told) for node in names}
        ready = sum(node.name not in broken and condition_of(node, "Ready").get("status") == "True" for node in nodes)
        whole = ready >= wanted.minimum and ready % slice_hosts == 0 and not broken
        if not broken and is_changing and ((whole and ready) or not pool.text):
            return _Seen(pool.name, "changing", ready)
        if whole and (ready or not pool.text):
            return _Seen(pool.name, "ready" if ready else "idle", ready)
        reasons = dict.fromkeys((*(each.text for each in broken.values()), *([pool.text] if pool.text else [])))
        shown = "; ".join([*reasons][:_MOST_TEXTS])
        since = min((each.since for each in broken.values() if each.since), default="")
        missing = max(wanted.minimum, -(-ready // slice_hosts) * slice_hosts, slice_hosts) - ready
        what = f"{number(missing, 'host')} of the slice {'is' if missing == 1 else 'are'} not ready"
        up = "`pulumi up` changes nothing: GKE repairs and creates the hosts of a node pool"
        return _Seen(pool.name, "not whole", ready, shown, since, up, what)

    def _useless(
        self, nodes: Iterable[KubernetesObject], broken: Collection[str], group: SliceGroup
    ) -> Iterator[tuple[str, Path, list[KubernetesObject]]]:
        """The nodes without another problem that take no Pods or have no chips: what they say, where, and the nodes.

        Hosts whose chips Pods claim as devices do not have them as a resource.
        """
        resource = self._catalog.kubernetes.pods.resource.name
        claimed = group.plan.driver_mode == "dynamic_resource_allocation"
        whole = [node for node in nodes if node.name not in broken]
        cordoned = [node for node in whole if node.spec.get("unschedulable") is True]
        dark = [node for node in whole if not claimed and _lacks(node, resource)]
        if cordoned:
            yield "spec.unschedulable is true", ("spec", "unschedulable"), cordoned
        if dark:
            yield f"allocatable {resource} is 0", ("status", "allocatable"), dark

    def _lost(self, cluster: Cluster, nodes: Iterable[KubernetesObject], raw: RawResource) -> list[str]:
        """What events say about nodes of a node pool that are gone, each once.

        The nodes of an instance group have its name without the ending, and a part of their own.
        """
        groups = {group.rpartition("-")[0] for group in _instance_groups(raw)}
        groups |= {node.name.rpartition("-")[0] for node in nodes}
        present = {node.name for node in nodes}
        deleted = self._deleted[cluster.key]
        found = (said for name, said in deleted if name not in present and name.rpartition("-")[0] in groups)
        return [*dict.fromkeys(found)][:_MOST_TEXTS]

    def _instance_errors(self, raw: RawResource) -> list[str]:
        """The errors of the instances of a node pool, each once."""
        found = (said for group in _instance_groups(raw) for said in self._errors.get(group, ()))
        return [*dict.fromkeys(found)][:_MOST_TEXTS]

    def _problems(self, cluster: Cluster, group: SliceGroup, pools: Sequence[_Seen]) -> Iterator[Fault]:
        """The problems of a group, one for each cause, with the node pools that have it."""
        found: dict[str, list[tuple[_Seen, Explained | None]]] = {}
        for pool in pools if cluster.key not in self._snapshot.gone else ():
            if pool.state in ("failed", "missing", "not whole"):
                explained = self._search.explained(pool.text) if pool.text else None
                found.setdefault(explained.titles if explained is not None else pool.what, []).append((pool, explained))
        for title, members in found.items():
            pool, explained = members[0]
            names = listed([printable(each.name) for each, _ in members], most=_MOST_NAMES)
            said = printable(pool.text, _LONGEST)
            subject = f"node pool {names}" if len(members) == 1 else f"node pools {names}"
            place = format_path(group.path)
            behind = self._behind(cluster, group, explained)
            fix = f"{pool.next_up}." if pool.state == "missing" else "Look at the operations of the node pool."
            told, *advice = behind or (title, "", fix, "error")
            if behind is None and explained is not None:
                advice = [explained.cause, explained.fix, explained.page]
            cause, fix, page = advice
            yield Fault(subject, told, said, cause, fix, page, pool.since, pool.next_up, place)

    def _behind(
        self, cluster: Cluster, group: SliceGroup, explained: Explained | None
    ) -> tuple[str, str, str, str] | None:
        """The quota or the reservation that allows no slice, whatever GKE says: title, cause, fix and page."""
        if explained is not None and (explained.page not in _CAPACITY or explained.id in _OTHER_QUOTAS):
            return None
        if group.plan.capacity.reservation is not None:
            return self._reserved(cluster, group)
        for need in self._needs:
            if need.metric is None or not any(share.group is group for share in need.shares):
                continue
            limit = limit_of(self._limits, need.metric, need.project, need.region)
            if limit is not None and 0 <= limit < group.shape.chips:
                quota = f"The quota {need.metric.label} in {need.region} is {number(limit, 'chip')}"
                cause = "GKE and Compute Engine can report this as missing capacity. Waiting does not help"
                fix = "Request the quota with the value that `gke-tpu quota` prints."
                return f"{quota}, and a slice needs {group.shape.chips}", cause, fix, "quota"
        return None

    def _reserved(self, cluster: Cluster, group: SliceGroup) -> tuple[str, str, str, str] | None:
        """As above, for a group on a reservation; None if it has room, or was not read."""
        reservation = group.plan.capacity.reservation
        assert reservation is not None
        owned = reservation_of(self._snapshot, reservation.project or cluster.project, reservation.name)
        if owned is None:
            return None
        unit, total = ("chips", owned["chips"]) if "chips" in owned else ("VMs", owned.get("vms", 0))
        needed = group.shape.chips if unit == "chips" else group.shape.hosts
        free = total - owned.get("in_use", 0)
        if free >= needed:
            return None
        room = f"The reservation {quoted(reservation.name)} has {free} of {total} {unit} free"
        cause = "Other node pools and VMs, also of projects that share the reservation, hold the rest"
        fix = "Free the machines that others hold, or use another reservation or capacity mode."
        return f"{room}, and a slice needs {needed}", cause, fix, "reservation-errors"


def _lacks(node: KubernetesObject, resource: str) -> bool:
    """Whether a node has no part of a resource to give: its device plugin reports 0, or has not reported any."""
    amounts = mapping(node.value("status", "allocatable"))
    return bool(amounts) and str(amounts.get(resource, "0")) == "0"


def _changes(snapshot: Snapshot, cluster: Cluster) -> bool:
    """Whether GKE creates or deletes a cluster."""
    return any(reported(raw).status in _ALL_CHANGE for raw in snapshot.clusters(cluster))


def _deleted_nodes(snapshot: Snapshot, cluster: str) -> Iterator[tuple[str, str]]:
    """The names of the nodes that events say are deleted, with what they say."""
    for event in snapshot.objects.get(cluster, ()):
        about = mapping(event.data.get("involvedObject") or event.data.get("regarding"))
        if about.get("kind") == "Node" and event.data.get("reason") == "DeletingNode":
            said = text(event.data.get("message") or event.data.get("note"))
            yield text(about.get("name")), f"DeletingNode: {said}"


def _instance_groups(raw: RawResource) -> list[str]:
    """The names of the instance groups of a node pool."""
    urls = items(raw.before.data.get("instanceGroupUrls")) if raw.before is not None else []
    return [url.rpartition("/")[2] for url in urls if isinstance(url, str)]


def _failed(
    cluster: Cluster, pool: _Seen, status: str, reasons: Iterable[str], operations: Sequence[Mapping[str, Any]]
) -> _Seen:
    """A node pool of which GKE reports an error."""
    told, since = _error_of(operations)
    up = "`pulumi up` keeps the node pool and repairs nothing"
    if status == "ERROR":
        place = f"--cluster={cluster.name} --location={cluster.location} --project={cluster.project}"
        delete = f"`gcloud container node-pools delete {pool.name} {place}`"
        up = f"`pulumi up` keeps a pool in ERROR. Delete it with {delete}, then `pulumi up --refresh` creates it again"
    texts = dict.fromkeys((*reasons, *([told] if told else [])))
    what = f"GKE reports the status {status} without a reason"
    return _Seen(pool.name, pool.state, pool.ready, "; ".join(texts), since, up, what)


def _by_pool(snapshot: Snapshot, key: str) -> dict[str, list[Mapping[str, Any]]]:
    """The operations about each node pool, the latest first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for each in snapshot.entries("operations", key):
        above, _, name = text(each.get("targetLink")).rpartition("/")
        if above.endswith("/nodePools"):
            found.setdefault(name, []).append(each)
    for those in found.values():
        those.sort(key=lambda each: text(each.get("startTime")), reverse=True)
    return found


def _error_of(operations: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """The error of the latest operation and its end; empty if it has none."""
    for each in operations:
        said = text(mapping(each.get("error")).get("message")) or text(each.get("statusMessage"))
        return said, text(each.get("endTime")) if said else ""
    return "", ""


def _said(error: Mapping[str, Any]) -> str:
    inner = mapping(error.get("error")) or error
    return ": ".join(part for part in (text(inner.get("code")), text(inner.get("message"))) if part)


def _maintenance(node: KubernetesObject, kind: KindStatus) -> str:
    """The label or taint that says that a node is about to stop; empty if there is none."""
    taints = {mapping(each).get("key") for each in items(node.spec.get("taints"))}
    labels = (label for label, value in kind.labels.items() if node.labels.get(label) == value)
    return next((each for each in (*labels, *kind.taints) if each in node.labels or each in taints), "")

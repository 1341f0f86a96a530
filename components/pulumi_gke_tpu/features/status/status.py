"""The status of a fleet: a plan joined with a snapshot."""

import datetime
from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.node_pool import SYSTEM_POOL
from pulumi_gke_tpu.core.messages.search import MessageSearch
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.resources.reported import reported
from pulumi_gke_tpu.core.text.findings import format_path, printable, quoted
from pulumi_gke_tpu.features.status.drift import drift_of
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.jobs import job_problems, waiting
from pulumi_gke_tpu.features.status.model import Fault, FleetStatus, Missing
from pulumi_gke_tpu.features.status.slices import SliceJudge

_ALWAYS = ("cluster", "node-pools", "operations")
_IF_WRONG = ("reservations", "quota")
"""Answers that only tell the cause of something that is wrong."""
_UPGRADES = ("UPGRADE_NODES", "AUTO_UPGRADE_NODES", "UPGRADE_MASTER")
_RECENT = datetime.timedelta(days=1)


def status_of(checked: CheckedPlan, snapshot: Snapshot, plan: str) -> FleetStatus:
    """The problems of the fleet of a valid plan."""
    assert checked.fleet is not None
    catalog, fleet = checked.catalog, checked.fleet
    search = MessageSearch(catalog)
    groups = tuple(SliceJudge(fleet, snapshot, catalog, search).groups())
    problems: list[Fault] = []
    for cluster in fleet.clusters:
        problems += _of_cluster(cluster, snapshot, search, is_gone=cluster.key in snapshot.gone)
    problems += (*_other_pools(checked, snapshot, search), *job_problems(fleet, snapshot, catalog, search))
    drift = tuple(drift_of(checked, snapshot))
    is_wrong = bool(problems or drift or any(group.problems for group in groups))
    names = (*_ALWAYS, *catalog.reads.kubectl, *(_IF_WRONG if is_wrong else ()))
    missing = (each for each in snapshot.not_read if each.name in names and each.of not in snapshot.gone)
    return FleetStatus(
        plan=plan,
        taken=snapshot.taken,
        catalog=catalog.about.version,
        groups=groups,
        jobs=tuple(problems),
        waiting=tuple(waiting(fleet, snapshot, search)),
        drift=drift,
        not_read=tuple(Missing(each.title, each.reason) for each in missing),
    )


def _of_cluster(cluster: Cluster, snapshot: Snapshot, search: MessageSearch, *, is_gone: bool) -> Iterator[Fault]:
    """The problems of a cluster itself."""
    subject, place = f"cluster {quoted(cluster.name)}", format_path(cluster.path)
    if is_gone:
        up = "`pulumi up --refresh` creates it with all of its node pools"
        cause = "GKE has no cluster of this name in this project and location"
        yield Fault(subject, "The cluster does not exist", "", cause, up, "drift", "", up, place)
        return
    for raw in snapshot.clusters(cluster):
        told = reported(raw)
        if told.is_problem:
            yield _problem(subject, told.status, told.reasons, search, place)
    yield from _upgraded(cluster, snapshot, subject, place)


def _problem(subject: str, status: str, reasons: tuple[str, ...], search: MessageSearch, place: str = "") -> Fault:
    said = "; ".join((status, *reasons))
    found = search.explained(said)
    if found is None:
        title = f"GKE reports the status {status}"
        return Fault(subject, title, said, "", "Look at the latest operations.", "error", place=place)
    return Fault(subject, found.titles, said, found.cause, found.fix, found.page, place=place)


def _other_pools(checked: CheckedPlan, snapshot: Snapshot, search: MessageSearch) -> Iterator[Fault]:
    """Node pools in error that are in no slice group, in the clusters of the plan."""
    assert checked.fleet is not None
    own: dict[tuple[str, str], dict[str, bool]] = {}
    for cluster in checked.fleet.clusters:
        slices = {pool.name: True for group in cluster.groups for pool in group.pools}
        others = (*(pool.name for pool in cluster.cpu_pools), *((SYSTEM_POOL,) if cluster.has_system_pool else ()))
        own[cluster.name, cluster.location] = dict.fromkeys(others, False) | slices
    for (name, location, pool), raw in snapshot.node_pools():
        planned = own.get((name, location))
        if planned is None or planned.get(pool):
            continue
        told = reported(raw)
        if told.is_problem:
            subject = f"node pool {quoted(pool)}{'' if pool in planned else ', which is not in the plan'}"
            yield _problem(subject, told.status, told.reasons, search)


def _upgraded(cluster: Cluster, snapshot: Snapshot, subject: str, place: str) -> Iterator[Fault]:
    """An upgrade after an exclusion that has ended."""
    answer = mapping(snapshot.answers.get(("cluster", cluster.key)))
    window = mapping(mapping(answer.get("maintenancePolicy")).get("window"))
    exclusions = mapping(window.get("maintenanceExclusions"))
    ended = {name: _moment(mapping(each).get("endTime")) for name, each in exclusions.items()}
    for operation in snapshot.entries("operations", cluster.key):
        start = _moment(operation.get("startTime"))
        if text(operation.get("operationType")) not in _UPGRADES or start is None or snapshot.taken - start > _RECENT:
            continue
        before = [(end, name) for name, end in ended.items() if end is not None and end <= start]
        if not before:
            continue
        end, name = max(before)
        title = f"The maintenance exclusion {quoted(name)} has ended, and GKE upgrades the cluster"
        kind, since = text(operation.get("operationType")), text(operation.get("startTime"))
        said = printable(f"{kind} since {since}; the exclusion ended {end:%Y-%m-%d %H:%M} UTC")
        cause = "GKE catches up on upgrades that an exclusion delayed, and stops the hosts of a slice for it"
        fix = "Add an exclusion that covers the run, and a window outside of it. `gke-tpu calendar` shows both."
        yield Fault(subject, title, said, cause, fix, "stopped", since, "", place)
        return


def _moment(value: object) -> datetime.datetime | None:
    try:
        found = datetime.datetime.fromisoformat(text(value)[:19])
    except ValueError:
        return None
    return found.replace(tzinfo=datetime.timezone.utc)

"""TPU627 and TPU630: planned runs, and the time in which their reservation exists."""

import datetime
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate.reservations import ReservationUse
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, warning
from pulumi_gke_tpu.core.text.findings import Path, quoted
from pulumi_gke_tpu.features.capacity.rules.inventory.context import RESERVATION, InventoryContext

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.schedule.spans import Span

_CLUSTER = (
    in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
    llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}
runs:
  llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}
--- inventory""")
    + RESERVATION
)


def _runs(
    context: InventoryContext,
) -> Iterator[tuple[ReservationUse, OwnedReservation, str, Path, datetime.datetime, datetime.datetime]]:
    """Every run on a reservation of the inventory that has not ended: its name, its path, its start and its end."""
    planned: dict[int, dict[str, list[tuple[str, Span]]]] = {}
    for use in context.uses:
        if use.entry is None or not use.cluster.plan.runs:
            continue
        if id(use.cluster) not in planned:
            planned[id(use.cluster)] = _coming(use.cluster, context.today)
        for name, span in planned[id(use.cluster)].get(str(use.group.path[-1]), ()):
            yield use, use.entry, name, (*use.cluster.path, "runs", name), span.start, span.end


def _coming(cluster: Cluster, today: datetime.date | None) -> "dict[str, list[tuple[str, Span]]]":
    """Slice group -> name and time of its runs that have not ended."""
    from pulumi_gke_tpu.core.schedule.coverage import timed_runs  # only plans with runs need it

    found: dict[str, list[tuple[str, Span]]] = {}
    for name, run, _, span in timed_runs(cluster, today):
        found.setdefault(run.slices, []).append((name, span))
    return found


@warning(
    "TPU627",
    about=of_clusters("runs.*.duration", "slices.*.capacity"),
    title="Reservation ends before a run",
    why="without the reservation, the VMs of the slices can be stopped or deleted, or new VMs get no capacity",
    fix="Shorten the run, start it earlier, or extend the reservation and correct `until` in the inventory.",
    source="Calendar: the end of the run is after `until` of the reservation",
    today="2026-11-20",
    failing=f"{_CLUSTER}    until: 2026-12-10",
    passing=f"{_CLUSTER}    until: 2026-12-12",
)
def run_outlasts_reservation(context: InventoryContext) -> Iterable[Hit]:
    for use, entry, name, path, _, end in _runs(context):
        if entry.until is not None and end > _midnight(entry.until):
            message = (
                f"run {quoted(name)} ends on {end:%Y-%m-%d %H:%M} UTC, but reservation {quoted(use.name)} ends on "
                f"{entry.until}"
            )
            yield Hit((*path, "duration"), message).within(use.member.document)


@warning(
    "TPU630",
    about=(
        "clusters.*.maintenance.exclusions.*.start",
        "clusters.*.maintenance.window.start",
        "clusters.*.runs.*.start",
        "clusters.*.slices.*.capacity",
        "moved[].from",
    ),
    title="Run starts before its reservation",
    why="GKE cannot create the slices of the run until the reservation has begun",
    fix="Set a later `start` of the run, or correct `from` in the inventory.",
    source="Calendar: the start of the run is before `from` of the reservation",
    today="2026-11-20",
    failing=f"{_CLUSTER}    from: 2026-12-02",
    passing=f"{_CLUSTER}    from: 2026-12-01",
)
def run_before_reservation(context: InventoryContext) -> Iterable[Hit]:
    for use, entry, name, path, start, _ in _runs(context):
        if entry.start is not None and start < _midnight(entry.start):
            message = (
                f"run {quoted(name)} starts on {start:%Y-%m-%d %H:%M} UTC, but reservation {quoted(use.name)} begins "
                f"on {entry.start}"
            )
            yield Hit((*path, "start"), message).within(use.member.document)


def _midnight(day: datetime.date) -> datetime.datetime:
    """The beginning of a day: at which time of the day a reservation begins or ends is unknown."""
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)

"""The plans in the report: clusters, slice groups with their node pools and cost, and planned runs."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate import GroupCost, Usd
from pulumi_gke_tpu.core.estimate.totals import Size, place_of
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import duration_text, number, printable, printable_path

if TYPE_CHECKING:
    import datetime
    from collections.abc import Sequence

    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
    from pulumi_gke_tpu.features.cost.recommend.costs import PlanCosts
    from pulumi_gke_tpu.features.cost.recommend.run_costs import RunCost

_NAME = 200
LOW = "low confidence"
LEAST = "at least"


@frozen
class Amount:
    """USD, with a mark before it: ``at least`` for a lower bound, ``low confidence``, or nothing."""

    usd: str
    mark: str = ""


@frozen
class GroupRow:
    """A slice group."""

    name: str
    shape: str
    slices: str
    place: str
    capacity: str
    hosts: str
    machine_type: str
    chips: str
    hour: Amount
    month: Amount
    pools: tuple[str, ...]


@frozen
class RunRow:
    """A planned run with its cost."""

    name: str
    group: str
    slices: str
    start: str
    length: str
    usd: Amount


@frozen
class AlternativeRow:
    """Another way to get the slices of a group."""

    group: str
    name: str
    hour: Amount
    month: Amount
    difference: str
    """To the cost of the group at its largest size, in percent; empty if one of them is unknown."""
    remarks: tuple[str, ...]


@frozen
class ClusterPart:
    """A cluster of a plan."""

    name: str
    about: str
    rows: tuple[GroupRow, ...]
    maintenance: tuple[str, ...]


@frozen
class PlanPart:
    """A plan."""

    name: str
    project: str
    size: str
    hour: Amount
    month: Amount
    clusters: tuple[ClusterPart, ...]
    runs: tuple[RunRow, ...]
    all_runs: Amount
    all_lengths: str
    alternatives: tuple[AlternativeRow, ...]


def plan_part(plan: "PlanCosts", size: Size) -> PlanPart:
    """A plan with its cost."""
    costs = {cost.group: cost for cost in plan.cost.groups}
    total = plan.cost.total
    mark = LEAST if total.at_least else ""
    return PlanPart(
        name=printable_path(plan.name),
        project=printable(plan.fleet.project, _NAME),
        size=f"{number(size.groups, 'slice group')}, {size.chips.counted('chip')}",
        hour=hourly(total.usd, mark),
        month=monthly(total.usd, mark),
        clusters=tuple(_cluster(cluster, costs) for cluster in plan.fleet.clusters),
        runs=tuple(map(_run, plan.runs.runs)),
        all_runs=once(plan.runs.total, LEAST if plan.runs.at_least else ""),
        all_lengths=lengths_of([run.span.length for run in plan.runs.runs]),
        alternatives=tuple(
            _alternative(item, costs[group]) for group, found in plan.alternatives.items() for item in found
        ),
    )


def lengths_of(lengths: "Sequence[datetime.timedelta]") -> str:
    """The number of runs and their lengths: ``3 runs, 1 d to 10 d long``; empty without runs."""
    if not lengths:
        return ""
    texts = dict.fromkeys((duration_text(min(lengths)), duration_text(max(lengths))))
    return f"{number(len(lengths), 'run')}, {' to '.join(texts)} long"


def hourly(usd: Usd | None, mark: str) -> Amount:
    """An amount per hour."""
    return Amount("unknown") if usd is None else Amount(usd.rounded, mark)


def monthly(usd: Usd | None, mark: str) -> Amount:
    """The amount per month, from an amount per hour."""
    return Amount("unknown") if usd is None else Amount(usd.per_month.rounded, mark)


def once(usd: Decimal | None, mark: str) -> Amount:
    """The amount of a run."""
    return Amount("unknown") if usd is None else Amount(Usd(usd, usd).rounded, mark)


def _mark(cost: GroupCost) -> str:
    return LOW if cost.doubtful else LEAST if cost.incomplete else ""


def _cluster(cluster: Cluster, costs: dict[str, GroupCost]) -> ClusterPart:
    existing = ", exists already" if cluster.existing else ""
    stated = cluster_settings(cluster).release_channel.value
    channel = f", release channel {stated}" if stated else ""
    return ClusterPart(
        name=printable(cluster.key, _NAME),
        about=f"{cluster.mode.capitalize()}, {printable(cluster.location)}{channel}{existing}",
        rows=tuple(_group(cluster, group, costs[group.key]) for group in cluster.groups),
        maintenance=tuple(_maintenance(cluster)),
    )


def _maintenance(cluster: Cluster) -> Iterator[str]:
    written = cluster.plan.maintenance
    if cluster.existing:
        yield "The maintenance of an existing cluster is not in the plan."
    elif written is None or written.window is None:
        yield "No maintenance window: GKE can upgrade at any time."
    else:
        window = written.window
        days = ", ".join(window.days) if window.days else window.recurrence or "every day"
        yield f"Window from {window.start:%H:%M} UTC for {duration_text(window.duration)} ({printable(days)})."
    for name, exclusion in (written.exclusions if written else {}).items():
        end = f"to {exclusion.end:%Y-%m-%d %H:%M} UTC" if exclusion.end else "UTC to the end of support"
        scope = exclusion.scope.replace("_", " ")
        yield f"Exclusion {printable(name, _NAME)}: {exclusion.start:%Y-%m-%d %H:%M} {end}, {scope}."


def _group(cluster: Cluster, group: SliceGroup, cost: GroupCost) -> GroupRow:
    shape, mark = group.shape, _mark(cost)
    return GroupRow(
        name=printable(group.name, _NAME),
        shape=f"{shape.generation} {shape.topology}",
        slices=group.slices.counted("slice"),
        place=place_of(cluster, group),
        capacity=", then ".join(mode.replace("_", "-") for mode in group.capacity_modes),
        hosts=str(group.hosts),
        machine_type=shape.machine_type,
        chips=str(group.chips),
        hour=hourly(cost.whole_usd, mark),
        month=monthly(cost.whole_usd, mark),
        pools=tuple(printable(pool.name) for pool in group.pools),
    )


def _alternative(item: "Alternative", own: GroupCost) -> AlternativeRow:
    mark, usd = _mark(item.rate), item.usd
    difference = ""
    if usd is not None and own.whole_usd is not None and own.whole_usd.maximum:
        percent = round((usd.maximum / own.whole_usd.maximum - 1) * 100)
        difference = f"{percent:+,} %".replace("-", "\N{MINUS SIGN}") if percent else "the same"
    return AlternativeRow(
        group=printable(own.group, _NAME),
        name=item.name,
        hour=hourly(usd, mark),
        month=monthly(usd, mark),
        difference=difference,
        remarks=tuple(printable(fact, _NAME) for fact in item.gives_up),
    )


def _run(run: "RunCost") -> RunRow:
    return RunRow(
        name=printable(run.run, _NAME),
        group=printable(run.group, _NAME),
        slices=number(run.slices, "slice"),
        start=f"{run.span.start:%Y-%m-%d %H:%M}",
        length=duration_text(run.span.length),
        usd=once(run.usd, _mark(run.rate)),
    )

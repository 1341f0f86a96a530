"""What the planned runs of a plan cost: their slices, for the length of each run."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import GroupCost
from pulumi_gke_tpu.core.fleet import Fleet, Range
from pulumi_gke_tpu.core.fleet.settings import node_lifetime, run_slices
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.schedule.coverage import timed_runs
from pulumi_gke_tpu.core.schedule.spans import Span, midnight
from pulumi_gke_tpu.core.text.findings import Path, duration_text
from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative

_SECONDS_PER_HOUR = 3600


@frozen
class RunAlternative:
    """The slices of a run in another capacity mode or zone, for the length of the run."""

    alternative: Alternative
    usd: Decimal | None
    """USD for the run; None if it is unknown, or if the capacity does not last."""
    too_short: str
    """Why the capacity does not last as long as the run; empty if it does."""


@frozen
class RunCost:
    """One run. It uses at most the slices of its group."""

    run: str
    """cluster/run."""
    path: Path
    group: str
    """cluster/group."""
    slices: int
    span: Span
    rate: GroupCost
    """The cost of the group, which has the price of a chip."""
    usd: Decimal | None
    """USD for the run, with the known premium of Autopilot; None if it is unknown."""
    ends_after: datetime.timedelta | None
    """How long the nodes live, if that is shorter than the run."""
    alternatives: tuple[RunAlternative, ...]

    @property
    def at_least(self) -> bool:
        """Whether a part of the cost is unknown."""
        return self.usd is not None and self.rate.incomplete

    @property
    def in_sum(self) -> bool:
        """Whether the amount is known and sure enough for a sum."""
        return self.usd is not None and not self.rate.doubtful


@frozen
class RunCosts:
    """The runs of a plan, and their cost together."""

    runs: tuple[RunCost, ...]
    total: Decimal | None
    """USD of all known amounts; None if all are unknown, or if there are no runs. Runs that use the same slices at the
    same time are counted once."""
    at_least: bool
    """Whether ``total`` is only a part of the cost."""


def run_costs(
    fleet: Fleet, costs: Mapping[str, GroupCost], others: Mapping[str, Sequence[Alternative]], catalog: Catalog
) -> RunCosts:
    """The cost of every run with a valid time. ``costs`` and ``others`` are by cluster/group."""
    runs: list[RunCost] = []
    sums: list[Decimal] = []
    shortest = datetime.timedelta(days=catalog.capacity.calendar.min_days)
    for cluster in fleet.clusters:
        of_group: dict[str, list[RunCost]] = {}
        for name, run, group, span in timed_runs(cluster):
            slices = min(run_slices(run, group).value, group.slices.maximum)
            chips = Range(slices * group.shape.chips, slices * group.shape.chips)
            lifetime = node_lifetime(group, catalog).value
            cost = RunCost(
                run=f"{cluster.key}/{name}",
                path=(*cluster.path, "runs", name),
                group=group.key,
                slices=slices,
                span=span,
                rate=costs[group.key],
                usd=_for(costs[group.key], chips, span.length),
                ends_after=lifetime if lifetime is not None and lifetime < span.length else None,
                alternatives=tuple(_of_run(others[group.key], chips, span, shortest)),
            )
            of_group.setdefault(group.key, []).append(cost)
            runs.append(cost)
        for group in cluster.groups:
            together = of_group.get(group.key, [])
            usd = costs[group.key].of_chips(Range(group.shape.chips, group.shape.chips))
            if together and together[0].in_sum and usd is not None:
                sums.append(usd.maximum * _slice_hours(together, group.slices.maximum))
    incomplete = any(not run.in_sum or run.rate.incomplete for run in runs)
    return RunCosts(tuple(runs), sum(sums, Decimal(0)) if sums else None, incomplete)


def _of_run(
    found: Iterable[Alternative], chips: Range, span: Span, shortest: datetime.timedelta
) -> Iterator[RunAlternative]:
    """The alternatives for a run: commitments for years are none. Calendar mode is paid for ``shortest`` at least."""
    for item in found:
        if item.term:
            continue
        too_short = _too_short(item, span)
        length = max(span.length, shortest) if item.kind == "commitment" else span.length
        yield RunAlternative(item, None if too_short else _for(item.rate, chips, length), too_short)


def _too_short(item: Alternative, span: Span) -> str:
    if item.longest is not None and span.length > item.longest:
        return f"at most {duration_text(item.longest)}"
    if item.until is not None and span.end > midnight(item.until):
        return f"ends on {item.until}"
    return ""


def _for(cost: GroupCost, chips: Range, length: datetime.timedelta) -> Decimal | None:
    usd = cost.of_chips(chips)
    return None if usd is None else usd.maximum * hours_of(length)


def hours_of(length: datetime.timedelta) -> Decimal:
    """A length in hours."""
    return Decimal(length // datetime.timedelta(seconds=1)) / _SECONDS_PER_HOUR


def _slice_hours(runs: Iterable[RunCost], most: int) -> Decimal:
    """The hours for which runs use slices of one group, of which there are ``most``."""
    changes: dict[datetime.datetime, int] = {}
    for run in runs:
        changes[run.span.start] = changes.get(run.span.start, 0) + run.slices
        changes[run.span.end] = changes.get(run.span.end, 0) - run.slices
    total, used, since = Decimal(0), 0, None
    for time in sorted(changes):
        if since is not None:
            total += min(used, most) * hours_of(time - since)
        used, since = used + changes[time], time
    return total

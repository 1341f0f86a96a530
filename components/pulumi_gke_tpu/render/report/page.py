"""Builds the report: what the template shows, as plain values."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate import Usd
from pulumi_gke_tpu.findings import Finding, duration_text, printable
from pulumi_gke_tpu.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.render.report.drawing import slice_svg
from pulumi_gke_tpu.render.report.timeline import timeline

if TYPE_CHECKING:
    from pulumi_gke_tpu.estimate.headroom import Headroom
    from pulumi_gke_tpu.estimate.holdings import Holding, ReservationHolding
    from pulumi_gke_tpu.fleet import Shape
    from pulumi_gke_tpu.recommend.costs import Costs, PlanCosts
    from pulumi_gke_tpu.schedule.events import Calendar

_MOST_POOLS = 6
_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("pulumi_gke_tpu.render.report", "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@frozen
class GroupRow:
    """A slice group."""

    name: str
    shape: str
    slices: str
    place: str
    capacity: str
    hosts: str
    chips: str
    usd: str
    pools: str


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
    usd: str
    clusters: tuple[ClusterPart, ...]


@frozen
class LimitRow:
    """A reservation or a quota. ``share`` is the used part in percent; None if the limit is unknown."""

    name: str
    project: str
    place: str
    used: str
    limit: str
    other: str
    left: str
    share: int | None


@frozen
class Picture:
    """A shape with its drawing, and the groups that have it."""

    title: str
    about: str
    svg: str
    """Markup of our own: numbers and fixed class names."""
    groups: tuple[str, ...]


@frozen
class FindingRow:
    """A finding."""

    severity: str
    rule: str
    place: str
    message: str
    fix: str


@frozen
class SourceRow:
    """A fact that the report uses, with its source."""

    fact: str
    source: str
    url: str
    as_of: str
    confidence: str


def report_html(
    headroom: "Headroom", costs: "Costs", calendar: "Calendar", findings: Sequence[Finding], catalog: Catalog
) -> str:
    """One self-contained page. Text from plans and inventories is escaped, and the page may fetch nothing."""
    style = _TEMPLATES.get_template("style.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    groups = [(plan, cluster, group) for plan in costs.plans for cluster, group in plan.fleet.groups()]
    return _TEMPLATES.get_template("page.html").render(
        style=Markup(style),
        digest=digest,
        title=costs.plans[0].name if len(costs.plans) == 1 else f"{len(costs.plans)} plans",
        catalog=printable(catalog.about.version, 60),
        as_of=str(headroom.as_of) if headroom.as_of else "",
        tiles=_tiles(costs, [group for _, _, group in groups]),
        by_place=_by_place(groups),
        reservations=tuple(
            _limit(_block_name(item), item.project, item.zone, item.vms) for item in headroom.reservations
        ),
        quotas=tuple(_limit(item.metric.label, item.project, item.location, item.chips) for item in headroom.quotas),
        plans=tuple(_plan(plan) for plan in costs.plans),
        calendar=timeline(calendar, costs),
        pictures=tuple(_pictures(groups, catalog)),
        findings=tuple(_finding(finding) for finding in findings),
        sources=tuple(_sources(groups, costs, catalog)),
        unknown=costs.unknown,
    )


_Groups = Sequence[tuple["PlanCosts", Cluster, SliceGroup]]


def _tiles(costs: "Costs", groups: Sequence[SliceGroup]) -> tuple[tuple[str, str], ...]:
    chips = hosts = NOTHING
    for group in groups:
        chips, hosts = chips.plus(group.chips), hosts.plus(group.hosts)
    clusters = sum(len(plan.fleet.clusters) for plan in costs.plans)
    least = "at least " if costs.unknown else ""
    return (
        ("clusters", f"{clusters:,}"),
        ("slice groups", f"{len(groups):,}"),
        ("hosts", str(hosts)),
        ("chips", str(chips)),
        ("USD per hour", "unknown" if costs.total is None else f"{least}{costs.total}"),
    )


def _by_place(groups: _Groups) -> tuple[tuple[str, str, str, str], ...]:
    """Chips and hosts by generation and place."""
    sums: dict[tuple[str, str], tuple[Range, Range]] = {}
    for _, cluster, group in groups:
        place = group.zone or (", ".join(group.zones) if group.zones else f"{cluster.region} (any zone)")
        chips, hosts = sums.get((group.shape.generation, place), (NOTHING, NOTHING))
        sums[group.shape.generation, place] = (chips.plus(group.chips), hosts.plus(group.hosts))
    return tuple(
        (generation, place, str(chips), str(hosts)) for (generation, place), (chips, hosts) in sorted(sums.items())
    )


def _block_name(item: "ReservationHolding") -> str:
    return " / ".join(part for part in (item.name, item.block, item.sub_block) if part)


def _limit(name: str, project: str, place: str, holding: "Holding") -> LimitRow:
    used = holding.total.maximum + holding.in_use
    known = holding.limit is not None
    return LimitRow(
        name=printable(name),
        project=printable(project),
        place=printable(place),
        used=str(holding.total),
        limit=f"{holding.limit:,}" if holding.limit is not None else "unknown",
        other=f"{holding.in_use:,}" if known else "",
        left=str(holding.left) if holding.left is not None else "unknown",
        share=100 * used // max(holding.limit, 1) if holding.limit is not None else None,
    )


def _plan(plan: "PlanCosts") -> PlanPart:
    costs = {cost.group: cost.whole_usd for cost in plan.cost.groups}
    return PlanPart(
        name=printable(plan.name, 4096),
        project=printable(plan.fleet.project),
        usd=_usd(plan.cost.total.usd, at_least=plan.cost.total.at_least),
        clusters=tuple(_cluster(cluster, costs) for cluster in plan.fleet.clusters),
    )


def _usd(usd: Usd | None, *, at_least: bool = False) -> str:
    return "unknown" if usd is None else f"{'at least ' if at_least else ''}{usd}"


def _cluster(cluster: Cluster, costs: dict[str, Usd | None]) -> ClusterPart:
    existing = ", exists already" if cluster.existing else ""
    channel = f", release channel {cluster.release_channel}" if cluster.release_channel else ""
    return ClusterPart(
        name=printable(cluster.key),
        about=f"{cluster.mode.capitalize()}, {printable(cluster.location)}{channel}{existing}",
        rows=tuple(_group(group, costs[group.key]) for group in cluster.groups),
        maintenance=tuple(_maintenance(cluster)),
    )


def _maintenance(cluster: Cluster) -> Iterator[str]:
    written = cluster.plan.maintenance
    if cluster.existing:
        yield "The plan does not contain the maintenance window of this existing cluster."
        return
    if written is None or written.window is None:
        yield "No maintenance window: GKE upgrades at any time."
    else:
        window = written.window
        days = ", ".join(window.days) if window.days else window.recurrence or "every day"
        yield f"Window from {window.start:%H:%M} UTC for {duration_text(window.duration)} ({printable(days)})."
    for name, exclusion in (written.exclusions if written else {}).items():
        end = f"{exclusion.end:%Y-%m-%d %H:%M}" if exclusion.end else "the end of support"
        scope = exclusion.scope.replace("_", " ")
        yield f"Exclusion {printable(name)}: {exclusion.start:%Y-%m-%d %H:%M} to {end} UTC, {scope}."


def _group(group: SliceGroup, usd: Usd | None) -> GroupRow:
    shape = group.shape
    names = [pool.name for pool in group.pools]
    shown = ", ".join(names[:_MOST_POOLS])
    more = f" and {len(names) - _MOST_POOLS:,} more" if len(names) > _MOST_POOLS else ""
    return GroupRow(
        name=printable(group.name),
        shape=f"{shape.generation} {shape.topology}",
        slices=group.slices.counted("slice"),
        place=group.zone or ", ".join(group.zones) or "any zone",
        capacity=", then ".join(mode.replace("_", "-") for mode in group.capacity_modes),
        hosts=f"{group.hosts} × {shape.machine_type}",
        chips=str(group.chips),
        usd=_usd(usd),
        pools=printable(f"{shown}{more}", 1000) if names else "none: GKE creates the nodes",
    )


def _pictures(groups: _Groups, catalog: Catalog) -> Iterator[Picture]:
    """Each shape once, in the order of the plans."""
    found: dict[tuple[str, str, int], tuple[Shape, list[str]]] = {}
    for _, _, group in groups:
        shape = group.shape
        key = (shape.generation, str(shape.topology), shape.chips_per_host)
        found.setdefault(key, (shape, []))[1].append(printable(group.key))
    for shape, names in found.values():
        yield Picture(
            title=f"{shape.generation} {shape.topology}",
            about=f"{shape.chips:,} chips on {shape.hosts:,} {'host' if shape.hosts == 1 else 'hosts'} of "
            f"{shape.machine_type}",
            svg=Markup(slice_svg(shape, catalog)),
            groups=tuple(dict.fromkeys(names[:_MOST_POOLS])),
        )


def _finding(finding: Finding) -> FindingRow:
    place = finding.position
    return FindingRow(
        severity="accepted" if finding.accepted else finding.severity.word,
        rule=finding.rule,
        place=f"{place.file}:{place.line}" if place else "",
        message=printable(finding.message, 1000),
        fix=printable(finding.fix, 1000),
    )


def _sources(groups: _Groups, costs: "Costs", catalog: Catalog) -> Iterator[SourceRow]:
    """The facts about the generations and prices in the report."""
    for name in sorted({group.shape.generation for _, _, group in groups}):
        generation = catalog.generation(name)
        facts = [(f"{name}: chip", generation.chip), (f"{name}: topologies", generation.topologies)]
        for title, fact in facts:
            yield _source(title, fact.source, fact.as_of, fact.confidence, catalog)
    prices = {id(price): price for plan in costs.plans for price in plan.cost.prices}
    for price in prices.values():
        title = f"price of {price.family} in {price.region}, {price.model.replace('_', '-')}: {price.usd} USD"
        yield _source(title, price.source, price.as_of, price.confidence_in("usd"), catalog)


def _source(title: str, ids: Sequence[str], as_of: str, confidence: str, catalog: Catalog) -> SourceRow:
    first = catalog.sources.get(ids[0]) if ids else None
    url = (first.url if first else "") or ""
    return SourceRow(
        fact=title,
        source=printable(first.title if first else ", ".join(ids), 300),
        url=url if url.startswith("https://") else "",
        as_of=as_of,
        confidence=confidence,
    )

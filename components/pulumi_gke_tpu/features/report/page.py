"""Builds the report: what the template shows, as plain values."""

import base64
import datetime
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import jinja2
from markupsafe import Markup, escape

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.estimate.cost import Totals, totals_of
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, Severity, listed, number, printable, printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.calendar.output.document import exclusions_to_add, support_texts
from pulumi_gke_tpu.features.capacity.output.document import request_text
from pulumi_gke_tpu.features.cost.output.document import amount_notes, not_offered
from pulumi_gke_tpu.features.report.drawing import bar_svg, cube_svg, draws_chips, slice_svg, time_line
from pulumi_gke_tpu.features.report.plans import (
    LEAST,
    lengths_of,
    plan_part,
    quota_rows,
    reservation_rows,
    savings_text,
    share_text,
    sources_of,
)

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.estimate.headroom import Headroom
    from pulumi_gke_tpu.core.fleet import Shape
    from pulumi_gke_tpu.core.schedule.events import Calendar
    from pulumi_gke_tpu.features.cost.recommend.costs import Costs

_NAME = 200
_LONGEST = 2000
_SYMBOLS = {"error": "✗", "warning": "!", "note": "i", "accepted": "✓"}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("pulumi_gke_tpu.features.report", "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_CODE = lazy_pattern(r"`([^`]+)`")


def with_code(text: str) -> Markup:
    """A text with the words between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


_TEMPLATES.filters["code"] = with_code


@frozen
class ReportBudget:
    """The most that the plans may cost in a month, or their planned runs together."""

    usd: Decimal
    per: Literal["month", "runs"]


@frozen
class Tile:
    """A figure that matters most, and what belongs to it."""

    name: str
    value: str
    about: str


@frozen
class PlaceRow:
    """The chips of a generation in a place."""

    generation: str
    place: str
    groups: str
    hosts: str
    chips: str
    svg: Markup


@frozen
class Picture:
    """A shape with its drawings, and the groups that have it."""

    title: str
    about: str
    cube: Markup
    svg: Markup
    """Markup of our own: numbers and fixed class names."""
    chips: bool
    """Whether each chip is drawn."""
    groups: tuple[str, ...]


@frozen
class FindingRow:
    """A finding."""

    severity: str
    symbol: str
    rule: str
    place: str
    message: str
    why: str
    fix: str
    advice: str
    accepted: str
    links: tuple[str, ...]


def report_html(
    headroom: "Headroom",
    costs: "Costs",
    calendar: "Calendar",
    *,
    findings: Sequence[Finding],
    catalog: Catalog,
    today: datetime.date,
    title: str = "",
    budget: ReportBudget | None = None,
) -> str:
    """One self-contained page. Text from plans and inventories is escaped, and the page may fetch nothing."""
    totals = totals_of((plan.fleet, plan.cost) for plan in costs.plans)
    projects = sorted({printable(plan.fleet.project, _NAME) for plan in costs.plans})
    style = _TEMPLATES.get_template("style.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    groups = [group for plan in costs.plans for _, group in plan.fleet.groups()]
    shown = sorted(map(_finding, findings), key=lambda row: list(_SYMBOLS).index(row.severity))
    return _TEMPLATES.get_template("page.html").render(
        style=Markup(style),
        digest=digest,
        title=printable(title, _NAME) or f"Cloud TPU on GKE: {listed(projects, most=3)}",
        plan_names=[printable_path(plan.name) for plan in costs.plans],
        today=today.isoformat(),
        projects=projects,
        catalog=printable(catalog.about.version, 60),
        as_of=str(headroom.as_of) if headroom.as_of else "",
        counts=tuple(_counts(findings)),
        tiles=tuple(_tiles(headroom, costs, budget)),
        shared=[item.sentence for item in totals.shared],
        savings=savings_text(costs),
        by_place=tuple(_by_place(totals)),
        reservations=reservation_rows(headroom),
        reserved_unit="VMs or chips" if any(item.chips for item in headroom.reservations) else "VMs",
        quotas=quota_rows(headroom),
        requests=tuple(map(request_text, headroom.requests)),
        plans=tuple(map(plan_part, costs.plans, totals.by_fleet)),
        cost_notes=tuple(amount_notes(costs)),
        not_offered=tuple(not_offered(costs)),
        time=time_line(calendar),
        proposals=tuple(exclusions_to_add(calendar)),
        support=support_texts(calendar),
        always=tuple(note.text for note in calendar.notes),
        pictures=tuple(_pictures(groups, catalog)),
        findings=tuple(shown),
        sources=tuple(sources_of(headroom, costs, calendar, catalog)),
    )


def _counts(findings: Iterable[Finding]) -> Iterator[tuple[str, str, str]]:
    """Severity, symbol and number of findings with their noun, in descending order."""
    words = [_severity(finding) for finding in findings]
    for name in ("error", "warning", "note"):
        if name in words:
            yield name, _SYMBOLS[name], number(words.count(name), name)
    if "accepted" in words:
        yield "accepted", _SYMBOLS["accepted"], f"{words.count('accepted'):,} accepted"


def _severity(finding: Finding) -> str:
    return "accepted" if finding.accepted and finding.severity is not Severity.ERROR else finding.severity.word


def _tiles(headroom: "Headroom", costs: "Costs", budget: ReportBudget | None) -> Iterator[Tile]:
    totals = totals_of((plan.fleet, plan.cost) for plan in costs.plans)
    size = totals.size
    clusters = f"{number(totals.clusters, 'cluster')}, {number(len(costs.plans), 'plan')}"
    asked = sum(group.chips.maximum for plan in costs.plans for group in plan.cost.groups)
    more = f"; the maxima of the slice groups add up to {asked:,}" if totals.shared else ""
    yield Tile("Chips", str(size.chips), f"on {size.hosts.counted('host')}{more}")
    yield Tile("Slice groups", f"{size.groups:,}", f"in {clusters}")
    yield from _money(costs, budget)
    whole = [item for item in headroom.reservations if item.block is None]
    known = [item for item in whole if item.counted.used_percent is not None]
    if known:
        fullest = max(known, key=lambda item: item.counted.used_percent or 0)
        others = number(len(whole) - len(known), "other")
        unknown = f"; the size of {others} is unknown" if len(known) < len(whole) else ""
        about = f"{printable(fullest.name, _NAME)}, at the largest size of the plans{unknown}"
        yield Tile("Fullest reservation", share_text(fullest.counted), about)
    elif whole:
        yield Tile("Fullest reservation", "unknown", f"the size of {number(len(whole), 'reservation')} is unknown")
    if headroom.quotas:
        low = sum(request.limit is not None for request in headroom.requests)
        counts = ((low, "too low"), (len(headroom.requests) - low, "unknown"))
        parts = [f"{number(count, 'limit')} {state}" for count, state in counts if count]
        about = listed(parts) if parts else f"{number(len(headroom.quotas), 'limit')} high enough"
        yield Tile("Quota to request", f"{len(headroom.requests):,}", about)


def _money(costs: "Costs", budget: ReportBudget | None) -> Iterator[Tile]:
    """The cost of an hour, of a month and of the runs, and what is left of the budget."""
    least = f"{LEAST} " if costs.at_least else ""
    month = costs.total.per_month if costs.total is not None else None
    if costs.total is None or month is None:
        yield Tile("USD per hour", "unknown", "no price is known")
    else:
        whole = "if the slices exist for the whole month (730 h)"
        hour, of_month = f"{least}{costs.total.short}", f"{least}{month.short}"
        if budget is not None and budget.per == "month":
            yield Tile("USD per month", of_month, f"{whole}; {hour} per hour")
        else:
            yield Tile("USD per hour", hour, f"{of_month} per month, {whole}")
    runs = None if costs.runs_total is None else Usd(costs.runs_total, costs.runs_total)
    least_of_runs = f"{LEAST} " if any(plan.runs.at_least for plan in costs.plans) else ""
    lengths = [run.span.length for plan in costs.plans for run in plan.runs.runs]
    if lengths:
        value = "unknown" if runs is None else f"{least_of_runs}{runs.short}"
        yield Tile("USD for planned runs", value, f"{lengths_of(lengths)}; the cost per hour includes their slices")
    if budget is not None:
        cost, mark = (month, least) if budget.per == "month" else (runs, least_of_runs)
        name = "Budget per month, USD" if budget.per == "month" else "Budget for planned runs, USD"
        yield Tile(name, Usd(budget.usd, budget.usd).short, _budget_text(budget.usd, cost, mark))


def _budget_text(budget: Decimal, cost: Usd | None, least: str) -> str:
    if cost is None:
        return "the cost is unknown"
    left = budget - cost.maximum
    if left >= 0:
        return f"{Usd(left, left).short} left{' at most, because a part of the cost is unknown' if least else ''}"
    also = "" if cost.minimum > budget else ", if the slices have their largest size"
    return f"✗ exceeded by {least}{Usd(-left, -left).short}{also}"


def _by_place(totals: Totals) -> Iterator[PlaceRow]:
    """Chips and hosts by generation and place, each with its share of all chips."""
    every = sum(size.chips.maximum for _, _, size in totals.by_place)
    for generation, place, size in totals.by_place:
        chips = size.chips
        parts = (("certain", chips.minimum), ("possible", chips.maximum - chips.minimum))
        yield PlaceRow(
            generation=generation,
            place=printable(place, _NAME),
            groups=f"{size.groups:,}",
            hosts=str(size.hosts),
            chips=str(chips),
            svg=Markup(bar_svg(parts, every)),
        )


def _pictures(groups: Iterable[SliceGroup], catalog: Catalog) -> Iterator[Picture]:
    """Each shape once, in the order of the plans."""
    found: dict[tuple[str, str, int], tuple[Shape, list[SliceGroup]]] = {}
    for group in groups:
        shape = group.shape
        key = (shape.generation, str(shape.topology), shape.chips_per_host)
        found.setdefault(key, (shape, []))[1].append(group)
    for shape, users in found.values():
        yield Picture(
            title=f"{shape.generation} {shape.topology}",
            about=f"{number(shape.chips, 'chip')} on {number(shape.hosts, 'host')} ({shape.machine_type})",
            cube=Markup(cube_svg(shape, catalog)),
            svg=Markup(slice_svg(shape, catalog)),
            chips=draws_chips(shape),
            groups=tuple(f"{printable(user.key, _NAME)}: {user.counted}" for user in users),
        )


def _finding(finding: Finding) -> FindingRow:
    place, severity = finding.position, _severity(finding)
    return FindingRow(
        severity=severity,
        symbol=_SYMBOLS[severity],
        rule=finding.rule,
        place=printable_path(f"{place.file}:{place.line}") if place else "",
        message=printable(finding.message, _LONGEST),
        why=printable(finding.why, _LONGEST),
        fix="\n".join(printable(line, _LONGEST) for line in finding.fix.splitlines()),
        advice="" if finding.severity is Severity.NOTE or finding.accepted else printable(finding.advice, _LONGEST),
        accepted=printable(finding.accepted, _LONGEST),
        links=tuple(link for link in finding.links if link.startswith("https://")),
    )

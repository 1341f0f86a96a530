"""A preview as text for people: a tree of clusters, groups and pools, totals with cost, notes, findings."""

import io
import textwrap
from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.terminal import cells, cut_end, cut_path
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.fleet import Cluster, NodePool, SliceGroup
from pulumi_gke_tpu.render.findings.text import findings_text
from pulumi_gke_tpu.render.preview import words
from pulumi_gke_tpu.render.preview.resources_text import resources_text

if TYPE_CHECKING:
    from pulumi_gke_tpu.graph.result import PlanPreview

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_LEAST_PATH = 20
"""Columns below which the path of the plan gets a line of its own."""
_MOST_POOLS = 12
"""Pools of one group that are listed; of more, the first ones and the last."""


def preview_text(preview: "PlanPreview", *, resources: bool, width: int, colour: bool) -> str:
    """Show a preview to people, in lines of at most ``width`` columns where words allow it."""
    page = _Page(width, colour)
    parts = ["\n".join(page.bold(line) for line in _title(preview, width))]
    parts += ["\n".join(_cluster(cluster, page)) for cluster in preview.fleet.clusters]
    parts.append(_totals(preview, width))
    parts.append("\n".join(page.wrapped(line) for line in words.price_notes(preview.cost)))
    if preview.quota:
        parts.append("\n".join(_quota(preview, page)))
    if preview.notes:
        parts.append("\n".join(page.wrapped(f"note: {printable(note, 400)}") for note in preview.notes))
    hint = "" if resources else " (--resources lists them)"
    parts.append(page.wrapped(f"{words.resource_words(preview.graph)}{hint}"))
    if resources:
        parts.append(resources_text(preview.graph))
    parts.append(findings_text(preview.findings, width=width, colour=colour))
    return "\n\n".join(part for part in parts if part)


def _title(preview: "PlanPreview", width: int) -> list[str]:
    """Project, plan and catalog in one line; the path of the plan loses its first folders where there is no room."""
    catalog = f" · catalog {printable(preview.catalog_version, 60)}"
    project = cut_end(printable(preview.fleet.project), width - cells(catalog))
    path = printable(preview.name, 4096)
    room = width - cells(f"{project} · plan {catalog}")
    if room < min(_LEAST_PATH, cells(path)):
        return [f"{project}{catalog}", f"plan {cut_path(path, width - len('plan '))}"]
    return [f"{project} · plan {cut_path(path, room)}{catalog}"]


class _Page:
    """Width and colour of what is written."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour

    def bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_PLAIN}" if self.colour else text

    def dim(self, text: str) -> str:
        return f"{_DIM}{text}{_PLAIN}" if self.colour else text

    def wrapped(self, text: str, indent: str = "", hang: str = "  ") -> str:
        return textwrap.fill(
            text,
            self.width,
            initial_indent=indent,
            subsequent_indent=hang,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def row(self, lead: str, rail: str, cells: list[tuple[str, int]]) -> list[str]:
        """Cells side by side, padded to their widths; what does not fit goes to lines below, along the rail."""
        lines, line = [], lead
        for text, size in cells:
            if len(line) + len(text) > self.width and line.strip("│├└─ "):
                lines.append(line.rstrip())
                line = f"{rail}{' ' * 4}"
            line += f"{text:<{size}}  "
        return [*lines, line.rstrip()]


def _cluster(cluster: Cluster, page: _Page) -> list[str]:
    key = printable(cluster.key)
    head = page.wrapped(f"{key}   {words.cluster_words(cluster)}")
    lines = [page.bold(key) + head[len(key) :]]
    extras = [
        (name, text)
        for name, text in (("maintenance", words.maintenance_words(cluster)), ("system", words.system_words(cluster)))
        if text
    ]
    names = [group.key.rsplit("/", 1)[1] for group in cluster.groups] + [name for name, _ in extras]
    widths = [
        max(map(len, names), default=0),
        max((len(words.shape_words(group)) for group in cluster.groups), default=0),
        max((len(words.slices_words(group)) for group in cluster.groups), default=0),
        max((len(words.zone_words(group)) for group in cluster.groups), default=0),
    ]
    for group in cluster.groups:
        lines += _group(group, widths, page, last=group is cluster.groups[-1] and not extras)
    for name, text in extras:
        last = name == extras[-1][0]
        branch, rail = ("└─ ", "   ") if last else ("├─ ", "│  ")
        hang = f"{rail}{' ' * (widths[0] + 2)}"
        lines.append(page.wrapped(f"{name:<{widths[0]}}  {text}", indent=branch, hang=hang))
    return lines


def _group(group: SliceGroup, widths: list[int], page: _Page, *, last: bool) -> list[str]:
    branch, rail = ("└─ ", "   ") if last else ("├─ ", "│  ")
    cells = [
        (printable(group.key.rsplit("/", 1)[1]), widths[0]),
        (words.shape_words(group), widths[1]),
        (words.slices_words(group), widths[2]),
        (words.zone_words(group), widths[3]),
        (words.capacity_words(group), 0),
    ]
    lines = page.row(branch, rail, cells)
    if not group.pools:
        lines.append(page.wrapped(f"{rail}└─ nodeSelector {words.selector_words(group)}", hang=f"{rail}     "))
        hosts = words.counted(group.hosts, "host", "hosts")
        lines.append(f"{rail}   {hosts}   {words.counted(group.chips, 'chip', 'chips')}")
        return lines
    shown = _some(group.pools)
    name_width = max(len(pool.name) for pool in group.pools)
    sizes = [words.pool_words(group, pool) for pool in group.pools]
    pool_widths = [max(len(size[column]) for size in sizes) for column in range(3)]
    for pool in shown:
        twig = "└─ " if pool is shown[-1] else "├─ "
        if pool is None:
            lines.append(f"{rail}{twig}... {len(group.pools) - len(shown) + 1:,} more ...")
            continue
        hosts, chips, scaling = words.pool_words(group, pool)
        protected = "protected" if group.protect else ""
        cells = [
            (printable(pool.name), name_width),
            (hosts, pool_widths[0]),
            (chips, pool_widths[1]),
            (scaling, pool_widths[2]),
            (protected, 0),
        ]
        lines += page.row(f"{rail}{twig}", f"{rail}   ", cells)
    return lines


def _some(pools: tuple[NodePool, ...]) -> list[NodePool | None]:
    """All pools, or of many the first ones and the last with a gap between."""
    if len(pools) <= _MOST_POOLS:
        return list(pools)
    return [*pools[: _MOST_POOLS - 2], None, pools[-1]]


def _totals(preview: "PlanPreview", width: int) -> str:
    """The table of totals, by capacity mode."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("", no_wrap=True)
    for heading in ("slices", "hosts", "chips", "USD per hour", "USD per month"):
        table.add_column(heading, justify="right", overflow="fold")
    lines = [*preview.cost.modes, *([preview.cost.premium] if preview.cost.premium else []), preview.cost.total]
    for line in lines:
        table.add_row(*words.total_words(line))
    written = io.StringIO()
    Console(file=written, width=width, no_color=True, markup=False, highlight=False, emoji=False).print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines() if line.strip())


def _quota(preview: "PlanPreview", page: _Page) -> list[str]:
    lines = []
    for need in preview.quota:
        metric = need.metric.metric if need.metric else "unknown"
        family = f" ({need.metric.dimension})" if need.metric and need.metric.dimension else ""
        doubt = "" if need.certain else f", confidence {need.confidence}"
        lines.append(page.wrapped(f"quota: {need.chips} chips of {metric}{family} in {need.region}{doubt}"))
    return lines

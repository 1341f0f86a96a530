"""A preview as a document: one line for each slice group, sums, needs and notes; in full with options."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from pulumi_gke_tpu.core.estimate import NOT_INCLUDED, AutoProvisioned, CostLine, GroupCost
from pulumi_gke_tpu.core.estimate.prices import sum_of
from pulumi_gke_tpu.core.estimate.sums import sizes_of
from pulumi_gke_tpu.core.fleet import Cluster, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.graph.registered import joined_notes
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Branch,
    Bullets,
    Code,
    Column,
    Document,
    Fields,
    Folded,
    Group,
    Heading,
    Line,
    Name,
    Paragraph,
    Prose,
    Table,
    Tree,
)
from pulumi_gke_tpu.core.text.document.terminal import cells, cut_end, cut_path
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.core.text.findings import listed, number, printable, printable_path
from pulumi_gke_tpu.features.plan.preview import texts
from pulumi_gke_tpu.features.plan.preview.texts import cluster_properties, settings_of_group, settings_texts, short

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.registered import PlanPreview

_LABEL = 7
"""Columns of the labels below the clusters."""
_MOST_REASONS = 2


def summary(preview: "PlanPreview", *, nodes: bool, prices: bool, resources: bool) -> list[Block]:
    """The clusters, unless ``nodes`` shows them in full, and the sums, unless ``prices`` does."""
    clusters = [] if nodes else [_tree(cluster, preview) for cluster in preview.fleet.clusters]
    sums = [] if prices else [*_total(preview), _labeled("prices", "; ".join(_price_remarks(preview)))]
    found = [_labeled(verb, text) for verb, text in texts.resource_texts(preview).items()]
    notes = [_labeled("note", note) for note in joined_notes(preview.notes)]
    notes += (_labeled("see", str(each)) for each in preview.if_it_fails)
    return [
        *clusters,
        Group([*sums, *_needs(preview), *found, *notes, *_more(nodes=nodes, prices=prices, resources=resources)]),
    ]


def _more(*, nodes: bool, prices: bool, resources: bool) -> list[Block]:
    """The options that show what the preview leaves out."""
    options = [
        "" if nodes else "--nodes (node pools, machines)",
        "" if prices else "--prices (price sources)",
        "" if resources else "--resources (every property)",
    ]
    shown = "  ".join(filter(None, options))
    return [_labeled("more", shown)] if shown else []


def _tree(cluster: Cluster, preview: "PlanPreview") -> Tree:
    costs = {cost.group: cost for cost in preview.cost.groups}
    auto = [item for item in preview.autoprovisioned if item.cluster == cluster.key]
    several = len(preview.fleet.clusters) > 1 and cluster.groups
    cost = f", {texts.cluster_usd_text(preview.cost.clusters[cluster.key])}" if several else ""
    groups = [Branch(_group_cells(group, costs[group.key]), _remarks(group)) for group in cluster.groups]
    properties = [("auto-provisioning", _auto_text(auto)), *cluster_properties(cluster)]
    return Tree(
        cluster.key,
        f"{texts.cluster_text(cluster, exists=preview.exists)}{cost}",
        (*groups, *(Branch(short(name, text)) for name, text in properties if text)),
    )


def _group_cells(group: SliceGroup, cost: GroupCost) -> tuple[str, ...]:
    return (
        texts.group_name(group),
        f"{texts.shape_text(group)} × {group.slices}",
        group.chips.counted("chip"),
        texts.zone_text(group),
        texts.capacity_text(group).replace(", at most ", ", "),
        f"{_group_usd(cost)}{' protected' if group.protect and group.pools else ''}",
    )


def _remarks(group: SliceGroup) -> tuple[Branch, ...]:
    """What an entry of the plan does to the group. Its other settings are beside its nodes."""
    record = settings_of_group(group)
    found = settings_texts(type(record)(protection_lifted=record.protection_lifted, former_keys=record.former_keys))
    return (Branch(("; ".join(found),)),) if found else ()


def _group_usd(cost: GroupCost) -> str:
    if cost.whole_usd is None:
        return "price unknown"
    doubt = " (low confidence, in no sum)" if cost.doubtful else ""
    highest = f" ({texts.MODE_WORDS[cost.mode]}, the highest price)" if len(cost.modes) > 1 and cost.usd else ""
    return f"{'at least ' if cost.at_least else ''}{cost.whole_usd.short} USD/h{highest}{doubt}"


def _auto_text(items: Sequence[AutoProvisioned]) -> str:
    """The chips that GKE may create on demand, and their cost."""
    if not items:
        return ""
    chips = listed([f"{item.chips.maximum:,} {item.generation}" for item in items], "")
    known = [item.usd for item in items if item.usd is not None]
    least = "" if len(known) == len(items) else "at least "
    cost = f"{least}{sum_of(known).short.rpartition(' ')[2]} USD/h" if known else "price unknown"
    return f"up to {chips} chips if workloads ask; up to {cost}, not in the total"


def _total(preview: "PlanPreview") -> Iterator[Block]:
    line = preview.cost.total
    sizes = (line.chips.counted("chip"), line.hosts.counted("host"), _cubes(preview.cost.groups))
    yield _labeled("total", f"{', '.join(filter(None, sizes))} · {_usd(line)}")


def _cubes(groups: Iterable[GroupCost]) -> str:
    """The cubes among the slices of groups; empty without any."""
    cubes = Range.ZERO
    for group in groups:
        cubes = cubes.plus(group.slices) if group.dynamic else cubes
    return cubes.counted("cube") if cubes.maximum else ""


def _usd(line: CostLine) -> str:
    if line.usd is None:
        return "price unknown" if line.unknown else "0 USD/h"
    least = "at least " if line.at_least else ""
    return f"{least}{line.usd.short} USD/h ({line.usd.per_month.short} USD/month)"


def _price_remarks(preview: "PlanPreview") -> Iterator[str]:
    """What the amounts assume, and what they leave out."""
    cost = preview.cost
    assumed = [texts.MODE_WORDS[line.what] for line in cost.modes if line.at_on_demand_price]
    if assumed:
        yield f"{listed(assumed)} capacity at the on-demand price"
    if cost.unknown:
        yield listed(list(cost.unknown), most=_MOST_REASONS, separator="; ")
    yield f"not included: {listed(list(NOT_INCLUDED))}"


def _needs(preview: "PlanPreview") -> list[Block]:
    """The VMs or chips of reservations, and the chips of quota, that the plan uses at its largest size."""
    costs = {cost.group: cost for cost in preview.cost.groups}
    reserved: dict[tuple[str, str], list[GroupCost]] = {}
    for cluster in preview.fleet.clusters:
        for group in cluster.groups:
            reservation = group.plan.capacity.reservation
            if reservation is not None:
                owner = f" of {printable(reservation.project)}" if reservation.project else ""
                entry = preview.reservations.entry_of(cluster, group)
                unit = entry.unit if entry is not None else "VM" if group.budget is None else "chip"
                key = f"{printable(reservation.name)}{owner}", unit
                reserved.setdefault(key, []).append(costs[group.key])
    regions: dict[str, list[str]] = {}
    for need in preview.quota:
        metric = texts.short_metric(need)
        regions.setdefault(need.region, []).append(f"{need.chips.maximum:,} {metric}")
    needs = []
    for (name, counted), found in reserved.items():
        size = sizes_of(found)
        amount = number((size.chips if counted == "chip" else size.hosts).maximum, counted)
        cubes = _cubes(found)
        needs.append(f"{amount} of {name}{f' (with {cubes})' if cubes else ''}")
    needs += [f"quota in {region}: {', '.join(chips)}" for region, chips in regions.items()]
    return [_labeled("needs", " · ".join(needs))] if needs else []


def _labeled(name: str, text: str) -> Block:
    return Fields(((f"{name:<{_LABEL}}", Paragraph(text)),))


_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def resources_text(graph: Graph) -> str:
    """The resources in the order of their URNs, components without inputs."""
    return "\n".join(_resource(resource) for resource in graph.resources)


def _resource(resource: Resource) -> str:
    place = f"   # {resource.plan_path}" if resource.plan_path else ""
    head = f"{printable(resource.type)} {printable(resource.name)}{printable(place, 400)}"
    if resource.component:
        return head
    body = {"inputs": _shown(resource.inputs), "options": _options(resource.options)}
    text = yaml.dump(
        {name: part for name, part in body.items() if part}, Dumper=_DUMPER, sort_keys=True, allow_unicode=False
    )
    return "\n".join([head, *(f"  {line}" for line in text.splitlines())])


def _options(options: Options) -> dict[str, Any]:
    """The options that are set, with their names in Python."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in {
            "protect": options.protect,
            "delete_before_replace": options.delete_before_replace,
            "replace_on_changes": options.replace_on_changes or None,
            "ignore_changes": options.ignore_changes or None,
            "retain_on_delete": options.retain_on_delete,
            "custom_timeouts": dict(options.custom_timeouts) or None,
            "aliases": options.aliases or None,
            "depends_on": tuple(_short(urn) for urn in options.depends_on) or None,
        }.items()
        if value is not None
    }


def _short(urn: str) -> str:
    """Type and name of a URN."""
    types, name = urn.split("::", 3)[2:]
    return f"{types.rsplit('$', 1)[-1]} {name}"


def _shown(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "(known later)"
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value


_LEAST_PATH = 20
"""Columns below which the path of the plan is on a separate line."""
_MOST_POOLS = 5
"""The maximum number of listed node pools of one group."""
_TOTALS = ("slices", "hosts", "chips", "USD per hour", "USD per month")


@frozen
class Parts:
    """The parts of a preview that the summary leaves out."""

    nodes: bool = False
    """Node pools with their machines."""
    prices: bool = False
    """Totals by capacity mode, and prices with their dates."""
    resources: bool = False
    """Every property of every resource."""


def preview_text(preview: "PlanPreview", parts: Parts, *, width: int, color: bool) -> str:
    """Show a preview in a terminal, in lines of at most ``width`` columns where words allow it."""
    document: Document = [
        Group([Heading(line) for line in _title(preview, width)]),
        *(_trees(preview) if parts.nodes else []),
        *(_price_blocks(preview) if parts.prices else []),
        *summary(preview, nodes=parts.nodes, prices=parts.prices, resources=parts.resources),
        *_resources(preview, parts.resources),
    ]
    findings = findings_text(preview.findings, width=width, color=color)
    return f"{write_text(document, width=width, color=color)}\n\n{findings}"


def preview_markdown(preview: "PlanPreview", *, resources: bool) -> str:
    """A preview as Markdown. Text from a plan cannot change the markup around it."""
    remarks = [
        *texts.price_notes(preview.cost, preview.autoprovisioned),
        *joined_notes(preview.notes),
        *(f"{verb.capitalize()} {text}." for verb, text in texts.resource_texts(preview).items()),
    ]
    return write_markdown(
        [
            Heading(("TPU plan ", Name(preview.name)), 2),
            Paragraph(f"{preview.fleet.project}, catalog {preview.catalog_version}"),
            *(block for cluster in preview.fleet.clusters for block in _table(cluster, preview)),
            Heading("Totals", 3),
            _totals(preview),
            Bullets(texts.auto_notes(preview.autoprovisioned), title="Auto-provisioning, not in the total:"),
            Bullets(texts.quota_text(preview.quota), title="Quota:"),
            Bullets(remarks),
            *_findings(preview),
            Bullets([Prose(str(each)) for each in preview.if_it_fails], title="If it fails:"),
            *(Folded("Resources", block) for block in _resources(preview, resources)),
        ]
    )


def _price_blocks(preview: "PlanPreview") -> list[Block]:
    """Totals by capacity mode, prices with their dates, and the quota in full."""
    return [
        _totals(preview),
        Bullets(texts.auto_notes(preview.autoprovisioned), label="auto, not in the total"),
        Group([Paragraph(note) for note in texts.price_notes(preview.cost, preview.autoprovisioned)]),
        Bullets(texts.quota_text(preview.quota), label="quota"),
    ]


def _title(preview: "PlanPreview", width: int) -> list[str]:
    """Project, plan and catalog in one line; a line that is too long has the path without its beginning."""
    catalog = f" · catalog {printable(preview.catalog_version, 60)}"
    project = cut_end(printable(preview.fleet.project), width - cells(catalog))
    path = printable_path(preview.name)
    room = width - cells(f"{project} · plan {catalog}")
    if room < min(_LEAST_PATH, cells(path)):
        return [f"{project}{catalog}", f"plan {cut_path(path, width - len('plan '))}"]
    return [f"{project} · plan {cut_path(path, room)}{catalog}"]


def _properties(cluster: Cluster, preview: "PlanPreview") -> list[tuple[str, str]]:
    """The properties of a cluster other than its slices, by name."""
    auto = [item for item in preview.autoprovisioned if item.cluster == cluster.key]
    named = [("auto-provisioning", texts.autoprovisioning_text(auto)), *cluster_properties(cluster)]
    return [(name, text) for name, text in named if text]


def _about(cluster: Cluster, preview: "PlanPreview") -> str:
    """What a cluster is, and its cost."""
    cost = f", {texts.cluster_usd_text(preview.cost.clusters[cluster.key])}" if cluster.groups else ""
    return f"{texts.cluster_text(cluster)}{cost}"


def _trees(preview: "PlanPreview") -> list[Tree]:
    """The clusters with their groups and node pools."""
    costs = {cost.group: cost for cost in preview.cost.groups}
    trees = []
    for cluster in preview.fleet.clusters:
        groups = (_branch(group, costs[group.key]) for group in cluster.groups)
        properties = (Branch(short(name, text)) for name, text in _properties(cluster, preview))
        trees.append(Tree(cluster.key, _about(cluster, preview), (*groups, *properties)))
    return trees


def _branch(group: SliceGroup, cost: GroupCost) -> Branch:
    cells = (
        texts.group_name(group),
        texts.shape_text(group),
        texts.slices_text(group),
        texts.zone_text(group),
        texts.capacity_text(group),
    )
    found = settings_texts(settings_of_group(group))
    settings = [Branch(("; ".join(found),))] if found else []
    size = (group.hosts.counted("host"), group.chips.counted("chip"), texts.group_usd_text(cost))
    if not group.pools:
        return Branch(cells, (Branch((f"nodeSelector {texts.selector_text(group)}",)), *settings, Branch(size)))
    pools = [_pool(group, pool, len(group.pools) - _MOST_POOLS + 1) for pool in _some(group.pools)]
    if len(pools) == 1:  # all of the group
        return Branch(cells, (Branch((*pools[0].cells, size[-1])), *settings))
    return Branch(cells, (*pools, Branch(("together", *size)), *settings))


def _pool(group: SliceGroup, pool: NodePool | None, left_out: int) -> Branch:
    if pool is None:
        return Branch((f"... {left_out:,} more ...",))
    scaling = f"{texts.pool_text(group, pool)[-1]}{', protected' if group.protect else ''}"
    return Branch((pool.name, *texts.pool_text(group, pool)[:-1], scaling))


def _some(pools: tuple[NodePool, ...]) -> list[NodePool | None]:
    """All node pools; if there are many, the first ones, an ellipsis and the last."""
    if len(pools) <= _MOST_POOLS:
        return list(pools)
    return [*pools[: _MOST_POOLS - 2], None, pools[-1]]


def _table(cluster: Cluster, preview: "PlanPreview") -> list[Block]:
    """A cluster as a list of its properties and a table of its groups."""
    costs = {cost.group: cost for cost in preview.cost.groups}
    named = _properties(cluster, preview)
    properties: list[Line] = [_about(cluster, preview), *(f"{name}: {text}" for name, text in named)]
    rows = [
        (
            texts.group_name(group),
            texts.shape_text(group),
            texts.slices_text(group),
            texts.zone_text(group),
            texts.capacity_text(group),
            str(group.hosts),
            str(group.chips),
            texts.group_usd_text(costs[group.key]),
        )
        for group in cluster.groups
    ]
    names = ("group", "shape", "slices", "zone", "capacity", "hosts", "chips", "cost")
    settings: list[Line] = [
        f"{texts.group_name(group)}: {'; '.join(found)}"
        for group in cluster.groups
        if (found := settings_texts(settings_of_group(group)))
    ]
    return [Heading(cluster.key, 3), Bullets(properties), Table(tuple(map(Column, names)), rows), Bullets(settings)]


def _totals(preview: "PlanPreview") -> Table:
    """The totals, by capacity mode."""
    lines = [*preview.cost.modes, *([preview.cost.premium] if preview.cost.premium else []), preview.cost.total]
    columns = (Column("", whole=True), *(Column(name, right=True) for name in _TOTALS))
    return Table(columns, [*map(texts.total_text, lines), *texts.auto_rows(preview.autoprovisioned)])


def _findings(preview: "PlanPreview") -> list[Block]:
    rows = [
        (
            finding.rule,
            "accepted" if finding.accepted else finding.severity.word,
            f"{finding.position.line}:{finding.position.column}" if finding.position else "",
            Prose(printable(finding.message, 400)),
        )
        for finding in preview.findings
    ]
    columns = tuple(map(Column, ("rule", "severity", "place", "finding")))
    return [Heading("Findings", 3), Table(columns, rows)] if rows else []


def _resources(preview: "PlanPreview", wanted: bool) -> list[Block]:
    return [Code(resources_text(preview.graph), tone="")] if wanted else []

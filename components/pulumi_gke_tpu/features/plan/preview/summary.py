"""The default text of a preview: one line for each slice group, then access, upgrades, totals, needs and notes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate import NOT_INCLUDED, AutoProvisioned, CostLine, GroupCost
from pulumi_gke_tpu.core.estimate.prices import sum_of
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.text.document.model import Block, Branch, Fields, Group, Paragraph, Tree
from pulumi_gke_tpu.core.text.findings import listed, number, printable
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
    creates = _labeled("creates", texts.resource_text(preview.graph))
    notes = [_labeled("note", note) for note in preview.notes]
    return [
        *clusters,
        Group([*sums, *_needs(preview), creates, *notes, *_more(nodes=nodes, prices=prices, resources=resources)]),
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
        f"{texts.cluster_text(cluster)}{cost}",
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
    sizes = f"{line.chips.counted('chip')}, {line.hosts.counted('host')}"
    yield _labeled("total", f"{sizes} · {_usd(line)}")


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
    reserved: dict[tuple[str, str], int] = {}
    for cluster in preview.fleet.clusters:
        for group in cluster.groups:
            reservation = group.plan.capacity.reservation
            if reservation is not None:
                owner = f" of {printable(reservation.project)}" if reservation.project else ""
                entry = preview.reservations.entry_of(cluster, group)
                unit = entry.unit if entry is not None else "VM"
                key = f"{printable(reservation.name)}{owner}", unit
                used = group.chips if unit == "chip" else group.hosts
                reserved[key] = reserved.get(key, 0) + used.maximum
    regions: dict[str, list[str]] = {}
    for need in preview.quota:
        metric = texts.short_metric(need)
        regions.setdefault(need.region, []).append(f"{need.chips.maximum:,} {metric}")
    needs = [f"{number(used, unit)} of {name}" for (name, unit), used in reserved.items()]
    needs += [f"quota in {region}: {', '.join(chips)}" for region, chips in regions.items()]
    return [_labeled("needs", " · ".join(needs))] if needs else []


def _labeled(name: str, text: str) -> Block:
    return Fields(((f"{name:<{_LABEL}}", Paragraph(text)),))

"""The report about plans of Terraform, and the findings about them."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.core.resources.model import PlanOutcome
from pulumi_gke_tpu.core.text.findings import listed, number, printable, quoted, sort_findings
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
from pulumi_gke_tpu.features.diff.effects.classes import totals_of
from pulumi_gke_tpu.features.diff.effects.order import apply_orders
from pulumi_gke_tpu.features.diff.effects.pools import Uses
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.items import by_danger
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange
from pulumi_gke_tpu.features.diff.narrative.notes import confidence_notes, cost_notes
from pulumi_gke_tpu.features.diff.terraform.estate import ClusterMember, Estate, TerraformPlan
from pulumi_gke_tpu.features.diff.terraform.findings import findings_of
from pulumi_gke_tpu.features.diff.terraform.groups import preview_of
from pulumi_gke_tpu.features.diff.terraform.items import Costs, Items

_MOST_KINDS = 4
_MOST_ADDRESSES = 5


def compare_terraform(
    files: Sequence[TerraformPlan],
    catalog: Catalog,
    given: Document[Inventory] | None,
    *,
    most_hosts: int | None = None,
) -> Comparison:
    """What the plans of some root modules do, in the place of a comparison of plans."""
    estate = Estate(files, catalog)
    inventory = given.content if given is not None else None
    owned = OwnedReservations.of(inventory)
    base = list(_previews(estate, catalog, owned, after=False))
    head = list(_previews(estate, catalog, owned, after=True))
    uses = Uses(base, head, catalog, inventory)
    items = by_danger(Items(estate, catalog, uses, (_costs(base), _costs(head))).all())
    judged = len(estate.pools) + sum(cluster.planned is not None for cluster in estate.clusters)
    change = ChangeReport(
        base="Terraform state",
        head=estate.names[0] if len(estate.names) == 1 else number(len(estate.names), "plan"),
        plans=estate.names,
        catalog_version=catalog.about.version,
        items=items,
        unchanged_items=judged - len(items),
        unchanged_resources=judged - len(items) + estate.unchanged,
        totals=totals_of(base, head, uses),
        acknowledgements=(),
        notes=tuple(_notes(estate, items, [*base, *head])),
        order=apply_orders(uses),
        tool="Terraform",
    )
    findings = [
        *(given.findings if given is not None else ()),
        *findings_of(estate, items, uses, most_hosts),
    ]
    return Comparison(Report(change), sort_findings(findings))


def _previews(estate: Estate, catalog: Catalog, owned: OwnedReservations, *, after: bool) -> Iterator[PlanPreview]:
    """The node pools on one side, by file and project."""
    found: dict[tuple[str, str], dict[int, tuple[ClusterMember, list[SliceGroup]]]] = {}
    for pool in estate.pools:
        group = pool.head if after else pool.base
        if group is not None:
            clusters = found.setdefault((pool.file, pool.project), {})
            clusters.setdefault(id(pool.cluster), (pool.cluster, []))[1].append(group)
    for (file, project), clusters in found.items():
        sides = (_side(member, groups, project, after=after) for member, groups in clusters.values())
        yield preview_of(file, project, tuple(sides), catalog, owned)


def _side(member: ClusterMember, groups: Iterable[SliceGroup], project: str, *, after: bool) -> Cluster:
    return dataclasses.replace(member.side(member.after if after else member.before, groups), project=project)


def _costs(previews: Iterable[PlanPreview]) -> Costs:
    return {(preview.name, cost.group): cost for preview in previews for cost in preview.cost.groups}


def _notes(estate: Estate, items: Sequence[ItemChange], previews: Iterable[PlanPreview]) -> Iterator[str]:
    yield from cost_notes(previews)
    if any(item.hosts_gone.minimum != item.hosts_gone.maximum for item in items):
        yield "The current number of hosts in autoscaled node pools is unknown: the report uses their limits."
    if items:
        yield ("This report explains the plan that Terraform made. What changed after that, the plan does not contain.")
    for outcome in estate.outcomes.values():
        yield from _beside_changes(outcome)
    if estate.others:
        kinds = [f"{count:,} {printable(kind, 80)}" for kind, count in estate.others.most_common()]
        yield f"Only node pools and clusters are compared. Also in the plan: {listed(kinds, most=_MOST_KINDS)}."
    yield from confidence_notes(items)


def _beside_changes(outcome: PlanOutcome) -> Iterator[str]:
    """What a plan contains beside the changes of resources."""
    if outcome.errored:
        yield "Terraform stopped with an error while it made the plan: the report does not contain every change."
    if outcome.drifted:
        yield f"Changed outside of Terraform since its last run: {_addresses(outcome.drifted)}."
    if outcome.deferred:
        reasons = listed(
            [printable(reason.replace("_", " "), 80) for reason in dict.fromkeys(outcome.deferred.values())]
        )
        yield f"Left to a later plan, and not in this report: {_addresses(tuple(outcome.deferred))} ({reasons})."
    elif not outcome.complete and not outcome.errored:
        yield "The plan does not contain everything that the configuration requires: make another plan after the apply."
    if outcome.actions:
        yield f"The apply also invokes actions, which this report does not explain: {_addresses(outcome.actions)}."


def _addresses(addresses: Sequence[str]) -> str:
    return listed([quoted(printable(address, 200)) for address in addresses], most=_MOST_ADDRESSES)

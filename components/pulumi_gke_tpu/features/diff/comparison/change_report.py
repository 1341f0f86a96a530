"""Reports what a change does, item by item, and the findings about it, from plans previewed before and after."""

import dataclasses
import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.consent import AckFrom
from pulumi_gke_tpu.features.diff.effects.classes import totals_of
from pulumi_gke_tpu.features.diff.effects.objects import object_changes
from pulumi_gke_tpu.features.diff.effects.pools import Uses, apply_orders
from pulumi_gke_tpu.features.diff.engine.model import EngineView
from pulumi_gke_tpu.features.diff.items import PlanItems, by_danger, items_in_terraform, items_of
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange, ResourceChange, Unclear, has_own_stack
from pulumi_gke_tpu.features.diff.narrative.notes import notes_of
from pulumi_gke_tpu.features.diff.rules.transition import Planned, validate_change
from pulumi_gke_tpu.features.diff.terraform.plans import DescribedSides

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.diff.engine.events import EngineRun


@frozen
class PlanPair:
    """A plan before and after. None is not there: the plan file is new, or gone."""

    base: PlanPreview | None
    head: PlanPreview | None
    terraform: DescribedSides | None = None
    """What Terraform does with the clusters and node pools that both previews describe."""

    @property
    def name(self) -> str:
        """The plan file, as given for the side after the change where it is there."""
        found = self.head or self.base
        assert found is not None
        return found.name

    @property
    def exists(self) -> bool:
        """Whether the sides are what exists before and after, which no plan makes."""
        return any(side is not None and side.exists for side in (self.base, self.head))


_EMPTY = Graph(())


def diff_pairs(
    pairs: Sequence[PlanPair],
    catalog: Catalog,
    *,
    inventory: Inventory | None = None,
    today: datetime.date | None = None,
    ack_from: AckFrom = "head",
    base_name: str = "base",
    head_name: str = "head",
    notes: Iterable[str] = (),
    unclear: Iterable[Unclear] = (),
) -> ChangeReport:
    """Compute the effect of a plan change.

    ``today`` is the date of both previews and decides which acknowledgements are in force. With ``ack_from="base"``,
    only acknowledgements that are also in the base count. ``inventory`` contains the limits of reservations and quotas.
    ``unclear`` is what was left out of the pairs, and ``notes`` follow those of the comparison. ``change_findings``
    returns the problems of the change.
    """
    base = [pair.base for pair in pairs if pair.base is not None]
    head = [pair.head for pair in pairs if pair.head is not None]
    uses = Uses(base, head, catalog, inventory)
    parts = [_plan_items(pair, catalog, uses, today, ack_from) for pair in pairs]
    items = by_danger(item for part in parts for item in part.items)
    objects = tuple(
        change
        for pair in pairs
        if pair.base is not None and pair.head is not None and pair.base is not pair.head and pair.terraform is None
        for change in object_changes(pair.name, pair.base.fleet, pair.head.fleet, catalog)
    )
    return ChangeReport(
        base=base_name,
        head=head_name,
        plans=tuple(pair.name for pair in pairs),
        catalog_version=catalog.about.version,
        items=items,
        unchanged_items=sum(part.unchanged_items for part in parts),
        unchanged_resources=sum(part.unchanged_resources for part in parts),
        totals=totals_of(base, head, uses),
        acknowledgements=tuple(use for part in parts for use in part.acknowledgements),
        lists=tuple(found for part in parts for found in part.lists),
        notes=(*notes_of([(pair.base, pair.head) for pair in pairs], items, objects), *notes),
        unclear=tuple(unclear),
        objects=objects,
        order=apply_orders(uses),
        tool="GKE" if any(pair.exists for pair in pairs) else "",
        removed=tuple(pair.name for pair in pairs if pair.head is None and has_own_stack(pair.name)),
    )


def engine_view_of(
    pairs: Sequence[PlanPair], change: ChangeReport, runs: "Sequence[EngineRun]", catalog: Catalog
) -> EngineView | None:
    """The comparison of previews by the real engine with the change of some pairs; None without previews."""
    if not runs:
        return None
    from pulumi_gke_tpu.features.diff.engine.view import engine_view, resources_of

    plans = [
        resources_of(pair.name, pair.base.graph if pair.base else None, pair.head.graph if pair.head else None)
        for pair in pairs
    ]
    return engine_view(runs, plans, change.items, catalog.provider)


def change_findings(
    pairs: Sequence[PlanPair],
    report: ChangeReport,
    catalog: Catalog,
    *,
    today: datetime.date | None = None,
    most_hosts: int | None = None,
) -> Mapping[str, tuple[Finding, ...]]:
    """Find the problems of a change between valid plans: plan file -> findings, without positions in the file.

    ``report`` is the report of the same pairs. ``most_hosts`` is the limit of hosts that the change of one plan may
    delete or restart at once; the default is that of the rule. The plan after the change provides the positions.
    """
    planned: dict[str, dict[str, Planned]] = {}
    for item in report.items:
        planned.setdefault(item.plan, {})[item.item] = planned_of(item)
    return {
        pair.name: validate_change(
            pair.base.plan,
            pair.head.plan,
            pair_fleets(pair.base.fleet, pair.head.fleet),
            catalog,
            today=today,
            planned=planned.get(pair.name, {}),
            most_hosts=most_hosts,
        )
        for pair in pairs
        if pair.base is not None and pair.head is not None and not pair.exists
    }


def planned_of(item: ItemChange) -> Planned:
    """The argument of the rules about changes."""
    stopped = [resource for resource in item.resources if resource.refused]
    return Planned(
        hosts_gone=item.hosts_gone.maximum,
        hosts_restarted=item.hosts_restarted.maximum,
        replaced_for=frozenset(
            difference.path
            for resource in item.resources
            if resource.operation == "replace" and resource.type == (CLUSTER if item.kind == "cluster" else NODE_POOL)
            for difference in resource.differences
            if difference.effect == "replace"
        ),
        refused="" if not stopped else "protection" if item.fixes or item.updates > 1 else "update",
        reason=stopped[0].refused if stopped else "",
        certain=all(resource.refusal_is_certain for resource in stopped[:1]),
        fix=next((fix for fix in item.fixes if fix.side == "head" and not fix.alone), None),
        updates=item.updates,
        overlap=item.overlap if item.overlap is not None and item.overlap.exceeds else None,
    )


def _done(change: ResourceChange) -> ResourceChange:
    """A change that nothing refused, because its result exists. What no update can do was a replacement."""
    if change.effect in ("refused", "no-op"):
        change = dataclasses.replace(change, operation="replace", effect="replace")
    return dataclasses.replace(change, refused="", refused_by="", racing=False)


def _plan_items(
    pair: PlanPair, catalog: Catalog, uses: Uses, today: datetime.date | None, ack_from: AckFrom
) -> PlanItems:
    if pair.terraform is not None:
        assert pair.base is not None
        assert pair.head is not None
        return items_in_terraform(pair.base, pair.head, pair.terraform, catalog, uses)
    before = pair.base.graph if pair.base else _EMPTY
    after = pair.head.graph if pair.head else _EMPTY
    changes = compare(before, after, catalog.provider, sources=catalog.sources, disks=catalog.disks.families)
    if pair.exists:
        changes = tuple(map(_done, changes))
    return items_of(pair.base, pair.head, changes, catalog, uses, today=today, ack_from=ack_from)

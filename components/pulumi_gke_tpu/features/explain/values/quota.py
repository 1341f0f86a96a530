"""Explains the quota of a cluster or a slice group, and what is left of the limits that it uses."""

import dataclasses
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate import QuotaNeed, quota_needs
from pulumi_gke_tpu.core.estimate.autoprovisioning import auto_chips
from pulumi_gke_tpu.core.estimate.holdings import Holding, HoldingPart, QuotaHolding, ReservationHolding
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.inventory import OwnedBlock, OwnedQuota, OwnedReservation, OwnedSubBlock
from pulumi_gke_tpu.core.text.findings import Path, listed, number, printable
from pulumi_gke_tpu.core.text.findings.emit import emit
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, doubt, evidence, note_evidence
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings

_TOPICS = ("quota",)
_FROM = ("total", "capacity")


def group_quota(view: GroupView) -> Step:
    """The quota that a group uses; none for reserved capacity."""
    catalog, group = view.catalog, view.group
    alone = Fleet(view.cluster.project, (dataclasses.replace(view.cluster, groups=(group,)),))
    needs = quota_needs(alone, catalog)
    if not needs:
        reason = view.note_text("quota-reservation") or "reserved capacity"
        facts = view.proof("quota-reservation") + evidence(catalog, _charged_reservation(view))
        return Step("quota", "no additional quota", reason, facts, topics=_TOPICS, follows_from=_FROM)
    first = needs[0]
    if first.metric is None:
        reason = f"no source lists the quota of {group.shape.family} for {group.plan.capacity.mode}"
        known = [item for item in catalog.quota.metrics if group.shape.family in item.families]
        modes = [f"{mode}: {metric_name(item)}" for item in known for mode in item.modes]
        looked = tuple(f"the sources have {text}" for text in modes) or ("the sources have no quota of this family",)
        facts = tuple(dict.fromkeys(fact for item in known for fact in evidence(catalog, item)))
        facts += evidence(catalog, catalog.quota.service)
        return Step("quota", "unknown", reason, facts, topics=_TOPICS, details=looked, follows_from=_FROM)
    reason = f"{_amount(first)}; the limit is per {first.metric.scope}"
    if first.metric.default:
        reason += f"; default limit: {first.metric.default}"
    if len(needs) > 1:
        others = listed([metric_name(other.metric) for other in needs[1:] if other.metric is not None])
        reason += f"; other capacity modes use {others}"
    if first.fallback is not None:
        reason += f"; if this quota does not exist, GKE uses {metric_name(first.fallback)}"
    details = tuple(line for need in needs for line in _lines(catalog, need))
    facts = tuple(fact for need in needs for fact in _facts(catalog, need))
    return Step("quota", metric_name(first.metric), reason, facts, topics=_TOPICS, details=details, follows_from=_FROM)


def cluster_quota(catalog: Catalog, cluster: Cluster) -> Step:
    """The sum of the slice groups of a cluster by quota, and what auto-provisioning may use."""
    needs = quota_needs(Fleet(cluster.project, (cluster,)), catalog)
    lines = [f"{need.region}: {need.chips.counted('chip')} of {_name(need)}" for need in needs]
    facts = [fact for need in needs for fact in _facts(catalog, need)]
    for item in auto_chips(cluster, catalog):
        names = listed([metric_name(metric) for metric in item.quotas], "or")
        lines.append(f"{item.region}: up to {number(item.chips.maximum, 'chip')} by auto-provisioning, of {names}")
        facts += [fact for metric in item.quotas for fact in evidence(catalog, metric, "metric")]
    facts += note_evidence(catalog, "quota-reservation")
    reason = "the sum of its slice groups without a reservation; reserved capacity requires no additional quota"
    return Step(
        "quota",
        number(len(needs), "quota"),
        reason,
        tuple(dict.fromkeys(facts)),
        topics=_TOPICS,
        details=tuple(lines),
        follows_from=("total",),
    )


def metric_name(metric: QuotaMetric) -> str:
    """The metric with the dimension of the family."""
    return f"{metric.metric} (tpu_family {metric.dimension})" if metric.dimension else metric.metric


def _name(need: QuotaNeed) -> str:
    return metric_name(need.metric) if need.metric else f"an unknown quota of {listed(need.families)}"


def _amount(need: QuotaNeed) -> str:
    noun = need.metric.unit.removesuffix("s") if need.metric else "chip"
    return f"{need.chips.counted(noun)} in {need.region}"


def _lines(catalog: Catalog, need: QuotaNeed) -> Iterator[str]:
    """What identifies a quota, and the modes that use it."""
    metric = need.metric
    if metric is None:
        return
    dimensions = [f"region {need.region}", *([f"tpu_family {metric.dimension}"] if metric.dimension else [])]
    known = metric.confidence_of_use
    yield f"for {listed(need.modes)}: {metric_name(metric)} of {catalog.quota.service.name}{doubt(known)}"
    yield f"dimensions: {listed(dimensions)}; {_amount(need)}"
    for name, text in (("in the console", metric.console_name), ("quota ID", metric.quota_id)):
        if text:
            yield f"{name}: {text}"


def _facts(catalog: Catalog, need: QuotaNeed) -> Iterator[Evidence]:
    yield from evidence(catalog, need.metric, "metric")
    if need.fallback is not None:
        yield from note_evidence(catalog, "quota-flex-start-order")
        yield from evidence(catalog, need.fallback, "metric")


def _charged_reservation(view: GroupView) -> QuotaMetric | None:
    family = view.group.shape.family
    metrics = view.catalog.quota.metrics
    return next((item for item in metrics if family in item.families and "reservation" in item.modes), None)


_HEADROOM_FROM = ("capacity", "quota", "total")
_MOST_USERS = 6


def headroom_step(around: Surroundings, cluster: Cluster, group: SliceGroup | None = None) -> Step:
    """What is left of each reservation, block and quota of a group, or of all groups of a cluster."""
    limits = [*_limits(around, cluster, group)]
    from_ = _HEADROOM_FROM if group is not None else ("quota", "total")
    facts = tuple(dict.fromkeys(fact for limit in limits for fact in limit.facts))
    if not limits:
        uses = "the group uses" if group is not None else "the cluster uses"
        facts = note_evidence(around.catalog, "quota-reservation")
        reason = f"{uses} no reservation and no known quota"
        return Step("headroom", "none", reason, facts, topics=_TOPICS, follows_from=from_)
    unknown = [limit for limit in limits if limit.holding.limit is None]
    known = [limit for limit in limits if limit.holding.limit is not None]
    value = "; ".join(limit.left for limit in known) or "unknown"
    if known and unknown:
        value += f"; unknown for {listed([limit.name for limit in unknown])}"
    several = f" and {len(around.plans):,} plans" if len(around.plans) > 1 else ""
    if around.content is None:
        reason = "the limits are unknown without an inventory: add --inventory FILE"
    else:
        single = f"{known[0].reason}; " if len(limits) == len(known) == 1 else ""
        reason = f"{single}inventory of {around.content.as_of}{several}"
        reason += f"; the inventory has no limit of {listed([limit.name for limit in unknown])}" if unknown else ""
    return Step(
        "headroom",
        value,
        reason,
        facts,
        topics=_TOPICS,
        details=tuple(line for limit in limits for line in limit.lines(around, cluster, group)),
        follows_from=from_,
        owned=tuple(limit.path for limit in limits if limit.path),
        paste=_paste(around, unknown),
        paste_into="inventory",
    )


@frozen
class _Limit:
    """A limit that an item uses."""

    name: str
    place: str
    """The project, and the zone of a reservation."""
    holding: Holding
    facts: tuple[Evidence, ...]
    path: Path
    """The entry of the inventory; empty without one."""
    entry: dict[str, object]
    """What to add to the inventory."""

    @property
    def left(self) -> str:
        """What is left, as a clause: ``10 VMs of reservation a left``, ``up to 6 VMs too few in reservation a``."""
        left = self.holding.left
        assert left is not None
        if left.minimum >= 0:
            return f"{left.counted(self.holding.unit)} of {self.name} left"
        if left.maximum < 0:
            least, most = -left.maximum, -left.minimum
            missing = number(most, self.holding.unit) if least == most else f"{least:,}..{most:,} {self.holding.unit}s"
            return f"{missing} too few in {self.name}"
        return f"up to {number(-left.minimum, self.holding.unit)} too few in {self.name}"

    @property
    def reason(self) -> str:
        """The limit and what takes from it."""
        holding, use = self.holding, self.holding.total
        if holding.limit is None:
            return f"{self.name}, of which the plans use {use.counted(self.holding.unit)}"
        others = f" minus {holding.in_use:,} in other use" if holding.in_use else ""
        plans = "plans" if len({id(part.member) for part in holding.parts}) > 1 else "plan"
        return f"limit of {number(holding.limit, self.holding.unit)}{others} minus {use} in the {plans}"

    def lines(self, around: Surroundings, cluster: Cluster, group: SliceGroup | None) -> Iterator[str]:
        """Limit, use and rest, and who else uses it."""
        holding = self.holding
        upgrades = f"; upgrades can add {holding.upgrades:,}" if holding.upgrades else ""
        left = "limit unknown" if holding.limit is None else self.left
        yield f"{left}: {self.reason}{upgrades} ({self.place})"
        users = [part for part in holding.parts if not _is_of(part, around, cluster, group)]
        if users:
            shown = [f"{_where(part, around)}{printable(part.key)} ({part.amount})" for part in users]
            yield f"{self.name}: also used by {listed(shown, most=_MOST_USERS)}"


def _where(part: HoldingPart, around: Surroundings) -> str:
    return "" if part.member.document is around.document else f"{part.member.name} "


def _is_of(part: HoldingPart, around: Surroundings, cluster: Cluster, group: SliceGroup | None) -> bool:
    """Whether a part of the use is that of the item."""
    if part.member.document is not around.document:
        return False
    if group is not None:
        return part.group is group
    return part.path[: len(cluster.path)] == cluster.path


def _limits(around: Surroundings, cluster: Cluster, group: SliceGroup | None) -> Iterator[_Limit]:
    def used(parts: Iterable[HoldingPart]) -> bool:
        return any(_is_of(part, around, cluster, group) for part in parts)

    yield from (_of_reservation(around, item) for item in around.reservations if used(item.vms.parts))
    yield from (_of_quota(around, item) for item in around.quotas if used(item.chips.parts))


def _of_reservation(around: Surroundings, item: ReservationHolding) -> _Limit:
    parts = (("sub-block", item.sub_block), ("block", item.block), ("reservation", item.name))
    name = " of ".join(f"{what} {printable(text)}" for what, text in parts if text is not None)
    known = around.owned.by_identity.get((item.project, item.zone, item.name))
    user = item.vms.parts[0].group
    chips = sum(part.group.chips.maximum for part in item.vms.parts if part.group is not None)
    entry: dict[str, object] = {
        "name": item.name,
        "project": item.project,
        "zone": item.zone,
        "family": user.shape.family if user is not None else "",
        "chips": chips,
    }
    return _Limit(
        name=name,
        place=f"{printable(item.project)}, {printable(item.zone)}",
        holding=item.counted,
        facts=note_evidence(around.catalog, "quota-reservation"),
        path=_place(around, known, item.entry) if known is not None else (),
        entry={"reservations": entry} if item.block is None else {},
    )


def _place(
    around: Surroundings, known: OwnedReservation, entry: OwnedReservation | OwnedBlock | OwnedSubBlock | None
) -> Path:
    """The path of a reservation in the inventory, or of one of its blocks or sub-blocks."""
    path = around.entry_path(known)
    for number_, block in enumerate(known.blocks):
        if block is entry:
            return (*path, "blocks", number_)
        for index, sub_block in enumerate(block.sub_blocks):
            if sub_block is entry:
                return (*path, "blocks", number_, "sub_blocks", index)
    return path


def _of_quota(around: Surroundings, item: QuotaHolding) -> _Limit:
    known: OwnedQuota | None = item.entry
    family = {"family": item.metric.dimension} if item.metric.dimension else {}
    metric = item.metric.metric.rpartition("/")[2]
    entry = {"project": item.project, "metric": metric, **family, "region": item.location}
    return _Limit(
        name=f"{metric_name(item.metric).rpartition('/')[2]} in {printable(item.location)}",
        place=printable(item.project),
        holding=item.chips,
        facts=evidence(around.catalog, item.metric, "metric"),
        path=around.entry_path(known) if known is not None else (),
        entry={"quotas": {**entry, "limit": item.chips.total.maximum}},
    )


def _paste(around: Surroundings, unknown: Iterable[_Limit]) -> str:
    """The entries of an inventory for the unknown limits; the numbers are what the plans use."""
    entries: dict[str, list[str]] = {}
    for limit in unknown:
        for key, entry in limit.entry.items():
            entries.setdefault(key, []).append(emit(entry))
    if not entries or not all(text for texts in entries.values() for text in texts):
        return ""
    lines = (
        [] if around.content is not None else ["version: 1", f"as_of: {around.today or around.catalog.about.version}"]
    )
    number_of = {"reservations": "chips", "quotas": "limit"}
    for key, texts in entries.items():
        lines.append(f"{key}:      # {number_of[key]} is what the plans use: write what you have")
        lines += [f"  - {text}" for text in texts]
    return "\n".join(lines)

"""Explains the quota of a cluster or a slice group: its name and dimensions, the chips, and why it is this one."""

import dataclasses
from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate import QuotaNeed, quota_needs
from pulumi_gke_tpu.core.estimate.auto_chips import auto_chips
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.notes import note_named
from pulumi_gke_tpu.features.explain.steps import Evidence, Step, doubt, evidence
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView

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
    facts += evidence(catalog, note_named(catalog, "quota-reservation"))
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
        yield from evidence(catalog, note_named(catalog, "quota-flex-start-order"))
        yield from evidence(catalog, need.fallback, "metric")


def _charged_reservation(view: GroupView) -> QuotaMetric | None:
    family = view.group.shape.family
    metrics = view.catalog.quota.metrics
    return next((item for item in metrics if family in item.families and "reservation" in item.modes), None)

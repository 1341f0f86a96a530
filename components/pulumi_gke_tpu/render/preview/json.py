"""A preview as plain data for programs; :mod:`pulumi_gke_tpu.render.preview.schema` describes it."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.estimate import CostLine, GroupCost, QuotaNeed, Usd
from pulumi_gke_tpu.findings import format_path
from pulumi_gke_tpu.fleet import Cluster, NodePool, Range, SliceGroup
from pulumi_gke_tpu.graph.model import Options, Resource, plain
from pulumi_gke_tpu.plan.canonical import plan_data
from pulumi_gke_tpu.render.findings.json import findings_json

if TYPE_CHECKING:
    from pulumi_gke_tpu.graph.result import PlanPreview

FORMAT = 1
"""The version of the form. A new key keeps it; a key that goes away or changes its meaning raises it."""


def preview_json(preview: "PlanPreview", *, resources: bool) -> dict[str, Any]:
    """Give a preview as data that ``json.dumps`` takes. Money is in USD, unrounded, as text; None is unknown."""
    costs = {cost.group: cost for cost in preview.cost.groups}
    data = {
        "format": FORMAT,
        "plan": preview.name,
        "project": preview.fleet.project,
        "catalog": preview.catalog_version,
        "clusters": [_cluster(cluster, costs) for cluster in preview.fleet.clusters],
        "totals": [_line(line) for line in (*preview.cost.modes, preview.cost.premium, preview.cost.total) if line],
        "prices": [
            {
                "family": price.family,
                "region": price.region,
                "model": price.model,
                "usd_per_chip_hour": price.usd,
                "as_of": price.as_of,
                "confidence": price.confidence,
            }
            for price in preview.cost.prices
        ],
        "cost_reporting": list(preview.cost.reporting),
        "quota": [_quota(need) for need in preview.quota],
        "notes": list(preview.notes),
        "resource_counts": dict(sorted(Counter(item.type for item in preview.graph.resources if item.custom).items())),
        "findings": findings_json(preview.findings),
    }
    if resources:
        data["written"] = plan_data(preview.plan)
        data["resources"] = [_resource(item) for item in preview.graph.resources]
    return data


def _cluster(cluster: Cluster, costs: dict[str, GroupCost]) -> dict[str, Any]:
    return {
        "key": cluster.key,
        "name": cluster.name,
        "path": format_path(cluster.path),
        "mode": cluster.mode,
        "location": cluster.location,
        "release_channel": cluster.plan.release_channel,
        "slices": [_group(group, costs[group.key]) for group in cluster.groups],
    }


def _group(group: SliceGroup, cost: GroupCost) -> dict[str, Any]:
    shape = group.shape
    return {
        "key": group.key,
        "path": format_path(group.path),
        "generation": shape.generation,
        "topology": str(shape.topology),
        "machine_type": shape.machine_type if group.pools else None,
        "accelerator": shape.accelerator_label,
        "node_selector": group.node_selector,
        "multi_host": shape.multi_host,
        "chips_per_host": shape.chips_per_host,
        "hosts_per_slice": shape.hosts,
        "chips_per_slice": shape.chips,
        "slices": _range(group.slices),
        "hosts": _range(group.hosts),
        "chips": _range(group.chips),
        "zone": group.zone,
        "capacity": group.plan.capacity.mode,
        "reservation": group.plan.capacity.reservation.name if group.plan.capacity.reservation else None,
        "workload_policy": group.policy_name,
        "protect": bool(group.protect),
        "usd_per_hour": _usd(cost.usd),
        "usd_unknown_because": cost.unknown or None,
        "autopilot_premium_usd_per_hour": _usd(cost.premium_usd),
        "pools": [_pool(group, pool) for pool in group.pools],
    }


def _pool(group: SliceGroup, pool: NodePool) -> dict[str, Any]:
    shape = group.shape
    limits = None
    if pool.autoscaled:
        kind = "per_zone" if shape.multi_host else "total"
        limits = {"min": pool.hosts.minimum, "max": pool.hosts.maximum, "kind": kind, "location_policy": "ANY"}
    return {
        "name": pool.name,
        "machine_type": shape.machine_type,
        "zone": group.zone,
        "hosts": _range(pool.hosts),
        "chips_per_host": shape.chips_per_host,
        "chips": _range(pool.hosts.times(shape.chips_per_host)),
        "accelerator": shape.accelerator_label,
        "topology": str(shape.topology) if shape.multi_host else None,
        "capacity": group.plan.capacity.mode,
        "autoscaling": limits,
    }


def _line(line: CostLine) -> dict[str, Any]:
    return {
        "what": line.what,
        "slices": _range(line.slices),
        "hosts": _range(line.hosts),
        "chips": _range(line.chips),
        "usd_per_hour": _usd(line.usd),
        "usd_per_month": _usd(line.usd.per_month) if line.usd else None,
        "at_least": line.at_least,
        "at_on_demand_price": line.at_on_demand_price,
        "unknown": list(line.unknown),
    }


def _quota(need: QuotaNeed) -> dict[str, Any]:
    return {
        "metric": need.metric.metric if need.metric else None,
        "fallback": need.fallback.metric if need.fallback else None,
        "dimension": need.metric.dimension if need.metric else None,
        "region": need.region,
        "families": list(need.families),
        "chips": _range(need.chips),
        "groups": list(need.groups),
        "confidence": need.confidence,
    }


def _resource(resource: Resource) -> dict[str, Any]:
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "parent": resource.parent or None,
        "path": resource.plan_path or None,
        "custom": resource.custom,
        "inputs": plain(resource.inputs),
        "options": _options(resource.options),
        "sources": {name: list(urns) for name, urns in resource.sources.items()},
    }


def _options(options: Options) -> dict[str, Any]:
    return {
        "protect": options.protect,
        "delete_before_replace": options.delete_before_replace,
        "replace_on_changes": list(options.replace_on_changes),
        "ignore_changes": list(options.ignore_changes),
        "retain_on_delete": options.retain_on_delete,
        "custom_timeouts": dict(options.custom_timeouts),
        "aliases": list(options.aliases),
        "depends_on": list(options.depends_on),
        "provider": options.provider or None,
    }


def _range(number: Range) -> dict[str, int]:
    return {"min": number.minimum, "max": number.maximum}


def _usd(amount: Usd | None) -> dict[str, str] | None:
    return {"min": str(amount.minimum), "max": str(amount.maximum)} if amount else None

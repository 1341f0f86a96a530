"""The capacity that a snapshot shows: reservations, quota limits, workload policies and versions, as an inventory."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate.quota import plain_metric
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.features.status.blocks import blocks_of, inventory_entry, number_of
from pulumi_gke_tpu.features.status.folder import Snapshot, referred

_READ = ("reservations", "policies", "server-config", "cluster")
_IN_CHIPS = "aggregateReservation"
_IN_VMS = "specificReservation"


def inventory_data(snapshot: Snapshot) -> dict[str, Any]:
    """The inventory, in the keys of its file. What an answer does not have is left out."""
    found: dict[str, Any] = {"version": 1, "as_of": snapshot.taken.date()}
    of = {name: sorted(of for known, of in snapshot.answers if known == name) for name in _READ}
    clusters = {key: text(mapping(snapshot.answers["cluster", key]).get("location")) for key in of["cluster"]}
    sections = {
        "reservations": [entry for project in of["reservations"] for entry in _reservations(snapshot, project)],
        "quotas": [*quota_limits(snapshot)],
        "workload_policies": [item for project in of["policies"] for item in _policies(snapshot, project)],
        "gke_versions": {
            clusters[key]: versions
            for key in of["server-config"]
            if clusters.get(key) and (versions := _versions(mapping(snapshot.answers["server-config", key])))
        },
    }
    is_known = {"reservations": bool(of["reservations"]), "workload_policies": bool(of["policies"])}
    return found | {name: section for name, section in sections.items() if section or is_known.get(name)}


def quota_limits(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """The limits of quotas by region and family, in chips."""
    for (name, of), answer in snapshot.answers.items():
        if name != "quota":
            continue
        project, metric = of.partition("/")[0], plain_metric(text(mapping(answer).get("metric")))
        for each in map(mapping, items(mapping(answer).get("dimensionsInfos"))):
            dimensions, limit = mapping(each.get("dimensions")), number_of(mapping(each.get("details")).get("value"))
            region, family = (text(dimensions.get(key)) for key in ("region", "tpu_family"))
            region = region or text(dimensions.get("zone"))
            if metric and region and limit is not None:
                entry = {"project": project, "metric": metric, "family": family, "region": region, "limit": limit}
                yield {key: value for key, value in entry.items() if value != ""}


def limit_of(limits: list[dict[str, Any]], metric: QuotaMetric, project: str, region: str) -> int | None:
    """The limit of a quota in a region; None if it was not read. -1 means that there is none."""
    wanted = (plain_metric(metric.metric), project, region, metric.dimension.lower())
    for each in limits:
        if (each["metric"], each["project"], each["region"], each.get("family", "").lower()) == wanted:
            return int(each["limit"])
    return None


def reservation_of(snapshot: Snapshot, project: str, name: str) -> Mapping[str, Any] | None:
    """A reservation of the snapshot in the keys of an inventory; None if it was not read or does not exist."""
    return next(_reservations(snapshot, project, name), None)


def reservation_answer(snapshot: Snapshot, project: str, name: str) -> Mapping[str, Any]:
    """A reservation as the API answers; empty if it was not read or does not exist."""
    return next((each for each in snapshot.entries("reservations", project) if each.get("name") == name), {})


def sharing_projects(snapshot: Snapshot, project: str, name: str) -> list[str]:
    """The projects with which a reservation is shared, sorted."""
    shared = mapping(reservation_answer(snapshot, project, name).get("shareSettings"))
    return sorted(map(str, mapping(shared.get("projectMap"))))


def hosts_that_exist(cluster: Cluster, group: SliceGroup, snapshot: Snapshot) -> int:
    """The nodes of a group; if no nodes were read, the most that its node pools can have."""
    if snapshot.has("nodes", cluster.key):
        return sum(len(snapshot.nodes.get((cluster.key, pool.name), ())) for pool in group.pools)
    places = {place for place, _ in snapshot.node_pools()}
    here = (pool for pool in group.pools if (cluster.name, cluster.location, pool.name) in places)
    return sum(pool.hosts.maximum for pool in here)


def _reservations(snapshot: Snapshot, project: str, name: str | None = None) -> Iterator[dict[str, Any]]:
    """The reservations of a project in the keys of an inventory, by default those with any name."""
    for each in snapshot.entries("reservations", project):
        if name is not None and each.get("name") != name:
            continue
        entry: dict[str, Any] = {"name": text(each.get("name")), "project": project, "zone": referred(each, "zone")}
        whole, single = mapping(each.get(_IN_CHIPS)), mapping(each.get(_IN_VMS))
        if whole:
            entry |= {
                "family": text(whole.get("vmFamily")).rpartition("_")[2].lower(),
                "chips": _chips(whole, "reservedResources"),
            }
            entry |= {"workload": text(whole.get("workloadType")).lower(), "in_use": _chips(whole, "inUseResources")}
        elif single:
            instance = mapping(single.get("instanceProperties"))
            entry |= {"machine_type": text(instance.get("machineType")), "vms": number_of(single.get("count"))}
            blocks = [inventory_entry(block) for block in blocks_of(snapshot, each)]
            entry["blocks"] = [block for block in blocks if block] or None
            entry |= {"in_use": number_of(single.get("inUseCount"))}
            if instance.get("maintenanceInterval"):
                entry["periodic_maintenance"] = instance["maintenanceInterval"] == "PERIODIC"
        else:
            continue
        shared = mapping(each.get("shareSettings"))
        if shared:
            entry["shared_with"] = sorted(mapping(shared.get("projectMap")))
        if entry["name"] and entry["zone"]:
            yield {key: value for key, value in entry.items() if value not in (None, "")}


def _chips(reservation: Mapping[str, Any], key: str) -> int:
    accelerators = (mapping(mapping(each).get("accelerator")) for each in items(reservation.get(key)))
    return sum(number_of(each.get("acceleratorCount")) or 0 for each in accelerators)


def _policies(snapshot: Snapshot, project: str) -> Iterator[dict[str, Any]]:
    for each in snapshot.entries("policies", project):
        topology = text(mapping(each.get("workloadPolicy")).get("acceleratorTopology"))
        if topology and text(each.get("name")):
            place = {"region": referred(each, "region"), "topology": topology}
            yield {"name": text(each.get("name")), "project": project, **place}


def _versions(answer: Mapping[str, Any]) -> dict[str, list[str]]:
    channels = ((text(each.get("channel")).lower(), each) for each in map(mapping, items(answer.get("channels"))))
    return {name: [*map(text, items(each.get("validVersions")))] for name, each in channels if name}

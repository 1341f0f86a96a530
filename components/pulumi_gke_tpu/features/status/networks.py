"""Whether the ranges of networks that exist have room for the nodes and Pods of a plan."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.addresses import DEFAULT_NETWORK, Subnetwork, node_count, pod_addresses, subnetwork_of
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.plan.networks import ExistingNetwork
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.core.text.formats.names import address_range
from pulumi_gke_tpu.features.status.folder import Snapshot, referred
from pulumi_gke_tpu.features.status.model import Check

_ALL = 2_000
"""The most subnetworks that an answer has. Of a project with as many, some may be missing."""


def address_checks(clusters: Iterable[Cluster], snapshot: Snapshot, catalog: Catalog) -> Iterator[Check]:
    """The ranges of each subnetwork, against all clusters of the plan that share it."""
    users: dict[Subnetwork, list[tuple[Cluster, ExistingNetwork]]] = {}
    for cluster in clusters:
        found = subnetwork_of(cluster)
        if found is not None and snapshot.has("subnetworks", found[0].project):
            users.setdefault(found[0], []).append((cluster, found[1]))
    for wanted, those in users.items():
        entries = [*snapshot.entries("subnetworks", wanted.project)]
        entry = next((each for each in entries if _is(each, wanted)), None)
        if entry is not None:
            yield _of_nodes(wanted, entry, [cluster for cluster, _ in those], catalog)
            yield from _of_ranges(wanted, entry, those, catalog)
        elif len(entries) < _ALL:
            yield _missing(wanted, entries, those[0][1] is DEFAULT_NETWORK)


def _is(entry: Mapping[str, Any], wanted: Subnetwork) -> bool:
    return (text(entry.get("name")), referred(entry, "region")) == (wanted.name, wanted.region)


def _missing(wanted: Subnetwork, entries: Iterable[Mapping[str, Any]], is_default: bool) -> Check:
    others = sorted(text(each.get("name")) for each in entries if referred(each, "region") == wanted.region)
    told = f"{wanted.region} has no subnetwork of this name"
    named = f"Set `subnetwork` to {listed([printable(each) for each in others], 'or', most=5)}" if others else ""
    create = "Set `network: create`" if is_default or not others else ""
    fix = f"{create or named}, or create the subnetwork."
    return Check(f"subnetwork {printable(wanted.name)} of project {wanted.project}", False, told, fix)


def _of_nodes(wanted: Subnetwork, entry: Mapping[str, Any], clusters: list[Cluster], catalog: Catalog) -> Check:
    facts, what = catalog.platform.addresses, f"addresses of nodes in subnetwork {wanted.name} of {wanted.region}"
    found = address_range(text(entry.get("ipCidrRange")))
    needed = sum(max(node_count(cluster), 1) for cluster in clusters)
    if found is None:
        return Check(what, True, "there")
    room = max(found.num_addresses - facts.reserved_in_subnet, 0)
    if needed <= room:
        return Check(what, True, f"{found} has room for {number(room, 'node')}, and the plan has up to {needed:,}")
    length = 32 - (needed + facts.reserved_in_subnet - 1).bit_length()
    place = f"--region={wanted.region} --project={wanted.project}"
    fix = f"gcloud compute networks subnets expand-ip-range {wanted.name} {place} --prefix-length={length}"
    return Check(what, False, f"{found} has room for {number(room, 'node')}, but the plan has up to {needed:,}", fix)


def _of_ranges(
    wanted: Subnetwork, entry: Mapping[str, Any], users: list[tuple[Cluster, ExistingNetwork]], catalog: Catalog
) -> Iterator[Check]:
    """The secondary ranges: those for Pods by the blocks that nodes use, those for Services by their minimum size."""
    ranges = {text(each.get("rangeName")): text(each.get("ipCidrRange")) for each in _secondary(entry)}
    shared: dict[str, list[Cluster]] = {}
    services: dict[str, None] = {}
    for cluster, existing in users:
        if isinstance(existing.pods_range, str):
            shared.setdefault(existing.pods_range, []).append(cluster)
        if isinstance(existing.services_range, str):
            services[existing.services_range] = None
    place = f"subnetwork {wanted.name} of {wanted.region}"
    for name in (*shared, *services):
        if name not in ranges:
            told = listed([printable(each) for each in sorted(ranges)], most=5) if ranges else "none"
            fix = "Use one of these names in `pods_range` and `services_range`, or add the range to the subnetwork."
            yield Check(f"secondary range {printable(name)} of {place}", False, f"the subnetwork has {told}", fix)
    for name, clusters in shared.items():
        found = address_range(ranges.get(name, ""))
        needed = sum(pod_addresses(cluster, catalog) for cluster in clusters if cluster.mode == "standard")
        if found is not None:
            ok, size = needed <= found.num_addresses, f"{found} has {found.num_addresses:,} addresses"
            fix = "Lower `max_pods_per_node` of the slices, or set `pods_range` to a larger range."
            told = f"{size}, {'and' if ok else 'but'} the nodes of the plan use up to {needed:,}"
            yield Check(f"addresses of Pods in range {name} of {place}", ok, told, "" if ok else fix)
    longest = catalog.platform.addresses.longest_services_prefix
    for name in services:
        found = address_range(ranges.get(name, ""))
        if found is not None and found.prefixlen > longest:
            told = f"{found} is smaller than the documented minimum size, /{longest}"
            fix = "Set `services_range` to a larger range."
            yield Check(f"addresses of Services in range {name} of {place}", False, told, fix)


def _secondary(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return map(mapping, items(entry.get("secondaryIpRanges")))

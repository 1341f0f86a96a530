"""Checks of the networks that are created for additional interfaces of hosts: TPU585 to TPU587."""

import itertools
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Rename, quoted
from pulumi_gke_tpu.core.text.formats.names import Range, address_range

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)


@rule(
    "TPU585",
    "unknown-interface-network",
    about=("clusters.*.additional_networks", "clusters.*.slices.*.additional_networks[].name"),
    title="Unknown additional network",
    why="the name of a network interface refers to a network that the cluster creates in `additional_networks`",
    fix="Use the name of a network in `additional_networks` of the cluster, or add the network there. For an existing "
    "network, set `network` and `subnetwork`.",
    source="gke-tpu: names in a plan",
    basis="format",
    failing="""
mode: standard
location: us-east5
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [storage]}
""",
    edit=("additional_networks: [storage]", "additional_networks: [data]"),
)
def unknown_interface_network(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, group in plan_groups(context):
        if cluster.mode != "standard":
            continue
        known = cluster.plan.additional_networks
        for index, item in enumerate(group.additional_networks):
            if item.name is not None and item.name not in known:
                where = f"`additional_networks` of {quoted(cluster.key)}"
                yield Hit.unknown(
                    (*path, "additional_networks", index, "name"),
                    "additional network",
                    item.name,
                    f"it is not in {where}" if known else f"{where} is not set",
                    allowed=tuple(known),
                )


@rule(
    "TPU586",
    "overlapping-interface-ranges",
    about=("clusters.*.additional_networks.*.subnet", "clusters.*.network", "clusters.*.slices.*.additional_networks"),
    title="Overlapping ranges of network interfaces",
    why="Compute Engine rejects a VM if the subnetworks of two of its network interfaces have overlapping ranges",
    fix="Change one of the ranges so that the ranges no longer overlap.",
    references=["compute-multiple-interfaces"],
    basis="catalog",
    note="interface-ranges",
    failing="""
mode: standard
location: us-east5
network: create
additional_networks: {data: {subnet: 10.0.8.0/24}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
""",
    edit=("subnet: 10.0.8.0/24", "subnet: 10.64.0.0/20"),
)
def overlapping_interface_ranges(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        pairs: dict[tuple[Path, str], Range] = {}
        for group in cluster.plan.slices.values():
            for (_, theirs, other), (path, mine, _) in itertools.combinations(_ranges(cluster, group), 2):
                if mine.overlaps(theirs):
                    pairs[path, f"{other} {theirs}"] = mine
        for (path, other), mine in pairs.items():
            yield Hit(path, f"subnetwork {mine} overlaps {other}, and hosts have an interface in each of them")


def _ranges(cluster: Cluster, group: SliceGroupSpec) -> Iterator[tuple[Path, Range, str]]:
    """The known ranges of the interfaces of a group: path, range, and whose it is. The first one is of the cluster."""
    create = cluster.plan.network.create if cluster.plan.network is not None else None
    if create is not None and (own := address_range(create.subnet)) is not None:
        yield (*cluster.path, "network", "create", "subnet"), own, "the subnetwork of the cluster,"
    names = {item.name for item in group.additional_networks}
    for network in cluster.additional_networks:
        if network.path[-1] in names and (found := address_range(network.plan.subnet)) is not None:
            yield (*network.path, "subnet"), found, f"that of {quoted(network.path[-1])},"


@rule(
    "TPU587",
    "invalid-network-key",
    about=("clusters.*.additional_networks",),
    title="Invalid name of an additional network",
    why="gke-tpu names the network after its cluster and key. Compute Engine requires a name of lower-case letters, "
    "digits and hyphens that does not end with a hyphen",
    fix="Use lower-case letters, digits and hyphens in the key of the network.",
    references=["container-api-discovery"],
    basis="catalog",
    note="compute-name-form",
    failing="""
mode: standard
location: us-east5
additional_networks: {data_plane: {subnet: 10.64.0.0/20}}
""",
    edit=("data_plane: {subnet: 10.64.0.0/20}", "data-plane: {subnet: 10.64.0.0/20}"),
)
def invalid_network_key(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            key = str(network.path[-1])
            if not _NAME.match(key):
                near = re.sub(r"[^a-z0-9]+", "-", key[:60].lower()).strip("-")
                yield Hit.invalid(
                    network.path,
                    "network name",
                    key or "(empty)",
                    "use lower-case letters, digits and hyphens",
                    fix=Rename.to(near),
                )

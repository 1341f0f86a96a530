"""TPU581 to TPU587: additional network interfaces of hosts, and the networks that are created for them."""

import itertools
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, configured_groups, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, listed, quoted
from pulumi_gke_tpu.core.text.formats.names import Range, address_range
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_EXTRA = "network-extra-nics"


@rule(
    "TPU581",
    about=of_groups("additional_networks", "network_profile"),
    title="`network_profile` conflicts with `additional_networks`",
    why="with a network profile, GKE creates the network interfaces itself and accepts no other interfaces",
    fix="Remove `network_profile` or `additional_networks`.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    failing=in_group("""
network_profile: auto
additional_networks: [{network: tpu-net-1, subnetwork: tpu-subnet-1}]
"""),
    edit=("network_profile: auto\n", ""),
)
def conflicting_network_interfaces(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, group in plan_groups(context):
        if cluster.mode == "standard" and group.network_profile and group.additional_networks:
            yield Hit.conflict(
                (*path, "network_profile"),
                "`network_profile`",
                "`additional_networks`",
                fact=note_by_id(context.catalog.platform.notes, _EXTRA),
                allowed=("either network_profile or additional_networks",),
            )


@rule(
    "TPU582",
    about=of_clusters("security.dataplane_v2", "slices.*.network_profile"),
    title="Additional network interfaces require Dataplane V2",
    why="GKE creates additional network interfaces only in clusters with Dataplane V2. Dataplane V2 cannot be "
    "enabled after the cluster is created",
    fix="Keep Dataplane V2 enabled.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    failing=in_cluster("""
security: {dataplane_v2: false}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, network_profile: auto}
"""),
    edit=("security: {dataplane_v2: false}\n", ""),
)
def interfaces_without_dataplane_v2(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot" or security_settings(cluster).dataplane_v2.value is not False:
            continue
        wanting = [
            key for key, group in cluster.plan.slices.items() if group.network_profile or group.additional_networks
        ]
        if wanting:
            groups = listed([f"{cluster.key}/{key}" for key in wanting], most=1)
            yield Hit(
                (*cluster.path, "security", "dataplane_v2"),
                f"the network interfaces of {groups} require Dataplane V2",
                fact=note_by_id(context.catalog.platform.notes, _EXTRA),
                fix=None if cluster.existing else SetKeys.of(dataplane_v2=True),
            )


@warning(
    "TPU583",
    about=of_groups("network_profile"),
    title="Network profile is not documented for the machine family",
    why="the GKE documentation describes the network profile only for other machine families, and published tools "
    "disable the profile for this machine family. GKE may reject the profile",
    fix="Use `additional_networks` instead, or remove `network_profile`.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    failing=in_group("network_profile: auto", tpu="v5p", topology="2x2x2", zone="us-east5-a"),
    passing=in_group("network_profile: auto"),
)
def undocumented_network_profile(context: PlanContext) -> Iterable[Hit]:
    for _, group in configured_groups(context):
        if group.plan.network_profile is None:
            continue
        network = context.catalog.platform.network
        if group.shape.family not in network.profile_families:
            yield Hit(
                (*group.path, "network_profile"),
                f"the network profile is not documented for {hardware(group.shape.generation, group.shape.family)}",
                fact=network.for_item("profile_families"),
                allowed=network.profile_families,
            )


@rule(
    "TPU584",
    about=of_groups("additional_networks[].network"),
    title="Two network interfaces use the same network",
    why="each network interface of a host requires a different network",
    fix="Use a different network for each interface.",
    references=["cluster-toolkit-node-pool", "cluster-toolkit-tpu7x"],
    failing="""
tpu: v6e
topology: 4x4
additional_networks: [{network: tpu-net-1, subnetwork: tpu-subnet-1}, {network: tpu-net-1, subnetwork: tpu-subnet-2}]
""",
    edit=("network: tpu-net-1, subnetwork: tpu-subnet-2", "network: tpu-net-2, subnetwork: tpu-subnet-2"),
)
def duplicate_interface_network(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, group in plan_groups(context):
        if cluster.mode != "standard" or not group.additional_networks:
            continue
        own = cluster.plan.network.existing if cluster.plan.network is not None else None
        taken = {("network", own.network): "the cluster"} if own is not None and isinstance(own.network, str) else {}
        for index, item in enumerate(group.additional_networks):
            key, name = ("network", item.network) if item.name is None else ("name", item.name)
            if not isinstance(name, str):
                continue
            if (key, name) in taken:
                yield Hit.duplicate(
                    (*path, "additional_networks", index, key),
                    "network",
                    name,
                    f"{taken[key, name]} already uses this network",
                    fact=note_by_id(context.catalog.platform.notes, _EXTRA),
                )
            taken.setdefault((key, name), f"interface {index + 1}")


_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)


@rule(
    "TPU585",
    plans_only="a network interface names its network itself",
    about=of_clusters("additional_networks", "slices.*.additional_networks[].name"),
    title="Unknown additional network",
    why="the name of a network interface refers to a network that the cluster creates in `additional_networks`",
    fix="Use the name of a network in `additional_networks` of the cluster, or add the network there. For an existing "
    "network, set `network` and `subnetwork`.",
    source="gke-tpu: names in a plan",
    failing=in_cluster("""
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [storage]}
"""),
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
    plans_only="the networks of additional interfaces are described as existing ones",
    about=of_clusters("additional_networks.*.subnet", "network", "slices.*.additional_networks"),
    title="Overlapping ranges of network interfaces",
    why="Compute Engine rejects a VM if the subnetworks of two of its network interfaces have overlapping ranges",
    fix="Change one of the ranges so that the ranges no longer overlap.",
    references=["compute-multiple-interfaces"],
    note="interface-ranges",
    failing=in_cluster("""
network: create
additional_networks: {data: {subnet: 10.0.8.0/24}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
"""),
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
    plans_only="a network of another tool has a name of its own",
    about=of_clusters("additional_networks"),
    title="Invalid name of an additional network",
    why="gke-tpu names the network after its cluster and key. Compute Engine requires a name of lower-case letters, "
    "digits and hyphens that does not end with a hyphen",
    fix="Use lower-case letters, digits and hyphens in the key of the network.",
    references=["container-api-discovery"],
    note="compute-name-form",
    failing=in_cluster("additional_networks: {data_plane: {subnet: 10.64.0.0/20}}"),
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

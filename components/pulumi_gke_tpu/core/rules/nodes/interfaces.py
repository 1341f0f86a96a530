"""TPU581 to TPU584: additional network interfaces of hosts."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, configured_groups, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed

_EXTRA = "network-extra-nics"


@rule(
    "TPU581",
    "conflicting-network-interfaces",
    about=("clusters.*.slices.*.additional_networks", "clusters.*.slices.*.network_profile"),
    title="`network_profile` conflicts with `additional_networks`",
    why="with a network profile, GKE creates the network interfaces itself and accepts no other interfaces",
    fix="Remove `network_profile` or `additional_networks`.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    basis="catalog",
    failing="""
tpu: v6e
topology: 4x4
network_profile: auto
additional_networks: [{network: tpu-net-1, subnetwork: tpu-subnet-1}]
""",
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
    "interfaces-without-dataplane-v2",
    about=("clusters.*.security.dataplane_v2", "clusters.*.slices.*.network_profile"),
    title="Additional network interfaces require Dataplane V2",
    why="GKE creates additional network interfaces only in clusters with Dataplane V2. Dataplane V2 cannot be "
    "enabled after the cluster is created",
    fix="Keep `dataplane_v2` enabled.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    basis="catalog",
    failing="""
mode: standard
location: us-east5
security: {dataplane_v2: false}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, network_profile: auto}
""",
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


@rule(
    "TPU583",
    "undocumented-network-profile",
    about=("clusters.*.slices.*.network_profile",),
    severity=Severity.WARNING,
    title="Network profile is not documented for the machine family",
    why="the GKE documentation describes the network profile only for other machine families, and published tools "
    "disable the profile for this machine family. GKE may reject the profile",
    fix="Use `additional_networks` instead, or remove `network_profile`.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news"],
    failing="tpu: v5p\ntopology: 2x2x2\nzone: us-east5-a\nnetwork_profile: auto",
    passing="tpu: v6e\ntopology: 4x4\nnetwork_profile: auto",
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
    "duplicate-interface-network",
    about=("clusters.*.slices.*.additional_networks[].network",),
    title="Two network interfaces use the same network",
    why="each network interface of a host requires a different network",
    fix="Use a different network for each interface.",
    references=["cluster-toolkit-node-pool", "cluster-toolkit-tpu7x"],
    basis="catalog",
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

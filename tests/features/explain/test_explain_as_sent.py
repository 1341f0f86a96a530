"""What an explanation or a preview states is what is sent, for every group and cluster of every plan.

Each check gives triples: the name of a value, what is stated, and what is sent. Groups with ``extra`` are left out: it
overrides properties of keys only where a rule reports an error.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from support.plan_corpus import KINDS, Source, catalog, source, sources
from support.sampling import sample
from support.shipped import TODAY

from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import is_short_lived
from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declared
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.features.explain.steps import Step
from pulumi_gke_tpu.features.explain.values.cluster import cluster_steps
from pulumi_gke_tpu.features.explain.values.group_nodes import node_steps
from pulumi_gke_tpu.features.explain.values.group_place import place_steps
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView, shape_steps
from pulumi_gke_tpu.features.explain.values.maintenance import group_maintenance
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings, group_account_step
from pulumi_gke_tpu.features.plan.preview.json import PoolOfGroup
from pulumi_gke_tpu.features.plan.preview.texts import cluster_text, settings_of_group, system_text

Triples = Iterator[tuple[str, object, object]]

NAMED = {"zone": "us-east5-b", "tpu": "v6e"}
SETTINGS = {
    "default": {},
    "no-repair": {"upgrade": {"auto_repair": False}},
    "no-upgrade": {"upgrade": {"auto_upgrade": False}},
    "surge": {"upgrade": {"max_surge": 2, "max_unavailable": 1}},
    "only-surge": {"upgrade": {"max_surge": 1}},
    "only-unavailable": {"upgrade": {"max_unavailable": 3}},
    "named-surge": {"upgrade": "surge"},
    "blue-green": {"upgrade": {"strategy": "blue_green", "blue_green": {"pool_soak": "1h"}, "auto_repair": False}},
    "flexible": {"capacity": "flex_start"},
    "queued": {"capacity": "queued"},
    "queued-repair": {"capacity": "queued", "upgrade": {"auto_repair": True}},
    "flexible-queued": {"capacity": {"flex_start": {"queued": True}}},
    "performance": {"boot_disk": {"iops": 5000, "throughput_mbps": 300}},
    "disk-type": {"boot_disk": {"type": "hyperdisk-balanced"}},
    "disk-size": {"boot_disk": {"size_gib": 300}},
    "pods": {"max_pods_per_node": 32},
    "adopted": {"count": {"min": 0, "max": 4}, "adopted": True},
    "adopted-any": {"count": {"min": 0, "max": 4}, "adopted": {"location_policy": "any"}},
    "adopted-balanced": {"count": {"min": 0, "max": 4}, "adopted": {"location_policy": "balanced"}},
    "adopted-fixed": {"adopted": True},
    "fallback": {"fallback": ["on_demand"], "capacity": "spot"},
    "fallback-no-repair": {
        "fallback": ["on_demand"],
        "capacity": "spot",
        "upgrade": {"auto_repair": False},
        "driver_mode": "dynamic_resource_allocation",
        "maintenance": {"end_of_support": True},
    },
    "fallback-no-upgrade": {
        "fallback": ["spot"],
        "capacity": "flex_start",
        "upgrade": {"auto_upgrade": False, "auto_repair": True},
        "driver_mode": "device_plugin",
        "boot_disk": {"size_gib": 200},
        "max_pods_per_node": 64,
    },
}
"""Settings of a group that no other plan of the corpus has, or not alone."""
SCALED = {"machine_type": "n2-standard-8", "min_nodes": 2, "max_nodes": 4, "zones": ["us-east5-a", "us-east5-b"]}
ADOPTED_IN_ZONES = {
    "tpu": "v6e",
    "topology": "2x2",
    "zones": ["us-east5-a", "us-east5-b"],
    "count": {"min": 0, "max": 4},
    "adopted": {"limits": "per_zone", "location_policy": "balanced"},
}
PLANES = {
    "no-dns": {"dns_endpoint": False},
    "networks": {"authorized_networks": {"office": "203.0.113.0/24"}},
    "private": {"private": True},
    "private-networks": {"private": True, "dns_endpoint": False, "authorized_networks": {"office": "10.0.0.0/8"}},
}


def settings() -> Source:
    """Every setting on a multi-host and a single-host group, and every form of the control plane."""
    groups = {
        f"{name}-{number}": {**NAMED, "topology": topology, **setting}
        for name, setting in SETTINGS.items()
        for number, topology in enumerate(("4x4", "2x2"))
    }
    groups["adopted-in-zones"] = ADOPTED_IN_ZONES
    shared = {"mode": "standard", "location": "us-east5"}
    existing = {
        "existing": "projects/acme-ml/locations/us-east5/clusters/shared",
        "mode": "standard",
        "security": {"secure_boot": False},
        "cpu_pools": {
            "head": {"machine_type": "n2-standard-8", "nodes": 3},
            "scaled": SCALED,
            "adopted": {**SCALED, "adopted": {"limits": "per_zone"}},
        },
        "slices": groups,
    }
    planes = {name: {**shared, "control_plane": plane, "private_nodes": True} for name, plane in PLANES.items()}
    pool = {"min_nodes": 2, "machine_type": "e2-standard-8", "zones": ["us-east5-a"]}
    clusters = {"all": {**shared, "slices": groups, "system_pool": pool}, "there": existing, **planes}
    found = source("settings", {"version": 1, "project": "acme-ml", "clusters": clusters}, TODAY)
    assert found is not None
    return found


def plans(kind: str) -> list[Source]:
    return [settings()] if kind == "settings" else sample(sources(kind), 40)


@pytest.fixture(scope="module", params=["settings", *KINDS])
def compared(request: pytest.FixtureRequest) -> list[str]:
    """Every statement of the plans of one kind that differs from what is sent."""
    return [
        f"{plan.name}: {place}: {name}: stated {stated!r}, sent {sent!r}"
        for plan in plans(request.param)
        for place, found in _triples(plan)
        for name, stated, sent in found
        if stated != sent
    ]


def test_every_stated_value_is_the_one_that_is_sent(compared: list[str]) -> None:
    assert compared == []


def _triples(plan: Source) -> Iterator[tuple[str, Triples]]:
    content = parse_plan({key: value for key, value in plan.data.items() if key != "today"}).content
    assert content is not None
    around = Surroundings.of(content, plan.fleet, catalog())
    resources = list(tpu_fleet(plan.fleet, catalog(), plan.data, "fleet"))
    pools = [item for item in resources if item.type == NODE_POOL]
    clusters = {item.name: item for item in resources if item.type == CLUSTER}
    for cluster in plan.fleet.clusters:
        steps = _by_name(
            itertools.takewhile(lambda step: step.name != "total", cluster_steps(catalog(), cluster, around))
        )
        if cluster.key in clusters and not cluster.adopted:  # of which only what the plan states is sent
            yield cluster.key, _created(cluster, clusters[cluster.key].properties, steps)
        if cluster.mode == "standard":
            yield cluster.key, _cpu_pools(cluster, pools, steps)
        classes = {item.name: item.object["spec"] for item in compute_classes(cluster, catalog())}
        for group in cluster.groups:
            if not group.plan.extra:
                yield group.key, _group(cluster, group, pools, classes, around)


def _by_name(steps: Iterable[Step]) -> dict[str, Step]:
    return {step.name: step for step in steps}


def _parts(text: str) -> set[str]:
    return set(text.replace(" and ", ", ").split(", "))


def _created(cluster: Cluster, sent: Any, steps: dict[str, Step]) -> Triples:
    """A cluster that is created, in both modes."""
    channel = sent["releaseChannel"]["channel"]
    word = "none" if channel == "UNSPECIFIED" else channel.lower()
    yield "release channel", steps["release_channel"].value, word
    shown = "no release channel" if word == "none" else f"release channel {word}"
    yield "release channel in the preview", shown in _parts(cluster_text(cluster)), True
    private, plane = sent["privateClusterConfig"], sent["controlPlaneEndpointsConfig"]
    yield "private nodes", steps["private_nodes"].value, str(private["enablePrivateNodes"]).lower()
    ip_word = "private IP endpoint" if private["enablePrivateEndpoint"] else "IP endpoint"
    endpoints = {"DNS endpoint"} if plane["dnsEndpointConfig"]["allowExternalTraffic"] else set()
    endpoints |= {ip_word} if plane["ipEndpointsConfig"]["enabled"] else set()
    yield "endpoints", _parts(steps["control_plane"].value), endpoints
    yield "deletion protection", steps["protection"].value == "enabled", sent["deletionProtection"]
    labels = sorted((sent.get("resourceLabels") or {}).items())
    yield "labels", steps["resource_labels"].value, ", ".join(f"{key}: {value}" for key, value in labels) or "none"
    yield "maintenance", steps["maintenance"].value != "any time", "maintenancePolicy" in sent
    if cluster.mode == "standard":
        on = _parts(steps["security"].value)
        yield "shielded nodes", "shielded_nodes" in on, sent["enableShieldedNodes"]
        yield "Dataplane V2", "dataplane_v2" in on, sent["datapathProvider"] == "ADVANCED_DATAPATH"
        yield "workload identity", "workload_identity" in on, sent["workloadIdentityConfig"] is not None
        yield "auto-provisioning", steps["autoprovisioning"].value != "disabled", sent["clusterAutoscaling"]["enabled"]


def _cpu_pools(cluster: Cluster, pools: list[Declared], steps: dict[str, Step]) -> Triples:
    """The node pools without TPUs, also those in an existing cluster."""
    found = [item for item in pools if item.name.rpartition("/")[0] in (cluster.key, f"{cluster.key}/cpu_pools")]
    explained = {name.partition(".")[2] for name in steps if name.startswith("cpu_pools.")}
    yield "CPU pools", explained, {item.name.rpartition("/")[2] for item in found} - {"system"}
    on = _parts(steps["security"].value)
    for item in found:
        config = item.properties["nodeConfig"]
        if not cluster.adopted:  # what the plan does not state is unknown
            yield "secure boot", "secure_boot" in on, config["shieldedInstanceConfig"]["enableSecureBoot"]
        if "autoscaling" in item.properties and item.name != f"{cluster.key}/system":
            said = steps[f"cpu_pools.{item.name.rpartition('/')[2]}"].because
            yield "limits of a CPU pool", "total number" in said, "totalMaxNodeCount" in item.properties["autoscaling"]
            yield "limits for each zone", "in each zone" in said, "maxNodeCount" in item.properties["autoscaling"]
        if item.name == f"{cluster.key}/system":
            scaling, said = item.properties["autoscaling"], steps["system_pool"]
            low, high, machine = scaling["totalMinNodeCount"], scaling["totalMaxNodeCount"], config["machineType"]
            yield "system pool", said.value, f"{low}..{high} x {machine}"
            shown = f"{low}..{high}" if low != high else f"{high}"
            yield "system pool in the preview", system_text(cluster), f"{shown} × {machine}"
            keys = cluster.plan.system_pool.model_fields_set & _SIZE if cluster.plan.system_pool else set()
            origin = said.because.partition(";")[0].partition(", otherwise ")[0]
            named = {key for key in _SIZE if key in origin}
            yield "keys of the system pool", named or {"from the plan": _SIZE, "the default": set()}[origin], keys
            yield "its zones", "zones chosen by GKE" in said.because, not item.properties["nodeLocations"]


_UNSET = "chosen by GKE"
_SIZE = {"machine_type", "min_nodes", "max_nodes"}


def _group(
    cluster: Cluster, group: SliceGroup, pools: list[Declared], classes: dict[str, Any], around: Surroundings
) -> Triples:
    view = GroupView(catalog(), cluster, group)
    steps = _by_name((*shape_steps(view), *node_steps(view), group_account_step(catalog(), cluster, group)))
    steps["maintenance"] = group_maintenance(view, around)
    place = next(iter(place_steps(view, around, with_prices=False)))
    steps[place.name] = place
    for pool in pools:
        if pool.name.startswith(f"{group.key}/"):
            yield from _upgrade(group, pool.properties, steps)
            yield from _nodes(group, pool, steps)
            yield from _autoscaler(group, pool, steps)
    if group.compute_class is not None:
        yield from _of_class(classes[group.compute_class], steps)


def _upgrade(group: SliceGroup, sent: Any, steps: dict[str, Step]) -> Triples:
    said, settings, management = steps["upgrade"], sent["upgradeSettings"], sent["management"]
    yield "auto-repair", f"auto-repair {_on(management['autoRepair'])}" in _parts(said.value), True
    yield "auto-upgrade", f"auto-upgrade {_on(management['autoUpgrade'])}" in _parts(said.value), True
    if settings is None:
        yield "strategy", said.value.split(",")[0], "strategy chosen by GKE"
    elif settings["strategy"] == "BLUE_GREEN":
        yield "strategy", said.value.split(",")[0], "blue-green"
    else:
        numbers = f"surge {settings['maxSurge']}, unavailable {settings['maxUnavailable']}"
        yield "surge", ", ".join(said.value.split(", ")[:2]), numbers
        written = group.plan.upgrade and (group.plan.upgrade.max_surge, group.plan.upgrade.max_unavailable)
        yield "origin of surge", "the default" in said.because, written in (None, (None, None))
    upgraded = management["autoUpgrade"] and not is_short_lived(group)
    yield "automatic upgrades", steps["maintenance"].value != "no automatic upgrades", upgraded


def _nodes(group: SliceGroup, pool: Declared, steps: dict[str, Step]) -> Triples:
    sent, config = pool.properties, pool.properties["nodeConfig"]
    yield "machine type", steps["machine_type"].value, config["machineType"]
    unset = "unknown" if group.plan.adopted else _UNSET
    yield from _disk(config.get("bootDisk") or {}, ("diskType", "sizeGb"), steps, unset)
    disk = config.get("bootDisk") or {}
    shown = settings_of_group(group).boot_disk
    numbers = [part.split(" ")[0].replace(",", "") for part in shown.split(", ") if part]
    yield "boot disk in the preview", numbers, [str(disk[key]) for key in _DISK if key in disk]
    most = sent.get("maxPodsPerNode")
    yield "Pods per node", steps["max_pods_per_node"].value.split(" (")[0], str(most or unset)
    yield "protection", steps["protection"].value == "enabled", bool(pool.options.protect)
    driver = (config.get("labels") or {}).get(catalog().platform.names.node_labels.tpu_dra_driver) == "true"
    yield "driver", steps["driver_mode"].value == "dynamic_resource_allocation", driver
    networks = (sent["networkConfig"] or {}).get("additionalNodeNetworkConfigs") or []
    listed = steps["additional_networks"].value.split("; ") if "additional_networks" in steps else []
    yield "additional networks", len(listed), len(networks)
    account = config.get("serviceAccount", "default")
    if isinstance(account, str):
        yield "service account", steps["service_account"].value, account
    lines = steps["maintenance"].details
    yield "exclusion of the pool", any(_EXCLUDED in line for line in lines), "maintenancePolicies" in sent
    hosts = any(line.startswith("host maintenance: ") for line in lines)
    yield "host maintenance", hosts, "hostMaintenancePolicy" in config


def _autoscaler(group: SliceGroup, pool: Declared, steps: dict[str, Step]) -> Triples:
    sent, said = pool.properties.get("autoscaling"), steps["autoscaling"].value
    (planned,) = [item for item in group.pools if item.key == pool.name]
    previewed = PoolOfGroup(group, planned).autoscaling
    if sent is None or previewed is None:
        yield "autoscaling", (said, previewed), ("disabled", sent)
        return
    total = "totalMaxNodeCount" in sent
    least, most = ("totalMinNodeCount", "totalMaxNodeCount") if total else ("minNodeCount", "maxNodeCount")
    low, high = sent[least], sent[most]
    policy = None if "autoscaling.locationPolicy" in pool.options.ignore_changes else sent["locationPolicy"]
    yield "limits in the preview", (previewed.min, previewed.max), (low, high)
    yield "kind of limits in the preview", previewed.kind, "total" if total else "per_zone"
    yield "location policy in the preview", previewed.location_policy, policy
    limits = Range(low, high).counted("node")
    form = f"{limits} in all zones together" if total else f"{limits} in each zone"
    if group.shape.multi_host:
        form = f"0 or {high} nodes in each node pool; per-zone limits"
    where = f"location policy {policy}" if policy else "the location policy that the node pools have"
    yield "autoscaling", said, f"{form}, {where}"
    if len(group.zones) > 1:
        zones = steps["zones"].because
        yield "limits of the zones", f"and the limits are {'totals' if total else 'for each zone'};" in zones, True
        yield "location policy of the zones", f"({where})" in zones, True


_DISK = ("diskType", "sizeGb", "provisionedIops", "provisionedThroughput")
_EXCLUDED = "the plan excludes the node pools from minor upgrades"


def _disk(sent: Any, names: tuple[str, str], steps: dict[str, Step], unset: str) -> Triples:
    said = steps["boot_disk"]
    if not sent:
        yield "boot disk", said.value.split(" (")[0], unset
        return
    kind, size = (sent.get(name) for name in names)
    parts = said.value.split(", ")
    yield "boot disk", parts[:2], [kind or "type chosen by GKE", f"{size} GiB" if size else "size chosen by GKE"]
    yield "origin of the boot disk", said.because.split(";")[0], "from the plan"
    yield "performance of the boot disk", len(parts) - 2, sum("rovisioned" in name for name in sent)


def _of_class(spec: Any, steps: dict[str, Step]) -> Triples:
    """A group that a ComputeClass serves."""
    config, nodes = spec.get("nodePoolConfig", {}), spec["priorities"][0]
    said = _parts(steps["upgrade"].value)
    for name, key in (("auto-repair", "autoRepair"), ("auto-upgrade", "autoUpgrade")):
        yield name, {part for part in said if name in part}, {f"{name} {_on(config[key])}"} if key in config else set()
    driver = config.get("tpu", {}).get("driverMode")
    said_driver = steps["driver_mode"].value.replace("_", " ").title().replace(" ", "")
    yield "driver", said_driver, driver or "ChosenByGke"
    yield from _disk(nodes.get("storage", {}), ("bootDiskType", "bootDiskSize"), steps, _UNSET)
    yield "Pods per node", steps["max_pods_per_node"].value, str(nodes.get("maxPodsPerNode", _UNSET))
    excluded = any(_EXCLUDED in line for line in steps["maintenance"].details)
    yield "exclusion of the pools", excluded, "maintenanceExclusion" in config


def _on(flag: bool) -> str:
    return "enabled" if flag else "disabled"

"""Explains the nodes of a slice group: node pools, placement, scaling, labels, disks, upgrades, protection."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.names import POOL_NAME_LIMIT
from pulumi_gke_tpu.core.fleet.scheduling import capacity_selector, claims_chips
from pulumi_gke_tpu.core.fleet.settings import FROM_PLAN, autoscaler_settings, node_settings, upgrade_settings
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.copied import copied_keys
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.features.explain.steps import Step, evidence
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView, location_policy

_SHOWN_POOLS = 4


def node_steps(view: GroupView) -> Iterable[Step]:
    """The steps from the number of slices to the protection of their nodes."""
    yield _slices(view)
    yield _node_pools(view)
    yield _placement(view)
    yield _autoscaling(view)
    yield _totals(view)
    yield _node_selector(view)
    yield _driver(view)
    yield _taint(view)
    yield _boot_disk(view)
    if view.group.plan.additional_networks:
        yield _additional_networks(view)
    yield _max_pods(view)
    yield _upgrade(view)
    yield _protection(view)
    yield from _copied(view)


_EXPLAINED = frozenset(
    {
        "boot_disk.iops",
        "boot_disk.size_gib",
        "boot_disk.throughput_mbps",
        "boot_disk.type",
        "capacity.spot",
        "host_maintenance.interval",
        "max_pods_per_node",
        "network_profile",
        "transparent_hugepages",
    }
)
"""Copied keys that other steps explain, or whose effect they show."""


def _copied(view: GroupView) -> Iterable[Step]:
    """The other keys of the plan that are only copied to a property."""
    for copied in copied_keys(SliceGroupSpec):
        value = copied.of(view.group.plan)
        if value is not None and copied.key not in _EXPLAINED:
            shown = printable(str(value).lower() if isinstance(value, bool) else str(value))
            target = copied.class_field if view.group.compute_class is not None else copied.path
            yield Step(copied.key, shown, f"{FROM_PLAN}; it sets {target}", keys=(copied.key.partition(".")[0],))


def _slices(view: GroupView) -> Step:
    group, plan = view.group, view.group.plan
    if group.compute_class is not None:
        reason = "a ComputeClass keeps no node running without Pods; count or max is the largest number of slices"
    elif plan.indices is not None:
        reason = f"indices: {list(plan.indices)} selects the slices that exist"
    elif plan.min is not None or plan.max is not None:
        reason = "the autoscaler scales between min and max"
    elif group.autoscaled:
        reason = f"node pools with {plan.capacity.mode} capacity are always autoscaled, from 0 to count (default 1)"
    elif plan.count is not None:
        reason = f"count: {plan.count} in the plan"
    elif plan.keeps_size:
        reason = "number at creation; the node pool keeps the present one"
    else:
        reason = "the default, because the plan has no count"
    return Step("slices", str(group.slices), reason, keys=("count", "min", "max", "indices"), topics=("scaling",))


def _node_pools(view: GroupView) -> Step:
    group = view.group
    if group.compute_class is not None:
        reason = f"GKE creates and deletes node pools for ComputeClass {group.compute_class}, because of fallback"
        versions = view.catalog.kubernetes.compute_classes.versions
        reason += f"; from GKE {versions.auto_creation} on, this does not require `autoprovisioning`"
        facts = evidence(view.catalog, versions, "auto_creation")
        return Step("node_pools", "created by GKE", reason, facts, keys=("name", "fallback"))
    if not view.standard:
        reason = (
            "Autopilot has no node pools; it creates nodes for workloads that request this accelerator and topology"
        )
        return Step("node_pools", "none", reason, keys=("name",))
    names = [pool.name for pool in group.pools]
    shown = names if len(names) <= _SHOWN_POOLS else [names[0], names[1], "...", names[-1]]
    if group.shape.multi_host:
        reason = f"one node pool per {group.unit}, with the name NAME-INDEX, also if there is only one {group.unit}"
        size = f"{group.shape.hosts:,} nodes each" if len(names) > 1 else f"{group.shape.hosts:,} nodes"
    else:
        reason = "single-host: one node pool, and each node is a slice"
        size = group.slices.counted("node")
    if any(pool.name != pool.key.rsplit("/", 1)[1] for pool in group.pools):
        reason += f"; longer names end with a hash, because GKE allows {POOL_NAME_LIMIT} characters"
    value = f"{', '.join(shown)} ({size})" if names else "none"
    note = "multi-host-one-pool" if group.shape.multi_host else "single-host-no-topology"
    return Step(
        "node_pools", value, reason, view.proof(note), keys=("name", "pools"), follows_from=("slices", "hosts", "kind")
    )


def _placement(view: GroupView) -> Step:
    group, plan = view.group, view.group.plan
    keys = ("policy",)
    if not view.standard and group.policy_name is not None:
        reason = "created; the ComputeClass names it"
        return Step("placement", f"workload policy {group.policy_name}", reason, keys=keys)
    if not view.standard:
        return Step("placement", "chosen by GKE", f"{_creator(view)} places the nodes", keys=keys)
    if not group.shape.multi_host:
        note = "single-host-no-topology"
        return Step("placement", "none", view.note_text(note) or "single-host", view.proof(note), keys)
    topology = f"topology {group.shape.topology}"
    if group.shape.placement == "compact":
        note = "placement-compact"
        return Step("placement", f"COMPACT, {topology}", view.note_text(note) or "multi-host", view.proof(note), keys)
    if plan.placement is not None:
        value = str(plan.placement.workload_policy)
        made = value in view.cluster.plan.workload_policies
        reason = "from workload_policies of the cluster" if made else "an existing policy from the plan"
    else:
        value, reason = str(group.policy_name), "created; the name consists of cluster, group and topology"
    note = "provision-only" if group.dynamic else f"{group.shape.generation}-workload-policy"
    reason = ". ".join(part for part in (reason, view.note_text(note)) if part)
    return Step("placement", f"workload policy {value}, {topology}", reason, view.proof(note), keys)


def _autoscaling(view: GroupView) -> Step:
    group, topics, from_ = view.group, ("scaling",), ("slices", "kind")
    if not view.standard:
        slices = view.group.counted
        reason = f"{_creator(view)} creates nodes for workloads; cost and quota assume {slices}"
        return Step("autoscaling", f"by {_creator(view)}", reason, topics=topics, follows_from=from_)
    if not group.autoscaled:
        reason = "the node pool keeps its nodes" if group.plan.keeps_size else "count is fixed"
        return Step("autoscaling", "disabled", reason, topics=topics, follows_from=from_)
    autoscaler = autoscaler_settings(group)
    if group.shape.multi_host:
        value = f"0 or {group.shape.hosts:,} nodes in each node pool; per-zone limits, {location_policy(autoscaler)}"
        note = "multi-host-per-zone-limit"
        reason = ". ".join(
            part for part in ("a slice has either all of its hosts or none", view.note_text(note)) if part
        )
        return Step("autoscaling", value, reason, view.proof(note), topics=topics, follows_from=from_)
    nodes = autoscaler.nodes(group.hosts, group.zones).counted("node")
    if autoscaler.limits.value == "total":
        value, reason = f"{nodes} in all zones together", "the limit is a total limit, not a limit per zone"
    else:
        value, reason = f"{nodes} in each zone", f"the limit is a limit per zone, {autoscaler.limits.note}"
    value, reason = f"{value}, {location_policy(autoscaler)}", f"each node is a slice; {reason}"
    return Step("autoscaling", value, reason, topics=topics, follows_from=from_)


def _totals(view: GroupView) -> Step:
    group = view.group
    hosts = f"{number(group.shape.hosts, 'host')} of {number(group.shape.chips_per_host, 'chip')}"
    reason = f"{group.counted} x {hosts}"
    value = f"{group.hosts.counted('host')}, {group.chips.counted('chip')}"
    return Step("total", value, reason, follows_from=("slices", "hosts", "chips"))


def _node_selector(view: GroupView) -> Step:
    shape = view.group.shape
    family = view.generation.families[shape.family]
    lines = tuple(f"{key}: {value}" for key, value in view.group.node_selector.items())
    own = f"; the plan adds {listed(sorted(view.group.plan.node_labels))}" if view.group.plan.node_labels else ""
    names = view.catalog.platform.names
    served = view.group.compute_class
    requested = (
        not view.standard
        and served is None
        and bool(capacity_selector(view.group.plan.capacity, names.capacity_labels))
    )
    mode = view.group.plan.capacity.mode.replace("_", "-")
    capacity = (
        f"; on Autopilot, a Pod without all of them gets on-demand capacity instead of {mode}" if requested else ""
    )
    return Step(
        "node_selector",
        served or ", ".join((shape.accelerator_label, *([] if view.group.dynamic else [str(shape.topology)]))),
        "workloads select the ComputeClass alone, which stands for all labels of its nodes"
        if served
        else f"GKE sets these labels on the nodes, and workloads select them{own}{capacity}",
        evidence(view.catalog, family, "accelerator_label")
        + (evidence(view.catalog, names.capacity_labels) if requested else ()),
        keys=("accelerator_label", "node_labels", *view.group.node_selector),
        details=lines,
    )


def _driver(view: GroupView) -> Step:
    feature = view.catalog.versions.features.get("tpu_dra_driver")
    facts, keys = evidence(view.catalog, feature), ("driver_mode",)
    written = view.group.plan.driver_mode
    if view.group.compute_class is not None and written is not None:
        reason = f"from the plan; nodePoolConfig.tpu.driverMode of {_creator(view)}"
        return Step("driver_mode", written, reason, facts, keys)
    if not view.standard:
        reason = "a ComputeClass sets the driver with nodePoolConfig.tpu.driverMode"
        return Step("driver_mode", "chosen by GKE", reason, facts, keys)
    labels = view.catalog.platform.names.node_labels
    if not claims_chips(view.group, view.catalog):
        reason = "GKE's device plugin assigns the chips of a host to Pods that request google.com/tpu"
        return Step("driver_mode", "device_plugin", reason, keys=keys)
    claims = view.catalog.kubernetes.pods.resource_claims
    reason = (
        f"the label {labels.tpu_dra_driver} disables the device plugin; install the TPU DRA driver, from which Pods "
        f"claim devices of the class {claims.device_class}"
    )
    return Step("driver_mode", "dynamic_resource_allocation", reason, (*facts, *evidence(view.catalog, claims)), keys)


def _taint(view: GroupView) -> Step:
    labels = view.catalog.platform.names.labels
    own = [f"{taint.key}={taint.value}:{taint.written_effect}" for taint in view.group.plan.taints]
    reason = "GKE sets this taint on every TPU node"
    if own:
        reason += f"; the plan adds {listed(own)}"
    return Step("taint", labels.tpu_taint, reason, evidence(view.catalog, labels, "tpu_taint"), keys=("taints",))


_KEPT = "the plan does not set it, so the node pools keep what they have"


def _boot_disk(view: GroupView) -> Step:
    family = view.catalog.disks.families.get(view.group.shape.family)
    disk = node_settings(view.group, view.catalog, view.cluster.mode).boot_disk
    facts = evidence(view.catalog, family) if family else ()
    types = (
        f"{view.group.shape.family} supports {listed(family.boot, 'or')}" if family else "its disk types are unknown"
    )
    if disk.type.written and not view.standard and view.group.compute_class is None:
        types += "; on Autopilot, boot_disk has no effect"
    if not disk.any_sent and view.group.plan.adopted is not None:
        return Step("boot_disk", "unknown", f"{_KEPT}; {types}", facts, topics=("disks",))
    if not disk.any_sent:
        usual = ", ".join([*([disk.type.value] if disk.type.value else []), f"{disk.size_gib.value} GiB"])
        reason = f"{disk.type.note}; {types}"
        return Step("boot_disk", f"chosen by GKE (usually {usual})", reason, facts, topics=("disks",))
    parts = [
        disk.type.sent or "type chosen by GKE",
        f"{disk.size_gib.sent} GiB" if disk.size_gib.sent else "size chosen by GKE",
        *disk.performance,
    ]
    return Step("boot_disk", ", ".join(parts), f"{FROM_PLAN}; {types}", facts, topics=("disks",))


def _additional_networks(view: GroupView) -> Step:
    networks = view.group.plan.additional_networks
    names = [
        f"{network.name} (created with the cluster)" if network.name else f"{network.network}, {network.subnetwork}"
        for network in networks
    ]
    reason = f"from the plan: every host has {number(len(networks), 'additional network interface')}"
    return Step("additional_networks", "; ".join(names), reason)


def _max_pods(view: GroupView) -> Step:
    nodes, pods = view.catalog.platform.nodes, node_settings(view.group, view.catalog).max_pods_per_node
    if pods.written:
        facts = evidence(view.catalog, nodes, "max_pods_per_node")
        reason = f"{pods.note}; a TPU node can have at most {nodes.max_pods_per_node}"
        return Step("max_pods_per_node", str(pods.value), reason, facts)
    if not view.standard:
        return Step("max_pods_per_node", "chosen by GKE", f"{pods.note}; {_creator(view)} creates the nodes")
    facts = evidence(view.catalog, nodes, "default_pods_per_node")
    most = f"a TPU node can have at most {nodes.max_pods_per_node}"
    if view.group.plan.adopted is not None:
        return Step("max_pods_per_node", "unknown", f"{_KEPT}; {most}", facts)
    value, reason = f"chosen by GKE (usually {pods.value})", f"{pods.note}; {most}"
    return Step("max_pods_per_node", value, reason, facts)


def _upgrade(view: GroupView) -> Step:
    topics = ("maintenance",)
    upgrade = upgrade_settings(view.group)
    flags = {"auto-repair": upgrade.auto_repair, "auto-upgrade": upgrade.auto_upgrade}
    kept = [f"{name} {_on(flag.sent)}" for name, flag in flags.items() if flag.sent is not None]
    if view.group.compute_class is not None:
        origin, note = f"{FROM_PLAN}; " if kept else "", upgrade.strategy.note
        value = ", ".join(["strategy chosen by GKE", *kept]) if kept else "chosen by GKE"
        return Step("upgrade", value, f"{origin}{note}", topics=topics)
    if not view.standard:
        reason = view.note_text("autopilot-surge") or "Autopilot has no settings"
        return Step("upgrade", "chosen by GKE", reason, view.proof("autopilot-surge"), topics=topics)
    own = ((name, flag.note) for name, flag in flags.items() if flag.origin in ("plan", "capacity_mode"))
    if upgrade.strategy.value == "blue_green":
        value, reason, facts = "blue-green", upgrade.strategy.note, view.proof("blue-green-doubles")
    elif upgrade.strategy.value == "surge":
        value = f"surge {upgrade.max_surge.value}, unavailable {upgrade.max_unavailable.value}"
        reason = next((item.note for item in (upgrade.max_surge, upgrade.max_unavailable) if item.written), "")
        reason = reason or upgrade.max_surge.note
        facts = evidence(view.catalog, view.catalog.maintenance.upgrade_defaults)
    else:
        value, facts = "strategy chosen by GKE", view.proof("short-lived")
        reason = view.note_text("short-lived") or upgrade.strategy.note
    also = "" if reason == FROM_PLAN else "".join(f"; {name} is {note}" for name, note in own)
    return Step("upgrade", ", ".join([value, *kept]), f"{reason}{also}", facts, topics=topics)


def _creator(view: GroupView) -> str:
    """What creates the nodes of a group without node pools of gke-tpu."""
    return "Autopilot" if view.group.compute_class is None else f"ComputeClass {view.group.compute_class}"


def _on(flag: bool) -> str:
    return "enabled" if flag else "disabled"


def _protection(view: GroupView) -> Step:
    group, plan = view.group, view.group.plan
    keys = ("protect",)
    if not view.standard:
        return Step("protection", "none", f"{_creator(view)} has no node pools to protect", keys=keys)
    if group.protect is None:
        reason = f"{plan.capacity.mode} capacity is not protected by default; to protect it, set `protect: true`"
        return Step("protection", "disabled", reason, keys=keys)
    if plan.protect is not None and group.protect == plan.protect:
        return Step("protection", _on(group.protect), f"protect: {str(plan.protect).lower()} in the plan", keys=keys)
    if group.protect:
        reason = (
            "reserved capacity is protected by default; to lift the protection, add an `acknowledge` entry or set "
            "`protect: false`"
        )
        return Step("protection", "enabled", reason, keys=keys)
    return Step("protection", "disabled", "lifted by an `acknowledge` entry of the plan", keys=keys)

"""TPU node pools: the properties and options of ``gcp.container.NodePool`` for one pool of a group."""

from typing import Any

import pulumi

from pulumi_gke_tpu.catalog.records.provider import replace_paths
from pulumi_gke_tpu.components.inputs import given, merge_extra, to_input
from pulumi_gke_tpu.components.site import Site, former_names, timeouts
from pulumi_gke_tpu.components.tokens import NODE_POOL
from pulumi_gke_tpu.fleet import NodePool, SliceGroup
from pulumi_gke_tpu.fleet.labels import labels_of_keys
from pulumi_gke_tpu.plan.slices import Reservation, Upgrade

_RESERVATION_KEY = "compute.googleapis.com/reservation-name"


def pool_properties(
    site: Site, group: SliceGroup, pool: NodePool, policy_name: pulumi.Input[str] | None
) -> dict[str, Any]:
    """The pool's properties, in Python names. Defaults that must not change later are sent explicitly."""
    plan = group.plan
    properties = {
        "name": pool.name,
        "cluster": site.cluster_name,
        "project": site.project,
        "location": site.location,
        "node_locations": [group.zone],
        "node_config": _node_config(site, group),
        "network_config": given(
            enable_private_nodes=site.private_nodes,
            accelerator_network_profile=plan.network_profile,
            additional_node_network_configs=[
                {"network": to_input(item.network), "subnetwork": to_input(item.subnetwork)}
                for item in plan.additional_networks
            ]
            or None,
        )
        or None,
        "management": _management(group),
        **_size(group, pool),
        **given(max_pods_per_node=plan.max_pods_per_node, upgrade_settings=_upgrade_settings(group)),
    }
    if group.shape.multi_host:
        properties["placement_policy"] = _placement(group, policy_name)
    if plan.capacity.is_queued:
        properties["queued_provisioning"] = {"enabled": True}
    if plan.maintenance and plan.maintenance.end_of_support:
        properties["maintenance_policies"] = [{"exclusion_until_end_of_supports": [{"enabled": True}]}]
    return merge_extra(properties, plan.extra, site.catalog.provider, NODE_POOL)


def pool_options(site: Site, group: SliceGroup, pool: NodePool, parent: pulumi.Resource) -> pulumi.ResourceOptions:
    """The pool's options.

    ``replace_on_changes`` names what GKE fixes at creation although the provider plans an update; with it goes
    ``delete_before_replace``, since the replacement keeps the explicit name. A static multi-host pool is replaced too
    when it stops being autoscaled: GKE refuses to resize it by hand, and it would stay at zero nodes.
    """
    static_slice = group.shape.multi_host and not pool.autoscaled
    return pulumi.ResourceOptions(
        parent=parent,
        aliases=former_names(pool.former_keys),
        protect=group.protect,
        delete_before_replace=True,
        replace_on_changes=[
            *replace_paths(site.catalog.provider, NODE_POOL),
            *(["autoscaling"] if static_slice else []),
        ],
        ignore_changes=["initialNodeCount", "nodeCount"] if pool.autoscaled else None,
        custom_timeouts=timeouts(group.plan.timeouts),
        hooks=site.pool_hooks,
    )


def _node_config(site: Site, group: SliceGroup) -> dict[str, Any]:
    plan, capacity = group.plan, group.plan.capacity
    return given(
        machine_type=group.shape.machine_type,
        service_account=site.service_account,
        oauth_scopes=[site.catalog.platform.hardening.oauth_scope],
        labels=_labels(group) or None,
        taints=[{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in plan.taints] or None,
        resource_labels={**site.resource_labels, **plan.resource_labels} or None,
        spot=capacity.spot,
        flex_start=True if capacity.flex_start else None,
        max_run_duration=_run_duration(group),
        reservation_affinity=_reservation_affinity(capacity.reservation),
        boot_disk=given(
            disk_type=plan.boot_disk.type,
            size_gb=plan.boot_disk.size_gib,
            provisioned_iops=plan.boot_disk.iops,
            provisioned_throughput=plan.boot_disk.throughput_mbps,
        )
        if plan.boot_disk
        else None,
        secondary_boot_disks=[
            given(
                disk_image=plan.secondary_boot_disk.image,
                mode=plan.secondary_boot_disk.mode.upper() if plan.secondary_boot_disk.mode else None,
            )
        ]
        if plan.secondary_boot_disk
        else None,
        host_maintenance_policy={"maintenance_interval": plan.host_maintenance.interval.upper()}
        if plan.host_maintenance
        else None,
        gvnic={"enabled": True},
        shielded_instance_config={"enable_secure_boot": site.secure_boot, "enable_integrity_monitoring": True},
        workload_metadata_config={"mode": "GKE_METADATA"} if site.workload_identity else None,
        kubelet_config={"insecure_kubelet_readonly_port_enabled": "FALSE"},
    )


def _labels(group: SliceGroup) -> dict[str, Any]:
    set_by_keys = {label: item.value for label, item in labels_of_keys(group.plan).items()}
    return {**group.plan.node_labels, **set_by_keys}


def _run_duration(group: SliceGroup) -> str | None:
    flex_start = group.plan.capacity.flex_start
    if flex_start is None or flex_start.max_run_duration is None:
        return None
    return f"{int(flex_start.max_run_duration.total_seconds())}s"


def _reservation_affinity(reservation: Reservation | None) -> dict[str, Any]:
    """Adding or removing an affinity later replaces the pool, so its absence is said too."""
    if reservation is None:
        return {"consume_reservation_type": "NO_RESERVATION"}
    path = (
        f"projects/{reservation.project}/reservations/{reservation.name}" if reservation.project else reservation.name
    )
    if reservation.block:
        path += f"/reservationBlocks/{reservation.block}"
    if reservation.sub_block:
        path += f"/reservationSubBlocks/{reservation.sub_block}"
    return {"consume_reservation_type": "SPECIFIC_RESERVATION", "key": _RESERVATION_KEY, "values": [path]}


def _placement(group: SliceGroup, policy_name: pulumi.Input[str] | None) -> dict[str, Any]:
    """A slice bound to a workload policy sends an empty type: any other differs from what GKE stores, for ever."""
    topology = str(group.shape.topology)
    if policy_name is None:
        return {"type": "COMPACT", "tpu_topology": topology}
    return {"type": "", "policy_name": policy_name, "tpu_topology": topology}


def _size(group: SliceGroup, pool: NodePool) -> dict[str, Any]:
    """Node counts.

    A multi-host slice is whole or gone: static, its count drifts while a host is repaired and cannot be set again, so
    the provider is told not to look; autoscaled, it takes per-zone limits (the total ones are refused) and any zone.
    """
    if not pool.autoscaled:
        static: dict[str, Any] = {"node_count": pool.hosts.maximum}
        return static | {"ignore_node_count_changes": True} if group.shape.multi_host else static
    if group.shape.multi_host:
        limits = {"min_node_count": 0, "max_node_count": pool.hosts.maximum}
    else:
        limits = {"total_min_node_count": pool.hosts.minimum, "total_max_node_count": pool.hosts.maximum}
    return {"initial_node_count": pool.hosts.minimum, "autoscaling": {**limits, "location_policy": "ANY"}}


def _management(group: SliceGroup) -> dict[str, bool]:
    upgrade = group.plan.upgrade or Upgrade()
    waits_for_capacity = group.plan.capacity.mode in ("flex_start", "queued")
    repair = not waits_for_capacity if upgrade.auto_repair is None else upgrade.auto_repair
    return {"auto_repair": repair, "auto_upgrade": upgrade.auto_upgrade is not False}


def _upgrade_settings(group: SliceGroup) -> dict[str, Any] | None:
    """Without spare capacity by default. GKE itself sets the strategy of flex-start and queued pools."""
    if group.plan.capacity.mode in ("flex_start", "queued"):
        return None
    upgrade = group.plan.upgrade or Upgrade()
    if upgrade.strategy == "blue_green":
        settings = upgrade.blue_green
        rollout = (
            given(
                batch_percentage=settings.batch_percentage,
                batch_node_count=settings.batch_node_count,
                batch_soak_duration=_seconds(settings.batch_soak),
            )
            if settings
            else {}
        )
        blue_green = given(
            standard_rollout_policy=rollout or None,
            node_pool_soak_duration=_seconds(settings.pool_soak) if settings else None,
        )
        return {"strategy": "BLUE_GREEN", **({"blue_green_settings": blue_green} if blue_green else {})}
    unavailable = upgrade.max_unavailable
    surge = upgrade.max_surge or 0
    return {
        "strategy": "SURGE",
        "max_surge": surge,
        "max_unavailable": (0 if surge else 1) if unavailable is None else unavailable,
    }


def _seconds(duration: Any) -> str | None:
    return None if duration is None else f"{int(duration.total_seconds())}s"

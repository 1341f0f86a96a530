"""ComputeClasses: one for each slice group with capacity modes to fall back to, and those for Pods without chips."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, security_settings, upgrade_settings
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import without_empty
from pulumi_gke_tpu.core.plan import Unknown
from pulumi_gke_tpu.core.plan.capacity import Reservation
from pulumi_gke_tpu.core.plan.copied import with_class_fields
from pulumi_gke_tpu.core.plan.kubernetes import ComputeClassSpec
from pulumi_gke_tpu.core.plan.slices import SecondaryBootDisk, Taint
from pulumi_gke_tpu.core.text.formats.names import service_account_email, taint_effect
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PROJECT = lazy_pattern(r"(?:^|/)projects/([^/]+)/")
"""The project in the path of an image."""


def compute_classes(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """The ComputeClass of each slice group that one serves, then those of the plan, each in the order of the plan."""
    kind = catalog.kubernetes.kinds.objects["compute_class"]
    for group in cluster.groups:
        if group.compute_class is not None:
            spec = _spec(cluster, group, catalog)
            yield manifest("compute-classes", kind, group.compute_class, group.path, {"spec": spec})
    for name, plan in cluster.compute_classes.items():
        spec = _spec_without_chips(cluster, plan, catalog)
        yield manifest(
            "compute-classes", kind, name, (*cluster.path, "kubernetes", "compute_classes", name), {"spec": spec}
        )


def _spec_without_chips(cluster: Cluster, plan: ComputeClassSpec, catalog: Catalog) -> dict[str, Any]:
    """The specification of a class for Pods without chips; ``whenUnsatisfiable`` as in the other classes."""
    nodes = without_empty(
        minCores=plan.min_cpu,
        minMemoryGb=plan.min_memory_gib,
        spot=plan.spot or None,
        location=without_empty(zones=plan.zones),
        storage=without_empty(bootDiskType=plan.boot_disk_type, bootDiskSize=plan.boot_disk_size_gib),
        nodeSystemConfig=_system_config(plan.sysctls, catalog),
    )
    return without_empty(
        nodePoolAutoCreation=_auto_creation(cluster, security_settings(cluster).secure_boot.value),
        nodePoolConfig=without_empty(serviceAccount=_service_account(cluster), ipType=_ip_type(cluster)),
        priorities=[{"machineFamily": family, **nodes} for family in plan.machine_families],
        whenUnsatisfiable=catalog.kubernetes.compute_classes.form.no_other_nodes,
    )


def _system_config(sysctls: Mapping[str, str] | None, catalog: Catalog) -> dict[str, Any] | None:
    """Kernel settings, which are texts in a node pool, and numbers and booleans in a ComputeClass."""
    typed = {name: catalog.platform.sysctls.typed(name, text) for name, text in (sysctls or {}).items()}
    return {"linuxNodeConfig": {"sysctls": typed}} if typed else None


def _spec(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, Any]:
    """The specification.

    ``whenUnsatisfiable`` is always set: with another value, GKE creates nodes without TPUs. Active migration stays off,
    because it would interrupt all hosts of a slice to move one of them.
    """
    collection = group.plan.collection
    return without_empty(
        nodePoolAutoCreation=_auto_creation(cluster, security_settings(cluster).tpu_secure_boot.value),
        nodePoolConfig=_node_pool_config(cluster, group),
        nodePoolGroup={"name": collection.name} if collection else None,
        priorities=[{**_capacity(group, mode, catalog), **_nodes(group, catalog)} for mode in group.capacity_modes],
        whenUnsatisfiable=catalog.kubernetes.compute_classes.form.no_other_nodes,
    )


def _auto_creation(cluster: Cluster, secure_boot: bool) -> dict[str, Any]:
    """Auto-creation of node pools; their nodes on Standard are shielded as those of other node pools."""
    if cluster.mode == "autopilot":
        return {"enabled": True}
    shielded = {"enableSecureBoot": secure_boot, "enableIntegrityMonitoring": True}
    return {"enabled": True, "shieldedInstanceConfig": shielded}


def _node_pool_config(cluster: Cluster, group: SliceGroup) -> dict[str, Any]:
    """The settings of the node pools that have no place in a priority."""
    plan, upgrade = group.plan, upgrade_settings(group)
    config = without_empty(
        serviceAccount=_service_account(cluster, group),
        ipType=_ip_type(cluster),
        workloadType=plan.collection.workload.upper() if plan.collection else None,
        autoRepair=upgrade.auto_repair.sent,
        autoUpgrade=upgrade.auto_upgrade.sent,
        maintenanceExclusion="UNTIL_END_OF_SUPPORT" if plan.maintenance and plan.maintenance.end_of_support else None,
        tpu={"driverMode": _DRIVER_MODES[plan.driver_mode]} if plan.driver_mode else None,
        dra={"networking": {"enabled": True}} if plan.network_profile else None,
    )
    return with_class_fields(config, plan, "nodePoolConfig.")


_DRIVER_MODES = {"device_plugin": "DevicePlugin", "dynamic_resource_allocation": "DynamicResourceAllocation"}
_IP_TYPES: dict[bool | None, str] = {True: "private", False: "public"}
"""What an existing cluster uses by default is unknown, so the type is set as for node pools."""


def _ip_type(cluster: Cluster) -> str | None:
    return _IP_TYPES.get(ClusterSettings(cluster).private_nodes.value) if cluster.existing else None


def _service_account(cluster: Cluster, group: SliceGroup | None = None) -> str | Unknown | None:
    """The account of the nodes: that of the group, else that of the cluster; None for the default account."""
    own = group.plan.node_service_account if group is not None else None
    written = ClusterSettings(cluster).node_service_account.value if own is None else own
    if written == "create":
        account = cluster.account_id if group is None or own is None else group.account_id
        return service_account_email(account, cluster.project)
    return None if written == "default" else written


def _capacity(group: SliceGroup, mode: str, catalog: Catalog) -> dict[str, Any]:
    """The TPU and the capacity of a priority.

    The zone of a reservation is inside the reservation: GKE rejects ``location.zones`` next to a specific one.
    """
    shape = group.shape
    tpu = {"type": shape.accelerator_label, "count": shape.chips_per_host, "topology": str(shape.topology)}
    reservation = group.plan.capacity.reservation if mode == "reservation" else None
    if reservation is not None:
        affinity = catalog.kubernetes.compute_classes.form.reservation_affinity
        specific = _reservation(reservation, group.zones)
        return {"tpu": tpu, "reservations": {"affinity": affinity, "specific": [specific]}}
    flex_start = group.plan.capacity.flex_start if mode == "flex_start" else None
    duration = flex_start.max_run_duration if flex_start else None
    return without_empty(
        tpu=tpu,
        spot=True if mode == "spot" else None,
        flexStart={"enabled": True} if mode == "flex_start" else None,
        maxRunDurationSeconds=int(duration.total_seconds()) if duration else None,
        location=without_empty(zones=list(group.zones)),
    )


def _reservation(reservation: Reservation, zones: tuple[str, ...]) -> dict[str, Any]:
    block = without_empty(name=reservation.block, reservationSubBlock=without_empty(name=reservation.sub_block))
    return without_empty(name=reservation.name, project=reservation.project, zones=list(zones), reservationBlock=block)


def _nodes(group: SliceGroup, catalog: Catalog) -> dict[str, Any]:
    """The settings of the nodes that every priority has."""
    plan = group.plan
    policy = plan.placement.workload_policy if plan.placement else group.policy_name
    nodes = without_empty(
        placement=without_empty(policyName=policy if group.shape.multi_host else None),
        storage={"secondaryBootDisks": [_secondary(plan.secondary_boot_disk)]} if plan.secondary_boot_disk else None,
        nodeLabels=dict(plan.node_labels),
        taints=[_taint(taint) for taint in plan.taints],
        nodeSystemConfig=_system_config(plan.sysctls, catalog),
    )
    return with_class_fields(nodes, plan, "priorities.")


def _taint(taint: Taint) -> dict[str, Any]:
    """A taint. The plan has the effects of GKE's API, NO_SCHEDULE; a ComputeClass has those of Kubernetes."""
    return without_empty(key=taint.key, value=taint.value or None, effect=taint_effect(taint.effect))


def _secondary(disk: SecondaryBootDisk) -> dict[str, Any]:
    """A secondary boot disk. A ComputeClass names the image and its project, where a node pool has a path."""
    if isinstance(disk.image, Unknown):
        image = {"diskImageName": disk.image}
    else:
        project = _PROJECT.search(disk.image)
        name = disk.image.rpartition("/")[2]
        image = without_empty(diskImageName=name, project=project[1] if project else None)
    return {**image, **without_empty(mode=disk.mode.upper() if disk.mode else None)}

"""The effective settings of clusters and nodes, each value derived once with its origin and its reason."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, CpuPool, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Unknown
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.slices import BootDisk, Taint
from pulumi_gke_tpu.core.plan.upgrades import BlueGreen, Maintenance, Upgrade
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.core.text.formats.oauth_scopes import full_scope

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.adoption import AdoptedNodes, AutoscalerLimits, LocationPolicy
    from pulumi_gke_tpu.core.plan.runs import Run

T = TypeVar("T")
Value_co = TypeVar("Value_co", covariant=True)

Origin = Literal["plan", "default", "capacity_mode", "fact"]
"""plan: a key sets it. default: gke-tpu sends it without a key. capacity_mode: gke-tpu sends it because of the capacity
mode. fact: gke-tpu sends nothing; GKE decides, and the value is what it usually is."""

SLICE_CONTROLLER = "slice_controller"
"""The add-on that forms slices of cubes."""
FROM_PLAN, DEFAULT = "from the plan", "the default"


@dataclass(frozen=True, slots=True)
class Derived(Generic[Value_co]):
    """An effective value, why it is this one, and whether it is sent."""

    value: Value_co
    """For a fact, None if it is unknown."""
    origin: Origin
    note: str
    """The reason, as a clause."""

    @property
    def sent(self) -> Value_co | None:
        """The value that resources get; None leaves it to GKE."""
        return None if self.origin == "fact" else self.value

    @property
    def written(self) -> bool:
        """Whether a key of the plan sets it."""
        return self.origin == "plan"


def written_or(written: T | None, otherwise: Derived[T]) -> Derived[T]:
    """The value of a key, or without the key another one."""
    return otherwise if written is None else Derived(written, "plan", FROM_PLAN)


ALWAYS_SENT = f"{DEFAULT}, which gke-tpu always sends"
_NOT_STATED = "the plan does not state {key} of the existing cluster"
STAYS = "the plan does not set it, so the cluster keeps what it has"
_DEFAULT_ACCOUNT = "the Compute Engine default service account, because the plan does not set {key}"


@frozen(eq=False)
class ClusterSettings:
    """The settings of a cluster. Those of an existing cluster are what the plan states about it."""

    cluster: Cluster

    @property
    def release_channel(self) -> Derived[str | None]:
        """``none`` without a channel; None if it is unknown."""
        plan = self.cluster.plan
        if not plan.written("release_channel") and not self.cluster.predates_plan and self.cluster.forms_slices:
            return Derived("rapid", "default", f"{DEFAULT} with dynamic slicing, which other channels may not have")
        return _unless_existing(self.cluster, self.cluster.plan, "release_channel", _NOT_STATED)

    @property
    def addons(self) -> tuple[str, ...]:
        """The add-ons of the plan, and the slice controller if groups of a new cluster need it."""
        written = self.cluster.plan.addons
        needed = self.cluster.forms_slices and not self.cluster.existing
        return (*written, *((SLICE_CONTROLLER,) if needed and SLICE_CONTROLLER not in written else ()))

    @property
    def private_nodes(self) -> Derived[bool | None]:
        """Whether nodes have no public addresses; None leaves it to an existing cluster."""
        plan = self.cluster.plan
        if plan.private_nodes is not None:
            return Derived(plan.private_nodes, "plan", FROM_PLAN)
        if self.cluster.predates_plan:
            return Derived(None, "fact", "the plan does not set it, so node pools have the setting of the cluster")
        if plan.network is not None:
            return Derived(True, "default", f"{DEFAULT} if the plan sets `network`")
        return Derived(False, "default", f"{DEFAULT} if the plan does not set `network`")

    @property
    def dns_endpoint(self) -> Derived[bool]:
        """Of the control plane, as ``ip_endpoint`` and ``private_endpoint``: only of a cluster that is created."""
        return _unless_adopted(self.cluster, self.cluster.plan.control_plane, "dns_endpoint", otherwise=False)

    @property
    def ip_endpoint(self) -> Derived[bool]:
        """Whether the control plane has an endpoint with an IP address."""
        plane = self.cluster.plan.control_plane
        if plane.authorized_networks:
            return Derived(True, "plan", FROM_PLAN)
        if self.cluster.adopted:
            return Derived(True, "fact", STAYS)
        note = "the plan has no authorized network"
        if plane.private or not plane.dns_endpoint:
            return Derived(True, "default", note)
        return Derived(False, "default", f"{note}, so the IP endpoint is disabled")

    @property
    def private_endpoint(self) -> Derived[bool]:
        """Whether the IP endpoint has only a private address."""
        return _unless_adopted(self.cluster, self.cluster.plan.control_plane, "private", otherwise=False)

    @property
    def node_service_account(self) -> Derived[str | Unknown | None]:
        """``create``, or the email of the account; None for the default account, on an existing cluster only."""
        return _unless_existing(self.cluster, self.cluster.plan, "node_service_account", _DEFAULT_ACCOUNT)

    @property
    def maintenance(self) -> Maintenance:
        """The window and the exclusions, which have no defaults."""
        return self.cluster.plan.maintenance or Maintenance()


@frozen
class SecuritySettings:
    """Hardening. On Autopilot, which rejects the keys, it has no effect."""

    shielded_nodes: Derived[bool]
    """Only of a cluster that is created."""
    secure_boot: Derived[bool]
    """Of nodes without TPUs."""
    tpu_secure_boot: Derived[bool]
    workload_identity: Derived[bool]
    dataplane_v2: Derived[bool | None]
    """None if it is unknown: only of an existing cluster."""


def security_settings(cluster: Cluster) -> SecuritySettings:
    """The effective hardening of a cluster and its nodes."""
    keys = cluster.plan.security
    return SecuritySettings(
        shielded_nodes=_of_key(keys, "shielded_nodes"),
        secure_boot=_of_key(keys, "secure_boot"),
        tpu_secure_boot=_of_key(keys, "tpu_secure_boot"),
        workload_identity=_of_key(keys, "workload_identity"),
        dataplane_v2=_unless_existing(cluster, keys, "dataplane_v2", _NOT_STATED),
    )


def _of_key(keys: PlanModel, key: str) -> Derived[Any]:
    """The value of a key that is always sent, also without the key."""
    value = getattr(keys, key)
    return Derived(value, "plan", FROM_PLAN) if keys.written(key) else Derived(value, "default", ALWAYS_SENT)


def _unless_existing(cluster: Cluster, keys: PlanModel, key: str, note: str) -> Derived[Any]:
    """The same for a key without a default on a cluster from before the plan, where ``note`` says what holds."""
    if cluster.predates_plan and not keys.written(key):
        return Derived(None, "fact", note.format(key=key))
    return _of_key(keys, key)


def _unless_adopted(cluster: Cluster, keys: PlanModel, key: str, *, otherwise: bool) -> Derived[Any]:
    """The same for a key that an adopted cluster keeps as it is; ``otherwise`` is the value that checks assume."""
    if cluster.adopted and not keys.written(key):
        return Derived(otherwise, "fact", STAYS)
    return _of_key(keys, key)


_DEFAULT_OF_GKE = "the default of GKE, because the plan does not set max_run_duration"


def node_lifetime(group: SliceGroup, catalog: Catalog) -> Derived[datetime.timedelta | None]:
    """The time after which flex-start nodes of a group end; None if no capacity mode of the group sets a limit."""
    if "flex_start" not in group.capacity_modes:
        return Derived(None, "capacity_mode", "only flex-start nodes end after a time")
    flex_start = group.plan.capacity.flex_start
    usual = datetime.timedelta(seconds=catalog.capacity.flex_start.default_run_seconds)
    return written_or(flex_start.max_run_duration if flex_start else None, Derived(usual, "fact", _DEFAULT_OF_GKE))


def run_slices(run: "Run", group: SliceGroup) -> Derived[int]:
    """The slices that a planned run uses: those that it asks for, else all of the group."""
    return written_or(run.count, Derived(group.slices.maximum, "default", "all slices of the group"))


def surely_ends(group: SliceGroup) -> bool:
    """Whether all nodes of a group are flex-start nodes, so that none lives longer than ``node_lifetime``."""
    return set(group.capacity_modes) == {"flex_start"}


def oauth_scopes(adopted: "AdoptedNodes | None", catalog: Catalog) -> Derived[Sequence[str]]:
    """The OAuth scopes of nodes, as addresses."""
    usual = catalog.platform.hardening.oauth_scope
    if adopted is None or adopted.oauth_scopes is None:
        return Derived((usual,), "default", DEFAULT)
    return Derived(tuple(map(full_scope, adopted.oauth_scopes)), "plan", FROM_PLAN)


@frozen
class AutoscalerSettings:
    """The autoscaler of a node pool."""

    limits: "Derived[AutoscalerLimits]"
    """Whether the limits are for all zones together or for each zone."""
    location_policy: "Derived[LocationPolicy]"
    """A fact of adopted node pools that keep what they have."""

    def nodes(self, every: Range, zones: Sequence[str]) -> Range:
        """The limits as GKE gets them, for a number of nodes in all zones together."""
        if self.limits.value == "total":
            return every
        parts = max(len(zones), 1)
        return Range(every.minimum // parts, every.maximum // parts)


USUAL_AUTOSCALER = AutoscalerSettings(Derived("total", "default", DEFAULT), Derived("any", "default", DEFAULT))
"""That of node pools without keys about it."""


def autoscaler_settings(item: SliceGroup | CpuPool) -> AutoscalerSettings:
    """The effective autoscaler of node pools that are autoscaled."""
    limits, policy, adopted = USUAL_AUTOSCALER.limits, USUAL_AUTOSCALER.location_policy, item.plan.kept
    if adopted is not None:
        kept: Derived[LocationPolicy] = Derived("any", "fact", "the node pools keep what they have")
        limits = written_or(adopted.limits, limits)
        policy = written_or(adopted.location_policy, kept)
    if isinstance(item, SliceGroup) and item.shape.multi_host:
        limits = Derived("per_zone", "default", "GKE rejects total limits of a multi-host slice")
    return AutoscalerSettings(limits, policy)


_NOT_IN_PLAN = "not in the plan"
_UNKNOWN: Derived[None] = Derived(None, "fact", _NOT_IN_PLAN)


@frozen
class BootDiskSettings:
    """The boot disk of each node."""

    type: Derived[str | None]
    """None if it is unknown, as ``size_gib``."""
    size_gib: Derived[int | None]
    iops: Derived[int | None]
    """None: that of the disk type, as ``throughput_mbps``."""
    throughput_mbps: Derived[int | None]

    @property
    def any_sent(self) -> bool:
        """Whether the plan decides anything about the disk."""
        return any(item.sent is not None for item in (self.type, self.size_gib, self.iops, self.throughput_mbps))

    @property
    def performance(self) -> tuple[str, ...]:
        """What the plan sets in addition to type and size: ``5,000 IOPS``, ``300 MiB/s``."""
        shown = ((self.iops.sent, "IOPS"), (self.throughput_mbps.sent, "MiB/s"))
        return tuple(f"{number:,} {unit}" for number, unit in shown if number is not None)


@frozen
class NodeSettings:
    """The settings of the hosts of a slice group."""

    boot_disk: BootDiskSettings
    max_pods_per_node: Derived[int]


def node_settings(
    group: SliceGroup, catalog: Catalog, mode: Literal["standard", "autopilot"] = "standard"
) -> NodeSettings:
    """The effective settings of a group in a cluster of this mode."""
    disks = catalog.disks
    family, sizes = disks.families.get(group.shape.family), disks.defaults
    return NodeSettings(
        boot_disk=boot_disk(
            group.plan.boot_disk,
            usual_type=family.default_boot if family else None,
            usual_size=sizes.standard_gib if mode == "standard" else sizes.autopilot_gib,
        ),
        max_pods_per_node=written_or(
            group.plan.max_pods_per_node,
            Derived(catalog.platform.nodes.default_pods_per_node, "fact", _NOT_IN_PLAN),
        ),
    )


def boot_disk(
    written: BootDisk | None, *, usual_type: str | None = None, usual_size: int | None = None
) -> BootDiskSettings:
    """The boot disk of nodes for which GKE usually chooses this type and size."""
    keys = written or BootDisk()
    return BootDiskSettings(
        type=written_or(keys.type, Derived(usual_type, "fact", _NOT_IN_PLAN)),
        size_gib=written_or(keys.size_gib, Derived(usual_size, "fact", _NOT_IN_PLAN)),
        iops=written_or(keys.iops, _UNKNOWN),
        throughput_mbps=written_or(keys.throughput_mbps, _UNKNOWN),
    )


@frozen
class SystemPoolSettings:
    """The system pool. Numbers of nodes are totals over all zones."""

    keys: SystemPool
    """The keys with their defaults."""
    machine_type: Derived[str]
    min_nodes: Derived[int]
    max_nodes: Derived[int]
    zones: Derived[Sequence[str] | None]
    """None if GKE selects them."""
    boot_disk_type: Derived[str | None]
    boot_disk_size_gib: Derived[int | None]
    node_labels: Derived[dict[str, object]]
    taints: Derived[Sequence[Taint]]

    @property
    def nodes(self) -> Range:
        """The number of nodes, which the autoscaler decides."""
        return Range(self.min_nodes.value, self.max_nodes.value)

    @property
    def note(self) -> str:
        """Why it has this size: from the plan, the default, or both."""
        size = {"machine_type": self.machine_type, "min_nodes": self.min_nodes, "max_nodes": self.max_nodes}
        written = [name for name, item in size.items() if item.written]
        if len(written) in (0, len(size)):
            return self.machine_type.note
        return f"{listed(written)} {FROM_PLAN}, otherwise {DEFAULT}"


def system_pool(cluster: Cluster) -> SystemPoolSettings | None:
    """The effective settings; None on Autopilot, and in a cluster from before the plan that has no such pool."""
    if not cluster.has_system_pool:
        return None
    written = keys_of_system_pool(cluster)

    def derived(key: str) -> Derived[Any]:
        value = getattr(written, key)
        if written.written(key):
            return Derived(value, "plan", FROM_PLAN)
        return Derived(value, "default", DEFAULT) if value is not None else Derived(None, "fact", "chosen by GKE")

    names = (item.name for item in fields(SystemPoolSettings) if item.name != "keys")
    return SystemPoolSettings(written, *map(derived, names))


def keys_of_system_pool(cluster: Cluster) -> SystemPool:
    """The keys of the system pool with their defaults, for rules, which name the keys that they check."""
    return cluster.plan.system_pool or SystemPool()


Strategy = Literal["surge", "blue_green", "short_lived"]
"""short_lived: GKE never replaces running nodes."""


@frozen
class UpgradeSettings:
    """Upgrades and repair of a group's nodes. On Autopilot, where rules reject the key, they have no effect."""

    strategy: Derived[Strategy | None]
    """None if the ComputeClass that serves the group leaves it to GKE."""
    max_surge: Derived[int]
    """Of the strategy surge, as ``max_unavailable``."""
    max_unavailable: Derived[int]
    blue_green: BlueGreen
    """Of the strategy blue_green; GKE decides what the plan does not set."""
    auto_repair: Derived[bool | None]
    """None if GKE decides, as ``auto_upgrade``: only for a group that a ComputeClass serves."""
    auto_upgrade: Derived[bool | None]
    short_lived: bool
    """Whether GKE replaces no running node, in whichever capacity mode it creates the nodes."""

    @property
    def upgrades_running_nodes(self) -> bool:
        """Whether GKE upgrades running nodes automatically."""
        return not self.short_lived and self.auto_upgrade.value is not False


def upgrade_settings(group: SliceGroup) -> UpgradeSettings:
    """The effective settings of a group."""
    written = group.plan.effective_upgrade
    short_lived = is_short_lived(group)
    surge, unavailable = surge_settings(written)
    return UpgradeSettings(
        strategy=_strategy(group, written, short_lived=short_lived),
        max_surge=surge,
        max_unavailable=unavailable,
        blue_green=written.blue_green or BlueGreen(),
        auto_repair=written_or(written.auto_repair, _auto_repair(group, short_lived=short_lived)),
        auto_upgrade=written_or(written.auto_upgrade, _auto_upgrade(group)),
        short_lived=short_lived,
    )


def is_short_lived(group: SliceGroup) -> bool:
    """Whether all nodes of a group are flex-start or queued nodes, which GKE does not upgrade while they run."""
    return SHORT_LIVED.issuperset(group.capacity_modes)


def _strategy(group: SliceGroup, written: Upgrade, *, short_lived: bool) -> Derived[Strategy | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    if short_lived:
        return Derived("short_lived", "fact", f"GKE sets the strategy of {group.plan.capacity.mode} node pools")
    if written.written("strategy"):
        return Derived(written.strategy, "plan", FROM_PLAN)
    return Derived(written.strategy, "default", DEFAULT)


def surge_settings(written: Upgrade) -> tuple[Derived[int], Derived[int]]:
    """The most additional and the most unavailable nodes: by default none and one, with additional nodes none."""
    if written.max_surge is None and written.max_unavailable is None:
        note = f"{DEFAULT}, which requires no additional capacity"
        return Derived(0, "default", note), Derived(1, "default", note)
    surge = written_or(written.max_surge, Derived(0, "default", DEFAULT))
    unavailable = Derived(usual_unavailable(surge.value), "default", DEFAULT)
    return surge, written_or(written.max_unavailable, unavailable)


def usual_unavailable(surge: int) -> int:
    """The most unavailable nodes of a plan that states only the most additional ones."""
    return 0 if surge else 1


def _auto_repair(group: SliceGroup, *, short_lived: bool) -> Derived[bool | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    if short_lived:
        return Derived(False, "capacity_mode", f"disabled by default with {group.plan.capacity.mode} capacity")
    return Derived(True, "default", DEFAULT)


def _auto_upgrade(group: SliceGroup) -> Derived[bool | None]:
    if group.compute_class is not None:
        return Derived(None, "fact", _created_by(group))
    return Derived(True, "default", DEFAULT)


def _created_by(group: SliceGroup) -> str:
    return f"ComputeClass {group.compute_class} creates the nodes"

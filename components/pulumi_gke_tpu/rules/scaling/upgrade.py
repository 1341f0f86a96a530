"""TPU420 to TPU429: upgrades and repair of node pools."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from pulumi_gke_tpu.catalog.records.facts import note_by_id
from pulumi_gke_tpu.findings import Path, Severity
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.plan.slices import Upgrade
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.engine.walk import standard_groups

_API = "GKE API: NodePool.upgradeSettings"
_KEPT = ("max_surge", "max_unavailable", "auto_repair", "auto_upgrade")


def _upgraded(context: PlanContext) -> Iterator[tuple[Cluster, SliceGroup, Upgrade, Path]]:
    """Every group of node pools whose plan says something about upgrades, and where."""
    for cluster, group in standard_groups(context):
        if group.plan.upgrade is not None:
            yield cluster, group, group.plan.upgrade, (*group.path, "upgrade")


def _chosen(context: PlanContext) -> Iterator[tuple[SliceGroup, Upgrade, Path]]:
    """Those of them whose strategy can be chosen: GKE sets that of flex-start and queued pools."""
    for _, group, upgrade, path in _upgraded(context):
        if group.plan.capacity.mode not in ("flex_start", "queued"):
            yield group, upgrade, path


def _strategy_keys(upgrade: Upgrade) -> list[str]:
    given = [name for name in ("max_surge", "max_unavailable", "blue_green") if getattr(upgrade, name) is not None]
    return ["strategy", *given] if upgrade.written("strategy") else given


@rule(
    "TPU420",
    "surge-on-multi-host-slices",
    scope=Scope.PLAN,
    since="0.1",
    severity=Severity.WARNING,
    title="Surge settings have no effect on multi-host slices",
    why="GKE re-creates all hosts of such a slice at once, not one after the other, so these numbers have no "
    "effect; a maintenance window determines when the whole slice stops, and does not spread its hosts",
    fix="Remove max_surge and max_unavailable. A maintenance exclusion delays upgrades.",
    references=["google-skills-upgrades", "about-tpus"],
    failing="tpu: v6e\ntopology: 4x4\nupgrade: {max_surge: 1}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {max_surge: 1}",
)
def surge_of_slices(context: PlanContext) -> Iterable[Hit]:
    defaults = context.catalog.maintenance.upgrade_defaults
    usual = {"max_surge": defaults.max_surge, "max_unavailable": defaults.max_unavailable}
    for group, upgrade, path in _chosen(context):
        if upgrade.strategy != "surge" or not group.shape.multi_host or _has_nothing_to_begin_with(upgrade):
            continue
        given = {name: getattr(upgrade, name) for name in usual if getattr(upgrade, name) not in (None, usual[name])}
        if given:
            window = context.plan.clusters[str(group.path[1])].maintenance
            yield Hit(
                (*path, next(iter(given))),
                (
                    f"{' and '.join(given)} cannot spread the upgrade of a slice: GKE re-creates its "
                    f"{group.shape.hosts:,} hosts together"
                )
                + (", within the maintenance window" if window and window.window else ""),
                fact=note_by_id(context.catalog.maintenance.notes, "slice-upgrade"),
            )


def _has_nothing_to_begin_with(upgrade: Upgrade) -> bool:
    """Whether an upgrade has no node to begin with, which is an error of its own."""
    return upgrade.max_unavailable == 0 and not upgrade.max_surge


@rule(
    "TPU421",
    "blue-green-multi-host-slices",
    scope=Scope.PLAN,
    since="0.1",
    otherwise={Severity.WARNING: "if the slices use a workload policy instead of compact placement"},
    title="Blue-green upgrade is not supported with multi-host slices",
    why="a blue-green upgrade requires a second set of nodes, and GKE does not support it with compact placement",
    fix="Keep the surge strategy: GKE re-creates such a slice as a whole.",
    references=["gke-node-upgrade-strategies", "autoscaler-placement"],
    basis="catalog",
    on_pools=("capacity", "upgrade"),
    failing="tpu: v6e\ntopology: 4x4\nupgrade: {strategy: blue_green}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {strategy: blue_green}",
)
def blue_green_slices(context: PlanContext) -> Iterable[Hit]:
    for group, upgrade, path in _chosen(context):
        if upgrade.strategy != "blue_green" or not group.shape.multi_host:
            continue
        compact = group.shape.placement == "compact" and group.plan.placement is None
        yield Hit(
            path,
            "blue-green upgrades are not supported with multi-host slices"
            if compact
            else "a blue-green upgrade has no effect on a multi-host slice: GKE re-creates the slice as a whole",
            fact=note_by_id(context.catalog.maintenance.notes, "blue-green-doubles" if compact else "slice-upgrade"),
            severity=None if compact else Severity.WARNING,
            why=""
            if compact
            else (
                "a blue-green upgrade would require the capacity of a second slice, and no source confirms "
                "that GKE does it"
            ),
            given="strategy: blue_green",
            fix=_by_surge(upgrade),
        )


def _by_surge(upgrade: Upgrade) -> str:
    """The upgrades of a group as its plan has them, but for the blue-green strategy and its settings."""
    names = [name for name in _KEPT if getattr(upgrade, name) is not None]
    kept = ", ".join(f"{name}: {str(getattr(upgrade, name)).lower()}" for name in names)
    return f"upgrade: {{{kept}}}" if kept else "upgrade: surge"


@rule(
    "TPU422",
    "flex-start-upgrade-strategy",
    scope=Scope.PLAN,
    since="0.1",
    title="Upgrade strategy is not supported with flex-start or queued slices",
    why="GKE sets the strategy of such node pools: it never replaces running nodes, and new nodes get the new version",
    fix="Remove the strategy and its settings.",
    references=["gke-node-upgrade-strategies"],
    basis="catalog",
    on_pools=("capacity", "upgrade"),
    failing="tpu: v6e\ntopology: 4x4\ncapacity: flex_start\nupgrade: {max_unavailable: 1}",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: flex_start\nupgrade: {auto_repair: false}",
)
def strategy_on_request(context: PlanContext) -> Iterable[Hit]:
    for _, group, upgrade, path in _upgraded(context):
        given = _strategy_keys(upgrade)
        if group.plan.capacity.mode in ("flex_start", "queued") and given:
            yield Hit(
                (*path, given[0]),
                f"an upgrade strategy is not supported with {group.plan.capacity.mode.replace('_', '-')} "
                f"node pools: remove {' and '.join(given)}",
                fact=note_by_id(context.catalog.maintenance.notes, "short-lived"),
            )


@rule(
    "TPU423",
    "flex-start-auto-repair",
    scope=Scope.PLAN,
    since="0.1",
    otherwise={Severity.WARNING: "if capacity is queued without flex-start"},
    title="Auto-repair is not supported with flex-start or queued slices",
    why="a repaired node would require capacity that was granted for a limited time, so such node pools run "
    "without auto-repair",
    fix="Set auto_repair: false, or remove it for flex-start.",
    references=["autoscaler-injection", "cluster-toolkit-node-pool", "gke-provisioning-request"],
    basis="catalog",
    failing="tpu: v6e\ntopology: 4x4\ncapacity: flex_start\nupgrade: {auto_repair: true}",
    passing="tpu: v6e\ntopology: 4x4\ncapacity: flex_start\nupgrade: {auto_repair: false}",
)
def repair_on_request(context: PlanContext) -> Iterable[Hit]:
    for _, group, upgrade, path in _upgraded(context):
        mode = group.plan.capacity.mode
        if mode in ("flex_start", "queued") and upgrade.auto_repair:
            yield Hit(
                (*path, "auto_repair"),
                f"auto-repair is not supported with {mode.replace('_', '-')} node pools",
                fact=note_by_id(context.catalog.capacity.notes, "flex-start-pool-shape"),
                severity=None if mode == "flex_start" else Severity.WARNING,
                fix="auto_repair: false",
            )


@rule(
    "TPU424",
    "zero-surge-and-unavailable",
    scope=Scope.PLAN,
    since="0.1",
    title="`max_surge` and `max_unavailable` are both 0",
    why="an upgrade cannot start without an extra node or an unavailable node, and GKE rejects it",
    fix="Set max_unavailable to 1, which requires no spare capacity, or set max_surge if there is spare capacity.",
    references=["gke-node-upgrade-strategies"],
    basis="catalog",
    note="surge-not-both-zero",
    failing="tpu: v6e\ntopology: 2x2\nupgrade: {max_surge: 0, max_unavailable: 0}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {max_surge: 0, max_unavailable: 1}",
)
def nothing_to_surge(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        if upgrade.strategy == "surge" and _has_nothing_to_begin_with(upgrade):
            written = "" if upgrade.max_surge == 0 else ", its default"
            yield Hit(
                (*path, "max_unavailable"),
                f"`max_unavailable` is 0 and `max_surge` is 0{written}",
                fix="max_unavailable: 1",
            )


@rule(
    "TPU425",
    "surge-exceeds-limit",
    scope=Scope.PLAN,
    since="0.1",
    severity=Severity.WARNING,
    title="Surge exceeds the number of nodes that GKE upgrades at once",
    why="GKE upgrades fewer nodes at a time, so it rejects or ignores the numbers",
    fix="Reduce the number of nodes at a time.",
    references=["gke-node-upgrade-strategies"],
    failing="tpu: v6e\ntopology: 2x2\ncount: 50\nupgrade: {max_unavailable: 30}",
    passing="tpu: v6e\ntopology: 2x2\ncount: 50\nupgrade: {max_unavailable: 20}",
)
def too_large_surge(context: PlanContext) -> Iterable[Hit]:
    for group, upgrade, path in _chosen(context):
        if group.shape.multi_host:
            continue  # reported as surge settings of slices of several hosts
        limits = context.catalog.maintenance.upgrade_limits
        surge, unavailable = upgrade.max_surge or 0, upgrade.max_unavailable or 0
        if upgrade.strategy == "surge" and surge + unavailable > limits.max_nodes_at_once:
            key = "max_surge" if surge > unavailable else "max_unavailable"
            left = max(limits.max_nodes_at_once - min(surge, unavailable), 1)
            yield Hit(
                (*path, key),
                f"{surge + unavailable:,} nodes at a time exceed the GKE limit of {limits.max_nodes_at_once}",
                fact=limits,
                fix=f"{key}: {left}",
            )


@rule(
    "TPU426",
    "unused-strategy-settings",
    scope=Scope.PLAN,
    since="0.1",
    title="Settings of another upgrade strategy",
    why="max_surge and max_unavailable belong to surge upgrades and blue_green to blue-green upgrades, so GKE "
    "would ignore these settings",
    fix="Keep only the settings of the chosen strategy.",
    source=_API,
    basis="format",
    failing="tpu: v6e\ntopology: 2x2\nupgrade: {blue_green: {pool_soak: 1h}}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {strategy: blue_green, blue_green: {pool_soak: 1h}}",
)
def other_strategy(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        if upgrade.strategy == "surge" and upgrade.blue_green is not None:
            message = "`blue_green` conflicts with strategy surge"
            yield Hit((*path, "blue_green"), message, fix="strategy: blue_green")
        elif upgrade.strategy == "blue_green":
            for key in ("max_surge", "max_unavailable"):
                if getattr(upgrade, key) is not None:
                    yield Hit((*path, key), f"`{key}` conflicts with strategy blue_green", allowed=("blue_green",))


@rule(
    "TPU427",
    "conflicting-batch-sizes",
    scope=Scope.PLAN,
    since="0.1",
    title="Conflicting blue-green batch sizes",
    why="a GKE batch is either a percentage or a number of nodes",
    fix="Remove batch_percentage or batch_node_count.",
    references=["container-api-discovery"],
    basis="format",
    failing="""
tpu: v6e
topology: 2x2
upgrade: {strategy: blue_green, blue_green: {batch_percentage: 0.2, batch_node_count: 2}}
""",
    passing="""
tpu: v6e
topology: 2x2
upgrade: {strategy: blue_green, blue_green: {batch_node_count: 2}}
""",
)
def two_batch_sizes(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        settings = upgrade.blue_green
        if settings and settings.batch_percentage is not None and settings.batch_node_count is not None:
            yield Hit(
                (*path, "blue_green", "batch_percentage"),
                "`batch_percentage` conflicts with `batch_node_count`",
                allowed=("batch_percentage", "batch_node_count"),
            )


@rule(
    "TPU428",
    "soak-exceeds-limit",
    scope=Scope.PLAN,
    since="0.1",
    title="Blue-green soak time exceeds the limit",
    why="GKE limits the total soak time of an upgrade: every batch, and the node pool before the old nodes are deleted",
    fix="Shorten batch_soak or pool_soak.",
    references=["gke-node-upgrade-strategies"],
    basis="catalog",
    failing="tpu: v6e\ntopology: 2x2\nupgrade: {strategy: blue_green, blue_green: {pool_soak: 8d}}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {strategy: blue_green, blue_green: {pool_soak: 6d}}",
)
def long_soak(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        limits = context.catalog.maintenance.upgrade_limits
        settings = upgrade.blue_green
        batch, pool = (settings.batch_soak, settings.pool_soak) if settings else (None, None)
        if (batch or timedelta()) + (pool or timedelta()) > timedelta(days=limits.max_soak_days):
            key = "batch_soak" if pool is None or (batch is not None and batch > pool) else "pool_soak"
            yield Hit(
                (*path, "blue_green", key),
                f"the soak time of one batch and the node pool exceeds the limit of {limits.max_soak_days} days",
                fact=limits,
                allowed=(f"at most {limits.max_soak_days} days in total",),
            )


@rule(
    "TPU429",
    "auto-upgrade-disabled-on-channel",
    scope=Scope.PLAN,
    since="0.1",
    title="Auto-upgrade is disabled on a release channel",
    why="the GKE API rejects node pools without auto-upgrade in a cluster that is enrolled in a release channel",
    fix="Delay upgrades with a maintenance exclusion; `maintenance: {end_of_support: true}` does so for a group.",
    references=["auto-upgrade-error", "gke-exclusions-concept"],
    basis="catalog",
    note="auto-upgrade-by-channel",
    failing="tpu: v6e\ntopology: 4x4\nupgrade: {auto_upgrade: false}",
    passing="tpu: v6e\ntopology: 4x4\nmaintenance: {end_of_support: true}",
)
def auto_upgrade_off(context: PlanContext) -> Iterable[Hit]:
    for cluster, _, upgrade, path in _upgraded(context):
        if upgrade.auto_upgrade is False and cluster.plan.release_channel != "none":
            yield Hit(
                (*path, "auto_upgrade"),
                f"release channel {cluster.plan.release_channel} requires auto-upgrade",
                fix="auto_upgrade: true",
            )

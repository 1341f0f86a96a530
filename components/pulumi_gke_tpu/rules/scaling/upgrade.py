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
    title="Surge settings of slices of several hosts",
    why="GKE re-creates all hosts of such a slice at once, not one after the other, so these numbers change nothing; a "
    "maintenance window says when the whole slice stops, and does not spread its hosts",
    fix="Leave max_surge and max_unavailable out. A maintenance exclusion holds upgrades back.",
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
                f"{' and '.join(given)} cannot spread the upgrade of a slice: its {group.shape.hosts:,} hosts are "
                "re-created together" + (", within the maintenance window" if window and window.window else ""),
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
    otherwise={Severity.WARNING: "where the slices use a workload policy instead of compact placement"},
    title="Blue-green upgrades of slices of several hosts",
    why="blue-green needs a second set of nodes, and GKE does not support it with compact placement",
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
            "slices of several hosts cannot be upgraded blue-green"
            if compact
            else "a slice of several hosts is re-created as a whole, so blue-green has no meaning for it",
            fact=note_by_id(context.catalog.maintenance.notes, "blue-green-doubles" if compact else "slice-upgrade"),
            severity=None if compact else Severity.WARNING,
            why=""
            if compact
            else "blue-green would need the capacity of a second slice, and nothing says that GKE does it",
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
    title="Upgrade strategy of flex-start or queued slices",
    why="GKE sets the strategy of such pools itself: running nodes are never replaced, new ones get the new version",
    fix="Leave the strategy and its settings out.",
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
                f"{group.plan.capacity.mode.replace('_', '-')} pools take no upgrade strategy: "
                f"leave out {' and '.join(given)}",
                fact=note_by_id(context.catalog.maintenance.notes, "short-lived"),
            )


@rule(
    "TPU423",
    "flex-start-auto-repair",
    scope=Scope.PLAN,
    since="0.1",
    otherwise={Severity.WARNING: "where capacity is queued without flex-start"},
    title="Repair of flex-start or queued slices",
    why="a repaired node would need capacity that was granted for a limited time, so such pools go without repair",
    fix="Write auto_repair: false, or leave it out for flex-start.",
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
                f"{mode.replace('_', '-')} pools go without auto-repair",
                fact=note_by_id(context.catalog.capacity.notes, "flex-start-pool-shape"),
                severity=None if mode == "flex_start" else Severity.WARNING,
                fix="auto_repair: false",
            )


@rule(
    "TPU424",
    "zero-surge-and-unavailable",
    scope=Scope.PLAN,
    since="0.1",
    title="Surge upgrade without any node to begin with",
    why="with neither a further node nor a missing one an upgrade cannot begin, and GKE refuses it",
    fix="Set max_unavailable to 1, which needs no spare capacity, or max_surge where there is some.",
    references=["gke-node-upgrade-strategies"],
    basis="catalog",
    note="surge-not-both-zero",
    failing="tpu: v6e\ntopology: 2x2\nupgrade: {max_surge: 0, max_unavailable: 0}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {max_surge: 0, max_unavailable: 1}",
)
def nothing_to_surge(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        if upgrade.strategy == "surge" and _has_nothing_to_begin_with(upgrade):
            written = "" if upgrade.max_surge == 0 else ", which it is unless written"
            yield Hit(
                (*path, "max_unavailable"),
                f"max_unavailable is 0 and so is max_surge{written}",
                fix="max_unavailable: 1",
            )


@rule(
    "TPU425",
    "surge-exceeds-limit",
    scope=Scope.PLAN,
    since="0.1",
    severity=Severity.WARNING,
    title="Surge of more nodes than GKE upgrades at once",
    why="GKE takes fewer nodes at a time, so the numbers are refused or have no effect",
    fix="Ask for fewer nodes at a time.",
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
                f"{surge + unavailable:,} nodes at a time, and GKE upgrades at most {limits.max_nodes_at_once}",
                fact=limits,
                fix=f"{key}: {left}",
            )


@rule(
    "TPU426",
    "unused-strategy-settings",
    scope=Scope.PLAN,
    since="0.1",
    title="Settings of the other upgrade strategy",
    why="max_surge and max_unavailable belong to surge upgrades, blue_green to the others, so these would be ignored",
    fix="Keep the settings of the strategy that is chosen.",
    source=_API,
    basis="format",
    failing="tpu: v6e\ntopology: 2x2\nupgrade: {blue_green: {pool_soak: 1h}}",
    passing="tpu: v6e\ntopology: 2x2\nupgrade: {strategy: blue_green, blue_green: {pool_soak: 1h}}",
)
def other_strategy(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _chosen(context):
        if upgrade.strategy == "surge" and upgrade.blue_green is not None:
            message = "blue_green has settings, and the strategy is surge"
            yield Hit((*path, "blue_green"), message, fix="strategy: blue_green")
        elif upgrade.strategy == "blue_green":
            for key in ("max_surge", "max_unavailable"):
                if getattr(upgrade, key) is not None:
                    yield Hit((*path, key), f"{key} has no meaning for blue-green upgrades", allowed=("blue_green",))


@rule(
    "TPU427",
    "conflicting-batch-sizes",
    scope=Scope.PLAN,
    since="0.1",
    title="Blue-green batch given twice",
    why="GKE takes the size of a batch as a part of the nodes or as a number, never both",
    fix="Keep batch_percentage or batch_node_count.",
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
                "batch_percentage and batch_node_count are both given",
                allowed=("batch_percentage", "batch_node_count"),
            )


@rule(
    "TPU428",
    "soak-exceeds-limit",
    scope=Scope.PLAN,
    since="0.1",
    title="Blue-green upgrade that soaks too long",
    why="GKE limits how long an upgrade may soak in all: every batch, and the pool before the old nodes go",
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
                f"one batch and the pool soak longer than {limits.max_soak_days} days in all",
                fact=limits,
                allowed=(f"at most {limits.max_soak_days} days in all",),
            )


@rule(
    "TPU429",
    "auto-upgrade-disabled-on-channel",
    scope=Scope.PLAN,
    since="0.1",
    title="Auto-upgrade off under a release channel",
    why="the GKE API refuses node pools without auto-upgrade in a cluster that is enrolled in a release channel",
    fix="Hold upgrades back with a maintenance exclusion; `maintenance: {end_of_support: true}` does so for a group.",
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
                f"release channel {cluster.plan.release_channel} keeps auto-upgrade on",
                fix="auto_upgrade: true",
            )

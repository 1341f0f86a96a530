"""Checks of upgrades and repair of node pools: TPU420 to TPU429."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, surge_settings, upgrade_settings
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.plan.upgrades import Upgrade
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, standard_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity

_API = "GKE API: NodePool.upgradeSettings"
_KEPT = ("max_surge", "max_unavailable", "auto_repair", "auto_upgrade")


def _upgraded(context: PlanContext) -> Iterator[tuple[Cluster, SliceGroup, Upgrade, Path]]:
    """Every group of node pools with `upgrade` in the plan, and its path."""
    for cluster, group in standard_groups(context):
        if group.plan.upgrade is not None:
            yield cluster, group, group.plan.upgrade, (*group.path, "upgrade")


def _with_strategy(context: PlanContext) -> Iterator[tuple[SliceGroup, Upgrade, Path]]:
    """The same groups without those whose strategy GKE sets: flex-start and queued ones."""
    for _, group, upgrade, path in _upgraded(context):
        if group.plan.capacity.mode not in SHORT_LIVED:
            yield group, upgrade, path


def _keys(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _strategy_keys(upgrade: Upgrade) -> list[str]:
    given = [name for name in ("max_surge", "max_unavailable", "blue_green") if getattr(upgrade, name) is not None]
    return ["strategy", *given] if upgrade.written("strategy") else given


@warning(
    "TPU420",
    plans_only="the provider sets surge upgrades where a program sets nothing",
    about=of_groups("upgrade.max_surge", "upgrade.max_unavailable"),
    title="Surge settings have no effect on multi-host slices",
    why="GKE re-creates all hosts of a multi-host slice at the same time, so `max_surge` and `max_unavailable` have "
    "no effect",
    fix="Remove `max_surge` and `max_unavailable`. To delay upgrades, use a maintenance exclusion.",
    references=["google-skills-upgrades", "about-tpus"],
    failing=in_group("upgrade: {max_surge: 1}"),
    edit=("topology: 4x4", "topology: 2x2"),
)
def surge_on_multi_host_slices(context: PlanContext) -> Iterable[Hit]:
    """Skip adopted groups, whose plan states what their node pools have."""
    defaults = context.catalog.maintenance.upgrade_defaults
    usual = {"max_surge": defaults.max_surge, "max_unavailable": defaults.max_unavailable}
    for group, upgrade, path in _with_strategy(context):
        is_adopted = group.plan.adopted is not None
        if upgrade.strategy != "surge" or not group.shape.multi_host or is_adopted or _cannot_start(group):
            continue
        given = {name: getattr(upgrade, name) for name in usual if getattr(upgrade, name) not in (None, usual[name])}
        if given:
            window = context.plan.clusters[str(group.path[1])].maintenance
            yield Hit(
                (*path, next(iter(given))),
                (
                    f"GKE ignores {_keys(given)}: it re-creates the {group.shape.hosts:,} hosts of a slice "
                    "at the same time"
                )
                + (", within the maintenance window" if window and window.window else ""),
                fact=note_by_id(context.catalog.maintenance.notes, "slice-upgrade"),
            )


def _cannot_start(group: SliceGroup) -> bool:
    """Whether an upgrade has neither an extra nor an unavailable node; another rule reports that as an error."""
    return all(size.value == 0 for size in surge_settings(group.plan.effective_upgrade))


@rule(
    "TPU421",
    about=of_groups("upgrade.strategy"),
    needs=("clusters.*.slices.*.capacity",),
    otherwise={Severity.WARNING: "if the slices use a workload policy instead of compact placement"},
    title="Blue-green upgrade is not supported with multi-host slices",
    why="a blue-green upgrade creates a second set of nodes, and GKE does not support blue-green upgrades with "
    "compact placement",
    fix="Use surge upgrades: GKE then re-creates all hosts of a slice at the same time.",
    references=["gke-node-upgrade-strategies", "autoscaler-placement"],
    failing=in_group("upgrade: {strategy: blue_green}"),
    edit=("topology: 4x4", "topology: 2x2"),
)
def blue_green_multi_host_slices(context: PlanContext) -> Iterable[Hit]:
    for group, upgrade, path in _with_strategy(context):
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
                "a blue-green upgrade would require the capacity of a second slice, and no documentation confirms "
                "that GKE does it"
            ),
            given="strategy: blue_green",
            fix=_with_surge(upgrade),
        )


def _with_surge(upgrade: Upgrade) -> Fix | None:
    """The `upgrade` of a group in the form of a plan, with the surge strategy instead of blue-green."""
    kept = {name: value for name in _KEPT if (value := getattr(upgrade, name)) is not None}
    return SetKeys.of(upgrade=kept or "surge")


@rule(
    "TPU422",
    about=of_groups("capacity", "upgrade.max_surge", "upgrade.max_unavailable", "upgrade.strategy"),
    title="Upgrade strategy is not supported with flex-start or queued slices",
    why="GKE chooses the upgrade strategy of flex-start and queued node pools. It never replaces their running "
    "nodes, and new nodes get the new version",
    fix="Remove the upgrade strategy and its settings.",
    references=["gke-node-upgrade-strategies"],
    failing=in_group("capacity: flex_start\nupgrade: {max_unavailable: 1}"),
    edit=("max_unavailable: 1", "auto_repair: false"),
)
def flex_start_upgrade_strategy(context: PlanContext) -> Iterable[Hit]:
    for _, group, upgrade, path in _upgraded(context):
        given = _strategy_keys(upgrade)
        if group.plan.capacity.mode in SHORT_LIVED and given:
            yield Hit.unsupported(
                (*path, given[0]),
                "an upgrade strategy",
                f"{group.plan.capacity.mode.replace('_', '-')} node pools: remove {_keys(given)}",
                fact=note_by_id(context.catalog.maintenance.notes, "short-lived"),
            )


@rule(
    "TPU423",
    silent_in={"gcloud": "GKE turns auto-repair off itself"},
    about=of_groups("capacity", "upgrade.auto_repair"),
    otherwise={Severity.WARNING: "if capacity is queued without flex-start"},
    title="Auto-repair is not supported with flex-start or queued slices",
    why="GKE grants flex-start and queued capacity for a limited time, and a repaired node would require new "
    "capacity. Flex-start and queued node pools therefore run without auto-repair",
    fix="Set `auto_repair: false`. For flex-start, you can also remove `auto_repair`.",
    references=["autoscaler-injection", "cluster-toolkit-node-pool", "gke-provisioning-request"],
    failing=in_group("capacity: flex_start\nupgrade: {auto_repair: true}"),
    edit=("auto_repair: true", "auto_repair: false"),
)
def flex_start_auto_repair(context: PlanContext) -> Iterable[Hit]:
    for _, group, upgrade, path in _upgraded(context):
        mode = group.plan.capacity.mode
        if mode in SHORT_LIVED and upgrade.auto_repair:
            yield Hit.unsupported(
                (*path, "auto_repair"),
                "auto-repair",
                f"{mode.replace('_', '-')} node pools",
                fact=note_by_id(context.catalog.capacity.notes, "flex-start-pool-shape"),
                severity=None if mode == "flex_start" else Severity.WARNING,
                fix=SetKeys.of(auto_repair=False),
            )


@rule(
    "TPU424",
    silent_in={"gcloud": "GKE reports zeros where a node pool has no surge upgrades"},
    about=of_groups("upgrade.max_surge", "upgrade.max_unavailable"),
    title="`max_surge` and `max_unavailable` are both 0",
    why="an upgrade requires an additional node (`max_surge`) or an unavailable node (`max_unavailable`), so GKE "
    "rejects 0 for both",
    fix="Set `max_unavailable: 1`, which requires no spare capacity. If you have spare capacity, you can set "
    "`max_surge: 1` instead.",
    references=["gke-node-upgrade-strategies"],
    note="surge-not-both-zero",
    failing=in_group("upgrade: {max_surge: 0, max_unavailable: 0}", topology="2x2"),
    edit=("max_unavailable: 0", "max_unavailable: 1"),
)
def zero_surge_and_unavailable(context: PlanContext) -> Iterable[Hit]:
    for group, upgrade, path in _with_strategy(context):
        if upgrade.strategy == "surge" and _cannot_start(group):
            written = "" if upgrade.max_surge == 0 else " (`max_surge` by default)"
            yield Hit(
                (*path, "max_unavailable"),
                f"`max_unavailable` and `max_surge` are both 0{written}",
                fix=SetKeys.of(max_unavailable=1),
            )


@warning(
    "TPU425",
    about=of_groups("upgrade.max_surge", "upgrade.max_unavailable"),
    title="Surge settings exceed the number of nodes that GKE upgrades at once",
    why="GKE limits the number of nodes that it upgrades at the same time, and it rejects or ignores a larger sum of "
    "`max_surge` and `max_unavailable`",
    fix="Lower `max_surge` or `max_unavailable` until their sum is within the limit.",
    references=["gke-node-upgrade-strategies"],
    failing=in_group("count: 50\nupgrade: {max_unavailable: 30}", topology="2x2"),
    edit=("max_unavailable: 30", "max_unavailable: 20"),
)
def surge_exceeds_limit(context: PlanContext) -> Iterable[Hit]:
    for group, upgrade, path in _with_strategy(context):
        if group.shape.multi_host:
            continue  # another rule reports surge settings of multi-host slices
        limits, settings = context.catalog.maintenance.upgrade_limits, upgrade_settings(group)
        surge, unavailable = settings.max_surge.value, settings.max_unavailable.value
        if upgrade.strategy == "surge" and surge + unavailable > limits.max_nodes_at_once:
            key = "max_surge" if surge > unavailable else "max_unavailable"
            left = max(limits.max_nodes_at_once - min(surge, unavailable), 1)
            yield Hit(
                (*path, key),
                f"`max_surge` and `max_unavailable` together are {surge + unavailable:,} nodes; GKE upgrades at "
                f"most {limits.max_nodes_at_once} at the same time",
                fact=limits,
                fix=SetKeys.of({key: left}),
            )


@rule(
    "TPU426",
    about=of_groups("upgrade.blue_green", "upgrade.max_surge", "upgrade.max_unavailable"),
    title="Settings of another upgrade strategy",
    why="`max_surge` and `max_unavailable` apply only to surge upgrades, and `blue_green` applies only to blue-green "
    "upgrades. GKE would ignore the settings of the other strategy",
    fix="Keep only the settings of the strategy that you use.",
    source=_API,
    failing=in_group("upgrade: {blue_green: {pool_soak: 1h}}", topology="2x2"),
    edit=("blue_green: {pool_soak: 1h}", "strategy: blue_green, blue_green: {pool_soak: 1h}"),
)
def unused_strategy_settings(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _with_strategy(context):
        if upgrade.strategy == "surge" and upgrade.blue_green is not None:
            message = "`blue_green` conflicts with `strategy: surge`"
            yield Hit((*path, "blue_green"), message, fix=SetKeys.of(strategy="blue_green"))
        elif upgrade.strategy == "blue_green":
            for key in ("max_surge", "max_unavailable"):
                if getattr(upgrade, key) is not None:
                    yield Hit.conflict((*path, key), f"`{key}`", "strategy blue_green", allowed=("blue_green",))


@rule(
    "TPU427",
    about=of_groups("upgrade.blue_green.batch_node_count", "upgrade.blue_green.batch_percentage"),
    title="Conflicting blue-green batch sizes",
    why="GKE defines the size of a batch either as a percentage or as a number of nodes",
    fix="Remove `batch_percentage` or `batch_node_count`.",
    references=["container-api-discovery"],
    basis="format",
    failing="""
tpu: v6e
topology: 2x2
upgrade: {strategy: blue_green, blue_green: {batch_percentage: 0.2, batch_node_count: 2}}
""",
    edit=("batch_percentage: 0.2, batch_node_count: 2", "batch_node_count: 2"),
)
def conflicting_batch_sizes(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _with_strategy(context):
        settings = upgrade.blue_green
        if settings and settings.batch_percentage is not None and settings.batch_node_count is not None:
            yield Hit.conflict(
                (*path, "blue_green", "batch_percentage"),
                "`batch_percentage`",
                "`batch_node_count`",
                allowed=("either batch_percentage or batch_node_count",),
            )


@rule(
    "TPU428",
    about=of_groups("upgrade.blue_green.batch_soak", "upgrade.blue_green.pool_soak"),
    title="Blue-green soak time exceeds the limit",
    why="GKE limits the total soak time of an upgrade: the time after each batch plus the time before GKE deletes "
    "the old nodes",
    fix="Shorten `batch_soak` or `pool_soak`.",
    references=["gke-node-upgrade-strategies"],
    failing=in_group("upgrade: {strategy: blue_green, blue_green: {pool_soak: 8d}}", topology="2x2"),
    edit=("pool_soak: 8d", "pool_soak: 6d"),
)
def soak_exceeds_limit(context: PlanContext) -> Iterable[Hit]:
    for _, upgrade, path in _with_strategy(context):
        limits = context.catalog.maintenance.upgrade_limits
        settings = upgrade.blue_green
        batch, pool = (settings.batch_soak, settings.pool_soak) if settings else (None, None)
        if (batch or timedelta()) + (pool or timedelta()) > timedelta(days=limits.max_soak_days):
            key = "batch_soak" if pool is None or (batch is not None and batch > pool) else "pool_soak"
            yield Hit.exceeds(
                (*path, "blue_green", key),
                "the soak time of one batch plus that of the node pool",
                f"the limit of {limits.max_soak_days} days",
                fact=limits,
                allowed=(f"at most {limits.max_soak_days} days in total",),
            )


@rule(
    "TPU429",
    needs=("clusters.*.release_channel",),
    about=of_groups("maintenance", "upgrade.auto_upgrade"),
    otherwise={Severity.WARNING: "if the release channel of an existing cluster is unknown"},
    title="Auto-upgrade is disabled on a release channel",
    why="in a cluster with a release channel, the GKE API rejects node pools without auto-upgrade",
    fix="Set `auto_upgrade: true`. To delay upgrades, use a maintenance exclusion or, for one slice group, "
    "`maintenance.end_of_support: true`.",
    references=["auto-upgrade-error", "gke-exclusions-concept"],
    note="auto-upgrade-by-channel",
    failing=in_group("upgrade: {auto_upgrade: false}"),
    edit=("upgrade: {auto_upgrade: false}", "maintenance: {end_of_support: true}"),
)
def auto_upgrade_disabled_on_channel(context: PlanContext) -> Iterable[Hit]:
    for cluster, _, upgrade, path in _upgraded(context):
        channel = ClusterSettings(cluster).release_channel.value
        if upgrade.auto_upgrade is not False or channel == "none":
            continue
        if channel is None:
            yield Hit(
                (*path, "auto_upgrade"),
                "auto-upgrade is disabled, but every release channel requires it, and the plan does not state the "
                "release channel of the existing cluster",
                severity=Severity.WARNING,
                allowed=("release_channel: none, if the cluster has no release channel",),
            )
            continue
        yield Hit(
            (*path, "auto_upgrade"),
            f"auto-upgrade is disabled, but release channel {channel} requires it",
            fix=SetKeys.of(auto_upgrade=True),
        )

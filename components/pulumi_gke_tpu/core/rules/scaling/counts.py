"""Checks of the number of slices and of autoscaling: TPU401 to TPU415, TPU468, TPU880."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups, standard_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, number, quoted

_FORM = "gke-tpu: format of a plan"


def _range(fewest: int, most: int) -> str:
    return f"count: {{min: {fewest}, max: {most}}}"


@rule(
    "TPU401",
    plans_only="TPU462 reports it for node pools",
    about=of_groups("count", "min"),
    title="Minimum is not supported with multi-host slices",
    why="a multi-host slice is one node pool. The node pool has either all hosts of the slice or none, so its "
    "autoscaling minimum must be 0",
    fix="For slices that always exist, set `count`. For slices that are created on demand, set `min: 0`. For both, "
    "write two groups.",
    references=["plan-tpus", "vllm-ci-545", "kinetic-pr-88"],
    failing=in_group("count: {min: 1, max: 4}"),
    edit=("min: 1", "min: 0"),
)
def multi_host_minimum(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        fewest = _multi_host_minimum(group)
        if not fewest:
            continue
        most = max(fewest, group.slices.maximum)
        fixed = group.plan.max in (None, fewest)
        yield Hit(
            (*group.path, "min"),
            f"a multi-host slice ({number(group.shape.hosts, 'host')}) has either all its hosts or none, so "
            f"`min` cannot be {fewest}",
            fact=note_by_id(context.catalog.platform.notes, "multi-host-one-pool"),
            allowed=(f"either count: {most} or {_range(0, most)}", *_two_groups(fewest, most)),
            fix=SetKeys.of(count=fewest) if fixed and fewest == most else SetKeys.of(min=0),
        )


def _two_groups(fewest: int, most: int) -> tuple[str, ...]:
    """A group for the slices that always exist, and another one for the rest."""
    return (f"or two groups: count: {fewest} and {_range(0, most - fewest)}",) if most > fewest else ()


def _multi_host_minimum(group: SliceGroup) -> int | None:
    """The minimum of a group of multi-host slices, if it sets one; None where another rule reports it."""
    supported = not group.shape.multi_host or group.plan.capacity.mode in SHORT_LIVED
    return None if supported else group.plan.min


@rule(
    "TPU402",
    about=of_groups("max", "min"),
    title="`min` exceeds `max`",
    why="the minimum must not exceed the maximum, and neither the provider nor a preview reports the mistake",
    fix="Lower `min` or raise `max`.",
    source=_FORM,
    failing=in_group("count: {min: 4, max: 2}", topology="2x2"),
    edit=("min: 4, max: 2", "min: 2, max: 4"),
)
def min_exceeds_max(context: PlanContext) -> Iterable[Hit]:
    """Skip multi-host slices, which do not support a minimum: a smaller one would be the next error."""
    without_minimum = {group.path for _, group in standard_groups(context) if _multi_host_minimum(group)}
    for _, path, group in plan_groups(context):
        if group.min is None or group.count is not None or group.indices is not None or path in without_minimum:
            continue
        if group.max is None and group.min > 1:
            message = f"`min` is {group.min} and `max` is missing; its default is 1"
            yield Hit((*path, "min"), message, fix=SetKeys.of(max=group.min))
        elif group.max is not None and group.min > group.max:
            limit = f"`max`: {group.min:,} > {group.max:,}"
            yield Hit.exceeds(
                (*path, "min"), "`min`", limit, fix=SetKeys.either("min", group.max, f"or max: {group.min}")
            )


@rule(
    "TPU403",
    plans_only="a node pool has limits or a size",
    about=of_groups("count", "max", "min"),
    title="`count` conflicts with `min` and `max`",
    why="`count` sets a fixed number of slices, but `min` and `max` let the autoscaler choose the number",
    fix="For a fixed number of slices, remove `min` and `max`. For autoscaling, move `min` and `max` into `count`: "
    "`count: {min: 0, max: 4}`.",
    source=_FORM,
    failing=in_group("count: 2\nmax: 4", topology="2x2"),
    passing=in_group("count: {min: 2, max: 4}", topology="2x2"),
)
def count_with_range(context: PlanContext) -> Iterable[Hit]:
    """Offer no minimum where another rule would report it."""
    from_zero = {group.path for _, group in standard_groups(context) if _scales_from_zero(group)}
    for _, path, group in plan_groups(context):
        if group.count is None or (group.min is None and group.max is None) or group.indices is not None:
            continue
        fewest = 0 if path in from_zero else group.min or 0
        most = max(fewest, 1, group.count if group.max is None else group.max)
        bounds = " and ".join(f"`{name}`" for name in ("min", "max") if getattr(group, name) is not None)
        yield Hit.conflict(
            (*path, "count"),
            "`count`",
            bounds,
            allowed=(f"either count: {group.count} or {_range(fewest, most)}",),
            fix=SetKeys.of(min=fewest, max=most),
        )


def _scales_from_zero(group: SliceGroup) -> bool:
    """Whether the only minimum that the group can have is 0."""
    return group.shape.multi_host or group.plan.capacity.mode in SHORT_LIVED


def _mode_title(group: SliceGroup) -> str:
    return "flex-start" if group.plan.capacity.mode == "flex_start" else "queued"


@rule(
    "TPU404",
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    about=of_groups("capacity", "count", "max", "min"),
    title="Fixed count is not supported with flex-start or queued slices",
    why="GKE creates flex-start and queued nodes only when capacity is available. Flex-start and queued node pools "
    "are autoscaled from 0, so GKE rejects a fixed number of nodes",
    fix="Set `min: 0`, and set `max` to the largest number of slices.",
    references=["autoscaler-injection", "cluster-toolkit-node-pool", "gke-provisioning-request"],
    failing=in_group("count: 2\ncapacity: flex_start"),
    edit=("count: 2", "count: {min: 0, max: 2}"),
)
def fixed_flex_start_count(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        plan = group.plan
        if plan.capacity.mode not in SHORT_LIVED or plan.count is None:
            continue
        if plan.min is not None or plan.max is not None or plan.indices is not None:
            continue
        yield Hit.unsupported(
            (*group.path, "count"),
            "a fixed `count`",
            f"{_mode_title(group)} slices",
            fact=note_by_id(context.catalog.capacity.notes, "flex-start-pool-shape"),
            fix=SetKeys.of(count={"min": 0, "max": max(plan.count, 1)}),
        )


@rule(
    "TPU405",
    about=of_groups("capacity", "min"),
    needs=("clusters.*.slices.*.count",),
    title="Minimum is not supported with flex-start or queued slices",
    why="GKE creates flex-start and queued nodes only when capacity is available. Flex-start and queued node pools "
    "are autoscaled from 0, so they cannot have a minimum",
    fix="Set `min: 0`.",
    references=["autoscaler-injection", "cluster-toolkit-node-pool", "gke-provisioning-request"],
    failing=in_group("count: {min: 1, max: 4}\ncapacity: flex_start", topology="2x2"),
    edit=("min: 1", "min: 0"),
)
def flex_start_minimum(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        if group.plan.capacity.mode in SHORT_LIVED and group.plan.min:
            yield Hit(
                (*group.path, "min"),
                f"{_mode_title(group)} slices require `min: 0`, but `min` is {group.plan.min}",
                fact=note_by_id(context.catalog.capacity.notes, "flex-start-pool-shape"),
                fix=SetKeys.of(min=0),
            )


@rule(
    "TPU411",
    plans_only="node pools have no indices",
    about=of_groups("count", "indices"),
    title="`indices` is not supported with single-host slices",
    why="an index identifies a node pool. All single-host slices of a group are nodes of the same node pool, and GKE "
    "numbers these nodes itself",
    fix="Remove `indices`, and set `count`.",
    source=_FORM,
    failing=in_group("indices: [0, 2]", topology="2x2"),
    edit=("indices: [0, 2]", "count: 2"),
)
def single_host_indices(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        if group.plan.indices is None or group.shape.multi_host:
            continue
        yield Hit.unsupported(
            (*group.path, "indices"),
            "`indices`",
            f"{group.shape.generation} {group.shape.topology}, which is a single-host slice",
            fix=SetKeys.of(count=len(set(group.plan.indices))),
        )


@rule(
    "TPU412",
    plans_only="node pools have no indices",
    about=of_groups("count", "indices"),
    title="`indices` conflicts with `count`",
    why="`indices` lists the slices that exist and therefore determines their number, so `count` would have no effect",
    fix="Remove `indices` or `count`. `count: 2` has the same effect as `indices: [0, 1]`.",
    source=_FORM,
    failing=in_group("indices: [0, 2]\ncount: 3"),
    passing=in_group("indices: [0, 2]"),
)
def indices_with_count(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        given = [name for name in ("count", "min", "max") if getattr(group.plan, name) is not None]
        if group.plan.indices is None or not given or not group.shape.multi_host:
            continue
        yield Hit.conflict(
            (*group.path, "indices"),
            "`indices`",
            " and ".join(f"`{name}`" for name in given),
            allowed=(f"either indices or {' and '.join(given)}",),
        )


@rule(
    "TPU413",
    plans_only="node pools have no indices",
    about=of_groups("indices"),
    title="Negative or duplicate index",
    why="an index is part of the name of a node pool, and a node pool name is unique",
    fix="Use each index only once. The lowest index is 0.",
    source=_FORM,
    failing=in_group("indices: [0, 2, 2]"),
    edit=("indices: [0, 2, 2]", "indices: [0, 2, 3]"),
)
def invalid_index(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        if group.plan.indices is None or not group.shape.multi_host:
            continue
        seen: set[int] = set()
        right = sorted({index for index in group.plan.indices if index >= 0}) or [0]
        fix = SetKeys.of(indices=right) if len(right) <= _SHOWN else None
        for place, index in enumerate(group.plan.indices):
            if index < 0 or index in seen:
                message = f"invalid index {index}: the minimum is 0" if index < 0 else f"duplicate index {index}"
                yield Hit((*group.path, "indices", place), message, given=f"index {index}", fix=fix)
            seen.add(index)


@rule(
    "TPU880",
    plans_only="it is about the key `adopted`",
    about=of_groups("adopted.nodes", "adopted.pools"),
    title="Names or size of adopted node pools conflict with the slices",
    why="each multi-host slice is one node pool. All single-host slices of a group are one node pool, which has the "
    "name of the group",
    fix="Name one node pool for each multi-host slice in `adopted.pools`. For single-host slices, set `name`.",
    source=_FORM,
    failing=in_group("count: 3\nadopted: {pools: [alice, bob]}"),
    edit=("count: 3", "count: 2"),
)
def adopted_pool_names(context: PlanContext) -> Iterable[Hit]:
    for _, group in standard_groups(context):
        adopted = group.plan.adopted
        if adopted is not None and adopted.nodes is not None and group.shape.multi_host:
            yield Hit.unsupported((*group.path, "adopted", "nodes"), "`adopted.nodes`", "multi-host slices")
        names = adopted.pools if adopted is not None else None
        if names is None:
            continue
        path = (*group.path, "adopted", "pools")
        if not group.shape.multi_host:
            subject = f"{group.shape.generation} {group.shape.topology}, which is a single-host slice"
            yield Hit.unsupported(path, "`adopted.pools`", subject)
        elif group.plan.indices is not None:
            yield Hit.conflict(path, "`adopted.pools`", "`indices`", allowed=("either adopted.pools or indices",))
        elif len(names) != _written_number(group.plan, len(names)):
            slices = number(_written_number(group.plan, len(names)), "slice")
            yield Hit(path, f"the group has {slices}, but `adopted.pools` names {len(names)}")


def _written_number(group: SliceGroupSpec, otherwise: int) -> int:
    most = group.count if group.max is None else group.max
    return otherwise if most is None else most


_SHOWN = 50
"""A fix does not show longer lists."""


@warning(
    "TPU415",
    plans_only="the node pools have names of their own",
    about=of_clusters("slices"),
    title="Slice groups with the same accelerator and topology",
    why="workloads select nodes by accelerator and topology. The nodes of these groups have the same accelerator and "
    "topology but a different number of chips, so GKE may schedule Pods on nodes of the wrong group. Only the label "
    "cloud.google.com/gke-accelerator-count, which GKE sets to the chips per host, differs",
    fix="Add the label cloud.google.com/gke-accelerator-count to the node selectors of the Pods of both groups, with "
    "the chips per host as value. Or use the same number of chips per host in these groups, or give one "
    "group a node label and let its workloads select that label.",
    references=["autoscaler-injection", "failover-controller", "axlearn-flink", "skypilot-kubernetes", "plan-tpus"],
    failing=in_cluster("""
slices:
  large: {tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-b}
  small: {tpu: v6e, topology: 2x4, chips_per_host: 4, zone: us-east5-b}
"""),
    edit=("4, zone: us-east5-b", "4, zone: us-east5-b, node_labels: {form: two-hosts}"),
)
def indistinguishable_groups(context: PlanContext) -> Iterable[Hit]:
    count = context.catalog.platform.names.node_labels.accelerator_count
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot":
            continue  # GKE creates nodes with the chips that a Pod requests
        first: dict[tuple[object, ...], SliceGroup] = {}
        for group in cluster.groups:
            if group.compute_class is not None:
                continue  # Pods select the ComputeClass
            labels = tuple(sorted((name, str(value)) for name, value in group.plan.node_labels.items()))
            other = first.setdefault((group.shape.accelerator_label, group.shape.topology, labels), group)
            if other.shape.hosts == group.shape.hosts:
                continue
            yield Hit(
                group.path,
                f"{quoted(group.key)} and {quoted(other.key)} have the same accelerator and topology, with "
                f"{group.shape.chips_per_host} and {other.shape.chips_per_host} chips per host: only the label {count} "
                "differs",
                fix=SetKeys.of(node_labels={"slice-group": group.path[-1]}),
            )


@warning(
    "TPU468",
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    about=of_groups("best_effort", "count", "max", "topology"),
    title="Best-effort provisioning has no effect",
    why="a multi-host slice has all of its hosts or none. And GKE creates an autoscaled node pool with its minimum of "
    "nodes, any other with all of its nodes: `best_effort` has an effect only if it is less",
    fix="Remove `best_effort`, or set it to less than `count`, or than the minimum of an autoscaled slice group.",
    references=["container-api-discovery", "provider-cluster"],
    failing=in_group("best_effort: 2"),
    passing=in_group("count: 4\nbest_effort: 2", topology="2x2"),
)
def best_effort_not_possible(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "best-effort-provisioning")
    for _, group in standard_groups(context):
        least, path = group.plan.best_effort, (*group.path, "best_effort")
        if least is None:
            continue
        if group.shape.multi_host:
            yield Hit.unsupported(path, "best-effort provisioning", "multi-host slices", fact=fact)
            continue
        # A resource of another tool can begin with another number of nodes than its minimum.
        first = group.slices.maximum if context.of_resources else group.first_nodes
        if least >= first:
            created = f"GKE creates the node pool with {number(first, 'node')}"
            yield Hit(path, f"{created}, and `best_effort` requires {least:,} of them", fact=fact)

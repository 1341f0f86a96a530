"""Checks of queues: quotas, priority classes, what queues share, and the namespaces that they admit."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.budgets import unused_budgets
from pulumi_gke_tpu.core.fleet.cohorts import most_chips, parent_of, parents_of
from pulumi_gke_tpu.core.fleet.workloads import (
    Cohort,
    Flavor,
    KubernetesObjects,
    Queue,
    QueueQuota,
    Workload,
    flavor_key,
    is_queued,
)
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.base import EVERY_BUDGET
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Rename, SetKeys, listed, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, place_of, workers_with

_LOGIC = "gke-tpu: sizes of slice groups and quotas of queues"
_RESERVED_PREFIX = "system-"
_LOWEST = -(2**31)

_CLUSTER = in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
kubernetes:
""")
_RUN = "  workloads: {run: {slices: pretrain, image: train, queue: research, count: 2}}\n"
_QUIET = """  priority_classes: {sweep: {value: 10, preemption: never}}
  workloads: {run: {slices: pretrain, image: train, queue: research, count: 2, priority: sweep}}
"""


@rule(
    "TPU703",
    about=(*of_workloads("autoscale.max", "count", "fallback"), *of_groups("count", "max")),
    title="Workload needs more slices than the group has",
    why="the Pods of the missing slices stay Pending, and a workload that waits for all slices never starts. Kueue "
    "keeps all slices of cubes of a workload in one block, and admits none of them before all fit",
    fix="Reduce `count` or `autoscale.max` of the workload, or raise `count` or `max` of the slice group.",
    source=_LOGIC,
    failing=f"{_CLUSTER}  workloads: {{run: {{slices: pretrain, image: train, count: 3}}}}",
    passing=f"{_CLUSTER}  workloads: {{run: {{slices: pretrain, image: train, count: 2}}}}",
)
def workload_exceeds_slices(context: PlanContext) -> Iterable[Hit]:
    for found, workload in _in_clusters(context):
        for index, groups in _alternatives(workload):
            most = sum(_most_slices(found, group) for group in groups)
            noun = "cube" if workload.dynamic else "slice"
            needed = workload.cubes if workload.dynamic else workload.slices
            if needed <= most:
                continue
            fitting = most * workload.group.shape.chips // workload.shape.chips
            scaled = workload.plan.autoscale is not None
            counted = (*workload.path, "count") if workload.plan.written("count") else workload.path
            first = (*workload.path, "autoscale", "max") if scaled else counted
            yield Hit(
                place_of(workload, index) if index else first,
                f"the workload needs {'up to ' if scaled else ''}{number(needed, noun)}, but "
                f"{_named(groups)} at most {most:,}",
                fix=SetKeys.of({"max" if scaled else "count": fitting}) if fitting and not index else None,
            )


def _in_clusters(context: PlanContext) -> Iterator[tuple[KubernetesObjects, Workload]]:
    """Every workload whose slice group exists, with the objects of the cluster that has it."""
    for found in clusters_with_objects(context):
        for workload in found.workloads:
            yield found, workload


def _most_slices(found: KubernetesObjects, group: SliceGroup) -> int:
    """The most slices of a group; of a manager of MultiKueue, those of the worker that has the most."""
    clusters = found.cluster.workers or (found.cluster,)
    alike = (item for cluster in clusters for item in cluster.groups if item.path[-1] == group.path[-1])
    return max(item.slices.maximum for item in alike)


def _alternatives(workload: Workload) -> Iterator[tuple[int, tuple[SliceGroup, ...]]]:
    """The slice groups that have to hold a workload as a whole: each alone, or all together if its slices are apart.

    Each with the place of the first one in the order of the workload.
    """
    if written_kind(workload).slices_apart:
        yield 0, workload.groups
        return
    yield from ((index, (group,)) for index, group in enumerate(workload.groups))


def _named(groups: Sequence[SliceGroup]) -> str:
    return f"{listed([quoted(group.key) for group in groups], most=4)} {'has' if len(groups) == 1 else 'have'}"


@warning(
    "TPU704",
    about=of_clusters("kubernetes.cohorts.*.chips", "kubernetes.queues.*.chips"),
    title="Quotas exceed the chips of the slice group or budget",
    why="Kueue does not look at nodes: it admits workloads up to the quota. Pods of workloads above the size of the "
    "slice group or budget stay Pending, and they hold their quota",
    fix="Set `chips` of the queues and cohorts so that the sum is at most the number of chips of the slice group or "
    "budget. A cohort lends unused quota to other queues.",
    source=_LOGIC,
    references=["kueue-clusterqueue-api"],
    failing=f"{_CLUSTER}  queues: {{research: {{}}, serving: {{}}}}",
    passing=f"{_CLUSTER}  queues: {{research: {{chips: {{pretrain: 16}}}}, serving: {{chips: {{pretrain: 16}}}}}}",
)
def quotas_exceed_slices(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        by_flavor: dict[str, list[tuple[Queue | Cohort, QueueQuota]]] = {}
        for owner in found.quota_owners:
            for quota in owner.quotas:
                by_flavor.setdefault(quota.flavor.key, []).append((owner, quota))
        for flavor in found.flavors:
            shares, most = by_flavor.get(flavor.key, []), _most_chips(found, flavor)
            total = sum(quota.nominal for _, quota in shares)
            if found.cluster.workers and not any(flavor.key in owner.plan.chips for owner, _ in shares):
                continue  # a manager has the quotas of its workers, where the rule reports them
            if flavor.budget is not None and context.fleet.unresolved:
                continue  # groups whose shape is wrong have chips of the budget too
            if total > most:
                owner, _ = _first_over(shares, most)
                written = flavor.key in owner.plan.chips
                parts = [f"{quoted(owner.name)} {quota.nominal:,}" for owner, quota in shares if quota.nominal]
                users = listed(parts, most=4)
                yield Hit(
                    (*owner.path, "chips", flavor.key) if written else owner.path,
                    f"the quotas of {_titled_flavor(flavor)} are {number(total, 'chip')} ({users}), but the "
                    f"{'slice group' if flavor.budget is None else 'budget'} has at most {most:,}"
                    f"{' on all workers' if found.cluster.workers else ''}",
                )


def _most_chips(found: KubernetesObjects, flavor: Flavor) -> int:
    """The most chips of a flavor; of a manager of MultiKueue, those of its workers together."""
    if not found.cluster.workers:
        return flavor.chips
    groups = (group for worker in found.cluster.workers for group in worker.groups if flavor_key(group) == flavor.key)
    most = sum(group.chips.maximum for group in groups)
    return most if flavor.budget is None else min(most, flavor.budget.chips)


def _first_over(shares: Iterable[tuple[Queue | Cohort, QueueQuota]], most: int) -> tuple[Queue | Cohort, QueueQuota]:
    """The queue or cohort with which the sum of the quotas exceeds the chips of the flavor."""
    total = 0
    for owner, quota in shares:
        total += quota.nominal
        if total > most:
            return owner, quota
    raise AssertionError("the sum exceeds the chips of the flavor")


def _titled_flavor(flavor: Flavor) -> str:
    return quoted(flavor.groups[0].key) if flavor.budget is None else f"budget {quoted(flavor.key)}"


def _stated(found: KubernetesObjects, queue: Queue) -> Iterator[str]:
    """The slice groups and budgets of which a queue states chips; of a manager, also those of its workers."""
    yield from queue.plan.chips
    for worker in found.cluster.workers:
        own = worker.plan.kubernetes.queues.get(queue.name) if worker.plan.kubernetes is not None else None
        yield from own.chips if own is not None else ()


@rule(
    "TPU705",
    about=(
        *of_clusters("kubernetes.cohorts", "kubernetes.queues.*.chips", "kubernetes.queues.*.lend"),
        *of_workloads("autoscale.max", "count", "fallback", "queue"),
    ),
    title="Quota of the queue is too low for the workload",
    why="Kueue admits a workload only if all its chips fit into the quota of its queue and what the queue can borrow, "
    "so this workload waits forever",
    fix="Raise `chips` of the queue, or let the queue borrow from its cohort.",
    source=_LOGIC,
    references=["kueue-clusterqueue-api"],
    failing=f"{_CLUSTER}{_RUN}  queues: {{research: {{chips: {{pretrain: 16}}}}}}",
    passing=f"{_CLUSTER}{_RUN}  queues: {{research: {{chips: {{pretrain: 32}}}}}}",
)
def workload_exceeds_quota(context: PlanContext) -> Iterable[Hit]:
    unused = unused_budgets(context.fleet) | context.plan.unread_budgets
    for found in clusters_with_objects(context) if EVERY_BUDGET not in unused else ():
        queues = {queue.name: queue for queue in found.queues if unused.isdisjoint(_stated(found, queue))}
        for workload in found.workloads:
            queue = queues.get(workload.plan.queue or "")
            if queue is None:
                continue  # another rule reports it
            quotas = {quota.flavor.key: quota.flavor for quota in queue.quotas}
            for index, groups in _alternatives(workload):
                if workload.slices > sum(group.slices.maximum for group in groups):
                    continue  # another rule reports it
                path = place_of(workload, index) if index else (*workload.path, "queue")
                missing = [group for group in groups if flavor_key(group) not in quotas]
                for group in (group for group in missing if _is_queued_there(found, queue, group)):
                    budget = f", which draws from budget {quoted(group.budget.name)}" if group.budget else ""
                    yield Hit(path, f"queue {quoted(queue.name)} has no quota for {quoted(group.key)}{budget}")
                needed = dict.fromkeys(flavor_key(group) for group in groups)
                most = sum(most_chips(found, queue, quotas[key]) for key in needed if key in quotas)
                if not missing and workload.chips > most:
                    borrowed = " with what it can borrow" if queue.plan.cohort else ""
                    named = listed([quoted(group.key) for group in groups], most=4)
                    yield Hit(
                        path,
                        f"the workload needs {'up to ' if workload.plan.autoscale else ''}"
                        f"{number(workload.chips, 'chip')} of {named}, but queue "
                        f"{quoted(queue.name)} has {most:,}{borrowed}",
                    )


def _is_queued_there(found: KubernetesObjects, queue: Queue, group: SliceGroup) -> bool:
    """Whether a worker with a slice group has a queue of its manager: otherwise TPU862 reports it."""
    plans = [worker.plan.kubernetes for worker in workers_with(found, group)]
    return not found.cluster.workers or any(plan is not None and queue.name in plan.queues for plan in plans)


@rule(
    "TPU707",
    about=of_clusters("kubernetes.priority_classes.*.value"),
    title="Invalid priority class",
    why="higher priorities and names that begin with `system-` are reserved for system components, and Kubernetes "
    "rejects others that use them",
    fix="Use a value up to 1,000,000,000 and another name.",
    references=["kubernetes-priority-types"],
    failing=f"{_CLUSTER}  priority_classes: {{urgent: {{value: 2000000000}}}}",
    passing=f"{_CLUSTER}  priority_classes: {{urgent: {{value: 1000}}}}",
)
def invalid_priority(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.priority
    for found in clusters_with_objects(context):
        for item in found.priority_classes:
            value = item.plan.value
            if value > facts.highest:
                yield Hit.exceeds(
                    (*item.path, "value"),
                    f"priority {value:,}",
                    f"{facts.highest:,}, the highest priority of users",
                    fact=facts,
                    fix=SetKeys.of(value=facts.highest),
                )
            elif value < _LOWEST:
                yield Hit.invalid(
                    (*item.path, "value"),
                    "priority",
                    f"{value:,}",
                    f"the lowest is {_LOWEST:,}",
                    fix=SetKeys.of(value=_LOWEST),
                )
            if item.name.startswith(_RESERVED_PREFIX):
                yield Hit.invalid(
                    item.path,
                    "priority class name",
                    item.name,
                    f"names that begin with {_RESERVED_PREFIX} are reserved",
                    fact=facts,
                    fix=Rename.to(item.name.removeprefix(_RESERVED_PREFIX)) if item.name != _RESERVED_PREFIX else None,
                )


@warning(
    "TPU327",
    about=(
        *of_clusters(
            "kubernetes.priority_classes.*.preemption", "kubernetes.queues.*.preemption", "kubernetes.queues.*.reclaim"
        ),
        *of_workloads("priority"),
    ),
    title="Kueue preempts for a class that does not preempt",
    why="`preemption` of a priority class is for the scheduler, and Kueue does not read it. In a queue, `preemption` "
    "and `reclaim` of the queue decide whether a waiting workload stops others",
    fix="Use a queue with `preemption: never` and `reclaim: never` for such workloads, or remove `preemption` from the "
    "class.",
    source="Kueue: preemption policies of ClusterQueues",
    references=["kueue-clusterqueue-api"],
    failing=f"{_CLUSTER}{_QUIET}  queues: {{research: {{preemption: lower_priority}}}}",
    passing=f"{_CLUSTER}{_QUIET}  queues: {{research: {{}}}}",
)
def preemption_by_queue(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        quiet = {item.name for item in found.priority_classes if item.plan.preemption == "never"}
        for workload in found.workloads:
            if workload.plan.priority not in quiet or not is_queued(workload, context.catalog):
                continue
            queue = _queue_of(workload, found.queues, context.catalog)
            keys = _preempting(queue, found.queues) if queue is not None else ()
            if queue is not None and keys:
                yield Hit(
                    (*workload.path, "priority"),
                    f"queue {quoted(queue.name)} preempts workloads for this one ({listed(keys)}), although its class "
                    f"{quoted(workload.plan.priority)} has `preemption: never`",
                )


def _queue_of(workload: Workload, queues: Iterable[Queue], catalog: Catalog) -> Queue | None:
    name = workload.plan.queue or catalog.kubernetes.kueue.flavors.default_queue
    return next((queue for queue in queues if queue.name == name), None)


def _preempting(queue: Queue, queues: Iterable[Queue]) -> tuple[str, ...]:
    """The keys by which a queue preempts workloads: of its own, or of other queues of its cohort."""
    cohort = queue.plan.cohort
    others = any(other.name != queue.name and other.plan.cohort == cohort for other in queues)
    keys = {"preemption": queue.plan.preemption, "reclaim": queue.plan.reclaim if cohort and others else "never"}
    return tuple(f"`{key}: {value}`" for key, value in keys.items() if value != "never")


_SHARED = in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
kubernetes:
""")
_ADMITTED = "  workloads: {run: {slices: pretrain, image: train, queue: research, namespace: NAME}}\n"
_RUN_OF = f"{_SHARED}{_ADMITTED}  queues: {{research: {{namespaces: [research, papers]}}}}"


@rule(
    "TPU706",
    about=of_clusters(
        "kubernetes.cohorts.*.borrow",
        "kubernetes.cohorts.*.lend",
        "kubernetes.cohorts.*.parent",
        "kubernetes.queues.*.borrow",
        "kubernetes.queues.*.cohort",
        "kubernetes.queues.*.lend",
    ),
    title="Borrowing or lending without a cohort",
    why="a queue shares quota with the other queues of its cohort, and a cohort with the other parts of its parent. "
    "Kueue rejects limits of a queue without a cohort, and of a cohort without a parent",
    fix="Set `cohort` of the queue or `parent` of the cohort, or remove `borrow` and `lend`.",
    references=["kueue-clusterqueue-api", "kueue-clusterqueue-webhook"],
    source="Kueue: validation rules of ClusterQueue and Cohort",
    failing=f"{_SHARED}  queues: {{research: {{borrow: {{pretrain: 16}}}}}}",
    passing=f"{_SHARED}  queues: {{research: {{cohort: tpu, borrow: {{pretrain: 16}}}}}}",
)
def borrow_without_cohort(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        for owner in found.quota_owners:
            limits = (("borrow", owner.plan.borrow), ("lend", owner.plan.lend))
            for key, chips in limits if parent_of(owner) is None else ():
                if chips:
                    yield Hit((*owner.path, key), f"{_titled(owner)} can {key} only {_WITH[key, type(owner)]}")


_WITH = {
    ("borrow", Queue): "from a cohort",
    ("lend", Queue): "to a cohort",
    ("borrow", Cohort): "from a parent",
    ("lend", Cohort): "to a parent",
}


def _titled(owner: Queue | Cohort) -> str:
    return f"{'queue' if isinstance(owner, Queue) else 'cohort'} {quoted(owner.name)}"


@rule(
    "TPU320",
    about=of_clusters("kubernetes.queues.*.chips", "kubernetes.queues.*.lend"),
    title="Queue lends more chips than it has",
    why="a queue lends its own quota. Kueue rejects a lending limit above it",
    fix="Set `lend` to at most the quota of the queue, or raise `chips`.",
    references=["kueue-clusterqueue-webhook"],
    source="Kueue: validation rule of ClusterQueue",
    failing=f"{_SHARED}  queues: {{research: {{cohort: tpu, chips: {{pretrain: 16}}, lend: {{pretrain: 32}}}}}}",
    edit=("lend: {pretrain: 32}", "lend: {pretrain: 8}"),
)
def lend_exceeds_quota(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        known = {flavor.key for flavor in found.flavors}
        for queue in found.queues:
            nominal = {quota.flavor.key: quota.nominal for quota in queue.quotas}
            for key, lend in queue.plan.lend.items():
                most = nominal.get(key, 0)
                if key in known and lend > most:
                    yield Hit(
                        (*queue.path, "lend", key),
                        f"queue {quoted(queue.name)} lends {number(lend, 'chip')} of {quoted(key)}, but has {most:,}",
                        fix=SetKeys.of({key: most}),
                    )


@rule(
    "TPU330",
    about=of_clusters("kubernetes.cohorts.*.parent"),
    title="Cohorts are parts of each other",
    why="cohorts are a tree. Kueue stops all queues of cohorts that are circular",
    fix="Remove `parent` from one of these cohorts.",
    references=["kueue-cohort-api"],
    source="Kueue: Cohort API",
    failing=f"{_SHARED}  cohorts: {{all: {{parent: team}}, team: {{parent: all}}}}",
    passing=f"{_SHARED}  cohorts: {{all: {{}}, team: {{parent: all}}}}",
)
def circular_cohorts(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        seen: set[str] = set()
        for cohort in found.cohorts:
            chain = parents_of(found, cohort.plan.parent)
            if cohort.name in chain and cohort.name not in seen:
                seen.update(chain)
                names = " -> ".join((cohort.name, *chain))
                yield Hit((*cohort.path, "parent"), f"cohorts are circular: {quoted(names)}")


@rule(
    "TPU319",
    about=(*of_clusters("kubernetes.queues.*.namespace", "kubernetes.queues.*.namespaces"), *of_workloads("namespace")),
    title="Queue is not in the namespace of the workload",
    why="Kueue looks for the queue of a workload in the namespace of the workload. Without it there, the workload "
    "waits forever, and Kueue reports nothing",
    fix="Add the namespace to `namespaces` of the queue, or remove `namespace` of the workload.",
    references=["kueue-cluster-queue"],
    source="Kueue: LocalQueues are in namespaces",
    failing=_RUN_OF.replace("NAME", "serving"),
    edit=("namespace: serving", "namespace: papers"),
)
def namespace_without_queue(context: PlanContext) -> Iterator[Hit]:
    for found in clusters_with_objects(context):
        queues = {queue.name: queue for queue in found.queues}
        for workload in found.workloads:
            queue = queues.get(workload.plan.queue or "")
            if queue is not None and workload.namespace not in queue.namespaces:
                yield Hit.unknown(
                    (*workload.path, "namespace"),
                    f"namespace of queue {quoted(queue.name)}",
                    workload.namespace,
                    allowed=queue.namespaces,
                )

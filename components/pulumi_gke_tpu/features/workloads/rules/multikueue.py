"""Checks of manager clusters of MultiKueue and of their workers: TPU571 and TPU860 to TPU865."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips, flavor_labels, shared_tolerations
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload, flavor_name, kubernetes_objects
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.kubernetes import MultiKueue
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, Severity, did_you_mean, listed, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, reached, workers_with

_KEY = "clusters.*.kubernetes.multikueue"
_WORKLOAD = "clusters.*.kubernetes.workloads.*"
_MOST_WORKERS = 3
_OWN_VOLUMES = ("disk", "filestore", "lustre", "parallelstore")

_EAST = """
east:
  mode: standard
  location: us-east5
  slices: {pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}}
  kubernetes: {queues: {research: {}}}
"""
_HUB = """
hub:
  mode: standard
  location: us-east5
  kubernetes:
    multikueue: {workers: {east: {}}}
    queues: {research: {}}
"""


def _plan(hub: str = "", east: str = _EAST) -> str:
    text = f"{east.strip()}\n{_HUB.strip()}\n{hub}".strip()
    indented = "".join(f"  {line}\n" for line in text.splitlines())
    return f"version: 1\nproject: acme-ml\nclusters:\n{indented}"


_RUN = "    workloads: {run: {slices: pretrain, image: train, kind: jobset, queue: research, count: 2}}\n"


def _managers(context: PlanContext) -> Iterator[tuple[Cluster, MultiKueue, Path]]:
    for cluster in context.fleet.clusters:
        plan = cluster.plan.kubernetes.multikueue if cluster.plan.kubernetes is not None else None
        if plan is not None:
            yield cluster, plan, (*cluster.path, "kubernetes", "multikueue")


def _dispatched(context: PlanContext) -> Iterator[tuple[KubernetesObjects, Workload]]:
    """The workloads of managers."""
    for found in clusters_with_objects(context):
        if found.cluster.workers:
            for workload in found.workloads:
                yield found, workload


@rule(
    "TPU860",
    about=(_KEY, f"{_KEY}.workers"),
    title="Invalid worker of a manager cluster",
    why="a manager sends workloads to other clusters of the plan. It cannot be a worker, neither of itself nor of "
    "another manager",
    fix="Name 1 to 20 other clusters of the plan that have no key `multikueue`.",
    references=["kueue-multikueue"],
    source="Kueue: limits of MultiKueue",
    failing=_plan().replace("workers: {east: {}}", "workers: {esat: {}}"),
    edit=("esat", "east"),
)
def invalid_worker(context: PlanContext) -> Iterable[Hit]:
    managers = {cluster.key for cluster, _, _ in _managers(context)}
    others = tuple(cluster.key for cluster in context.fleet.clusters if cluster.key not in managers)
    most = context.catalog.kubernetes.kueue.multikueue.most_workers
    for cluster, plan, path in _managers(context):
        if not plan.workers:
            yield Hit.missing((*path, "workers"), "worker", "name at least one cluster", allowed=others)
        if len(plan.workers) > most:
            yield Hit.exceeds((*path, "workers"), number(len(plan.workers), "worker"), f"the limit of {most}")
        for key in plan.workers:
            place = (*path, "workers", key)
            if key == cluster.key:
                yield Hit.invalid(place, "worker", key, "a manager cannot be a worker of its own", allowed=others)
            elif key in managers:
                yield Hit.invalid(place, "worker", key, "it is a manager", allowed=others)
            elif key not in others:
                near = did_you_mean(key, others)
                fix = Rename.to(near) if near and near not in plan.workers else None
                yield Hit.unknown(place, "cluster", key, allowed=others, fix=fix)


@rule(
    "TPU861",
    about=("clusters.*.slices", _KEY),
    title="Manager cluster has slice groups",
    why="all workloads of the queues of a manager run on its workers, so its own slices would cost money and "
    "run nothing",
    fix="Move the slice groups to a worker, or use another cluster as the manager.",
    references=["kueue-multikueue"],
    source="Kueue: MultiKueue",
    failing=_plan("  slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}"),
    passing=_plan(),
)
def manager_with_slices(context: PlanContext) -> Iterable[Hit]:
    for cluster, *_ in _managers(context):
        if cluster.plan.slices:
            groups = number(len(cluster.plan.slices), "slice group")
            yield Hit.conflict((*cluster.path, "slices"), groups, "`multikueue`", "the workloads run on the workers")


@rule(
    "TPU862",
    about=(
        *of_clusters("kubernetes.queues", "kubernetes.queues.*.namespaces"),
        _KEY,
        f"{_WORKLOAD}.fallback",
        f"{_WORKLOAD}.queue",
        f"{_WORKLOAD}.slices",
    ),
    title="Worker does not have a queue of its manager",
    why="Kueue creates the copy of a workload in the same namespace and queue of the worker. Without them, the "
    "workload never runs there. A queue sends workloads to the workers with one of its slice groups or budgets",
    fix="Define the queue on the workers that may run its workloads, with the same namespaces.",
    otherwise={Severity.NOTE: "if another worker has the queue"},
    references=["kueue-multikueue-setup"],
    source="Kueue: MultiKueue",
    failing=_plan(east=_EAST.replace("research", "other")),
    passing=_plan(),
)
def worker_without_queue(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        there = {worker.key: _namespaces(worker) for worker in found.cluster.workers}
        sent = [(worker.key, queue) for queue in found.queues for worker in queue.workers]
        for worker, queue in sent:
            known = there[worker]
            missing = [name for name in queue.namespaces if name not in known.get(queue.name, ())]
            runs = all(any(name in each.get(queue.name, ()) for each in there.values()) for name in missing)
            severity = Severity.NOTE if runs else None
            if queue.name not in known:
                what = f"queue {quoted(queue.name)} on worker {quoted(worker)}"
                yield Hit.missing(queue.path, what, severity=severity)
            elif missing:
                where = f"{listed([quoted(name) for name in missing])} of worker {quoted(worker)}"
                yield Hit.missing(queue.path, f"queue {quoted(queue.name)} in namespace {where}", severity=severity)
        yield from _without_slices(found, there)


def _without_slices(found: KubernetesObjects, there: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[Hit]:
    """The queues that do not reach the slices of their workloads, because no worker with these slices has the queue."""
    reported = {(worker.key, queue.name) for queue in found.queues for worker in queue.workers}
    queues = {queue.name: queue for queue in found.queues}
    for workload in (workload for workload in found.workloads if workload.plan.queue in queues):
        queue = queues[workload.plan.queue or ""]
        for group in workload.groups:
            workers = [worker.key for worker in workers_with(found, group)]
            place = next(iter(workers), ""), queue.name
            if workers and place not in reported and all(queue.name not in there[worker] for worker in workers):
                reported.add(place)
                what = f"queue {quoted(queue.name)} on worker {quoted(place[0])}"
                why = f"workload {quoted(workload.name)} needs slice group {quoted(group.key)}"
                yield Hit.missing(queue.path, what, why)


def _namespaces(worker: Cluster) -> dict[str, tuple[str, ...]]:
    """Each queue of a worker, and its namespaces."""
    objects = kubernetes_objects(worker)
    return {queue.name: queue.namespaces for queue in objects.queues} if objects is not None else {}


@rule(
    "TPU863",
    about=(
        _KEY,
        f"{_WORKLOAD}.kind",
        f"{_WORKLOAD}.port",
        f"{_WORKLOAD}.queue",
        f"{_WORKLOAD}.volumes",
    ),
    title="Workload of a manager cluster cannot run on a worker",
    why="Kueue sends what is in a queue, and copies the one object of the workload to a worker. Services, claims and "
    "other objects beside it stay on the manager, where no Pods run",
    fix="Set `queue`, and use a kind and volumes that need no further objects, such as `kind: jobset`.",
    references=["kueue-multikueue"],
    source="Kueue: MultiKueue",
    failing=_plan(_RUN.replace("queue: research, ", "")),
    passing=_plan(_RUN),
)
def workload_cannot_be_sent(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.kueue.multikueue
    for found, workload in _dispatched(context):
        if workload.plan.queue is None:
            queue = found.queues[0].name if len(found.queues) == 1 else ""
            fix = SetKeys.of(queue=queue) if queue else None
            yield Hit.missing(workload.path, "key `queue`", "the manager has no TPUs", fix=fix)
        written = [item.kind for item in written_kind(workload).objects(workload, context.catalog)]
        others = [kind for kind in written if kind not in facts.kinds]
        if len(others) == len(written):
            kinds = listed(others)
            yield Hit.unsupported((*workload.path, "kind"), kinds, "MultiKueue", fact=facts, allowed=facts.kinds)
        elif others:
            yield Hit.unsupported(workload.path, f"{listed(others)} beside the workload", "MultiKueue", fact=facts)
        for name, volume in workload.plan.volumes.items():
            for key in _OWN_VOLUMES:
                if getattr(volume, key) is not None:
                    place = (*workload.path, "volumes", name)
                    yield Hit.unsupported(place, f"`{key}` of a volume", "MultiKueue", fact=facts)
        if claims_chips(workload.group, context.catalog):
            what = f"`driver_mode` of {quoted(workload.group.key)}"
            yield Hit.unsupported((*workload.path, "slices"), what, "MultiKueue", fact=facts)


@warning(
    "TPU864",
    about=(_KEY, f"{_WORKLOAD}.fallback", f"{_WORKLOAD}.slices"),
    title="Worker cannot run a workload of its manager",
    why="the Pods of a workload are the same on every worker. They select the labels and tolerate the taints of the "
    "slice group of the first worker that has it. Another worker whose queue has this slice group or its budget admits "
    "the workload too, so it needs a group of the same name with equal nodes",
    fix="Use the same slice group on each worker whose queue has it. Or use queues with different names.",
    source="gke-tpu: Pods on slice groups",
    references=["kueue-multikueue"],
    failing=_plan(_RUN).replace("workers: {east: {}}", "workers: {east: {}, west: {}}")
    + "  west: {mode: standard, location: us-east5, kubernetes: {queues: {research: {}}},\n"
    "    slices: {pretrain: {tpu: v6e, topology: 4x8, zone: us-east5-b}}}\n",
    passing=_plan(_RUN),
)
def worker_without_slices(context: PlanContext) -> Iterable[Hit]:
    for found, workload in _dispatched(context):
        for group in workload.groups:
            for worker in reached(found, workload):
                if worker.key == workload.cluster.key:
                    continue
                own = next((item for item in worker.groups if item.path[-1] == group.path[-1]), None)
                name, where = quoted(str(group.path[-1])), f"worker {quoted(worker.key)}"
                if own is None:
                    budget = group.budget
                    if budget is not None and any(other.budget == budget for other in worker.groups):
                        admits = f"admits the workload to budget {quoted(budget.name)} and has no slice group {name}"
                        yield Hit(workload.path, f"{where} {admits}, so its Pods stay Pending there")
                elif not _alike(workload.cluster, group, worker, own, context):
                    first = quoted(workload.cluster.key)
                    message = f"slice group {name} of {where} has other nodes than that of {first}"
                    yield Hit(workload.path, f"{message}, so the workload may never run there")


def _alike(first: Cluster, group: SliceGroup, worker: Cluster, own: SliceGroup, context: PlanContext) -> bool:
    """Whether Pods for one group fit the flavor and the nodes of the other."""
    catalog = context.catalog
    return (
        flavor_name(group) == flavor_name(own)
        and (group.shape.machine_type, group.shape.topology) == (own.shape.machine_type, own.shape.topology)
        and flavor_labels(first, group, (), catalog) == flavor_labels(worker, own, (), catalog)
        and set(shared_tolerations((own,), catalog)) <= set(shared_tolerations((group,), catalog))
    )


@rule(
    "TPU865",
    about=(
        *of_clusters("kubernetes.compute_classes", "kubernetes.priority_classes", "kubernetes.service_accounts"),
        _KEY,
        f"{_WORKLOAD}.head.compute_class",
        f"{_WORKLOAD}.priority",
        f"{_WORKLOAD}.service_account",
    ),
    title="Worker does not have what a workload of its manager names",
    why="the Pods run on the worker. Kubernetes creates no Pods with an unknown priority class or service account, and "
    "GKE no nodes for an unknown ComputeClass",
    fix="Define the priority class, service account or ComputeClass on each worker that the queue sends workloads to.",
    references=["kueue-multikueue"],
    source="Kueue: MultiKueue",
    failing=_plan(_RUN.replace("count: 2", "priority: urgent") + "    priority_classes: {urgent: {value: 10}}"),
    passing=_plan(
        _RUN.replace("count: 2", "priority: urgent") + "    priority_classes: {urgent: {value: 10}}",
        _EAST.replace("{queues", "{priority_classes: {urgent: {value: 10}}, queues"),
    ),
)
def worker_without_reference(context: PlanContext) -> Iterable[Hit]:
    for found, workload in _dispatched(context):
        plan = found.cluster.plan.kubernetes
        head = workload.plan.head
        for worker in reached(found, workload):
            other = worker.plan.kubernetes
            priority, account = workload.plan.priority, workload.plan.service_account
            own = head.compute_class if head is not None else None
            where = f"worker {quoted(worker.key)}"
            if priority is not None and (other is None or priority not in other.priority_classes):
                yield Hit.missing((*workload.path, "priority"), f"priority class {quoted(priority)} on {where}")
            if own is not None and (other is None or own not in other.compute_classes):
                yield Hit.missing((*workload.path, "head", "compute_class"), f"ComputeClass {quoted(own)} on {where}")
            ours = plan is not None and account in plan.service_accounts
            if ours and (other is None or account not in other.service_accounts):
                yield Hit.missing((*workload.path, "service_account"), f"service account {quoted(account)} on {where}")


@rule(
    "TPU879",
    about=(
        *of_clusters("existing", "fleet", "resource_labels"),
        f"{_KEY}.credentials",
        f"{_KEY}.workers.*.kubeconfig_secret",
    ),
    title="Manager does not find its workers in one fleet",
    why="the fleet writes ClusterProfiles of its members into the manager, because of labels of the manager. Kueue "
    "finds no worker outside of the fleet of the manager, and reads no kubeconfig",
    fix="Set the same `fleet` in the manager and in each of its workers: the project that hosts the fleet. Remove "
    "`kubeconfig_secret`, and labels with other values. Change an existing cluster where it is managed.",
    otherwise={Severity.NOTE: "if the manager is an existing cluster, which gke-tpu does not change"},
    references=["gke-multikueue-profiles", "vllm-ci-multikueue"],
    source="GKE: fleets",
    failing=_plan().replace("{workers: {east: {}}}", "{workers: {east: {}}, credentials: fleet}"),
    passing=_plan()
    .replace("{workers: {east: {}}}", "{workers: {east: {}}, credentials: fleet}")
    .replace("mode: standard", "mode: standard\n    fleet: acme-ml"),
)
def manager_without_fleet(context: PlanContext) -> Iterable[Hit]:
    labels = context.catalog.kubernetes.kueue.cluster_profiles.labels
    for cluster, plan, path in _managers(context):
        if plan.credentials == "fleet":
            yield from _without_one_fleet(cluster, (*path, "credentials"), labels)
            yield from _other_access(cluster, plan, path, labels)


def _without_one_fleet(cluster: Cluster, path: Path, labels: Mapping[str, str]) -> Iterator[Hit]:
    """Clusters outside of the fleet of their manager. That of an existing cluster is unknown."""
    fleet = cluster.plan.fleet
    if fleet is None and not cluster.existing:
        yield Hit.missing(path, f"key `fleet` of {quoted(cluster.key)}")
    elif fleet is None:
        written = listed([quoted(f"{label}: {value}") for label, value in labels.items()], "and")
        message = f"existing cluster {quoted(cluster.key)} must be in the fleet of its workers, with the labels"
        yield Hit(path, f"{message} {written}", severity=Severity.NOTE)
    for worker in cluster.workers if isinstance(fleet, str) or cluster.existing else ():
        own = worker.plan.fleet
        if own is None and not worker.existing:
            yield Hit.missing(path, f"key `fleet` of worker {quoted(worker.key)}")
        elif isinstance(own, str) and isinstance(fleet, str) and own != fleet:
            both = f"{quoted(own)} of worker {quoted(worker.key)}"
            yield Hit.conflict((*worker.path, "fleet"), f"fleet {both}", f"{quoted(fleet)} of its manager")


def _other_access(cluster: Cluster, plan: MultiKueue, path: Path, labels: Mapping[str, str]) -> Iterator[Hit]:
    """Secrets, which Kueue does not read, and labels for which the fleet writes no ClusterProfiles."""
    for key, worker in plan.workers.items():
        if worker.kubeconfig_secret is not None:
            place = (*path, "workers", key, "kubeconfig_secret")
            yield Hit.conflict(place, "`kubeconfig_secret`", "`credentials: fleet`", "Kueue reads no Secret then")
    for label, value in labels.items() if not cluster.existing else ():
        given = cluster.resource_labels.get(label, value)
        if isinstance(given, str) and given != value:
            own = (*cluster.path, "resource_labels", label)
            place = own if label in cluster.plan.resource_labels else (*path, "credentials")
            what = f"label {quoted(f'{label}: {given}')}"
            yield Hit.conflict(place, what, "`credentials: fleet`", f"its value must be {quoted(value)}")


@warning(
    "TPU571",
    about=(_KEY, "clusters.*.mode"),
    title="Manager cluster in Autopilot mode with workers in Standard mode",
    why="Autopilot writes affinity to a label of its own nodes into Pods that have no node affinity. Kueue copies "
    "these Pods to a worker in Standard mode, where no node has the label, so they stay Pending",
    fix="Use `mode: standard` for the manager.",
    references=["multikueue-autopilot-manager"],
    failing=_plan().replace("  hub:\n    mode: standard", "  hub:\n    mode: autopilot"),
    passing=_plan(),
)
def multikueue_manager_on_autopilot(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.multikueue.for_item("changed_by_autopilot")
    for cluster, _, path in _managers(context):
        others = [quoted(worker.key) for worker in cluster.workers if worker.mode == "standard"]
        if cluster.mode == "autopilot" and others:
            workers = listed(others, most=_MOST_WORKERS)
            yield Hit(path, f"the manager is in Autopilot mode, and its workers {workers} are not", fact=fact)

"""Checks of names in Kubernetes objects of a plan: TPU700 to TPU702, TPU719 and TPU847."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.budgets import unused_budgets
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.base import EVERY_BUDGET
from pulumi_gke_tpu.core.plan.kubernetes import CohortSpec, Kubernetes, QueueSpec
from pulumi_gke_tpu.core.plan.volumes import Volume
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import (
    Fix,
    Path,
    Rename,
    Replace,
    SetKeys,
    Severity,
    as_only,
    did_you_mean,
    printable,
    quoted,
)
from pulumi_gke_tpu.core.text.formats.names import gke_name_like
from pulumi_gke_tpu.core.text.formats.quantity import memory_without_unit, parse_quantity
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_LOGIC = "gke-tpu: names in the key `kubernetes`"
_LABEL = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)
_LONGEST = 63
_CPUS = lazy_pattern(r"(?:v?cpus?|cores?)\Z", re.IGNORECASE)
_QUANTITY = lazy_pattern(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?\Z", re.ASCII)

_FAILING = in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
kubernetes:
  workloads:
""")
_ACCOUNTS = _FAILING.replace("  workloads:", "  service_accounts: {trainer: {}}\n  workloads:")


def _kubernetes(context: PlanContext) -> Iterator[tuple[Path, Kubernetes, tuple[Cluster, ...]]]:
    """The Kubernetes keys of each cluster with their path, and where its workloads run: there, or on its workers."""
    for cluster in context.fleet.clusters:
        if cluster.plan.kubernetes is not None:
            yield (*cluster.path, "kubernetes"), cluster.plan.kubernetes, cluster.workers or (cluster,)


def _groups(clusters: Sequence[Cluster]) -> dict[str, str]:
    """Each slice group of clusters with its budget, or with an empty text."""
    groups = {key: "" for item in clusters for key in item.plan.slices}
    for item in clusters:
        groups |= {str(group.path[-1]): group.budget.name for group in item.groups if group.budget is not None}
    return groups


def _classes(clusters: Iterable[Cluster]) -> set[str]:
    """The ComputeClasses for heads on clusters."""
    return {name for item in clusters for name in item.compute_classes}


@rule(
    "TPU700",
    about=(
        *of_clusters("kubernetes.checkpoints.slices", "kubernetes.cohorts", "kubernetes.queues"),
        *of_workloads("fallback", "head.compute_class", "priority", "queue", "slices"),
    ),
    title="Unknown slice group, queue, cohort, priority class or ComputeClass",
    why="a workload runs on slices of its cluster. With an unknown queue, Kueue never admits a workload and reports "
    "nothing; with an unknown priority class, Kubernetes creates no Pods",
    fix="Use a name of the plan, or define the slice group, queue, cohort, priority class or ComputeClass.",
    source=_LOGIC,
    failing=f"{_FAILING}    run: {{slices: pretrian, image: train}}",
    passing=f"{_FAILING}    run: {{slices: pretrain, image: train}}",
)
def unknown_workload_reference(context: PlanContext) -> Iterable[Hit]:
    unused = unused_budgets(context.fleet) | context.plan.unread_budgets
    for path, plan, clusters in _kubernetes(context):
        groups, classes = _groups(clusters), _classes(clusters)
        for name, item in plan.workloads.items():
            here = (*path, "workloads", name)
            yield from _unknown((*here, "slices"), "slice group", item.slices, groups)
            for index, other in enumerate(item.fallback):
                yield from _unknown((*here, "fallback", index), "slice group", other, groups)
            yield from _unknown((*here, "queue"), "queue", item.queue, plan.queues)
            yield from _unknown((*here, "priority"), "priority class", item.priority, plan.priority_classes)
            own = item.head.compute_class if item.head is not None else None
            yield from _unknown((*here, "head", "compute_class"), "ComputeClass", own, classes)
        for name, queue in plan.queues.items():
            yield from _groups_of((*path, "queues", name), queue, groups, unused)
            if plan.cohorts:
                yield from _unknown((*path, "queues", name, "cohort"), "cohort", queue.cohort, plan.cohorts)
        for name, cohort in plan.cohorts.items():
            yield from _groups_of((*path, "cohorts", name), cohort, groups, unused)
            yield from _unknown((*path, "cohorts", name, "parent"), "cohort", cohort.parent, plan.cohorts)
        for index, name in enumerate(plan.checkpoints.slices if plan.checkpoints is not None else ()):
            yield from _unknown((*path, "checkpoints", "slices", index), "slice group", name, groups)


def _groups_of(
    path: Path, plan: QueueSpec | CohortSpec, groups: Mapping[str, str], unused: frozenset[str]
) -> Iterator[Hit]:
    """Names in `chips`, `borrow` and `lend` that are neither a slice group outside of budgets nor a budget."""
    known = dict.fromkeys(budget or group for group, budget in groups.items())
    what = "slice group or budget" if any(groups.values()) else "slice group"
    for key, chips in (("chips", plan.chips), ("borrow", plan.borrow), ("lend", plan.lend)):
        for name in (name for name in chips if name not in unused):
            if EVERY_BUDGET in unused and name not in groups:
                continue
            budget = groups.get(name, "")
            if name in known or not budget:
                yield from _unknown((*path, key, name), what, name, known, chips[name])
                continue
            fix = SetKeys.of({budget: chips[name]}) if budget not in chips else None
            why = f"it draws from budget {quoted(budget)}, whose chips all of its slice groups share"
            yield Hit.invalid((*path, key, name), "name in the quota of a queue", name, why, fix=fix)


def _unknown(path: Path, what: str, name: str | None, known: Iterable[str], chips: int | None = None) -> Iterator[Hit]:
    if name is None or name in known:
        return
    names = tuple(sorted(known))
    near = did_you_mean(name, names)
    if isinstance(path[-1], int):
        fix: Fix | None = Replace.value(near)
    else:
        fix = SetKeys.of({path[-1]: near}) if chips is None else SetKeys.of({near: chips}) if near else None
    yield Hit.unknown(path, what, name, allowed=names, fix=fix)


@warning(
    "TPU847",
    about=(*of_clusters("kubernetes.service_accounts"), *of_workloads("service_account")),
    title="Service account with almost the name of another one",
    why="a name that `service_accounts` does not define is that of a service account that exists in the cluster. If it "
    "does not exist, Kubernetes creates no Pods",
    fix="Use the name that the message suggests. If the account exists in the cluster, accept the warning.",
    references=["kubernetes-api-server"],
    source=_LOGIC,
    failing=f"{_ACCOUNTS}    run: {{slices: pretrain, image: train, service_account: trainr}}",
    passing=f"{_ACCOUNTS}    run: {{slices: pretrain, image: train, service_account: trainer}}",
)
def similar_service_account(context: PlanContext) -> Iterable[Hit]:
    for path, plan, _ in _kubernetes(context):
        known = tuple(sorted(plan.service_accounts))
        for name, item in plan.workloads.items():
            account = item.service_account
            near = did_you_mean(account, known) if isinstance(account, str) and account not in known else ""
            if near:
                place = (*path, "workloads", name, "service_account")
                yield Hit(
                    place,
                    f"{quoted(account)} is not in `service_accounts`, but {quoted(near)} is",
                    allowed=known,
                    fix=SetKeys.of(service_account=near),
                )


@rule(
    "TPU701",
    about=of_clusters(
        "kubernetes.cohorts",
        "kubernetes.compute_classes",
        "kubernetes.namespaces",
        "kubernetes.queues.*.namespaces",
        "kubernetes.service_accounts",
        "kubernetes.workloads",
    ),
    title="Invalid name of a Kubernetes object",
    why="names of these objects are also names of Pods, services or labels: at most 63 lower-case letters, digits and "
    "hyphens. Controllers append the number of the slice and of the host to the name of a workload",
    fix="Use a shorter name, with lower-case letters, digits and hyphens.",
    references=["kubernetes-api-server", "jobset-api"],
    source="Kubernetes: RFC 1123 label names",
    failing=f"{_FAILING}    Pre_Train: {{slices: pretrain, image: train}}",
    passing=f"{_FAILING}    pre-train: {{slices: pretrain, image: train}}",
)
def invalid_object_name(context: PlanContext) -> Iterable[Hit]:
    for path, plan, _ in _kubernetes(context):
        yield from _named((*path, "namespace"), "namespace", plan.namespace)
        parts: tuple[tuple[str, str, Mapping[str, object]], ...] = (
            ("namespaces", "namespace", plan.namespaces),
            ("queues", "queue name", plan.queues),
            ("cohorts", "cohort", plan.cohorts),
            ("priority_classes", "priority class name", plan.priority_classes),
            ("compute_classes", "name of a ComputeClass", plan.compute_classes),
            ("service_accounts", "service account name", plan.service_accounts),
            ("workloads", "workload name", plan.workloads),
        )
        for key, what, items in parts:
            for name in items:
                yield from _named((*path, key, name), what, name)
        for name, queue in plan.queues.items():
            yield from _named((*path, "queues", name, "namespace"), "namespace", queue.namespace)
            yield from _named((*path, "queues", name, "cohort"), "cohort", queue.cohort)
            for index, namespace in enumerate(queue.namespaces):
                yield from _named((*path, "queues", name, "namespaces", index), "namespace", namespace)
        for name, item in plan.workloads.items():
            yield from _named((*path, "workloads", name, "namespace"), "namespace", item.namespace)
            for volume, value in item.volumes.items():
                yield from _named((*path, "workloads", name, "volumes", volume), "volume name", volume)
                yield from _claim((*path, "workloads", name, "volumes", volume, "claim"), value)
    for workload in workloads(context):
        longest = written_kind(workload).pod_name(workload)
        if _is_label(workload.name) and len(longest) > _LONGEST:
            over = len(longest) - _LONGEST
            yield Hit(
                workload.path,
                f"the name of the workload is too long: the name {quoted(longest)} of a Pod has {len(longest)} "
                f"characters, {over} more than allowed",
                fix=Rename.to(workload.name[: len(workload.name) - over].rstrip("-")),
            )


def _claim(path: Path, volume: Volume) -> Iterator[Hit]:
    if volume.claim is not None and not all(_is_label(part) for part in volume.claim.split(".")):
        yield Hit.invalid(path, "name of a PersistentVolumeClaim", volume.claim, _form(volume.claim))


def _named(path: Path, what: str, name: str | None) -> Iterator[Hit]:
    if name is None or _is_label(name):
        return
    near = gke_name_like(name)[:_LONGEST].rstrip("-")
    if isinstance(path[-1], int):
        fix: Fix | None = Replace.value(near)
    else:
        fix = Rename.to(near) if path[-1] == name else SetKeys.of({path[-1]: near})
    yield Hit.invalid(path, what, name or "(empty)", _form(name), fix=fix)


def _form(name: str) -> str:
    if len(name) > _LONGEST and _LABEL.match(name):
        return f"it has {len(name)} characters; allowed are {_LONGEST}"
    return "use lower-case letters, digits and hyphens, with a letter or a digit first and last"


def _is_label(name: str) -> bool:
    return len(name) <= _LONGEST and bool(_LABEL.match(name))


@rule(
    "TPU702",
    about=(
        *of_clusters("kubernetes.checkpoints.memory"),
        *of_workloads(
            "cpu",
            "head.cpu",
            "head.memory",
            "init_containers[].cpu",
            "init_containers[].memory",
            "memory",
            "sidecars[].cpu",
            "sidecars[].memory",
        ),
    ),
    title="Invalid CPU or memory request",
    why="Kubernetes reads requests as quantities: a number with a suffix such as m, M, G, Mi or Gi",
    fix="Write a quantity: `500m` or `8` for CPU, `16Gi` for memory.",
    references=["kubernetes-api-server"],
    source="Kubernetes: quantities",
    otherwise={Severity.WARNING: "if memory is less than a mebibyte, because its unit is missing"},
    failing=f"{_FAILING}    run: {{slices: pretrain, image: train, memory: 16 GB}}",
    passing=f"{_FAILING}    run: {{slices: pretrain, image: train, memory: 16G}}",
)
def invalid_quantity(context: PlanContext) -> Iterable[Hit]:
    for path, plan, _ in _kubernetes(context):
        if plan.checkpoints is not None:
            yield from _quantity((*path, "checkpoints", "memory"), plan.checkpoints.memory, positive=True)
        for name, item in plan.workloads.items():
            here = (*path, "workloads", name)
            found = [((*here, "cpu"), item.cpu), ((*here, "memory"), item.memory)]
            if item.head is not None:
                found += [((*here, "head", "cpu"), item.head.cpu), ((*here, "head", "memory"), item.head.memory)]
            for key in ("init_containers", "sidecars"):
                for index, part in enumerate(getattr(item, key)):
                    place = (*here, key, index)
                    found += [((*place, "cpu"), part.cpu), ((*place, "memory"), part.memory)]
            for place, value in found:
                yield from _quantity(place, value)


def _quantity(path: Path, value: str | None, *, positive: bool = False) -> Iterator[Hit]:
    if positive and parse_quantity(value) == 0:
        yield Hit.invalid(path, "quantity", value, "use a value above zero")
    elif value is not None and not _QUANTITY.match(value):
        near = re.sub(r"\s+", "", value).removesuffix("B").removesuffix("b")
        near = _CPUS.sub("", near) if path[-1] == "cpu" else near
        fix = SetKeys.of({path[-1]: near}) if _QUANTITY.match(near) else None
        yield Hit.invalid(path, "quantity", value, fix=as_only(fix))
    elif path[-1] == "memory" and (allowed := memory_without_unit(value)):
        message, why = f"`memory: {printable(value)}` is less than a mebibyte", "a number without a suffix counts bytes"
        yield Hit(path, message, why=why, severity=Severity.WARNING, allowed=allowed)


@rule(
    "TPU719",
    about=of_workloads("env", "env_from_secrets"),
    title="Environment variable is set by GKE",
    why="GKE sets the variables with which the hosts of a slice and the slices of a workload find each other. Other "
    "values prevent them from connecting",
    fix="Remove the variable.",
    references=["jobset-multislice", "kubernetes-engine-samples"],
    failing=f"{_FAILING}    run: {{slices: pretrain, image: train, env: {{TPU_WORKER_ID: '0'}}}}",
    passing=f"{_FAILING}    run: {{slices: pretrain, image: train, env: {{RUN: pretrain-1}}}}",
)
def reserved_variable(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.variables
    reserved = {*facts.always, *facts.multislice}
    for path, plan, _ in _kubernetes(context):
        for name, item in plan.workloads.items():
            for key in ("env", "env_from_secrets"):
                for variable in getattr(item, key):
                    if variable in reserved:
                        place = (*path, "workloads", name, key, variable)
                        yield Hit(place, f"GKE sets {quoted(variable)}", fact=facts)

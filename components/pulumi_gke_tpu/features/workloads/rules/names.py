"""Checks of names of workloads by their kind, TPU355, and of the quotas and users of namespaces, TPU300 and TPU359."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.cohorts import most_chips
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_workloads, rule
from pulumi_gke_tpu.core.text.findings import Rename, Replace, SetKeys, Severity, number, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, workloads

_STARTS_WITH_DIGIT = lazy_pattern(r"[0-9]", re.ASCII)
_PLAN = (
    "mode: standard\nlocation: us-east5\naddons: [ray_operator]\n"
    "slices: {serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}}\n"
    "cpu_pools: {heads: {machine_type: n2-standard-16, nodes: 1, zones: [us-east5-b]}}\n"
)


def _named(name: str) -> str:
    return f"{_PLAN}kubernetes: {{workloads: {{{name}: {{slices: serve, image: ray, kind: rayjob, command: [a]}}}}}}"


@rule(
    "TPU355",
    about=of_workloads("kind"),
    title="Name is not possible for this kind of workload",
    why="controllers use the name in names of Services, which begin with a letter. They also append to it in labels, "
    "which have at most 63 characters",
    fix="Use a shorter name that begins with a letter.",
    references=["kuberay-validation", "kubernetes-api-server"],
    source="Kubernetes: names of Services (RFC 1035), label values",
    failing=_named("train-a-long-name-for-a-ray-job-that-evaluates-checkpoints"),
    passing=_named("train-a-ray-job-that-evaluates-checkpoints"),
)
def name_not_for_kind(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        longest, fact = written_kind(workload).longest_name(workload, context.catalog)
        if _STARTS_WITH_DIGIT.match(workload.name):
            yield Hit.invalid(
                workload.path,
                "workload name",
                workload.name,
                "it begins with a digit",
                fix=Rename.to(f"run-{workload.name}"),
            )
        elif len(workload.name) > longest:
            yield Hit(
                workload.path,
                f"the name {quoted(workload.name)} of kind {workload.plan.kind} has {len(workload.name)} characters, "
                f"and {longest} are allowed",
                fact=fact,
                fix=Rename.to(workload.name[:longest].rstrip("-")),
            )


_MEMBER = lazy_pattern(r"(?:user|group|serviceAccount):[^\s:@]+@[^\s:@]+\.[^\s:@.]+\Z", re.ASCII)
_EMAIL = lazy_pattern(r"[^\s:@]+@[^\s:@]+\.[^\s:@.]+\Z", re.ASCII)
_SERVICE_ACCOUNT = ".gserviceaccount.com"
_CLUSTER = in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
kubernetes:
""")
_RUN = "  workloads: {run: {slices: pretrain, image: train, count: 2, namespace: research}}\n"


@rule(
    "TPU300",
    about=(
        *of_clusters("kubernetes.namespaces.*.chips", "kubernetes.queues.*.chips"),
        *of_workloads("count", "namespace"),
    ),
    title="Quota of a namespace is too low",
    why="Kubernetes creates no Pod above the quota of its namespace. Kueue does not know this quota: it admits "
    "workloads that then have only a part of their Pods",
    fix="Raise `chips` of the namespace, or let queues limit chips instead.",
    references=["kubernetes-resource-quotas"],
    source="gke-tpu: chips of workloads, queues and namespaces",
    otherwise={Severity.WARNING: "if a queue can admit more workloads than the quota of a namespace allows"},
    failing=f"{_CLUSTER}{_RUN}  namespaces: {{research: {{chips: 16}}}}",
    edit=("chips: 16", "chips: 32"),
)
def namespace_quota_too_low(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        for namespace in found.namespaces:
            chips = namespace.plan.chips
            if chips is not None:
                yield from _above((*namespace.path, "chips"), namespace.name, chips, found, context.catalog)


def _above(
    path: tuple[str | int, ...], name: str, chips: int, found: KubernetesObjects, catalog: Catalog
) -> Iterator[Hit]:
    """What needs more chips than the namespace has. The quota counts only chips that Pods request, and not claims."""
    claiming = {group.key for group in found.cluster.groups if claims_chips(group, catalog)}
    workloads = [item for item in found.workloads if item.namespace == name and item.group.key not in claiming]
    largest = max(workloads, key=lambda workload: workload.chips, default=None)
    if largest is not None and largest.chips > chips:
        yield Hit(
            path,
            f"workload {quoted(largest.name)} needs {number(largest.chips, 'chip')}, but its namespace {quoted(name)} "
            f"has {chips:,}",
            fix=SetKeys.of(chips=largest.chips),
        )
        return
    for queue in found.queues:
        requested = [
            quota.flavor for quota in queue.quotas if not all(group.key in claiming for group in quota.flavor.groups)
        ]
        most = sum(most_chips(found, queue, flavor) for flavor in requested)
        if name in queue.namespaces and most > chips:
            yield Hit(
                path,
                f"queue {quoted(queue.name)} can admit workloads with {number(most, 'chip')} in namespace "
                f"{quoted(name)}, which has {chips:,}",
                severity=Severity.WARNING,
            )


@rule(
    "TPU359",
    about=of_clusters(
        "kubernetes.namespaces.*.admins", "kubernetes.namespaces.*.editors", "kubernetes.namespaces.*.viewers"
    ),
    title="Invalid user of a namespace",
    why="Kubernetes knows Google accounts and service accounts as users, and Google groups as groups, by their email "
    "address. It does not check names, so a wrong one has no access",
    fix="Write `user:EMAIL`, `group:EMAIL` or `serviceAccount:EMAIL`.",
    references=["gke-rbac"],
    source="GKE: subjects of RoleBindings",
    failing=f"{_CLUSTER}  namespaces: {{research: {{editors: [ada@example.com]}}}}",
    passing=f"{_CLUSTER}  namespaces: {{research: {{editors: [user:ada@example.com]}}}}",
)
def invalid_member(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        for namespace in found.namespaces:
            plan = namespace.plan
            for key, members in (("admins", plan.admins), ("editors", plan.editors), ("viewers", plan.viewers)):
                for index, member in enumerate(members):
                    if not _MEMBER.match(member):
                        yield Hit.invalid(
                            (*namespace.path, key, index), "member", member or "(empty)", fix=_fix(member)
                        )


def _fix(member: str) -> Replace | None:
    """A service account is known by its domain; whether another address is a group, only its owner knows."""
    if _EMAIL.match(member) and member.endswith(_SERVICE_ACCOUNT):
        return Replace.value(f"serviceAccount:{member}")
    return None

"""Checks of the operators that a plan installs: TPU660 to TPU667."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.operators import InstalledOperator, installed_operators, operators_of
from pulumi_gke_tpu.core.fleet.scheduling import room
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kubernetes.operators import needed_operators
from pulumi_gke_tpu.core.plan.kubernetes import OperatorsSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import (
    Path,
    Replace,
    SetKeys,
    Severity,
    did_you_mean,
    listed,
    number,
    quoted,
)
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.core.text.formats.versions import parse_release
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, reached

_KEY = "clusters.*.kubernetes.operators"
_CERTIFICATES, _KUEUE = "cert_manager", "kueue"
_VERSIONS = tuple(f"{_KEY}.{key}.version" for key in OperatorsSpec.model_fields)

_CLUSTER = in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
""")
_RUN = "  workloads: {run: {slices: pretrain, image: train, kind: jobset, count: 2}}\n"


def _operators(text: str) -> str:
    return f"{_CLUSTER}kubernetes:\n  operators: {{{text}}}\n"


@warning(
    "TPU660",
    about=(*of_clusters("kubernetes.queues"), *of_workloads("kind"), _KEY),
    title="Plan does not install an operator that its objects need",
    why="without the operator, the API server does not know the kinds of these objects, or nothing acts on them",
    fix="Add the operator to `operators`. If it is installed in another way, accept this warning.",
    references=["jobset-installation", "lws-installation", "kueue-installation", "kuberay-tpu-webhook-readme"],
    failing=f"{_operators('kueue: {}')}{_RUN}",
    passing=f"{_operators('jobset: {}, kueue: {}')}{_RUN}",
)
def operator_not_installed(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        written = operators_of(found.cluster)
        if written is None:
            continue
        installations = context.catalog.kubernetes.operators.installations
        present = {operator.key for operator in installed_operators(found.cluster, context.catalog)}
        needed = dict(_needed_by_managers(context, found.cluster)) | dict(needed_operators(found, context.catalog))
        for key, reason in needed.items():
            if key in installations and key not in present:
                fact = installations[key]
                yield Hit.missing(
                    (*found.cluster.path, "kubernetes", "operators"),
                    f"operator {fact.title}",
                    reason,
                    fact=fact,
                    fix=SetKeys.of({key: {}}),
                )


def _needed_by_managers(context: PlanContext, worker: Cluster) -> Iterator[tuple[str, str]]:
    """The operators that run what managers of MultiKueue send to a worker, each with the reason."""
    for manager in clusters_with_objects(context):
        workloads = manager.workloads if manager.cluster.workers else ()
        sent = tuple(item for item in workloads if worker.key in {one.key for one in reached(manager, item)})
        if sent:
            yield from needed_operators(replace(manager, cluster=worker, queues=(), workloads=sent), context.catalog)


@rule(
    "TPU661",
    about=(f"{_KEY}.kuberay", "clusters.*.addons"),
    title="Two installations of KubeRay",
    why="the add-on ray_operator installs KubeRay and its TPU webhook. A second installation acts on the same Ray "
    "clusters",
    fix="Remove `kuberay`, or the add-on.",
    references=["kuberay-trillium"],
    failing=f"addons: [ray_operator]\n{_operators('cert_manager: {}, kuberay: {}')}",
    passing=f"addons: [ray_operator]\n{_operators('jobset: {}')}",
)
def second_ray_operator(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.workloads.ray
    for found in clusters_with_objects(context):
        written = operators_of(found.cluster)
        if written is not None and written.kuberay is not None and fact.addon in found.cluster.plan.addons:
            path = (*found.cluster.path, "kubernetes", "operators", "kuberay")
            yield Hit.conflict(path, "`kuberay`", f"the add-on {fact.addon}", "both install KubeRay", fact=fact)


def _releases(context: PlanContext) -> Iterator[tuple[InstalledOperator, tuple[int, ...], Path]]:
    """The operators whose release the plan sets, with its numbers (empty if it is none) and its place."""
    for found in clusters_with_objects(context):
        for operator in installed_operators(found.cluster, context.catalog):
            if getattr(operator.plan, operator.version_key) is not None:
                yield operator, parse_release(operator.version), (*operator.path, operator.version_key)


@rule(
    "TPU662",
    about=(*_VERSIONS, f"{_KEY}.kuberay.tpu_webhook"),
    title="Invalid release of an operator",
    why="the release is part of the address of the manifests or the version of the chart",
    fix="Write all three numbers, without v.",
    source="gke-tpu: names of releases",
    failing=_operators('jobset: {version: "0.12"}'),
    edit=('"0.12"', "0.12.0"),
)
def invalid_release(context: PlanContext) -> Iterable[Hit]:
    for operator, release, path in _releases(context):
        if not release or operator.version.startswith("v"):
            meant = operator.version.removeprefix("v") if release else operator.fact.version
            yield Hit.invalid(
                path,
                f"release of {operator.fact.title}",
                operator.version,
                allowed=(f"three numbers, such as {operator.fact.version}",),
                fix=SetKeys.of({operator.version_key: meant}),
            )


@warning(
    "TPU663",
    about=tuple(path for path in _VERSIONS if _CERTIFICATES not in path),
    title="Release of an operator that gke-tpu does not know",
    why="gke-tpu writes fields that other releases may not have, and an operator does not start if it does not know a "
    "key of its configuration",
    fix="Use a release of the minor versions that gke-tpu knows, or remove the key.",
    references=["jobset-api", "lws-api", "kueue-configuration-api"],
    failing=_operators("kueue: {version: 0.16.9}"),
    passing=_operators("kueue: {version: 0.19.2}"),
)
def untested_release(context: PlanContext) -> Iterable[Hit]:
    for operator, release, path in _releases(context):
        fact = context.catalog.kubernetes.controllers.get(operator.fact.controller)
        if not release or fact is None or not fact.releases:
            continue
        known = [tuple(map(int, minor.split("."))) for minor in fact.releases]
        if not min(known) <= release[:2] <= max(known):
            allowed = " to ".join(dict.fromkeys((fact.releases[0], fact.releases[-1])))
            yield Hit(
                path,
                f"{operator.fact.title} {operator.version} is not a release that gke-tpu knows",
                fact=fact,
                allowed=(allowed,),
                fix=SetKeys.of({operator.version_key: operator.fact.version}),
            )


@rule(
    "TPU664",
    about=(f"{_KEY}.jobset.version", f"{_KEY}.kueue.version"),
    severity=Severity.NOTE,
    title="Release of an operator with a known fault",
    why="later releases do not have the fault. The queues of a plan use topology-aware scheduling for "
    "cubes only; other workloads on the cluster can use it, too",
    fix="Use a later release.",
    references=["kueue-changelog", "jobset-changelog"],
    failing=_operators("kueue: {version: 0.18.3}"),
    edit=("0.18.3", "0.19.2"),
)
def release_with_known_fault(context: PlanContext) -> Iterable[Hit]:
    for operator, release, path in _releases(context):
        every = context.catalog.kubernetes.faults
        faults = [fault for fault in every if fault.operator == operator.fact.controller and fault.fixed_in(release)]
        if faults:
            later = ".".join(map(str, max(fault.fixed_in(release) for fault in faults)))
            texts = "; ".join(f"{fault.text} ({fault.feature})" for fault in faults)
            yield Hit(
                path,
                f"{operator.fact.title} {operator.version} has {number(len(faults), 'known fault')}: {texts}",
                fact=faults[0],
                allowed=(f"{later} or later",),
                fix=SetKeys.of({operator.version_key: later}),
            )


@rule(
    "TPU665",
    about=(f"{_KEY}.kueue.frameworks",),
    title="Kueue does not know this kind of workload",
    why="Kueue does not start with an unknown framework in its configuration",
    fix="Use the words of Kueue, such as kubeflow.org/pytorchjob.",
    references=["kueue-configuration-api", "kueue-configuration-validation"],
    failing=_operators("kueue: {frameworks: [kubeflow.org/pytorch]}"),
    edit=("kubeflow.org/pytorch]", "kubeflow.org/pytorchjob]"),
)
def unknown_framework(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.operators.kueue_configuration
    known = (*fact.frameworks, *fact.other_frameworks)
    for found in clusters_with_objects(context):
        written = operators_of(found.cluster)
        for index, name in enumerate(written.kueue.frameworks if written is not None and written.kueue else ()):
            if name not in known:
                path = (*found.cluster.path, "kubernetes", "operators", _KUEUE, "frameworks", index)
                near = did_you_mean(name, known)
                fix = Replace.value(near) if near else None
                yield Hit.unknown(path, "framework", name, fact=fact, allowed=fact.other_frameworks, fix=fix)


@warning(
    "TPU666",
    about=(*of_clusters("system_pool.machine_type", "system_pool.max_nodes"), _KEY),
    title="Operators request more vCPUs than the system pool has",
    why="operators run on nodes without TPUs. One that does not fit stays Pending, and its webhook then rejects every "
    "object of its kinds",
    fix="Use a larger machine type for the system pool, or raise `max_nodes`.",
    references=["kueue-manager", "jobset-manager", "lws-manager"],
    failing="system_pool: {machine_type: n2-standard-2, max_nodes: 1}\n"
    + _operators("jobset: {}, leaderworkerset: {}, kueue: {}"),
    edit=("max_nodes: 1", "max_nodes: 3"),
)
def operators_exceed_system_pool(context: PlanContext) -> Iterable[Hit]:
    """Compares with what the nodes leave to all Pods together, of which the Pods of GKE itself take a part."""
    for found in clusters_with_objects(context):
        cluster, pool = found.cluster, system_pool(found.cluster)
        installed = installed_operators(cluster, context.catalog)
        if pool is None or not installed or any(other.nodes.maximum for other in cluster.cpu_pools):
            continue
        left = room(pool.machine_type.value, context.catalog.kubernetes.workloads.cpu_nodes)
        if left is None:
            continue
        requesting = [operator.fact for operator in installed if operator.fact.cpu]
        total = sum(parse_quantity(fact.cpu) or 0 for fact in requesting)
        most = left.cpus * pool.max_nodes.value
        if total > most:
            yield Hit(
                (*cluster.path, "kubernetes", "operators"),
                f"{listed([fact.title for fact in requesting])} request {float(total):g} vCPUs, and the system pool "
                f"leaves at most {float(most):g} vCPUs to Pods",
                fact=requesting[-1],
            )


_SLICES = """
mode: standard
location: us-central1
network: {create: {mtu: 8896}}
cpu_pools: {controllers: {machine_type: n2-standard-16, nodes: 1, zones: [us-central1-c]}}
slices:
  cubes:
    tpu: tpu7x
    slicing: dynamic
    count: 2
    zone: us-central1-c
    capacity: {reservation: {name: ironwood, block: block-1}}
kubernetes:
  operators: {jobset: {}, kueue: {version: 0.17.9}}
  queues: {team: {}}
  workloads: {run: {slices: cubes, topology: 2x2x2, image: train, queue: team, kind: jobset}}
"""


@rule(
    "TPU667",
    about=(*_VERSIONS, *of_workloads("slices", "topology")),
    title="Release of an operator is too old for slices of cubes",
    why="dynamic slicing requires minimum releases of the operators whose workloads get slices",
    fix="Use a later release, or remove the key: gke-tpu then installs a release that it knows.",
    references=["gke-dynamic-slicing", "llm-d-dynamic-slicing"],
    otherwise={Severity.WARNING: "if no JobSet has several slices, or only parts of cubes require the release"},
    failing=_SLICES,
    edit=("0.17.9", "0.19.2"),
)
def release_without_slices(context: PlanContext) -> Iterable[Hit]:
    fact, controllers = context.catalog.kubernetes.kueue.slice_releases, context.catalog.kubernetes.controllers
    for found in clusters_with_objects(context):
        every = [item for item in found.workloads if item.dynamic]
        for operator in installed_operators(found.cluster, context.catalog) if every else ():
            key = operator.fact.controller
            if key not in controllers or getattr(operator.plan, operator.version_key) is None:
                continue
            group = controllers[key].group
            users = [item for item in every if _runs_on(item, group, context.catalog)]
            parts = any(item.shape.chips < item.group.shape.chips for item in users)
            low = fact.above(key, parse_release(operator.version), parts=parts) if users else None
            if low is not None:
                several = any(item.slices > 1 for item in users)
                yield Hit(
                    (*operator.path, operator.version_key),
                    f"{operator.fact.title} {operator.version} is too old for the slices of {quoted(users[0].name)}",
                    fact=low[1],
                    severity=None if several else Severity.WARNING,
                    allowed=(f"{low[0]} or later",),
                    fix=SetKeys.of({operator.version_key: operator.fact.version}),
                )


def _runs_on(workload: Workload, group: str, catalog: Catalog) -> bool:
    """Whether the controller of an API group runs a workload or queues it."""
    if group == catalog.kubernetes.controllers[_KUEUE].group:
        return is_queued(workload, catalog)
    return written_kind(workload).controller(workload) == group

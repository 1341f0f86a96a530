"""Ray clusters, alone and in RayJob and RayService: TPU573 and TPU772 to TPU777."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.operators import operators_of
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.kinds.ray import WORKERS, RayTemplates
from pulumi_gke_tpu.core.kinds.written.rayjob import KIND as RAY_JOB
from pulumi_gke_tpu.core.kinds.written.rayservice import KIND as RAY_SERVICE
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import count, items, known_text, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, ray_cluster
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, spec_of

_GROUPS = "workerGroupSpecs"
_AUTOSCALING = "enableInTreeAutoscaling"
_RAY_JOB = """
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune}
spec:
  entrypoint: python tune.py
  clusterSelector: {ray.io/cluster: tune}
"""
_PLAN = """--- plan
mode: standard
location: us-east5
addons: [ray_operator]
slices:
  tune: {tpu: v6e, topology: 2x2, zone: us-east5-b}
"""


def _clusters(context: ManifestContext) -> Iterator[tuple[KubernetesObject, Path, dict[str, Any]]]:
    """The specifications of Ray clusters, with their objects and paths."""
    for owner in context.objects:
        kind = kind_of(owner)
        if kind is not None and isinstance(kind.templates, RayTemplates):
            data = owner.value(*kind.templates.path)
            if isinstance(data, dict):
                yield owner, kind.templates.path, data


@rule(
    "TPU772",
    title="Ray worker group whose hosts do not match its slice",
    why="each replica of a worker group is one slice. The webhook of the Ray operator rejects a group whose "
    "`numOfHosts` differs from the hosts of its topology",
    fix="Set `numOfHosts` to the hosts of the slice; its default is 1. Set `replicas` to the number of slices.",
    references=["kuberay-tpu-webhook", "kuberay-trillium"],
    failing=changed(ray_cluster(), ("replicas: 1\n", "replicas: 1\n      numOfHosts: 2\n")),
    passing=ray_cluster(),
)
def ray_host_count(context: ManifestContext) -> Iterable[Hit]:
    for found in context.slice_pods:
        workers = found.pod
        if workers.traits != WORKERS or workers.pods in (None, found.form.hosts) or workers.pods < 1:
            continue  # a number below 1 is outside the range of the field
        fix = SetKeys.of(numOfHosts=found.form.hosts)
        reason = f"a slice {found.topology} has {number(found.form.hosts, 'host')}"
        fact = context.catalog.kubernetes.ray
        path = workers.hit_path(workers.controlled_by)
        if "numOfHosts" in spec_of(workers):
            message = f"worker group {quoted(workers.role)} has `numOfHosts: {workers.pods}`, but {reason}"
            yield Hit((*path, "numOfHosts"), message, fact=fact, fix=fix)
        else:
            what = f"key `numOfHosts` in worker group {quoted(workers.role)}"
            yield Hit.missing(path, what, f"its default is 1, and {reason}", fact=fact, fix=fix)


@rule(
    "TPU773",
    title="Replicas of a Ray worker group outside their range",
    why="KubeRay rejects a group with `minReplicas` above `maxReplicas`, and changes `replicas` to a value in the "
    "range",
    fix="Set `minReplicas` to at most `replicas`, and `maxReplicas` to at least `replicas`.",
    references=["kuberay-validation"],
    otherwise={Severity.WARNING: "if only `replicas` is outside the range"},
    failing=changed(ray_cluster(), ("minReplicas: 0", "minReplicas: 3")),
    passing=ray_cluster(),
)
def ray_replicas_outside_range(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.ray
    for owner, path, _ in _clusters(context):
        for place, group in entries(owner, *path, _GROUPS):
            least, most = count(group.get("minReplicas"), 0), group.get("maxReplicas")
            replicas = group.get("replicas")
            if least is None:
                continue
            if isinstance(most, int) and least > most:
                yield Hit.exceeds(
                    owner.at(*place, "minReplicas"), "`minReplicas`", f"`maxReplicas`: {least} > {most}", fact=fact
                )
            elif isinstance(replicas, int) and (replicas < least or (isinstance(most, int) and replicas > most)):
                message = f"`replicas: {replicas}` is outside the range of `minReplicas` and `maxReplicas`"
                yield Hit(owner.at(*place, "replicas"), message, fact=fact, severity=Severity.WARNING)


@rule(
    "TPU573",
    title="Ray worker group with chips that the Ray autoscaler cannot read",
    why="the Ray autoscaler reads accelerator and topology of a group with TPUs from its node selector only. Without "
    "both labels it fails, and scales no group of the cluster",
    fix="Move both labels from the affinity to `nodeSelector`.",
    references=["ray-autoscaler-selectors"],
    failing=changed(
        ray_cluster(),
        ("spec:\n  headGroupSpec", "spec:\n  enableInTreeAutoscaling: true\n  headGroupSpec"),
        ("cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, ", ""),
        (
            "nodeSelector:",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [tpu-v6e-slice]}]}]"
            "}}}\n          nodeSelector:",
        ),
    ),
    passing=changed(
        ray_cluster(), ("spec:\n  headGroupSpec", "spec:\n  enableInTreeAutoscaling: true\n  headGroupSpec")
    ),
)
def ray_autoscaler_selectors(context: ManifestContext) -> Iterable[Hit]:
    resource, labels = context.catalog.kubernetes.pods.resource.name, context.catalog.platform.names.node_labels
    scaling = {(owner.index, path) for owner, path, spec in _clusters(context) if spec.get(_AUTOSCALING) is True}
    for pod in context.tpu_pods:
        if pod.traits != WORKERS or pod.is_open or not pod.chips(resource) or has_open_key(pod.node_selector):
            continue
        if (pod.owner.index, pod.controlled_by[:-2]) not in scaling:
            continue
        lacking = [key for key in (labels.accelerator, labels.topology) if key not in pod.node_selector]
        if lacking:
            what = f"node selector {listed(lacking)} of worker group {quoted(pod.role)}"
            yield Hit.missing(pod.at(), what, "the Ray autoscaler reads it", fact=context.catalog.kubernetes.ray)


@rule(
    "TPU774",
    title="Ray cluster that Kueue rejects",
    why="Kueue admits a Ray cluster as one workload with a limited number of groups and a fixed size. It reserves the "
    "name of the group of the head",
    fix="Remove `enableInTreeAutoscaling`. To keep it, set the annotation kueue.x-k8s.io/elastic-job to true and "
    "enable its feature gate in Kueue.",
    references=["kueue-raycluster-webhook"],
    otherwise={Severity.WARNING: "if only an older release of Kueue rejects it"},
    failing=changed(
        ray_cluster("team"), ("spec:\n  headGroupSpec", "spec:\n  enableInTreeAutoscaling: true\n  headGroupSpec")
    ),
    passing=ray_cluster("team"),
)
def ray_cluster_in_queue(context: ManifestContext) -> Iterable[Hit]:
    kueue, ray = context.catalog.kubernetes.kueue, context.catalog.kubernetes.ray
    limits = dict(sorted(kueue.limits.ray_worker_groups.items(), key=lambda item: item[1]))
    for owner, path, cluster in _clusters(context):
        if kueue.labels.queue not in owner.labels:
            continue
        if cluster.get(_AUTOSCALING) is True and owner.annotations.get(kueue.labels.elastic) != "true":
            what = f"`{_AUTOSCALING}` in {owner.title}"
            yield Hit.unsupported(owner.at(*path, _AUTOSCALING), what, "queues", fact=kueue.limits)
        groups = items(cluster.get(_GROUPS))
        rejecting = [release for release, most in limits.items() if len(groups) > most]
        if rejecting:
            message = f"{owner.title} has {number(len(groups), 'worker group')}; Kueue {listed(rejecting)} rejects it"
            advice = "Reduce the number of groups."
            severity = Severity.WARNING if len(rejecting) < len(limits) else None
            yield Hit(owner.at(*path, _GROUPS), message, fact=kueue.limits, severity=severity, advice=advice)
        for place, group in entries(owner, *path, _GROUPS):
            if group.get("groupName") == ray.head_group:
                reason = "Kueue reserves it for the group of the head"
                place_of_name = owner.at(*place, "groupName")
                yield Hit.invalid(
                    place_of_name,
                    "name of a worker group",
                    ray.head_group,
                    reason,
                    fact=ray,
                    advice="Rename the worker group.",
                )


@warning(
    "TPU775",
    title="Ray cluster without the Ray operator",
    why="the Ray operator creates the Pods, and its webhook numbers the hosts of a slice. GKE installs both with the "
    "add-on `ray_operator`",
    fix="Add `ray_operator` to `addons` of the cluster. Or install KubeRay and the webhook for TPUs with the key "
    "`operators`, or yourself.",
    references=["kuberay-trillium", "kuberay-tpu-webhook"],
    failing=ray_cluster() + changed(_PLAN, ("addons: [ray_operator]\n", "")),
    passing=ray_cluster() + _PLAN,
)
def ray_operator_missing(context: ManifestContext) -> Iterable[Hit]:
    addon = context.catalog.kubernetes.workloads.ray.addon
    clusters = context.clusters()
    if not clusters or any(cluster.existing or _has_operator(cluster, addon) for cluster in clusters):
        return
    for owner, _, _ in _clusters(context):
        if mapping(owner.data.get("status")):
            continue  # only a Ray operator writes it
        message = f"{owner.title} needs the Ray operator, but no cluster of the plan has the add-on {quoted(addon)}"
        yield Hit(owner.at("kind"), message, fact=context.catalog.kubernetes.controllers["kuberay"])


def _has_operator(cluster: Cluster, addon: str) -> bool:
    """Whether the cluster has the add-on, or the plan installs KubeRay."""
    operators = operators_of(cluster)
    return addon in cluster.plan.addons or (operators is not None and operators.kuberay is not None)


@rule(
    "TPU776",
    title="RayJob or RayService without exactly one cluster",
    why="a RayJob runs on a cluster that it creates or on one that it selects, and a RayService on one that it "
    "creates. KubeRay rejects the object otherwise",
    fix="Set `rayClusterSpec` or `clusterSelector` of the RayJob, or `rayClusterConfig` of the RayService.",
    references=["kuberay-validation"],
    failing=changed(_RAY_JOB, ("  clusterSelector: {ray.io/cluster: tune}\n", "")),
    passing=_RAY_JOB,
)
def ray_without_cluster(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.ray
    for owner in context.of(RAY_JOB):
        given = [key for key in ("rayClusterSpec", "clusterSelector") if owner.spec.get(key)]
        if not given:
            yield Hit.missing(owner.at("spec"), "`rayClusterSpec` or `clusterSelector`", fact=fact)
        elif given == ["rayClusterSpec", "clusterSelector"]:
            yield Hit.conflict(owner.at("spec", "clusterSelector"), "`clusterSelector`", "`rayClusterSpec`", fact=fact)
    for owner in context.of(RAY_SERVICE):
        if not owner.spec.get("rayClusterConfig"):
            yield Hit.missing(owner.at("spec"), "key `rayClusterConfig`", fact=fact)


@rule(
    "TPU777",
    title="Resources of a Ray group that contradict each other",
    why="KubeRay rejects a group whose resources are in `resources` and in `rayStartParams`, and labels in "
    "`rayStartParams`. Ray schedules tasks by the number of TPUs that the group states, not by its chips",
    fix="Write the resources of Ray once, in `resources`. Or omit them: KubeRay reads the chips from the containers.",
    references=["kuberay-validation", "ray-tpu"],
    otherwise={Severity.WARNING: "if the number of TPUs differs from the chips of the containers"},
    failing=changed(
        ray_cluster(),
        (
            "maxReplicas: 2\n      rayStartParams: {}",
            "maxReplicas: 2\n      rayStartParams: {num-cpus: '8'}\n      resources: {TPU: '4'}",
        ),
    ),
    passing=changed(ray_cluster(), ("maxReplicas: 2\n", "maxReplicas: 2\n      resources: {TPU: '4'}\n")),
)
def ray_resources(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    for owner, path, _ in _clusters(context):
        for place, group in entries(owner, *path, _GROUPS):
            name, start = known_text(group.get("groupName")), mapping(group.get("rayStartParams"))
            both = [key for key in facts.ray.resource_parameters if start.get(key)]
            stated = mapping(group.get("resources"))
            if both and stated:
                what = f"`resources` of worker group {quoted(name)}"
                other = f"`rayStartParams` ({listed(both)})"
                yield Hit.conflict(owner.at(*place, "rayStartParams", both[0]), what, other, fact=facts.ray)
            if "labels" in start:
                what = f"`labels` in `rayStartParams` of worker group {quoted(name)}"
                yield Hit.unsupported(owner.at(*place, "rayStartParams", "labels"), what, "KubeRay", fact=facts.ray)
            tpus = parse_quantity(stated.get(facts.ray.tpu_resource))
            chips = next(
                (
                    template.chips(facts.pods.resource.name)
                    for template in context.pods_by_owner.get(owner.index, ())
                    if template.controlled_by == place
                ),
                None,
            )
            if tpus is not None and chips is not None and tpus != chips:
                message = f"worker group {quoted(name)} states {tpus} TPUs, but its containers request {chips} chips"
                yield Hit(
                    owner.at(*place, "resources", facts.ray.tpu_resource),
                    message,
                    fact=facts.ray,
                    severity=Severity.WARNING,
                )

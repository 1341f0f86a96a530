"""Checks of workloads that serve: TPU574 to TPU578."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, SetKeys, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, parse_yaml
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_KUBERNETES = "Kubernetes: validation of HorizontalPodAutoscalers and PodDisruptionBudgets"
_CLUSTER = (
    "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}}\n"
)


_RAY = """mode: autopilot
location: us-east5
addons: [ray_operator]
slices: {{serve: {{tpu: v6e, topology: 2x2, count: 3}}}}
kubernetes: {{workloads: {{chat: {{slices: serve, image: ray, {keys}}}}}}}
"""


def _serve(keys: str) -> str:
    chat = f"{{slices: serve, image: vllm, kind: deployment, port: 8000, {keys}}}"
    return f"{_CLUSTER}kubernetes: {{workloads: {{chat: {chat}}}}}"


@rule(
    "TPU574",
    about=of_workloads("autoscale", "autoscale.max", "autoscale.metric", "autoscale.min", "autoscale.target", "count"),
    title="Autoscaling has a value that Kubernetes rejects, or a fixed number of slices",
    why="an autoscaler changes the number of slices between `min` and `max`, so `count` cannot fix it. Kubernetes "
    "rejects `max` below `min`, a target of zero or less, and / and % in the name of a metric",
    fix="Remove `count`, set `max` to at least `min`, or use a target above zero, as the message says. In the name "
    "of a metric of Cloud Monitoring, write | instead of /.",
    source=_KUBERNETES,
    references=["kubernetes-api-server", "gke-vllm-tpu"],
    failing=_serve("autoscale: {min: 3, max: 2, metric: queue, target: 10}"),
    edit=("max: 2", "max: 4"),
)
def invalid_autoscaling(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan, path = workload.plan.autoscale, (*workload.path, "autoscale")
        if plan is None:
            continue
        if workload.plan.written("count"):
            why = "remove `count`: the number of slices follows the metric"
            yield Hit.conflict((*workload.path, "count"), "`count`", "`autoscale`", why)
        if plan.max < plan.min:
            yield Hit((*path, "max"), f"`max` is {plan.max:,}, which is less than `min`, {plan.min:,}")
        if not plan.metric or plan.metric in (".", "..") or "/" in plan.metric or "%" in plan.metric:
            fixed = plan.metric.replace("/", "|")
            fix = Replace.value(fixed) if "/" in plan.metric and "%" not in plan.metric else None
            why = "the name of a metric is not empty and contains no / and no %"
            yield Hit.invalid((*path, "metric"), "metric", plan.metric, why, fix=fix)
        target = parse_quantity(plan.target) if plan.target is not None else None
        if target is not None and target <= 0:
            yield Hit.invalid((*path, "target"), "target", plan.target, "use a value above zero")


@rule(
    "TPU575",
    about=of_workloads("disruption_budget", "disruption_budget.max_unavailable", "disruption_budget.min_available"),
    title="Disruption budget without exactly one limit",
    why="a PodDisruptionBudget states either how many Pods can be unavailable, or how many stay available",
    fix="Set either `max_unavailable` or `min_available`.",
    source=_KUBERNETES,
    references=["kubernetes-api-server"],
    failing=_serve("count: 4, disruption_budget: {max_unavailable: 1, min_available: 3}"),
    edit=("max_unavailable: 1, ", ""),
)
def invalid_disruption_budget(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan, path = workload.plan.disruption_budget, (*workload.path, "disruption_budget")
        if plan is None:
            continue
        if plan.max_unavailable is None and plan.min_available is None:
            yield Hit.missing(path, "limit", "set `max_unavailable` or `min_available`")
        elif plan.max_unavailable is not None and plan.min_available is not None:
            why = "a budget has one limit"
            yield Hit.conflict((*path, "min_available"), "`max_unavailable`", "`min_available`", why)


@warning(
    "TPU576",
    about=of_workloads(
        "autoscale",
        "count",
        "disruption_budget",
        "disruption_budget.max_unavailable",
        "disruption_budget.min_available",
    ),
    title="Disruption budget prevents every eviction",
    why="if no slice can be interrupted, each node upgrade waits for one hour and then evicts the Pods all the same, "
    "and the autoscaler cannot remove their nodes. With autoscaling, the lowest number of slices decides",
    fix="Set `max_unavailable: 1`. An upgrade can then interrupt one slice.",
    references=["gke-node-upgrade-strategies"],
    note="surge-drain",
    failing=_serve("count: 4, disruption_budget: {max_unavailable: 0}"),
    edit=("max_unavailable: 0", "max_unavailable: 1"),
)
def budget_prevents_evictions(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan, path = workload.plan.disruption_budget, (*workload.path, "disruption_budget")
        if plan is None or (plan.max_unavailable is None) is (plan.min_available is None):
            continue  # another rule reports it
        if plan.max_unavailable == 0:
            message = "no slice can be interrupted"
            yield Hit(
                (*path, "max_unavailable"), message, given="max_unavailable: 0", fix=SetKeys.of(max_unavailable=1)
            )
        elif plan.min_available is not None and plan.min_available >= workload.fewest:
            kept, fewest = number(plan.min_available, "slice"), workload.fewest
            message = f"{kept} stay available, and the workload can have only {fewest:,}"
            fix = SetKeys.of(min_available=fewest - 1) if fewest > 1 else None
            yield Hit((*path, "min_available"), message, fix=fix)


@rule(
    "TPU577",
    about=of_workloads("kind", "serve_config"),
    title="RayService without applications",
    why="a RayService serves the applications in `serve_config`, the text of a configuration file of Ray Serve: a "
    "mapping with the key `applications`. KubeRay accepts any text, and then serves nothing",
    fix="Set `serve_config`, for example with the output of `serve build`.",
    source="KubeRay and Ray Serve: serveConfigV2",
    references=["kuberay-service-api", "gke-ray-serve-sample"],
    failing=_RAY.format(keys="kind: rayservice"),
    passing=_RAY.format(keys="kind: rayservice, serve_config: 'applications: [{name: llm, import_path: app}]'"),
)
def missing_serve_config(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        if "serve_config" not in written_kind(workload).keys:
            continue
        text, path = workload.plan.serve_config, (*workload.path, "serve_config")
        if text is None:
            yield Hit.missing(workload.path, "key `serve_config`", "it names the applications of Ray Serve")
        elif problem := _problem(text):
            yield Hit(path, f"`serve_config` {problem}")


def _problem(text: str) -> str:
    """Why a text is not a configuration of Ray Serve; empty if it is one."""
    try:
        data = parse_yaml(text.encode(errors="replace"), "serve_config").data
    except YamlProblem as problem:
        if problem.partial is None:
            return f"is not valid YAML: {problem.findings[0].message}"
        data = problem.partial.data  # Ray reads values that this program asks users to quote
    if not isinstance(data, dict) or not isinstance(data.get("applications"), list) or not data["applications"]:
        return "has no list `applications`"
    return ""


@warning(
    "TPU578",
    about=(*of_workloads("count", "upgrade_strategy"), *of_groups("count", "max")),
    title="No room for a second Ray cluster",
    why="if the image or another part of the Ray cluster changes, KubeRay creates a second cluster with as many "
    "slices, and deletes the previous cluster when the second cluster serves. Without free slices, the second cluster "
    "stays Pending",
    fix="Raise `count` of the slice group to at least twice the slices of the workload, or set `upgrade_strategy: "
    "none`. With `none`, each change needs a new RayService, and clients wait until it is ready. Changes of "
    "`serve_config` are applied in place.",
    references=["kuberay-service-api", "gke-ray-serve-sample"],
    failing=_RAY.format(
        keys="kind: rayservice, serve_config: 'applications: [{name: llm, import_path: app}]', count: 2"
    ),
    edit=("count: 2}", "count: 2, upgrade_strategy: none}"),
)
def no_room_for_second_cluster(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        if "upgrade_strategy" not in written_kind(workload).keys or workload.plan.upgrade_strategy == "none":
            continue
        most, needs = max(group.slices.maximum for group in workload.groups), 2 * workload.slices
        if workload.slices <= most < needs:
            path = (*workload.path, "count") if workload.plan.written("count") else workload.path
            message = (
                f"two clusters need {number(needs, 'slice')}, and {quoted(workload.group.key)} has at most {most:,}"
            )
            yield Hit(path, message, fact=context.catalog.kubernetes.workloads.ray)

"""Checks of workloads that serve: TPU574 to TPU576."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.plan.serving import DisruptionBudget
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Replace, SetKeys, Severity, number
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_KUBERNETES = "Kubernetes: validation of HorizontalPodAutoscalers and PodDisruptionBudgets"
_CLUSTER = (
    "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}}\n"
)


def _serve(keys: str) -> str:
    chat = f"{{slices: serve, image: vllm, kind: deployment, port: 8000, {keys}}}"
    return f"{_CLUSTER}kubernetes: {{workloads: {{chat: {chat}}}}}"


@rule(
    "TPU574",
    "invalid-autoscaling",
    about=("clusters.*.kubernetes.workloads.*.autoscale", "clusters.*.kubernetes.workloads.*.count"),
    title="Invalid autoscaling",
    why="the autoscaler sets the number of slices, so `count` would contradict it. Kubernetes rejects a highest number "
    "below the lowest one, a target that is not positive, and a metric whose name contains / or %: the names of Cloud "
    "Monitoring have | instead of /",
    fix="Remove `count`, set `max` to at least `min`, use a positive target, and write | instead of /.",
    source=_KUBERNETES,
    references=["kubernetes-api-server", "gke-vllm-tpu"],
    basis="format",
    failing=_serve("autoscale: {min: 3, max: 2, metric: queue, target: 10}"),
    edit=("max: 2", "max: 4"),
)
def invalid_autoscaling(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan, path = workload.plan.autoscale, (*workload.path, "autoscale")
        if plan is None:
            continue
        if workload.plan.written("count"):
            why = "the number of slices is fixed, or it follows a metric"
            yield Hit.conflict((*workload.path, "count"), "`count`", "`autoscale`", why)
        if plan.max < plan.min:
            why = f"it is lower than `min`, {plan.min:,}"
            yield Hit.invalid((*path, "max"), "highest number of slices", f"{plan.max:,}", why)
        if not plan.metric or plan.metric in (".", "..") or "/" in plan.metric or "%" in plan.metric:
            fixed = plan.metric.replace("/", "|")
            fix = Replace.value(fixed) if "/" in plan.metric and "%" not in plan.metric else None
            why = "the name of a metric is not empty and contains no / and no %"
            yield Hit.invalid((*path, "metric"), "metric", plan.metric, why, fix=fix)
        target = parse_quantity(plan.target) if plan.target is not None else None
        if target is not None and target <= 0:
            yield Hit.invalid((*path, "target"), "target", plan.target, "it must be positive")


@rule(
    "TPU575",
    "invalid-disruption-budget",
    about=("clusters.*.kubernetes.workloads.*.disruption_budget",),
    title="Disruption budget without exactly one limit",
    why="a PodDisruptionBudget states either how many Pods can be unavailable, or how many stay available",
    fix="Set either `max_unavailable` or `min_available`.",
    source=_KUBERNETES,
    references=["kubernetes-api-server"],
    basis="format",
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


@rule(
    "TPU576",
    "budget-prevents-evictions",
    about=(
        "clusters.*.kubernetes.workloads.*.autoscale",
        "clusters.*.kubernetes.workloads.*.count",
        "clusters.*.kubernetes.workloads.*.disruption_budget",
    ),
    severity=Severity.WARNING,
    title="Disruption budget prevents every eviction",
    why="if no slice can be interrupted, each node upgrade waits for one hour and then evicts the Pods all the same, "
    "and the autoscaler cannot remove their nodes. With autoscaling, the lowest number of slices decides",
    fix="Let upgrades interrupt at least one slice: `max_unavailable: 1`.",
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
            yield _too_many(workload.fewest, plan, path)


def _too_many(fewest: int, plan: DisruptionBudget, path: tuple[str | int, ...]) -> Hit:
    message = f"{number(plan.min_available or 0, 'slice')} stay available, and the workload can have only {fewest:,}"
    fix = SetKeys.of(min_available=fewest - 1) if fewest > 1 else None
    return Hit((*path, "min_available"), message, fix=fix)

"""Checks of what Pods request, and of objects that only some controllers accept: TPU351, TPU352 and TPU354."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.generation import MachineType
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.pods import default_requests
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_GIB = 1 << 30
_AUTOPILOT = "mode: autopilot\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 4x4}}\n"
_STANDARD = (
    "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 8}}\n"
)
_HEAD = "cpu_pools:\n  head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}\n"


def _chat(keys: str, more: str = "") -> str:
    return f"kubernetes: {{{more}workloads: {{chat: {{slices: serve, image: vllm, {keys}}}}}}}"


@rule(
    "TPU351",
    "unknown-autopilot-requests",
    about=("clusters.*.kubernetes.workloads.*.cpu", "clusters.*.kubernetes.workloads.*.memory"),
    severity=Severity.WARNING,
    title="The smallest requests of TPU Pods on Autopilot are not known",
    why="Autopilot raises or rejects CPU and memory requests below a minimum, and Google's documentation of the "
    "minimum for TPU Pods was not available",
    fix="Remove `cpu` and `memory`: gke-tpu then requests a large share of the host.",
    references=["pod-requests-unread"],
    failing=f"{_AUTOPILOT}{_chat('cpu: 1')}",
    passing=f"{_STANDARD}{_chat('cpu: 1')}",
)
def unknown_autopilot_requests(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.workloads.requests
    for workload in workloads(context):
        if workload.cluster.mode != "autopilot":
            continue
        for key in ("cpu", "memory"):
            value = getattr(workload.plan, key)
            if value is None:
                continue
            yield Hit(
                (*workload.path, key),
                f"it is not known whether Autopilot accepts {quoted(f'{key}: {value}')} for a TPU Pod",
                fact=facts,
            )


@rule(
    "TPU352",
    "pathways-on-autopilot",
    about=("clusters.*.kubernetes.workloads.*.kind",),
    severity=Severity.WARNING,
    title="Pathways is not published for Autopilot",
    why="the published form of Pathways uses the network and folders of its hosts, which Autopilot rejects. gke-tpu "
    "writes a form without them, which is not documented",
    fix="Use a Standard cluster, or try the workload before you depend on it.",
    references=["xpk-pathways-template", "pathways-job-controller"],
    failing=f"{_AUTOPILOT}{_chat('kind: pathways')}",
    passing=f"{_STANDARD}{_HEAD}{_chat('kind: pathways')}",
)
def pathways_on_autopilot(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        kind = written_kind(workload)
        if kind.unpublished_on_autopilot and workload.cluster.mode == "autopilot":
            fact = kind.fact_in(context.catalog)
            yield Hit.unsupported((*workload.path, "kind"), kind.title, "Autopilot by its publishers", fact=fact)


@rule(
    "TPU354",
    "requests-exceed-host",
    about=(
        "clusters.*.kubernetes.workloads.*.cpu",
        "clusters.*.kubernetes.workloads.*.init_containers",
        "clusters.*.kubernetes.workloads.*.memory",
        "clusters.*.kubernetes.workloads.*.sidecars",
    ),
    title="Pod requests more than its host has",
    why="every TPU host runs one Pod with the chips, and the system takes a part of its CPU and memory, so the Pod "
    "stays pending",
    fix="Request less, or remove the key: gke-tpu then requests a share of the host.",
    references=["plan-tpus"],
    basis="catalog",
    failing=f"{_STANDARD}{_chat('cpu: 180')}",
    passing=f"{_STANDARD}{_chat('cpu: 170')}",
)
def requests_exceed_host(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        shape = workload.group.shape
        machine = context.catalog.generation(shape.generation).machine_types[shape.machine_type]
        defaults = dict(zip(("cpu", "memory"), default_requests(workload.group, context.catalog), strict=True))
        for key, size, unit, text in _sizes(machine):
            for path, amount in _demands(workload, key, defaults[key]):
                if amount >= size * unit:
                    sum_of_all = f"{float(amount / unit):g}{'Gi' if key == 'memory' else ''}"
                    given = getattr(workload.plan, key) if path == (*workload.path, key) else sum_of_all
                    yield Hit(
                        path,
                        f"a Pod requests {quoted(given)}, and {shape.machine_type} has {text} in total",
                        fact=machine.for_item("vcpu" if key == "cpu" else "memory_gib"),
                    )


def _demands(workload: Workload, key: str, default: str) -> Iterator[tuple[Path, Fraction]]:
    """What a Pod requests at one time, with the place in the plan. Init containers run before the others."""
    plan = workload.plan
    own = getattr(plan, key)
    amount = parse_quantity(own or default) or Fraction(0)
    if own is not None:
        yield (*workload.path, key), amount
    for index, item in enumerate(plan.sidecars):
        amount += parse_quantity(getattr(item, key)) or Fraction(0)
        if index == len(plan.sidecars) - 1:
            yield (*workload.path, "sidecars"), amount
    for index, item in enumerate(plan.init_containers):
        if getattr(item, key) is not None:
            yield (*workload.path, "init_containers", index, key), parse_quantity(getattr(item, key)) or Fraction(0)


def _sizes(machine: MachineType) -> Iterator[tuple[str, int, Fraction, str]]:
    """What a host has of each resource that Pods request."""
    yield "cpu", machine.vcpu, Fraction(1), f"{machine.vcpu} vCPUs"
    yield "memory", machine.memory_gib, Fraction(_GIB), f"{machine.memory_gib:,} GiB of memory"

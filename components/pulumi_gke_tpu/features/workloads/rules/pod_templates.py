"""Checks of additions to Pod templates (TPU568), and of what Pods request: TPU351, TPU352 and TPU354.

The feature ``check`` has a rule about the result of the additions.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.generation import MachineType
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import pod_templates, written_kind
from pulumi_gke_tpu.core.kinds.pods import contradictions, default_requests
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, printable, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.core.text.yamlfile import YamlFile
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_CLUSTER = "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}}\n"
_PARTS = {"metadata": ("annotations", "labels"), "spec": ()}
"""The parts of a Pod template, and what an addition can set in them; everything if nothing is listed."""
_KEYS = {
    "activeDeadlineSeconds": "deadline",
    "imagePullSecrets": "pull_secrets",
    "priorityClassName": "priority",
    "serviceAccount": "service_account",
    "serviceAccountName": "service_account",
    "terminationGracePeriodSeconds": "grace_period",
}
"""Fields of a Pod -> the key of the workload that sets them."""
_OF_CONTAINER = {"args": "args", "command": "command", "image": "image"}
_DERIVED = dict.fromkeys(
    ("hostname", "hostnameOverride", "subdomain"), "the hosts of a slice find each other by their names"
)
_DERIVED |= {"restartPolicy": "it follows from the kind", "ephemeralContainers": "a template has none"}
_PLACED = dict.fromkeys(("affinity", "nodeName", "nodeSelector"), "gke-tpu selects the nodes of the slice group")
"""Fields that gke-tpu derives, of every Pod and of those with chips, and why."""


def _chat(keys: str) -> str:
    run = f"{{slices: serve, image: vllm, kind: deployment, pod_template: {keys}}}"
    return f"{_CLUSTER}kubernetes: {{workloads: {{chat: {run}}}}}"


@rule(
    "TPU568",
    about=of_workloads("head.pod_template", "pod_template"),
    title="Addition to a Pod template contradicts what gke-tpu writes",
    why="`pod_template` only adds fields. gke-tpu derives nodes, chips, tolerations and names from the plan, and other "
    "keys of the workload set further fields, so a second value would break what was checked",
    fix="Remove the field, or use the key of the workload.",
    source="gke-tpu: merging of Pod templates",
    failing=_chat("{spec: {nodeSelector: {disktype: ssd}}}"),
    passing=_chat("{spec: {dnsPolicy: Default}}"),
)
def contradicting_pod_template(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        head = workload.plan.head
        for path, addition, with_chips in (
            ((*workload.path, "pod_template"), workload.plan.pod_template, True),
            ((*workload.path, "head", "pod_template"), head.pod_template if head else {}, False),
        ):
            if not addition:
                continue
            seen: set[Path] = set()
            templates = [*_templates(workload, context.catalog, with_chips=with_chips)]
            for place, message in _problems(addition, templates, context.catalog, with_chips=with_chips):
                if not any(place[: len(done)] == done for done in seen):
                    seen.add(place)
                    yield Hit((*path, *place), message)


def _templates(workload: Workload, catalog: Catalog, *, with_chips: bool) -> Iterator[PodTemplate]:
    """The templates of a workload without additions, of Pods with or without chips."""
    head = workload.plan.head
    bare: dict[str, Any] = {"pod_template": {}, "head": head.model_copy(update={"pod_template": {}}) if head else None}
    plain = dataclasses.replace(workload, plan=workload.plan.model_copy(update=bare))
    tpu = catalog.kubernetes.pods.resource.name
    for item in written_kind(workload).objects(plain, catalog):
        data = item.object
        owner = KubernetesObject(0, YamlFile.empty(item.name), (), data, data["apiVersion"], item.kind)
        for template in pod_templates(owner):
            if with_chips == any(one.amount("limits", tpu) is not None for one in template.containers()):
                yield template


def _problems(
    addition: Mapping[str, Any], templates: Iterable[PodTemplate], catalog: Catalog, *, with_chips: bool
) -> Iterator[tuple[Path, str]]:
    """What an addition must not set, with the place in it and the message; a place can have several."""
    yield from _other_parts(addition)
    spec = mapping(addition.get("spec"))
    for key in spec:
        where: Path = ("spec", key)
        if key in _KEYS:
            yield where, f"{quoted(key)} has a key of its own: {quoted(_KEYS[key])} of the workload"
        elif key in _DERIVED or (with_chips and key in _PLACED):
            yield where, f"{quoted(key)} cannot be set: {(_DERIVED | _PLACED)[key]}"
    yield from _labels(addition, catalog)
    yield from _tolerations(spec, catalog)
    for template in templates:
        yield from _containers(spec, template, catalog)
        for place, base in contradictions(template.data, addition, catalog).items():
            shown = printable(base) if isinstance(base, str | int) else "another value"
            yield place, f"gke-tpu sets {quoted(_last_key(place))} to {shown}"


def _last_key(place: Path) -> str:
    return next(str(step) for step in reversed(place) if isinstance(step, str))


def _other_parts(addition: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for part, content in addition.items():
        if part not in _PARTS:
            yield (part,), f"a Pod template has {quoted('metadata')} and {quoted('spec')}, not {quoted(part)}"
        elif not isinstance(content, Mapping):
            yield (part,), f"{quoted(part)} must be a mapping"
        elif _PARTS[part]:
            for key in content:
                if key not in _PARTS[part]:
                    yield (part, key), f"an addition has labels and annotations, not {quoted(key)}"


def _labels(addition: Mapping[str, Any], catalog: Catalog) -> Iterator[tuple[Path, str]]:
    """Labels by which operators and Kueue find Pods."""
    domains = catalog.kubernetes.pods.merging.owned_labels
    queue = catalog.kubernetes.kueue.labels
    for label in mapping(mapping(addition.get("metadata")).get("labels")):
        domain = str(label).partition("/")[0]
        if label in (queue.queue, queue.priority_class):
            yield (
                ("metadata", "labels", label),
                f"the label {quoted(label)} has keys of its own: `queue` and `priority`",
            )
        elif any(domain == owned or domain.endswith(f".{owned}") for owned in domains):
            yield ("metadata", "labels", label), f"the operator sets the label {quoted(label)}"


def _tolerations(spec: Mapping[str, Any], catalog: Catalog) -> Iterator[tuple[Path, str]]:
    """Tolerations with which Kueue could admit the Pods to the flavor of another slice group."""
    for index, entry in enumerate(items(spec.get("tolerations"))):
        key = mapping(entry).get("key")
        if key in (None, "", catalog.kubernetes.kueue.flavors.taint_key):
            message = "a toleration of every taint, or of that of a flavor, admits the Pods to other slice groups"
            yield ("spec", "tolerations", index), message


def _containers(spec: Mapping[str, Any], template: PodTemplate, catalog: Catalog) -> Iterator[tuple[Path, str]]:
    """Additional containers, those with chips, and fields of containers that have keys."""
    tpu = catalog.kubernetes.pods.resource.name
    names = [container.name for container in template.containers()]
    for key in ("containers", "initContainers"):
        for index, entry in enumerate(items(spec.get(key))):
            place: Path = ("spec", key, index)
            container = mapping(entry)
            if not isinstance(container.get("name"), str):
                yield place, f"an entry of {quoted(key)} needs a name"
            elif key == "containers" and container["name"] not in names:
                known = " or ".join(map(quoted, names))
                yield place, f"no container has this name, only {known}: use `sidecars` or `init_containers`"
            elif key == "containers":
                for field in _OF_CONTAINER.keys() & container.keys():
                    yield (*place, field), f"{quoted(field)} has a key of its own: {quoted(_OF_CONTAINER[field])}"
            elif any(tpu in mapping(amounts) for amounts in mapping(container.get("resources")).values()):
                yield (*place, "resources"), "only the container of the program holds chips"


_GIB = 1 << 30
_AUTOPILOT = "mode: autopilot\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 4x4}}\n"
_STANDARD = (
    "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 8}}\n"
)
_HEAD = "cpu_pools:\n  head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}\n"


def _served(keys: str, more: str = "") -> str:
    return f"kubernetes: {{{more}workloads: {{chat: {{slices: serve, image: vllm, {keys}}}}}}}"


@warning(
    "TPU351",
    about=of_workloads("cpu", "memory"),
    title="The smallest requests of TPU Pods on Autopilot are not known",
    why="Autopilot raises or rejects CPU and memory requests below a minimum, and Google's documentation of the "
    "minimum for TPU Pods was not available",
    fix="Remove `cpu` and `memory`: gke-tpu then requests a large share of the host.",
    references=["pod-requests-unread"],
    failing=f"{_AUTOPILOT}{_served('cpu: 1')}",
    passing=f"{_STANDARD}{_served('cpu: 1')}",
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


@warning(
    "TPU352",
    about=of_workloads("kind"),
    title="Pathways is not published for Autopilot",
    why="the published form of Pathways uses the network and folders of its hosts, which Autopilot rejects. gke-tpu "
    "writes a form without them, which is not documented",
    fix="Use a Standard cluster, or try the workload before you depend on it.",
    references=["xpk-pathways-template", "pathways-job-controller"],
    failing=f"{_AUTOPILOT}{_served('kind: pathways')}",
    passing=f"{_STANDARD}{_HEAD}{_served('kind: pathways')}",
)
def pathways_on_autopilot(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        kind = written_kind(workload)
        if kind.unpublished_on_autopilot and workload.cluster.mode == "autopilot":
            fact = kind.fact_in(context.catalog)
            yield Hit.unsupported((*workload.path, "kind"), kind.title, "Autopilot by its publishers", fact=fact)


@rule(
    "TPU354",
    about=of_workloads("cpu", "init_containers", "memory", "sidecars"),
    title="Pod requests more than its host has",
    why="every TPU host runs one Pod with the chips, and the system takes a part of its CPU and memory, so the Pod "
    "stays Pending",
    fix="Request less, or remove the key: gke-tpu then requests a share of the host.",
    references=["plan-tpus"],
    failing=f"{_STANDARD}{_served('cpu: 180')}",
    passing=f"{_STANDARD}{_served('cpu: 170')}",
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

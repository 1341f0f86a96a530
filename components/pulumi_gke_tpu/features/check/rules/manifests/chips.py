"""The chips that pods request, and the hosts of a slice: TPU724 to TPU728."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Fact
from pulumi_gke_tpu.core.objects import Container, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import count, mapping
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import Form, LabeledFamily, all_families, forms_of
from pulumi_gke_tpu.features.check.pod_shapes import PodShape, may_be_any_accelerator
from pulumi_gke_tpu.features.check.queued_pods import is_queued


@rule(
    "TPU724",
    title="Request of chips without an equal limit",
    why="Kubernetes does not overcommit extended resources: the API server rejects a request without an equal limit",
    fix="Set `requests` and `limits` to the same number of chips, or set `limits` only.",
    references=["about-tpus"],
    source="Kubernetes: the validation of extended resources requires a limit that equals the request",
    failing=tpu_pod().replace(", limits: {google.com/tpu: 4}", ""),
    passing=tpu_pod(),
)
def tpu_request_differs_from_limit(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        for container in pod.containers(init=True):
            yield from _unequal(context, pod, container, resource)


def _unequal(context: ManifestContext, pod: PodTemplate, container: Container, resource: str) -> Iterable[Hit]:
    """Of two amounts, the one that a host has is right."""
    request, limit = container.amount("requests", resource), container.amount("limits", resource)
    if request is None or is_open(request) or is_open(limit) or container.open_resources:
        return
    place = pod.hit_path(container.amount_path("requests", resource))
    fix = SetKeys.of(limits={resource: request}) if parse_quantity(request) is not None else None
    if limit is None:
        yield Hit.missing(place, f"limit of {resource} in container {quoted(container.name)}", fix=fix)
    elif parse_quantity(request) != parse_quantity(limit):
        hosts, _ = _hosts_for(context, pod)
        right: list[Any] = [amount for amount in (request, limit) if parse_quantity(amount) in hosts]
        fix = fix if right == [request] else SetKeys.of({resource: right[0]}) if right == [limit] else None
        amounts = f"requests {quoted(request)} of {resource}, and its limit is {quoted(limit)}"
        yield Hit(place, f"container {quoted(container.name)} {amounts}", fix=fix)


@rule(
    "TPU725",
    title="Chips that are not a whole number",
    why="Kubernetes accepts only whole numbers of an extended resource; Pods cannot share a chip",
    fix="Request all chips of a host.",
    references=["about-tpus"],
    source="Kubernetes: the validation of extended resources requires whole numbers",
    failing=tpu_pod(topology="1x1").replace("tpu: 4", "tpu: 500m"),
    passing=tpu_pod(topology="1x1", chips=1),
)
def chips_not_a_whole_number(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        for container in pod.containers(init=True):
            for kind, amount in container.amounts(resource).items():
                if is_open(amount):
                    continue
                chips = parse_quantity(amount)
                if chips is None or chips < 0 or chips.denominator != 1:
                    place = pod.hit_path(container.amount_path(kind, resource))
                    yield Hit.invalid(place, "number of chips", amount, "use a whole number")
                    break  # the finding about the limit covers the request


@rule(
    "TPU726",
    title="Chips per Pod that no host has",
    why="a Pod requests all chips of its host, and no host of this kind has this number, so the Pod stays Pending",
    fix="Request the chips of one host of the slice.",
    references=["plan-tpus", "about-tpus"],
    otherwise={Severity.WARNING: "if GKE lists such hosts for the other mode of clusters"},
    failing=tpu_pod(topology="4x4", chips=8),
    passing=tpu_pod(topology="2x4", chips=8),
)
def chips_without_a_machine_type(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        place = chips_place(pod, resource)
        if not shape.chips or place is None:
            continue
        allowed, fact = _hosts_for(context, pod)
        if fact is None or not allowed or shape.chips in allowed:
            continue
        sizes = listed([str(size) for size in allowed], "or")
        asking = [container for container in pod.containers() if container.amounts(resource)]
        # Which of several containers should have the chips, only their author knows.
        fix = SetKeys.of({resource: allowed[0]}) if len(allowed) == 1 and len(asking) == 1 else None
        if fix and {"limits", "requests"} <= asking[0].amounts(resource).keys():
            fix = fix.with_remark(resource, "in limits and requests")
        message = (
            f"the Pod requests {number(shape.chips, 'chip')}, and hosts of {_subject(context, shape)} have {sizes}"
        )
        weaker = Severity.WARNING if _in_other_mode(shape) else None
        yield Hit(place, message, fact=fact, severity=weaker, allowed=tuple(map(str, allowed)), fix=fix)


def _in_other_mode(shape: PodShape) -> bool:
    """Whether a host with these chips exists in the other mode of clusters."""
    forms = forms_of(shape.family, shape.topology) if shape.family is not None else ()
    return any(form.chips_per_host == shape.chips for form in forms)


def chips_place(pod: PodTemplate, resource: str) -> Path | None:
    """The path, for a hit, of the first number of chips in a pod; None if no container has chips."""
    for container in pod.containers():
        for kind in container.amounts(resource):
            return pod.hit_path(container.amount_path(kind, resource))
    return None


def _hosts_for(context: ManifestContext, pod: PodTemplate) -> tuple[list[int], Fact | None]:
    """The chips of the hosts that a pod can select, by its topology, its accelerator, or of any TPU; and their fact."""
    shape = context.shape(pod)
    any_generation = may_be_any_accelerator(pod, context.catalog)
    topology = pod.selection(context.catalog.platform.names.node_labels.topology) is not None
    if shape.family is not None:
        return _hosts_of_family(shape, shape.family, topology=topology)
    if topology and (not shape.topology or not any_generation):
        return [], None  # the topology or the accelerator is open, announced, or one of several
    forms = _forms_of_all(context, shape.topology) if any_generation and shape.topology else []
    if forms:
        sizes = {form.chips_per_host for form in forms if context.mode is None or context.mode in form.modes}
        return sorted(sizes), context.catalog.kubernetes.pods.resource
    generations = [context.catalog.generation(name) for name in context.catalog.generation_names]
    sizes = {machine.chips for generation in generations for machine in generation.machine_types.values()}
    return sorted(sizes), context.catalog.kubernetes.pods.resource


def _hosts_of_family(shape: PodShape, family: LabeledFamily, *, topology: bool) -> tuple[list[int], Fact | None]:
    """The chips that hosts of a machine family have, those of the topology if it exists; and the fact behind it."""
    if shape.forms:
        return sorted({form.chips_per_host for form in shape.forms}), family.generation.topologies
    if topology and (not shape.topology or forms_of(family, shape.topology)):
        return [], None  # the topology is open, one of several, or one of the other mode
    machines = family.generation.machine_types.values()
    sizes = {machine.chips for machine in machines if machine.family == family.name}
    return sorted(sizes), family.generation.topologies


def _forms_of_all(context: ManifestContext, topology: str) -> list[Form]:
    """The forms of a topology in every generation."""
    return [form for family in all_families(context.catalog) for form in forms_of(family, topology)]


def _subject(context: ManifestContext, shape: PodShape) -> str:
    if shape.family is None:
        exists = shape.topology and _forms_of_all(context, shape.topology)
        return f"slices {shape.topology} of every generation" if exists else "all TPUs"
    mode = f" on {context.mode.capitalize()}" if context.mode is not None else ""
    topology = shape.topology if shape.forms else ""  # another one does not exist
    return f"{shape.family.generation_name} {topology}".rstrip() + mode


@rule(
    "TPU727",
    title="Pod on TPU nodes that requests no chips",
    why="without a request of chips, Kubernetes adds no toleration of the TPU taint, so the Pod stays Pending",
    fix="Request the chips of one host. A Pod that needs none, such as an exporter, must tolerate `google.com/tpu`.",
    references=["about-tpus", "plan-tpus"],
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - {name: jax, image: trainer}
""",
    passing=tpu_pod(),
)
def missing_chips(context: ManifestContext) -> Iterable[Hit]:
    names, pool = context.catalog.platform.names, context.catalog.kubernetes.workloads.nodes.pool
    resource, taint = context.catalog.kubernetes.pods.resource.name, context.catalog.kubernetes.pods.taint.value
    for pod in context.other_pods_on_tpus:
        labels = (names.node_labels.accelerator, names.node_labels.topology, pool)
        selected = next(found for label in labels if (found := pod.selection(label)) is not None)
        tolerated = tolerates(pod, names.labels.tpu_taint, taint, further=context.tolerations_of_flavors(pod))
        if pod.traits.one_per_node or tolerated:
            continue
        if any(container.init and container.amount("limits", resource) for container in pod.containers(init=True)):
            continue
        sizes = {form.chips_per_host for form in context.shape(pod).forms}
        yield Hit.missing(
            pod.hit_path(selected.path),
            f"request of {resource}",
            "the Pod selects TPU nodes",
            fact=names.labels.for_item("tpu_taint"),
            fix=SetKeys.of(limits={resource: sizes.pop()}) if len(sizes) == 1 else None,
        )


@rule(
    "TPU728",
    title="Number of Pods that does not match the hosts of the slice",
    why="a slice with several hosts works only if one Pod runs on each of them; the Pods wait for the missing ones",
    fix="Run one Pod per host: set `parallelism` and `completions` of a Job to the hosts of the slice. For several "
    "slices, use a JobSet with one Job for each.",
    references=["plan-tpus", "jobset-multislice"],
    otherwise={Severity.WARNING: "if a Job has the Pods of several whole slices, or several objects fill one together"},
    failing=tpu_job(job="completionMode: Indexed\nparallelism: 2\ncompletions: 2"),
    passing=tpu_job(),
)
def pods_do_not_match_hosts(context: ManifestContext) -> Iterable[Hit]:
    """Several objects can fill whole slices together, as the Jobs of a JobSet can, of which another rule warns."""
    together = _pods_of_slices(context)
    for pod, shape, hosts in _on_several_hosts(context):
        assert shape.family is not None
        total = together[_alike(pod, shape)]
        severity = Severity.WARNING if 0 < (pod.pods or 0) < hosts <= total and total % hosts == 0 else None
        slice_ = f"a slice of {shape.family.generation_name} {shape.topology} has {number(hosts, 'host')}"
        fact = shape.family.generation.topologies
        if pod.traits.job == "own":
            wrong = _wrong_count(pod, hosts)
            if wrong is not None:
                key, given = wrong
                counts = f"`{key}` is {given}" if _job(pod).get(key) is not None else f"`{key}` is missing"
                place = pod.hit_path((*pod.controlled_by, key))
                yield Hit(
                    place,
                    f"{counts}, and {slice_} of {shape.chips} chips",
                    fact=fact,
                    severity=severity,
                    fix=_fix(pod, key, hosts),
                )
            elif not shape.dynamic and (pods := count(_job(pod).get("parallelism"), 1) or 0) > hosts:
                place, slices = pod.hit_path((*pod.controlled_by, "parallelism")), number(pods // hosts, "slice")
                message = f"the {pods} Pods of {pod.owner.title} are {slices}, which a Job cannot hold apart: {slice_}"
                yield Hit(place, message, fact=fact, severity=Severity.WARNING)
        elif pod.owner.metadata.get("ownerReferences"):
            continue  # a part, such as the workers of a LeaderWorkerSet without their leader
        elif pod.counted_by and pod.pods and pod.pods % hosts:
            place = pod.hit_path((*pod.controlled_by, pod.counted_by))
            replicas = number(pod.pods, "replica")
            yield Hit(
                place,
                f"{replicas}, and {slice_} of {shape.chips} chips",
                fact=fact,
                severity=severity,
                fix=SetKeys.of({pod.counted_by: hosts}),
            )
    yield from _on_several_dynamic_slices(context)


def _on_several_dynamic_slices(context: ManifestContext) -> Iterator[Hit]:
    """Queued Jobs with the Pods of several slices: the webhook of the slice controller refuses them."""
    fact = context.catalog.kubernetes.kueue.slices.for_item("kinds")
    for pod in context.tpu_pods:
        shape, pods = context.shape(pod), count(_job(pod).get("parallelism"), 1) or 0
        if pod.traits.job == "own" and shape.dynamic and is_queued(context, pod.owner):
            hosts = shape.hosts or 0
            if hosts and pods > hosts and pods % hosts == 0:
                place = pod.hit_path((*pod.controlled_by, "parallelism"))
                message = f"{number(pods, 'pod')}, and a Job gets one slice of {shape.topology} with"
                yield Hit(place, f"{message} {number(hosts, 'host')}", fact=fact, fix=_fix(pod, "parallelism", hosts))


def _pods_of_slices(context: ManifestContext) -> Counter[tuple[object, ...]]:
    """The pods of all objects of a kind that ask for one form of a slice."""
    found: Counter[tuple[object, ...]] = Counter()
    for pod, shape, _ in _on_several_hosts(context):
        found[_alike(pod, shape)] += pod.pods or 0
    return found


def _alike(pod: PodTemplate, shape: PodShape) -> tuple[object, ...]:
    """What objects have in common whose pods can be on one slice."""
    family = shape.family.name if shape.family is not None else ""
    return pod.owner.kind, pod.owner.namespace, family, shape.topology, shape.chips


def _wrong_count(pod: PodTemplate, hosts: int) -> tuple[str, int] | None:
    """The first key of a Job with a wrong number, and the number; None if the numbers fit or are unknown."""
    job = _job(pod)
    parallelism = count(job.get("parallelism"), 1)
    if not parallelism:
        return None
    if parallelism % hosts:
        return "parallelism", parallelism
    completions = count(job.get("completions"), parallelism)
    return ("completions", completions) if completions is not None and completions != parallelism else None


def _fix(pod: PodTemplate, key: str, hosts: int) -> Fix | None:
    """Both numbers of a Job, or only the completions if they are wrong."""
    parallelism = count(_job(pod).get("parallelism"), 1) if key == "completions" else hosts
    keys = ("parallelism", "completions") if key == "parallelism" else ("completions",)
    fix = SetKeys.of(dict.fromkeys(keys, parallelism))
    in_braces = pod.owner.file.in_braces((*pod.owner.base, *pod.controlled_by, key))
    return fix.between_braces if fix is not None and in_braces else fix


def _job(pod: PodTemplate) -> dict[str, object]:
    return mapping(pod.owner.value(*pod.controlled_by))


def _on_several_hosts(context: ManifestContext) -> Iterator[tuple[PodTemplate, PodShape, int]]:
    """Every pod template of slices with several hosts, with the number of hosts."""
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        if shape.hosts is not None and shape.hosts > 1:
            yield pod, shape, shape.hosts

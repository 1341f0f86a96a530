"""CPU and memory that Pods on TPU hosts request: TPU315, TPU379, TPU380 and TPU579."""

from collections.abc import Iterable
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.generation import MachineType
from pulumi_gke_tpu.core.objects import Container, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import printable, quoted
from pulumi_gke_tpu.core.text.formats.quantity import memory_without_unit, parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext

_GIB = 1 << 30
_RESOURCES = "{requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}"


def _with(requests: str, limits: str = "") -> str:
    resources = f"{{requests: {{google.com/tpu: 4, {requests}}}, limits: {{google.com/tpu: 4{limits}}}}}"
    return tpu_pod().replace(_RESOURCES, resources)


@rule(
    "TPU379",
    title="CPU or memory above that of the host",
    why="all containers of a Pod run on one host, and the system takes a part of its CPU and memory, so the Pod stays "
    "Pending",
    fix="Request less than the machine type has.",
    references=["plan-tpus", "about-tpus"],
    failing=_with("cpu: 208"),
    passing=_with("cpu: 120"),
)
def requests_above_host(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        if shape.family is None or pod.is_open or not shape.chips:
            continue
        types = {form.machine_type for form in shape.forms if form.chips_per_host == shape.chips}
        every = shape.family.generation.machine_types
        machines = [machine for name, machine in every.items() if name in types]
        for resource, unit in (("cpu", 1), ("memory", _GIB)):
            found = _total(pod, resource)
            if not machines or found is None:
                continue
            amount, index = found
            largest = max(machines, key=lambda machine: _size(machine, resource))
            if amount >= _size(largest, resource) * unit:
                name = next(name for name, machine in every.items() if machine is largest)
                has = f"{largest.vcpu} vCPUs" if resource == "cpu" else f"{largest.memory_gib:,} GiB of memory"
                place = pod.at("containers", index, "resources", "requests", resource)
                written = items(pod.spec.get("containers"))[index]["resources"]
                if resource not in mapping(written.get("requests")):
                    place = pod.at("containers", index, "resources", "limits", resource)
                given = mapping(written.get("requests")).get(resource, mapping(written.get("limits")).get(resource))
                message = f"the Pod requests {quoted(given)} of {resource}, and {name} has {has} in total"
                fact = largest.for_item("vcpu" if resource == "cpu" else "memory_gib")
                yield Hit(place, message, fact=fact)


def _size(machine: MachineType, resource: str) -> int:
    return machine.vcpu if resource == "cpu" else machine.memory_gib


def _total(pod: PodTemplate, resource: str) -> tuple[Fraction, int] | None:
    """What the containers request together, and the index of the one with the most; None if that is unknown."""
    amounts: dict[int, Fraction] = {}
    for index, container in enumerate(pod.containers()):
        written = container.amount("requests", resource)
        written = container.amount("limits", resource) if written is None else written
        if container.open_resources or is_open(written):
            return None
        amount = Fraction(0) if written is None else parse_quantity(written)
        if amount is None:
            return None
        amounts[index] = amount
    if not amounts or len(amounts) < len(items(pod.spec.get("containers"))):
        return None
    return sum(amounts.values(), Fraction(0)), max(amounts, key=lambda index: amounts[index])


@warning(
    "TPU579",
    "memory-without-unit",
    title="Memory of less than a mebibyte",
    why="a number without a suffix counts bytes, and the suffix m thousandths of a byte. No program runs with less "
    "than a mebibyte. As a limit, it ends the container at once, and as a request, it reserves nothing",
    fix="Add the unit: `200Gi`, `400Mi`.",
    source="Kubernetes: quantities",
    failing=_with("memory: 200"),
    passing=_with("memory: 200Gi"),
)
def memory_without_unit_in_pods(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        for container in pod.containers(init=True):
            for part in ("requests", "limits") if not container.open_resources else ():
                given = container.amount(part, "memory")
                allowed = () if is_open(given) else memory_without_unit(given)
                if allowed:
                    place = pod.hit_path(container.amount_path(part, "memory"))
                    yield Hit(place, f"`memory: {printable(given)}` is less than a mebibyte", allowed=allowed)


_AGENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: loader}
spec:
  selector: {matchLabels: {app: loader}}
  template:
    metadata: {labels: {app: loader}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
      containers:
        - name: loader
          image: loader
          resources: {requests: {cpu: CPU, memory: 4Gi}, limits: {memory: 4Gi}}
"""


@warning(
    "TPU315",
    title="Pods without chips that take a TPU host",
    why="the Pods select TPU nodes and tolerate their taint. They use CPU and memory that the Pod with the chips of "
    "the host needs: it stays Pending, or it slows down its whole slice",
    fix="Select nodes without TPUs. If the Pods belong on TPU hosts, request little CPU and memory, and set a limit of "
    "memory.",
    references=["about-tpus"],
    failing=_AGENT.replace("CPU", "64"),
    passing=_AGENT.replace("CPU", "2"),
)
def other_pods_take_tpu_host(context: ManifestContext) -> Iterable[Hit]:
    """Without chips, a leader of a slice can be on one of its hosts, so only large requests of it are reported."""
    names, taint = context.catalog.platform.names, context.catalog.kubernetes.pods.taint.value
    for pod in context.other_pods_on_tpus:
        tolerated = tolerates(pod, names.labels.tpu_taint, taint, further=context.tolerations_of_flavors(pod))
        if pod.is_open or pod.traits.one_per_node or not tolerated:
            continue
        problem = _above_share(context, pod)
        if not problem and not pod.traits.leader:
            unlimited = (each for each in pod.containers() if not _has_memory_limit(each))
            problem = next((f"container {quoted(each.name)} has no limit of memory" for each in unlimited), "")
        if problem:
            fact = context.catalog.kubernetes.workloads.other_pods
            yield Hit(pod.at(), f"{pod.title} runs on TPU hosts without chips, and {problem}", fact=fact)


def _has_memory_limit(container: Container) -> bool:
    return container.open_resources or container.amount("limits", "memory") is not None


def _above_share(context: ManifestContext, pod: PodTemplate) -> str:
    """Why a Pod leaves too little for the Pod with the chips of its host; empty if it does not."""
    left = 100 - context.catalog.kubernetes.workloads.requests.host_percent
    machines = _machines(context, pod)
    for resource, unit in (("cpu", 1), ("memory", _GIB)):
        found = _total(pod, resource)
        largest = max((_size(machine, resource) for machine in machines), default=0)
        if found is not None and largest and found[0] * 100 > largest * unit * left:
            return f"requests more than {left}% of the {'vCPUs' if resource == 'cpu' else 'memory'} of a host"
    return ""


def _machines(context: ManifestContext, pod: PodTemplate) -> tuple[MachineType, ...]:
    """The machine types of the hosts that Pods without chips select."""
    groups, family = context.selected_pools(pod), context.shape(pod).family
    if groups:
        shapes = (group.shape for group in groups)
        return tuple(context.catalog.generation(each.generation).machine_types[each.machine_type] for each in shapes)
    if family is None:
        return ()
    types, forms = family.generation.machine_types, context.shape(pod).forms
    names = {form.machine_type for form in forms} or {key for key, each in types.items() if each.family == family.name}
    return tuple(types[name] for name in names)


@rule(
    "TPU380",
    title="Request above its limit",
    why="the API server rejects a container that requests more than its limit",
    fix="Raise the limit, or remove it.",
    source="Kubernetes: validation of resources of containers",
    failing=_with("memory: 100Gi", ", memory: 50Gi"),
    passing=_with("memory: 100Gi", ", memory: 100Gi"),
)
def request_above_limit(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        for container in pod.containers(init=True):
            requests = mapping(mapping(container.data.get("resources")).get("requests"))
            for name in requests if not container.open_resources else ():
                request, limit = requests[name], container.amount("limits", name)
                amounts = parse_quantity(request), parse_quantity(limit)
                if name == resource or amounts[0] is None or amounts[1] is None or amounts[0] <= amounts[1]:
                    continue
                what = f"the request {quoted(request)} of {text(name)} in container {quoted(container.name)}"
                place = pod.hit_path(container.amount_path("requests", name))
                yield Hit.exceeds(place, what, f"its limit {quoted(limit)}")

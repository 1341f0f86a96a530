"""CPU and memory that Pods with chips request: TPU379 and TPU380."""

from collections.abc import Iterable
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.generation import MachineType
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext

_GIB = 1 << 30
_RESOURCES = "{requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}"


def _with(requests: str, limits: str = "") -> str:
    resources = f"{{requests: {{google.com/tpu: 4, {requests}}}, limits: {{google.com/tpu: 4{limits}}}}}"
    return tpu_pod().replace(_RESOURCES, resources)


@rule(
    "TPU379",
    "requests-above-host",
    title="CPU or memory above that of the host",
    why="all containers of a pod run on one host, and the system takes a part of its CPU and memory, so the pod stays "
    "Pending",
    fix="Request less than the machine type has.",
    references=["plan-tpus", "about-tpus"],
    basis="catalog",
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
                message = f"the pod requests {quoted(given)} of {resource}, and {name} has {has} in total"
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


@rule(
    "TPU380",
    "request-above-limit",
    title="Request above its limit",
    why="the API server rejects a container that requests more than its limit",
    fix="Raise the limit, or remove it.",
    source="Kubernetes: validation of resources of containers",
    basis="format",
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

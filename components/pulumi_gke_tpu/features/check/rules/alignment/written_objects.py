"""Queues and classes that gke-tpu wrote before a change of the plan: TPU317 and TPU318."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.fleet.workloads import flavor_name
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import chip_quotas, flavors_of, is_held, quantity_text, quotas_of
from pulumi_gke_tpu.features.check.rules.alignment.queues import groups_of_flavor
from pulumi_gke_tpu.features.check.rules.alignment.written_workloads import PlannedDifference, hit_of

_KINDS = (
    "resource_flavor",
    "cluster_queue",
    "cohort",
    "local_queue",
    "admission_check",
    "provisioning_request_config",
    "priority_class",
    "workload_priority_class",
    "compute_class",
)
"""The kinds of queues and classes in the catalog. Namespaces, disks and Services of before do no harm."""
_CLASS = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: NAME, labels: {app.kubernetes.io/managed-by: gke-tpu}}
value: VALUE
--- plan
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 2x2, zone: us-east5-b}
    kubernetes:
      priority_classes:
        high: {value: 1000}
"""


def _example(name: str, value: int) -> str:
    return _CLASS.strip("\n").replace("NAME", name).replace("VALUE", str(value))


@warning(
    "TPU317",
    otherwise={Severity.NOTE: "if the object is a workload"},
    title="Object that gke-tpu wrote and that the plan does not have",
    why="the plan has renamed, moved or removed it. Applied again, it stays beside the objects of the plan: an old "
    "queue gives away the same chips a second time",
    fix="Delete it, and write the objects again with `gke-tpu manifests`. An object of your own needs another value of "
    "the label `app.kubernetes.io/managed-by`.",
    source="gke-tpu: the label of the object, and the objects that follow from the plan",
    failing=_example("highest", 1000),
    passing=_example("high", 1000),
)
def written_object_not_in_plan(context: ManifestContext) -> Iterable[Hit]:
    kinds = context.catalog.kubernetes.kinds.objects
    known = {(kinds[key].api_version.rpartition("/")[0], kinds[key].kind) for key in _KINDS}
    for owner in context.written:
        if not owner.name or is_open(owner.name) or is_open(owner.namespace):
            continue
        if (owner.group, owner.kind) in known:
            if not context.planned.same(owner):
                yield Hit(owner.at("metadata", "name"), _missing(context, owner))
            continue
        kind = kind_of(owner)
        if kind is not None and kind.written is not None and not context.planned.workloads(owner.name):
            yield Hit(owner.at("metadata", "name"), _missing(context, owner), severity=Severity.NOTE)


def _missing(context: ManifestContext, owner: KubernetesObject) -> str:
    places = [quoted(planned.namespace) for planned in context.planned.named(owner)]
    if places:
        where = f"namespace{'s' if len(places) > 1 else ''} {listed(places)}"
        return f"the plan has {owner.title} in the {where}, not in {quoted(owner.namespace)}"
    return f"the plan does not have {owner.title}"


@warning(
    "TPU318",
    title="Queue or class is older than the plan",
    why="gke-tpu wrote the object before the plan changed. It has the flavors, quotas or limits of the old plan, "
    "so workloads wait for what it lacks, or get other nodes",
    fix="Run `gke-tpu manifests` again, and apply the new file instead of this one.",
    source="gke-tpu: the objects of queues and classes follow from the plan",
    failing=_example("high", 100),
    passing=_example("high", 1000),
)
def written_object_differs(context: ManifestContext) -> Iterable[Hit]:
    """With several clusters, the object is compared with the one that differs least."""
    kinds = context.catalog.kubernetes.kinds.objects
    compared = {(kinds[key].api_version.rpartition("/")[0], kinds[key].kind): way for key, way in _COMPARED.items()}
    for owner in context.written:
        way = compared.get((owner.group, owner.kind))
        if way is None:
            continue
        yield from hit_of(owner, [way(context, owner, planned) for planned in context.planned.same(owner)])


def _of_flavor(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    served = groups_of_flavor(context, owner)
    if served is None or served.groups:  # otherwise another rule reports the labels
        yield from _map_differs(owner, planned, ("spec", "nodeLabels"))
    if _taints(owner) != _taints(planned):
        texts = [quoted("=".join(filter(None, taint[:2]))) for taint in sorted(_taints(planned))]
        yield PlannedDifference(f"the taint {listed(texts)}" if texts else "no taint", ("spec",))


def _map_differs(owner: KubernetesObject, planned: KubernetesObject, path: Path) -> Iterator[PlannedDifference]:
    given, wanted = mapping(owner.value(*path)), mapping(planned.value(*path))
    if is_open(owner.value(*path)):
        return
    for key in {**wanted, **given}:
        short = str(key).rpartition("/")[2]
        if is_open(given.get(key)) or given.get(key) == wanted.get(key):
            continue
        text = f"{short} {wanted[key]}" if key in wanted else f"no {short}"
        yield PlannedDifference(text, (*path, key) if key in given else path if given else path[:1])


def _taints(flavor: KubernetesObject) -> frozenset[tuple[str, str, str]]:
    taints = map(mapping, items(flavor.spec.get("nodeTaints")))
    return frozenset((str(each.get("key")), str(each.get("value", "")), str(each.get("effect"))) for each in taints)


def _of_queue(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    place: Path = ("spec", "resourceGroups") if "resourceGroups" in owner.spec else ("spec",)
    given = set(flavors_of(owner))
    if "" not in given:
        lacking = [quoted(name) for name in _used_flavors(context, owner.name) if name not in given]
        if lacking:
            yield PlannedDifference(f"the flavor {listed(lacking)}", place)
    yield from _quotas(context, owner, planned)
    checks = _checks(owner), _checks(planned)
    if checks[0] != checks[1]:
        texts = [quoted(name) for name in checks[1]]
        yield PlannedDifference(f"the AdmissionCheck {listed(texts)}" if texts else "no AdmissionCheck", ("spec",))
    yield from _sharing(context, owner, planned, "cohortName", "cohort")
    yield from _namespaces(owner, planned)
    yield from _held(owner)


def _of_cohort(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    yield from _quotas(context, owner, planned)
    yield from _sharing(context, owner, planned, "parentName", "parent")


def _sharing(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject, key: str, what: str
) -> Iterator[PlannedDifference]:
    """What decides how much a queue or cohort lends and borrows: whom it shares with, its limits and its weight."""
    if owner.spec.get(key) != planned.spec.get(key) and not is_open(owner.spec.get(key)):
        name = planned.spec.get(key)
        text = f"the {what} {quoted(name)}" if name else f"no {what}"
        yield PlannedDifference(text, _place(owner, key))
    yield from _limits(context, owner, planned)
    sharing = "fairSharing"
    given, wanted = (mapping(item.spec.get(sharing)).get("weight") for item in (owner, planned))
    if not is_open(owner.spec.get(sharing)) and not is_open(given) and _amount(given) != _amount(wanted):
        yield PlannedDifference(f"the weight {wanted}" if wanted is not None else "no weight", _place(owner, sharing))


def _limits(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    """Other limits of borrowed and lent chips."""
    resource = context.catalog.kubernetes.pods.resource.name
    entries = {quota.flavor: mapping(planned.value(*quota.path[:-1])) for quota in chip_quotas(planned, resource)}
    for quota in chip_quotas(owner, resource):
        place = quota.path[:-1]
        given, wanted = mapping(owner.value(*place)), entries.get(quota.flavor)
        if wanted is None:
            continue
        for key in ("borrowingLimit", "lendingLimit"):
            if is_open(given.get(key)) or _amount(given.get(key)) == _amount(wanted.get(key)):
                continue
            amount = f"the {key} {wanted[key]}" if key in wanted else f"no {key}"
            text = f"{amount} of {quoted(quota.flavor)}"
            yield PlannedDifference(text, (*place, key) if key in given else place)


def _amount(value: object) -> object:
    """The number of a quantity, in whatever form it is written; the value itself if it is none."""
    number = parse_quantity(value)
    return value if number is None else number


def _namespaces(owner: KubernetesObject, planned: KubernetesObject) -> Iterator[PlannedDifference]:
    """Which namespaces a queue admits. Without a selector, it admits none; with an empty one, all."""
    key = "namespaceSelector"
    given, wanted = owner.spec.get(key), mapping(planned.spec.get(key))
    if is_open(given) or (key in owner.spec and mapping(given) == wanted):
        return
    names = [quoted(name) for rule in items(wanted.get("matchExpressions")) for name in items(mapping(rule)["values"])]
    text = f"the namespaces {listed(names)}" if names else "all namespaces"
    yield PlannedDifference(text, _place(owner, key))


def _place(owner: KubernetesObject, key: str) -> Path:
    return ("spec", key) if key in owner.spec else ("spec",)


def _used_flavors(context: ManifestContext, queue: str) -> Iterable[str]:
    """The flavors that workloads of the plan get in a queue; a queue can have others that no workload uses."""
    workloads = (item for objects in context.objects_of_plan for item in objects.workloads)
    groups = (group for item in workloads if item.plan.queue == queue for group in item.groups)
    return dict.fromkeys(map(flavor_name, groups))


def _quotas(
    context: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    """Other quotas than those of the plan; above the chips of the slice groups, another rule reports them."""
    facts = context.catalog.kubernetes
    resource, kueue = facts.pods.resource.name, facts.controllers["kueue"].group
    wanted = {(quota.flavor, quota.resource): quota.amount for quota in quotas_of(planned)}
    for quota in quotas_of(owner):
        most = wanted.get((quota.flavor, quota.resource))
        if quota.amount is None or most is None or quota.amount == most:
            continue
        of_chips = quota.resource == resource
        if quota.amount > most:
            flavors = context.named("ResourceFlavor", kueue, quota.flavor) if of_chips else ()
            served = groups_of_flavor(context, flavors[0]) if flavors else None
            if not of_chips or (served is not None and quota.amount > served.chips):
                continue
        amount = f"{most} chips" if of_chips else f"{quantity_text(most, quota.resource)} {quota.resource}"
        yield PlannedDifference(f"a quota of {amount} of {quoted(quota.flavor)}", quota.path)


def _checks(queue: KubernetesObject) -> tuple[str, ...]:
    checks = items(mapping(queue.spec.get("admissionChecksStrategy")).get("admissionChecks"))
    return tuple(sorted(known_text(mapping(check).get("name")) for check in checks))


def _of_local_queue(
    _: ManifestContext, owner: KubernetesObject, planned: KubernetesObject
) -> Iterator[PlannedDifference]:
    key = "clusterQueue"
    if not is_open(owner.spec.get(key)) and owner.spec.get(key) != planned.spec.get(key):
        yield PlannedDifference(f"the ClusterQueue {quoted(planned.spec.get(key))}", ("spec", key))
    yield from _held(owner)


def _held(owner: KubernetesObject) -> Iterator[PlannedDifference]:
    if is_held(owner):
        yield PlannedDifference("no stopPolicy", ("spec", "stopPolicy"))


def _of_priority(_: ManifestContext, owner: KubernetesObject, planned: KubernetesObject) -> Iterator[PlannedDifference]:
    for key in ("value", "preemptionPolicy"):
        given, wanted = owner.value(key), planned.value(key)
        if given is not None and not is_open(given) and given != wanted:
            yield PlannedDifference(f"the {key} {wanted}", (key,))


def _of_class(_: ManifestContext, owner: KubernetesObject, planned: KubernetesObject) -> Iterator[PlannedDifference]:
    given, wanted = items(owner.spec.get("priorities")), items(planned.spec.get("priorities"))
    if is_open(owner.spec.get("priorities")) or any(map(is_open, given)) or given == wanted:
        return
    index = next((place for place, pair in enumerate(zip(given, wanted, strict=False)) if pair[0] != pair[1]), None)
    if index is None:
        yield PlannedDifference(number(len(wanted), "priority", "priorities"), ("spec", "priorities"))
    else:
        keys = ", ".join(key for key in wanted[index] if mapping(given[index]).get(key) != wanted[index][key])
        yield PlannedDifference(f"another {keys or 'form'} in priority {index + 1}", ("spec", "priorities", index))


_Way = Callable[[ManifestContext, KubernetesObject, KubernetesObject], Iterator[PlannedDifference]]
_COMPARED: Mapping[str, _Way] = {
    "resource_flavor": _of_flavor,
    "cluster_queue": _of_queue,
    "cohort": _of_cohort,
    "local_queue": _of_local_queue,
    "priority_class": _of_priority,
    "workload_priority_class": _of_priority,
    "compute_class": _of_class,
}

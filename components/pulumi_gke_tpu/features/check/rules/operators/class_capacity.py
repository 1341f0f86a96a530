"""Capacity, versions and collections of ComputeClasses with TPUs: TPU393, TPU765, TPU783, TPU785 to TPU787."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Fact, VersionRange
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed, quoted
from pulumi_gke_tpu.core.text.formats.versions import is_too_low
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import LabeledFamily, family_of_label, forms_of
from pulumi_gke_tpu.features.check.rules.operators.compute_class import classes, tpu_priorities
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, compute_class
from pulumi_gke_tpu.features.check.rules.operators.parts import entries

_COLLECTION = "nodePoolGroup: {name: chat}\nnodePoolConfig: {workloadType: HIGH_AVAILABILITY}"
_TAINTS = "nodePoolConfig: {taints: []}"
_PLAN = """--- plan
mode: standard
location: us-east5
min_version: "VERSION"
slices:
  other: {tpu: v5p, topology: 2x2x1, zone: us-east5-a}
"""


@rule(
    "TPU765",
    severity=Severity.NOTE,
    title="Order of capacity in a ComputeClass",
    why="GKE tries the priorities in order. Google recommends reservations first and Spot VMs last; training tries "
    "flex-start before on-demand capacity, and serving after it",
    fix="Sort the priorities.",
    references=["google-skills-prioritization"],
    failing=compute_class("spot: true", ""),
    passing=compute_class("", "spot: true"),
)
def compute_class_order(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.compute_classes.orders
    for owner in classes(context):
        priorities = [entry for _, entry in tpu_priorities(owner)]
        if any("priorityScore" in entry for entry in priorities):
            continue
        modes = [_mode(entry) for entry in priorities]
        if not any(_in_order(modes, order) for order in facts.orders.values()):
            names = listed([mode.replace("_", "-") for mode in modes])
            message = f"{owner.title} tries capacity in the order {names}"
            recommended = tuple(", ".join(order).replace("_", "-") for order in facts.orders.values())
            yield Hit(owner.at("spec", "priorities"), message, fact=facts, allowed=recommended)


def _mode(entry: dict[str, Any]) -> str:
    """The capacity mode of a priority."""
    if mapping(entry.get("reservations")).get("specific"):
        return "reservation"
    if mapping(entry.get("flexStart")).get("enabled") is True:
        return "flex_start"
    return "spot" if entry.get("spot") is True else "on_demand"


def _in_order(modes: list[str], order: tuple[str, ...]) -> bool:
    places = [order.index(mode) for mode in modes]
    return places == sorted(places)


@rule(
    "TPU783",
    title="Reservation of a ComputeClass that TPUs cannot use",
    why="TPUs use only reservations that a priority names, with affinity Specific. Their zones belong in the entry "
    "of the reservation: GKE rejects `location.zones` beside them, also in `priorityDefaults`",
    fix="Set `affinity: Specific`, and move the zones into `reservations.specific`.",
    references=["google-skills-class-gotchas", "google-skills-compute-class", "compute-class-api"],
    otherwise={Severity.WARNING: "if the priority names a block: no source documents blocks in classes with TPUs"},
    failing=compute_class(
        "reservations: {affinity: Specific, specific: [{name: v6e-pretrain}]}\nlocation: {zones: [us-east5-b]}"
    ),
    passing=compute_class("reservations: {affinity: Specific, specific: [{name: v6e-pretrain, zones: [us-east5-b]}]}"),
)
def compute_class_reservation(context: ManifestContext) -> Iterable[Hit]:
    form = context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        defaults = mapping(mapping(owner.spec.get("priorityDefaults")).get("location"))
        for path, entry in tpu_priorities(owner):
            reservations = mapping(entry.get("reservations"))
            affinity, place = reservations.get("affinity"), (*path, "reservations")
            specific = items(reservations.get("specific"))
            if not reservations or affinity == "None" or is_open(affinity):
                continue
            if affinity != form.reservation_affinity:
                key = ("affinity",) if "affinity" in reservations else ()
                message = f"TPUs require reservations with affinity {form.reservation_affinity}"
                fix = SetKeys.of(affinity=form.reservation_affinity)
                yield Hit(owner.at(*place, *key), message, fact=form, allowed=(form.reservation_affinity,), fix=fix)
            elif not specific and not is_open(reservations.get("specific")):
                yield Hit.missing(owner.at(*place), "`specific` with the name of a reservation", fact=form)
            if "zones" in mapping(entry.get("location")):
                where = owner.at(*path, "location", "zones")
                yield Hit.conflict(where, "`location.zones`", "a specific reservation", fact=form)
            elif "zones" in defaults:
                where = owner.at("spec", "priorityDefaults", "location", "zones")
                yield Hit.conflict(where, "`location.zones`", "the specific reservation of a priority", fact=form)
            for index, reservation in entries(owner, *place, "specific"):
                if "reservationBlock" in reservation:
                    message = "no source documents blocks of reservations in a ComputeClass with TPUs"
                    severity = Severity.WARNING
                    yield Hit(owner.at(*index, "reservationBlock"), message, fact=form, severity=severity)


@warning(
    "TPU785",
    title="Active migration of multi-host slices",
    why="active migration moves Pods to nodes of an earlier priority one by one. All hosts of a slice run one program, "
    "so every migration ends the program",
    fix="Set `optimizeRulePriority: false`, or remove `activeMigration`.",
    references=["google-skills-lifecycle", "compute-class-api"],
    failing=compute_class(spec="activeMigration: {optimizeRulePriority: true}"),
    passing=compute_class(),
)
def compute_class_active_migration(context: ManifestContext) -> Iterable[Hit]:
    for owner in classes(context):
        if mapping(owner.spec.get("activeMigration")).get("optimizeRulePriority") is not True:
            continue
        for _, entry in tpu_priorities(owner):
            family, topology = _family(context, entry), str(entry["tpu"].get("topology"))
            forms = forms_of(family, topology) if family is not None else ()
            if any(form.chips_per_host == entry["tpu"].get("count") and form.hosts > 1 for form in forms):
                message = f"active migration of {owner.title} moves the Pods of slices {topology} one by one"
                path = owner.at("spec", "activeMigration", "optimizeRulePriority")
                yield Hit(
                    path,
                    message,
                    fact=context.catalog.kubernetes.compute_classes.form,
                    fix=SetKeys.of(optimizeRulePriority=False),
                )
                break


def _family(context: ManifestContext, entry: dict[str, Any]) -> LabeledFamily | None:
    return family_of_label(context.catalog, known_text(entry["tpu"].get("type")))


@rule(
    "TPU786",
    title="ComputeClass that requires a later GKE version",
    why="older versions ignore the class or the field, and create no node pools for the generation",
    fix="Raise the version of the cluster. Or enable node auto-provisioning with limits for the TPUs, if the class "
    "needs it on older versions.",
    references=["gke-compute-class-concept", "google-skills-provisioning", "about-tpus"],
    failing=compute_class(spec=_TAINTS) + changed(_PLAN, ("VERSION", "1.34.1-gke.3084001")),
    passing=compute_class(spec=_TAINTS) + changed(_PLAN, ("VERSION", "1.34.1-gke.3084002")),
)
def compute_class_version(context: ManifestContext) -> Iterable[Hit]:
    """Clusters of the plan for which the class may not be meant have later versions: one of them suffices."""
    clusters = [cluster for cluster in context.clusters() if cluster.version is not None]
    for owner in classes(context):
        for fact, minimum, what in _needs(context, owner) if clusters else ():
            low = [cluster for cluster in clusters if _is_low(cluster, minimum)]
            if len(low) == len(clusters):
                message = (
                    f"{what} requires GKE {minimum}, but cluster {quoted(low[0].key)} has "
                    f"`{low[0].version_key}: {low[0].version}`"
                )
                yield Hit(owner.at("kind"), message, fact=fact)
                break


def _needs(context: ManifestContext, owner: KubernetesObject) -> Iterator[tuple[Fact, str, str]]:
    """What a class with TPUs needs, the latest version last mentioned first: fact, version and name."""
    versions, features = context.catalog.kubernetes.compute_classes.versions, context.catalog.versions.features
    entries_of_tpus = [entry for _, entry in tpu_priorities(owner)]
    if not entries_of_tpus:
        return
    creates = mapping(owner.spec.get("nodePoolAutoCreation")).get("enabled") is True
    if creates:
        for name in dict.fromkeys(
            family.generation_name for entry in entries_of_tpus if (family := _family(context, entry))
        ):
            feature = features.get(f"auto_creation_{name}")
            if feature is None:
                continue
            for item, minimum in (("lowest", feature.lowest), ("standard", feature.standard)):
                if minimum:
                    yield feature.for_item(item), minimum, feature.title
    for path, minimum in versions.features.items():
        if _has(owner.spec, path.split(".")):
            yield versions.for_item("features"), minimum, f"`{path}`"
    yield versions.for_item("first"), versions.first, owner.title
    if creates and not any(cluster.autoprovisioning for cluster in context.clusters()):
        yield versions.for_item("auto_creation"), versions.auto_creation, "`nodePoolAutoCreation`"


def _has(data: object, steps: list[str]) -> bool:
    """Whether a path of keys exists; lists are searched."""
    if not steps:
        return True
    if isinstance(data, list):
        return any(_has(item, steps) for item in data)
    return isinstance(data, dict) and steps[0] in data and _has(data[steps[0]], steps[1:])


def _is_low(cluster: Cluster, minimum: str) -> bool:
    try:
        return is_too_low(VersionRange.parse(cluster.version or ""), minimum)
    except ValueError:
        return False


@rule(
    "TPU787",
    title="Collection of a ComputeClass that GKE does not support",
    why="GKE supports collections only for one generation and without Spot VMs. Without a group of node pools, the "
    "workload type is that of serving",
    fix="Remove `spot`, or remove `nodePoolGroup` and `workloadType`.",
    references=["about-tpus", "compute-class-api", "gke-compute-class-concept"],
    failing=compute_class("spot: true", spec=_COLLECTION),
    passing=compute_class(spec=_COLLECTION),
)
def compute_class_collection(context: ManifestContext) -> Iterable[Hit]:
    form = context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        workload = mapping(owner.spec.get("nodePoolConfig")).get("workloadType")
        grouped = "nodePoolGroup" in owner.spec
        if workload is None and not grouped:
            continue
        path = owner.at("spec", "nodePoolConfig", "workloadType")
        if workload is not None and not is_open(workload) and workload not in form.workload_types:
            yield Hit.unknown(path, "workload type", workload, fact=form, allowed=form.workload_types)
        elif not grouped and workload != form.workload_type_without_group and not is_open(workload):
            allowed = (form.workload_type_without_group,)
            reason = "the class has no `nodePoolGroup`"
            yield Hit.invalid(path, "workload type", workload, reason, fact=form, allowed=allowed)
        for place, entry in tpu_priorities(owner):
            family = _family(context, entry)
            if entry.get("spot") is True:
                yield Hit.unsupported(owner.at(*place, "spot"), "`spot`", "collections", fact=form)
            if family is not None and not family.generation.collections:
                what = f"{family.generation_name}"
                advice = "Use another generation, or remove `nodePoolGroup` and `workloadType`."
                yield Hit.unsupported(owner.at(*place, "tpu", "type"), what, "collections", fact=form, advice=advice)


@rule(
    "TPU393",
    title="Run duration of a ComputeClass outside the limits",
    why="GKE creates no nodes with a run duration outside its limits, so the Pods stay Pending. Flex-start nodes run "
    "for 7 days at most",
    fix="Set a duration within the limits, or remove it.",
    references=["autoscaler-injection", "gke-flex-start"],
    failing=compute_class("flexStart: {enabled: true}\nmaxRunDurationSeconds: 700000"),
    passing=compute_class("flexStart: {enabled: true}\nmaxRunDurationSeconds: 604800"),
)
def compute_class_run_duration(context: ManifestContext) -> Iterable[Hit]:
    flex_start, other = context.catalog.capacity.flex_start, context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        for path, entry in tpu_priorities(owner):
            seconds = entry.get("maxRunDurationSeconds")
            uses_flex_start = mapping(entry.get("flexStart")).get("enabled") is True
            facts = flex_start if uses_flex_start else other
            if not isinstance(seconds, int) or facts.min_run_seconds <= seconds <= facts.max_run_seconds:
                continue
            nearest = min(max(seconds, facts.min_run_seconds), facts.max_run_seconds)
            bounds = f"{facts.min_run_seconds} to {facts.max_run_seconds}"
            yield Hit.invalid(
                owner.at(*path, "maxRunDurationSeconds"),
                "run duration",
                seconds,
                f"{'flex-start nodes' if uses_flex_start else 'nodes'} can run for {bounds} seconds",
                fact=facts,
                allowed=(bounds,),
                fix=SetKeys.of(maxRunDurationSeconds=nearest),
            )

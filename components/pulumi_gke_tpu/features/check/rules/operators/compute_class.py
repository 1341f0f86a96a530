"""ComputeClasses with TPUs: TPU349, TPU780, TPU781, TPU782, TPU784 and TPU788."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import known_text, mapping, text
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, listed, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import (
    accelerator_label_meant,
    accelerator_labels,
    families_meant,
    family_of_label,
    forms_of,
    owner_of_slices,
)
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, compute_class
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, unknown_topology

_TPU_FIELDS = ("type", "count", "topology")
_IMAGE = ("spec", "nodePoolConfig", "imageType")


def classes(context: ManifestContext) -> Iterator[KubernetesObject]:
    """The ComputeClasses."""
    return context.of_kind("ComputeClass", context.catalog.kubernetes.controllers["compute_class"].group)


def tpu_priorities(owner: KubernetesObject) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The priorities of a class that have TPUs."""
    return ((path, entry) for path, entry in entries(owner, "spec", "priorities") if isinstance(entry.get("tpu"), dict))


@rule(
    "TPU780",
    title="Name of a ComputeClass that GKE reserves",
    why="GKE rejects names of ComputeClasses that begin like those of its own classes",
    fix="Rename the class, and select the new name in the Pods.",
    references=["gke-compute-class-concept"],
    failing=changed(compute_class(), ("name: v6e", "name: gke-v6e")),
    passing=compute_class(),
)
def compute_class_name(context: ManifestContext) -> Iterable[Hit]:
    form = context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        if known_text(owner.name).startswith(form.refused_prefixes) and not owner.exists:
            reason = f"it begins with {listed(form.refused_prefixes, 'or')}"
            yield Hit.invalid(owner.at("metadata", "name"), "name of a ComputeClass", owner.name, reason, fact=form)


@rule(
    "TPU781",
    title="TPUs of a ComputeClass that do not exist",
    why="GKE creates no nodes for an incomplete or unknown combination of accelerator, chips per host and topology",
    fix="Set `type`, `count` and `topology` to the accelerator label, the chips per host, and a topology of the "
    "generation.",
    references=["compute-class-api", "plan-tpus", "autoscaler-requests"],
    failing=changed(compute_class(), ("count: 4", "count: 8")),
    passing=compute_class(),
)
def compute_class_tpu(context: ManifestContext) -> Iterable[Hit]:
    catalog = context.catalog
    form = catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        for path, entry in tpu_priorities(owner):
            tpu, place = entry["tpu"], (*path, "tpu")
            missing = [key for key in _TPU_FIELDS if tpu.get(key) is None]
            if missing:
                keys = listed([f"`{key}`" for key in missing])
                yield Hit.missing(owner.at(*place), f"{keys} in `tpu`", fact=form)
                continue
            if any(is_open(tpu[key]) for key in _TPU_FIELDS):
                continue
            yield from _unknown_tpu(context, owner, place, tpu)


def _unknown_tpu(context: ManifestContext, owner: KubernetesObject, place: Path, tpu: dict[str, Any]) -> Iterator[Hit]:
    labels, known = context.catalog.platform.names.node_labels, accelerator_labels(context.catalog)
    label, topology, chips = str(tpu["type"]), str(tpu["topology"]), tpu["count"]
    if label not in known:
        fact, near = labels.for_item("accelerator"), accelerator_label_meant(context.catalog, label)
        yield Hit.unknown(
            owner.at(*place, "type"), "accelerator", label, fact=fact, allowed=known, fix=Replace.value(near)
        )
    families = families_meant(context.catalog, label)
    forms = [form for family in families for form in forms_of(family, topology)]
    if families and not forms:
        yield unknown_topology(owner.at(*place, "topology"), families, topology, context)
    elif families and chips not in [form.chips_per_host for form in forms]:
        counts = tuple(dict.fromkeys(str(form.chips_per_host) for form in forms))
        message = f"no host of a slice {topology} of {owner_of_slices(families)} has {quoted(chips)} chips"
        fix = Replace.value(int(counts[0])) if len(counts) == 1 else None
        yield Hit(owner.at(*place, "count"), message, fact=families[0].generation.topologies, allowed=counts, fix=fix)


@rule(
    "TPU782",
    title="Spot and flex-start in one priority",
    why="nodes have one provisioning model. GKE rejects a priority with `spot` and `flexStart`",
    fix="Divide the priority into one with `flexStart` and a later one with `spot`.",
    references=["compute-class-api"],
    failing=compute_class("spot: true\nflexStart: {enabled: true}"),
    passing=compute_class("spot: true"),
)
def compute_class_spot_and_flex_start(context: ManifestContext) -> Iterable[Hit]:
    for owner in classes(context):
        for path, entry in entries(owner, "spec", "priorities"):
            if entry.get("spot") is True and mapping(entry.get("flexStart")).get("enabled") is True:
                fact = context.catalog.kubernetes.compute_classes.form
                yield Hit.conflict(owner.at(*path, "spot"), "`spot`", "`flexStart`", fact=fact)


@warning(
    "TPU784",
    otherwise={Severity.NOTE: "if the class does not set the field", Severity.ERROR: "if the value does not exist"},
    title="ComputeClass that may create nodes without TPUs",
    why="with ScaleUpAnyway, GKE creates nodes without TPUs if no priority is available, and the Pods stay Pending "
    "there. Sources disagree on the default of older versions",
    fix="Set `whenUnsatisfiable: DoNotScaleUp`.",
    references=["compute-class-api", "google-skills-prioritization"],
    failing=changed(compute_class(), ("DoNotScaleUp", "ScaleUpAnyway")),
    passing=compute_class(),
)
def compute_class_when_unsatisfiable(context: ManifestContext) -> Iterable[Hit]:
    form = context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        value, path = owner.spec.get("whenUnsatisfiable"), owner.at("spec", "whenUnsatisfiable")
        if not any(tpu_priorities(owner)) or is_open(value) or value == form.no_other_nodes:
            continue
        fix = SetKeys.of(whenUnsatisfiable=form.no_other_nodes)
        if value is None:
            what = f"key `whenUnsatisfiable` in {owner.title}"
            yield Hit.missing(owner.at("spec"), what, fact=form, severity=Severity.NOTE, fix=fix)
        elif value in form.when_unsatisfiable:
            message = f"{owner.title} may create nodes without TPUs"
            yield Hit(path, message, fact=form, allowed=(form.no_other_nodes,), fix=fix)
        else:
            severity, allowed = Severity.ERROR, form.when_unsatisfiable
            what = "value of `whenUnsatisfiable`"
            yield Hit.unknown(path, what, value, fact=form, severity=severity, allowed=allowed, fix=fix)


@rule(
    "TPU788",
    title="Other hardware beside the TPUs of a ComputeClass",
    why="a priority describes one kind of node. GKE rejects `nodepools` beside other fields and `machineType` beside "
    "`machineFamily`, and creates no nodes for hardware that contradicts the TPUs",
    fix="Remove the other field. Use a priority of its own for other hardware.",
    references=["compute-class-api"],
    otherwise={Severity.WARNING: "if GKE accepts the fields together"},
    failing=compute_class("nodepools: [v6e-0]"),
    passing=compute_class("machineType: ct6e-standard-4t"),
)
def compute_class_other_hardware(context: ManifestContext) -> Iterable[Hit]:
    form = context.catalog.kubernetes.compute_classes.form
    for owner in classes(context):
        for path, entry in entries(owner, "spec", "priorities"):
            if "machineType" in entry and "machineFamily" in entry:
                yield Hit.conflict(owner.at(*path, "machineFamily"), "`machineFamily`", "`machineType`", fact=form)
        for path, entry in tpu_priorities(owner):
            if "nodepools" in entry:
                yield Hit.conflict(owner.at(*path, "nodepools"), "`nodepools`", "`tpu`", fact=form)
            for key in ("machineType", "machineFamily", "gpu", "podFamily"):
                if key in entry and not is_open(entry[key]) and not _fits(context, entry["tpu"], key, entry[key]):
                    message = f"`{key}` does not fit the TPUs of the priority"
                    yield Hit(owner.at(*path, key), message, fact=form, severity=Severity.WARNING)


def _fits(context: ManifestContext, tpu: dict[str, Any], key: str, value: object) -> bool:
    """Whether a machine type or family is that of the TPUs, or these are unknown."""
    family = family_of_label(context.catalog, str(tpu.get("type")))
    if key not in ("machineType", "machineFamily"):
        return False
    if family is None:
        return True
    if key == "machineFamily":
        return value == family.name
    machines = {form.machine_type for form in forms_of(family, str(tpu.get("topology")))}
    return not machines or text(value) in machines


@rule(
    "TPU349",
    title="Image type of a ComputeClass is not supported with TPU nodes",
    why="GKE supports TPU nodes only with Container-Optimized OS, so it creates no TPU nodes for the class",
    fix="Remove `imageType`.",
    references=["plan-tpus", "compute-class-api"],
    failing=compute_class(spec="nodePoolConfig: {imageType: ubuntu_containerd}"),
    passing=compute_class(spec="nodePoolConfig: {imageType: cos_containerd}"),
)
def compute_class_image_type(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.platform.nodes
    for owner in classes(context):
        written = known_text(owner.value(*_IMAGE))
        if written and written.upper() != facts.image and any(True for _ in tpu_priorities(owner)):
            allowed = facts.image.lower()
            yield Hit.unsupported(
                owner.at(*_IMAGE),
                f"image type {quoted(written)}",
                "TPU nodes",
                fact=facts.for_item("image"),
                allowed=(allowed,),
                fix=SetKeys.of(imageType=allowed),
            )

"""The slice that a pod template asks for: its accelerator, topology and chips, and the forms that fit them."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, Selection, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.features.check.forms import (
    Form,
    LabeledFamily,
    SlicePods,
    families_meant,
    family_meant,
    family_of_label,
    forms_of,
)


@frozen
class PodShape:
    """The known parts of the slice of a pod template.

    ``family`` is None without exactly one accelerator that is known, or that is a misspelling of a known one.
    ``topology`` is empty without exactly one. ``forms`` are those of the topology in the mode of the cluster, of any
    number of chips per host. ``chips`` are those of one pod; None if they are unknown or not a whole number.
    ``dynamic`` states whether the slice controller forms the slice: from hosts of several node pools, or of a part of
    one.
    """

    family: LabeledFamily | None
    topology: str
    forms: tuple[Form, ...]
    chips: int | None
    dynamic: bool = False

    @property
    def form(self) -> Form | None:
        """The only form whose hosts have the chips of a pod; None if there is none."""
        fitting = [form for form in self.forms if form.chips_per_host == self.chips]
        return fitting[0] if len({form.hosts for form in fitting}) == 1 else None

    @property
    def hosts(self) -> int | None:
        """The hosts of a slice; None if they are unknown."""
        return self.form.hosts if self.form is not None else None


def pod_shape(pod: PodTemplate, catalog: Catalog, mode: Mode | None) -> PodShape:
    """The slice that the pods of a template ask for."""
    labels = catalog.platform.names.node_labels
    amount = pod.chips(catalog.kubernetes.pods.resource.name)
    chips = int(amount) if amount is not None and amount.denominator == 1 and amount >= 0 else None
    label, dynamic = _only(pod.selection(labels.accelerator)), uses_dynamic_slice(pod, catalog)
    topology = slice_topology(pod, catalog)
    family = family_meant(catalog, label) if label else None
    if family is None or not topology:
        return PodShape(family, topology, (), chips, dynamic)
    count = _only(pod.selection(labels.accelerator_count))
    forms = tuple(
        form
        for form in forms_of(family, topology)
        if (mode is None or mode in form.modes) and count in ("", str(form.chips_per_host))
    )
    return PodShape(family, topology, forms, chips, dynamic)


def slice_topology(pod: PodTemplate, catalog: Catalog) -> str:
    """The topology of the slice: of the annotation of a dynamic slice, else the selected one; empty if it is unknown.

    The selected topology can be that of the node pools which a dynamic slice consists of, or is a part of.
    """
    written = pod.annotations.get(catalog.kubernetes.pods.dynamic_slices.annotation)
    if written is not None:
        return written if isinstance(written, str) and not is_open(written) else ""
    return _only(pod.selection(catalog.platform.names.node_labels.topology))


def may_be_any_accelerator(pod: PodTemplate, catalog: Catalog) -> bool:
    """Whether the pods select no accelerator, or one without a meaning, so that every generation can be meant.

    An announced accelerator is none of these: its topologies are not known yet.
    """
    selected = pod.selection(catalog.platform.names.node_labels.accelerator)
    if selected is None:
        return True
    meant = [families_meant(catalog, value) for value in selected.values]
    return not selected.open and all(meant) and any(len(families) > 1 for families in meant)


ClassSlice = tuple[str, str, int]
"""Accelerator label, topology and chips per host of a priority of a ComputeClass."""


def class_slices(owner: KubernetesObject) -> frozenset[ClassSlice]:
    """The slices of a ComputeClass; empty if one of its priorities has none, or an unknown one."""
    found: set[ClassSlice] = set()
    for entry in items(owner.spec.get("priorities")):
        tpu = mapping(mapping(entry).get("tpu"))
        label, topology, chips = tpu.get("type"), tpu.get("topology"), tpu.get("count")
        if not isinstance(label, str) or not isinstance(topology, str) or not isinstance(chips, int):
            return frozenset()
        found.add((label, topology, chips))
    return frozenset(found)


def shape_by_class(shape: PodShape, slices: frozenset[ClassSlice], catalog: Catalog) -> PodShape:
    """The slice of pods that select a ComputeClass, if all of its priorities have the same slices."""
    if len(slices) != 1:
        return shape
    (label, topology, chips), *_ = slices
    family = family_of_label(catalog, label)
    forms = forms_of(family, topology) if family is not None else ()
    forms = tuple(form for form in forms if form.chips_per_host == chips)
    return PodShape(family, topology, forms, shape.chips) if forms else shape


def slice_pods_of(pod: PodTemplate, shape: PodShape) -> SlicePods | None:
    """The slice of pods; None if it is unknown, does not exist, or has no hosts with the chips of a pod."""
    if shape.family is None or shape.form is None or not shape.chips:
        return None
    return SlicePods(pod, shape.family, shape.topology, shape.form, shape.chips)


def uses_dynamic_slice(pod: PodTemplate, catalog: Catalog) -> bool:
    """Whether the slice controller forms the slice of the pods."""
    facts = catalog.kubernetes.pods.dynamic_slices
    return facts.annotation in pod.annotations or any(pod.selection(label) for label in facts.labels)


def claims_chips(pod: PodTemplate, catalog: Catalog) -> bool:
    """Whether the pods may get their chips by resource claims: they request no chips, and claim devices.

    Pods can have claims of network interfaces and also request chips.
    """
    resource = catalog.kubernetes.pods.resource.name
    return "resourceClaims" in pod.spec and not any(
        container.amounts(resource) for container in pod.containers(init=True)
    )


def _only(selection: Selection | None) -> str:
    """The only value of a selection; empty if there are several, or if they are unknown."""
    known = selection is not None and not selection.open and len(selection.values) == 1
    return selection.values[0] if selection is not None and known else ""

"""The slice that a pod template asks for: its accelerator, topology and chips, and the forms that fit them."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, Selection
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.features.check.forms import Form, LabeledFamily, SlicePods, family_of_label, forms_of


@frozen
class PodShape:
    """The known parts of the slice of a pod template.

    ``family`` is None without exactly one known accelerator. ``topology`` is empty without exactly one. ``forms`` are
    those of the topology in the mode of the cluster, of any number of chips per host. ``chips`` are those of one pod;
    None if they are unknown or not a whole number.
    """

    family: LabeledFamily | None
    topology: str
    forms: tuple[Form, ...]
    chips: int | None

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
    label, topology = _only(pod.selection(labels.accelerator)), _only(pod.selection(labels.topology))
    family = family_of_label(catalog, label) if label else None
    if family is None or not topology or is_part_of_slice(pod, catalog):
        return PodShape(family, topology, (), chips)
    count = _only(pod.selection(labels.accelerator_count))
    forms = tuple(
        form
        for form in forms_of(family, topology)
        if (mode is None or mode in form.modes) and count in ("", str(form.chips_per_host))
    )
    return PodShape(family, topology, forms, chips)


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


def is_part_of_slice(pod: PodTemplate, catalog: Catalog) -> bool:
    """Whether the pods use dynamic slices, or get their devices by claims: gke-tpu does not know their shapes."""
    facts = catalog.kubernetes.pods.dynamic_slices
    claims = "resourceClaims" in pod.spec
    return claims or facts.annotation in pod.annotations or any(pod.selection(label) for label in facts.labels)


def _only(selection: Selection | None) -> str:
    """The only value of a selection; empty if there are several, or if they are unknown."""
    known = selection is not None and not selection.open and len(selection.values) == 1
    return selection.values[0] if selection is not None and known else ""

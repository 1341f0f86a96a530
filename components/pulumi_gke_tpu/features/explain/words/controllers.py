"""Explains the controllers whose objects gke-tpu writes and checks, and their kinds."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.features.explain.notes import fitting_notes
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence


def controller_words(catalog: Catalog) -> Iterator[str]:
    """The names of the controllers and of their kinds, in lower case."""
    for name, controller in catalog.kubernetes.controllers.items():
        yield name
        yield from (kind.lower() for kind in controller.kinds)


def explain_controller(catalog: Catalog, word: str) -> Explanation | None:
    """A controller by its name, or by one of its kinds: its API version, and the releases whose fields are used."""
    controllers = catalog.kubernetes.controllers
    by_kind = {kind.lower(): name for name, item in controllers.items() for kind in item.kinds}
    name = word if word in controllers else by_kind.get(word, word.replace("-", "_"))
    controller = controllers.get(name)
    if controller is None:
        return None
    facts = evidence(catalog, controller)
    deprecated = f"; deprecated: {listed(list(controller.deprecated))}" if controller.deprecated else ""
    api_version = f"{controller.group}/{controller.version}"
    steps = [Step("api_version", api_version, f"the version that gke-tpu writes and checks{deprecated}", facts)]
    if controller.releases:
        reason = "gke-tpu uses only fields that all of these releases have"
        steps.append(Step("releases", listed(list(controller.releases)), reason, facts))
    affinity = catalog.kubernetes.workloads.slice_affinity
    if name in affinity.keys:
        reason = "where the operator does not hold slices together, affinity by this label of their Pods does"
        steps.append(Step("slice_label", affinity.keys[name], reason, evidence(catalog, affinity)))
    classes = catalog.kubernetes.compute_classes.labels
    if "ComputeClass" in controller.kinds:
        reason = (
            "a ComputeClass has fields instead of these labels; GKE rejects Pods that select a class and one of them"
        )
        steps.append(
            Step("labels", listed(list(classes.labels), most=len(classes.labels)), reason, evidence(catalog, classes))
        )
    steps.append(Step("kinds", listed(list(controller.kinds), most=len(controller.kinds)), "kinds of objects", facts))
    return Explanation(
        item=name,
        kind="controller",
        summary=f"the objects of {controller.title} on a cluster",
        catalog=catalog.about.version,
        steps=tuple(steps),
        remarks=fitting_notes(catalog, frozenset(), {name}, only_on_subjects=True),
    )

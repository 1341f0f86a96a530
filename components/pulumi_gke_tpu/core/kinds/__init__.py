"""The kinds whose Pods gke-tpu reads in manifests: one module for each, which nothing lists.

A module states its kind as ``KIND``. To read another kind, add a module.
"""

import functools
import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.objects.pods import PodTemplate


@functools.cache
def all_kinds() -> Mapping[tuple[str, str], Kind]:
    """Every kind by its API group and name."""
    modules = (importlib.import_module(f"{__name__}.{item.name}") for item in pkgutil.iter_modules(__path__))
    kinds: list[Kind] = [module.KIND for module in modules if hasattr(module, "KIND")]
    return {(kind.group, kind.name): kind for kind in kinds}


def kind_of(owner: KubernetesObject) -> Kind | None:
    """The kind of an object; None if gke-tpu does not know where its Pods are, or if it has none."""
    return all_kinds().get((owner.group, owner.kind))


def pod_templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    """The Pod templates of an object; none if its kind is not known."""
    kind = kind_of(owner)
    return kind.templates(owner) if kind is not None else iter(())

"""Crossplane: clusters and node pools, alone and as templates in Compositions."""

from collections.abc import Iterator, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.resources.api_names import api_name, properties_of
from pulumi_gke_tpu.core.resources.model import RESERVATION, RawResource, SourceFormat, Spelling, Unread
from pulumi_gke_tpu.core.resources.object_sources.described import (
    Described,
    fitted,
    known,
    name_of,
    nearest,
    raw_resource,
    references,
    spelling_of,
    with_unknown,
)
from pulumi_gke_tpu.core.resources.object_sources.go_templates import objects_in_templates
from pulumi_gke_tpu.core.resources.object_sources.names import ObjectNames, object_names
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import format_steps, parse_path, value_at

_NAMESPACED = frozenset({"container.gcp.m.upbound.io", "compute.gcp.m.upbound.io"})
_FORMER = "container.gcp.crossplane.io"
"""The group of the provider that upjet replaced. It has the names of Google's API."""
GROUPS = _NAMESPACED | {"container.gcp.upbound.io", "compute.gcp.upbound.io", _FORMER, "apiextensions.crossplane.io"}
_TYPES = {
    "Cluster": CLUSTER,
    "GKECluster": CLUSTER,
    "NodePool": NODE_POOL,
    "ResourcePolicy": RESOURCE_POLICY,
    "Reservation": RESERVATION,
}
_EXTERNAL_NAME = "crossplane.io/external-name"
_WANTED = "forProvider"
_AT_CREATION = "initProvider"
_TO_RESOURCE = ("FromCompositeFieldPath", "CombineFromComposite", "FromEnvironmentFieldPath", "CombineFromEnvironment")
COMPOSITION = "Composition"
_PROGRAMS = ("inline", "source", "script", "template")
"""The keys of the input of functions that have a program or a template."""
_FIRST_WITH_LISTS = "v1beta1"


def unread(found: Sequence[Described], _: Catalog) -> Iterator[Unread]:
    """The steps of Compositions whose input is a program or a template."""
    for owner in (each.object for each in found if each.object.kind == COMPOSITION):
        yield from _unread_steps(owner)


def _unread_steps(owner: KubernetesObject) -> Iterator[Unread]:
    known = {index for index, each in objects_in_templates(owner) if each.kind in _TYPES}
    for index, step in enumerate(items(owner.spec.get("pipeline"))):
        if index in known:
            continue
        program = next((key for key in _PROGRAMS if key in mapping(mapping(step).get("input"))), None)
        if program is not None:
            place = owner.file.position((*owner.base, "spec", "pipeline", index, "input", program))
            part = f"{owner.kind}/{owner.name}: step {mapping(step).get('step', index)}"
            yield Unread(owner.file.name, "its resources are the output of a program", part, place.line)


def read(found: Sequence[Described], catalog: Catalog) -> Iterator[RawResource]:
    """The resources that some objects of these groups describe."""
    clusters = [each for each in found if _TYPES.get(each.object.kind) == CLUSTER]
    others = tuple(catalog.other_tools.crossplane.names.items())
    for described in found:
        resource_type = _TYPES.get(described.object.kind)
        if resource_type is None:
            continue
        written = _without_patched(described, known(_written(described)))
        cluster = _cluster_of(described, written, clusters)
        if described.object.group == _FORMER:
            values, spelling = properties_of(resource_type, written), _former_spelling(resource_type)
        else:
            names = object_names(catalog, resource_type, others)
            values = fitted(names.properties(_resolved(written, names)), names.types)
            spelling = _spelling(names, described)
        external = described.object.annotations.get(_EXTERNAL_NAME)
        values["name"] = name_of(described, external=external)
        if cluster is not None:
            values["cluster"] = name_of(cluster, external=cluster.object.annotations.get(_EXTERNAL_NAME))
        refers_to = references((("cluster", cluster),), described.object.file.name)
        yield raw_resource(
            described, SourceFormat.CROSSPLANE, resource_type, values, spelling=spelling, refers_to=refers_to
        )


def _written(described: Described) -> dict[str, Any]:
    spec = described.object.spec
    return _merged(mapping(spec.get(_AT_CREATION)), mapping(spec.get(_WANTED)))


def _merged(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """Properties of both; where both have one, that of ``then``."""
    both = {
        key: _merged(first[key], then[key])
        for key in first.keys() & then.keys()
        if isinstance(first[key], dict) and isinstance(then[key], dict)
    }
    return {**first, **then, **both}


def _spelling(names: ObjectNames, described: Described) -> Spelling:
    spec, group, version = described.object.spec, described.object.group, described.object.version
    lists = version == _FIRST_WITH_LISTS and group not in _NAMESPACED
    wanted = spelling_of(names, mapping(spec.get(_WANTED)), ("spec", _WANTED), lists=lists)
    at_creation = spelling_of(names, mapping(spec.get(_AT_CREATION)), ("spec", _AT_CREATION), lists=lists)

    def place(path: str) -> Path:
        one, other = wanted.place(path), at_creation.place(path)
        only_there = value_at(described.object.data, one) is None and value_at(described.object.data, other) is not None
        return other if only_there else one

    return Spelling(written=lambda path: format_steps(place(path)), place=place, words=names.words)


def _former_spelling(resource_type: str) -> Spelling:
    def place(path: str) -> Path:
        return ("spec", _WANTED, *parse_path(api_name(resource_type, path)))

    return Spelling(written=lambda path: format_steps(place(path)), place=place)


def _resolved(value: Any, names: ObjectNames) -> Any:
    """Data in which the values of references and selectors are unknown."""
    if isinstance(value, list):
        return [_resolved(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _resolved(item, names) for key, item in value.items() if not names.referred(key)}
    for key in value:
        referred = names.referred(key)
        if referred:
            found.setdefault(referred, UNKNOWN)
    return found


def _cluster_of(described: Described, written: dict[str, Any], clusters: Sequence[Described]) -> Described | None:
    """The cluster that a node pool names or selects, if there is exactly one such object."""
    name = mapping(written.get("clusterRef")).get("name")
    selector = written.get("clusterSelector")
    if isinstance(name, str):
        found = [each for each in clusters if each.object.name == name]
    elif isinstance(selector, dict):
        labels = mapping(selector.get("matchLabels"))
        own = selector.get("matchControllerRef") is True
        around = [each for each in clusters if _beside(each, described)] if own else clusters
        found = [each for each in around if labels.items() <= each.object.labels.items()]
    else:
        return None
    return nearest(found, described)


def _beside(one: Described, other: Described) -> bool:
    """Whether both are templates in the same object."""
    return one.within is not None and one.within is other.within


def _without_patched(described: Described, written: dict[str, Any]) -> dict[str, Any]:
    """The properties, unknown where the Composition patches them."""
    within = described.within
    if within is None:
        return written
    above = described.object.base[len(within.base) : -1]
    entry = value_at(within.data, above)
    for path in _patched(mapping(entry).get("patches"), _patch_sets(within, above)):
        steps = parse_path(path)
        above, inside = steps[:2], steps[2:]
        if above == ("spec", _WANTED) and inside:
            written = with_unknown(written, inside)
    return written


def _patch_sets(within: Any, above: Path) -> dict[str, Any]:
    """The sets of patches that a template can name: those of the Composition, or of the step of its pipeline."""
    inputs = [value_at(within.data, above[:length]) for length in range(len(above))]
    found = [items(mapping(holder).get("patchSets")) for holder in inputs]
    return {str(mapping(each).get("name")): mapping(each).get("patches") for every in found for each in every}


def _patched(patches: Any, sets: dict[str, Any]) -> Iterator[str]:
    """The paths that patches write, also those of the sets that they name."""
    for patch in map(mapping, items(patches)):
        kind = patch.get("type", _TO_RESOURCE[0])
        if kind == "PatchSet":
            yield from _patched(sets.get(str(patch.get("patchSetName"))), {})
        elif kind in _TO_RESOURCE:
            path = patch.get("toFieldPath", patch.get("fromFieldPath"))
            if isinstance(path, str):
                yield path

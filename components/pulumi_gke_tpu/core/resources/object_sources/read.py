"""Reads the resources that Kubernetes objects describe. Each tool is one module with its API groups."""

from collections import Counter
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.resources.model import RawResource, Resources, Unread
from pulumi_gke_tpu.core.resources.object_sources import cluster_api, config_connector, crossplane
from pulumi_gke_tpu.core.resources.object_sources.described import Described, templates
from pulumi_gke_tpu.core.resources.object_sources.go_templates import entry_of, objects_in_templates
from pulumi_gke_tpu.core.resources.object_sources.pulumi_operator import read_programs
from pulumi_gke_tpu.core.resources.open_properties import open_part

_READERS = (config_connector, crossplane, cluster_api)
_WITH_TEMPLATES = frozenset(
    {"apiextensions.crossplane.io", "kro.run", "kubernetes.crossplane.io", "kubernetes.m.crossplane.io"}
)
"""The groups of objects that can have such objects as templates: Compositions, resource graphs of kro, and others."""
_WRITTEN = "spec."
"""How the names of properties begin that a kind of object has; others keep the spelling of Pulumi."""
_OPEN = "only the cluster that creates them knows them: fill in the values first"
_GROUPS = frozenset[str]().union(*(reader.GROUPS for reader in _READERS))


def resources_of(objects: Iterable[KubernetesObject], catalog: Catalog) -> dict[str, Resources]:
    """File -> the resources that its objects describe. References lead to objects of all files."""
    every = tuple(objects)
    found = [each for owner in every for each in _described(owner)]
    resources: dict[str, list[RawResource]] = {}
    unread: dict[str, list[Unread]] = {}
    for reader in _READERS:
        own = [each for each in found if each.object.group in reader.GROUPS]
        for resource in reader.read(own, catalog):
            resources.setdefault(resource.origin.file, []).append(resource)
            unknown = open_part(resource, _OPEN, begin=_WRITTEN)
            if unknown is not None:
                unread.setdefault(unknown.file, []).append(unknown)
        for part in reader.unread(own, catalog):
            unread.setdefault(part.file, []).append(part)
    skipped: dict[str, Counter[str]] = {}
    for file, program in read_programs(every, catalog):
        resources.setdefault(file, []).extend(program.found)
        unread.setdefault(file, []).extend(program.unread)
        skipped.setdefault(file, Counter()).update(program.skipped)
    return {
        file: Resources(
            tuple(sorted(resources.get(file, ()), key=_place)),
            skipped.get(file, {}),
            unread=tuple(unread.get(file, ())),
        )
        for file in dict.fromkeys(owner.file.name for owner in every)
        if file in resources or file in unread
    }


def _place(resource: RawResource) -> tuple[int, int]:
    place = resource.origin.locate(())
    return place.line, place.column


def _described(owner: KubernetesObject) -> Iterator[Described]:
    """The object itself, and the templates in it."""
    if owner.group in _GROUPS:
        yield Described(owner)
    if owner.group in _WITH_TEMPLATES:
        for template, entry in templates(owner, _GROUPS):
            yield Described(template, owner, entry)
    if owner.kind == crossplane.COMPOSITION:
        for _, each in objects_in_templates(owner):
            if each.group in _GROUPS:
                yield Described(each, owner, entry_of(each))

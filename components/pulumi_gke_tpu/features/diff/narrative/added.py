"""Differences for which no configuration is the reason: GKE reports a property that nothing sets."""

from collections.abc import Iterator, Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.rules.engine.rule import source_titles
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.features.diff.model import Sentences, SourcedReason
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource

_INLINE = "node_pool"


def describe_added(planned: PlannedResource, sentences: Sentences, *, has_tpus: bool) -> None:
    """That a change comes from what GKE reports, and how to end it."""
    found = list(_added(planned, sentences.catalog, has_tpus=has_tpus))
    if not found:
        return
    spelling = planned.raw.spelling
    names = [spelling.written(item.path) for item in found]
    repeated = (
        "replaces the node pool again"
        if planned.change is not None and planned.change.operation == "replace"
        else "contains this update again"
    )
    sentences.add(
        f"GKE itself sets {listed([quoted(name) for name in names])}, and the configuration does not: every plan "
        f"{repeated}"
    )
    paths = [_INLINE] if planned.inside else [name.replace(".", "[0].") for name in names]
    ignored = quoted(f"lifecycle {{ ignore_changes = [{', '.join(paths)}] }}")
    values = [quoted(spelling.entry(*value)) for item in found for value in _members(item)]
    stated = f", or set {listed(values)}" if values else ""
    sentences.add(f"to keep it, add {ignored} to {quoted(planned.inside or planned.address)}{stated}")
    sentences.facts += [_reason(item, planned, sentences.catalog) for item in found]


def _added(planned: PlannedResource, catalog: Catalog, *, has_tpus: bool) -> Iterator[GkeAddition]:
    """The additions of GKE that the plan takes away."""
    raw, change = planned.raw, planned.change
    if raw.before is None or change is None or change.operation not in ("replace", "update"):
        return
    for item in catalog.gke_adds.get(raw.type, ()):
        if item.effect == "none" or (item.added_to == "tpu" and not has_tpus):
            continue
        was, will = (value_at(values.data, parse_path(item.path)) for values in (raw.before, raw.values))
        if was is not None and not says_something(will) and _without_empty(was) == item.stored:
            yield item


def _without_empty(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_empty(inner) for name, inner in value.items() if says_something(inner)}
    return value


def _members(item: GkeAddition) -> Iterator[tuple[str, object]]:
    """What a configuration can set instead: the members of a block that is not empty."""
    if isinstance(item.stored, Mapping):
        yield from ((f"{item.path}.{name}", value) for name, value in item.stored.items())


def _reason(item: GkeAddition, planned: PlannedResource, catalog: Catalog) -> SourcedReason:
    """The fact, less certain for a machine family for which no source has it."""
    machine = value_at(planned.raw.values.data, ("nodeConfig", "machineType"))
    family = str(machine).partition("-")[0]
    confidence = "low" if item.families and family not in item.families else item.confidence_in(family)
    text = item.note or f"GKE adds {item.path} to its answers."
    return SourcedReason(planned.raw.spelling.words(text), source_titles(item, catalog), confidence)

"""The whole catalog as one document, and the form of an overlay."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import TypeAdapter, ValidationError

from pulumi_gke_tpu.core.catalog.catalog import Catalog, CatalogError
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityFacts, CapacityMode, Prices, QuotaFacts
from pulumi_gke_tpu.core.catalog.records.command_lines import OtherTools
from pulumi_gke_tpu.core.catalog.records.evidence import EvidenceRun
from pulumi_gke_tpu.core.catalog.records.facts import About, Record, Source
from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud
from pulumi_gke_tpu.core.catalog.records.generation import Announced, Choices, Generation, Topology
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.catalog.records.kubernetes import KubernetesFacts, ObjectFields
from pulumi_gke_tpu.core.catalog.records.messages import AlertFact, KindStatus, Message, Symptom
from pulumi_gke_tpu.core.catalog.records.platform import Disks, MaintenanceFacts, Platform, SystemPools, Versions, Zones
from pulumi_gke_tpu.core.catalog.records.provider import Provider, Terraform
from pulumi_gke_tpu.core.catalog.records.reads import Reads
from pulumi_gke_tpu.core.text.findings import printable

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.yamlfile import YamlFile


class CatalogFile(Record):
    """The whole catalog as one document: the form of an overlay, and of the JSON Schema."""

    about: About | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    generations: dict[str, Generation] = field(default_factory=dict)
    announced: dict[str, Announced] = field(default_factory=dict)
    zones: Zones | None = None
    versions: Versions | None = None
    capacity: CapacityFacts | None = None
    disks: Disks | None = None
    quota: QuotaFacts | None = None
    prices: Prices | None = None
    maintenance: MaintenanceFacts | None = None
    advice: Choices | None = None
    kubernetes: KubernetesFacts | None = None
    object_fields: ObjectFields | None = None
    system_pools: SystemPools | None = None
    platform: Platform | None = None
    provider: Provider | None = None
    gke_adds: dict[str, tuple[GkeAddition, ...]] = field(default_factory=dict)
    evidence: dict[str, EvidenceRun] = field(default_factory=dict)
    messages: dict[str, dict[str, Message]] = field(default_factory=dict)
    symptoms: dict[str, Symptom] = field(default_factory=dict)
    statuses: dict[str, KindStatus] = field(default_factory=dict)
    alerts: dict[str, AlertFact] = field(default_factory=dict)
    reads: Reads | None = None
    terraform: Terraform | None = None
    other_tools: OtherTools | None = None
    gcloud: Gcloud | None = None


_SECTIONS = tuple(item.name for item in fields(CatalogFile))


@functools.cache
def _adapter() -> TypeAdapter[CatalogFile]:
    """Built at the first overlay: that takes longer than to check one."""
    return TypeAdapter(CatalogFile)


def read_overlay(path: Path) -> dict[str, Any]:
    """Read an overlay file as plain data, with the same care as a plan.

    Raises:
        CatalogError: the file cannot be read or is not a mapping.
    """
    from pulumi_gke_tpu.core.text.yamlfile import read_yaml

    return _overlay(lambda: read_yaml(path), str(path))


def parse_overlay(content: bytes, name: str) -> dict[str, Any]:
    """Read the content of an overlay that is not on disk, such as that of a revision.

    Raises:
        CatalogError: the file cannot be read or is not a mapping.
    """
    from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

    return _overlay(lambda: parse_yaml(content, name), name)


def _overlay(read: "Callable[[], YamlFile]", name: str) -> dict[str, Any]:
    from pulumi_gke_tpu.core.text.yamlfile import YamlProblem

    try:
        content = read().data
    except YamlProblem as problem:
        raise CatalogError(str(problem)) from problem
    if not isinstance(content, dict):
        raise CatalogError(f"{name}: a catalog overlay is a mapping of sections: {', '.join(_SECTIONS)}")
    return content


def check_overlays(catalog: Catalog, overlays: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that the merged catalog has the right shape, names sources that exist, and is complete and consistent.

    Raises:
        CatalogError: listing every problem with its path.
    """
    names = [section for section in _SECTIONS if any(section in overlay for overlay in overlays.values())]
    unknown = sorted({key for overlay in overlays.values() for key in overlay} - set(_SECTIONS))
    problems = [f"{printable(key)}: unknown section; use one of {', '.join(_SECTIONS)}" for key in unknown]
    try:
        merged = {name: catalog.section(name) for name in names}
        problems += [f"{name}: empty section; leave it out" for name, content in merged.items() if content is None]
        _adapter().validate_json(json.dumps(merged), strict=True)
    except ValidationError as error:
        for entry in error.errors(include_url=False):
            place = ".".join(str(step) for step in entry["loc"])
            problems.append(f"{printable(place)}: {printable(entry['msg'])}")
    problems += _unknown_sources(catalog, overlays)
    if not problems:
        problems = [*_torn_generations(catalog), *_torn_families(catalog), *_foreign_evidence(catalog)]
    if problems:
        raise CatalogError("\n".join([f"{', '.join(overlays)}: not a catalog overlay", *problems]))


def _unknown_sources(catalog: Catalog, overlays: Mapping[str, Mapping[str, Any]]) -> list[str]:
    known = catalog.section("sources")
    named = {(place, name) for overlay in overlays.values() for place, name in _named_sources(overlay, "")}
    return [
        f"{printable(place)}: unknown source {printable(name)}; add it under sources, with a title"
        for place, name in sorted(named)
        if not isinstance(known, dict) or name not in known
    ]


def _named_sources(content: object, place: str) -> Iterator[tuple[str, str]]:
    """Every name of a source in a document, with the place of the fact that gives it."""
    if isinstance(content, dict):
        for key in ("source", "conflict_source"):
            names = content.get(key)
            if isinstance(names, list):
                yield from ((f"{place}.{key}".lstrip("."), name) for name in names if isinstance(name, str))
        for key, value in content.items():
            yield from _named_sources(value, f"{place}.{key}".lstrip("."))
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from _named_sources(value, f"{place}[{index}]")


def _torn_generations(catalog: Catalog) -> Iterator[str]:
    """Machine types and topologies that refer to something that the generation does not have, or cannot be."""
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        place = f"generations.{printable(name)}"
        for machine_type, machine in generation.machine_types.items():
            if machine.family not in generation.families:
                yield f"{place}.machine_types.{printable(machine_type)}: unknown family {printable(machine.family)}"
        custom = generation.custom_topologies
        if custom and custom.machine_type not in generation.machine_types:
            yield f"{place}.custom_topologies: unknown machine type {printable(custom.machine_type)}"
        for index, row in enumerate(generation.topologies.rows):
            where, host = f"{place}.topologies.rows[{index}]", generation.machine_types.get(row.machine_type)
            topology = Topology.parse(row.topology)
            if host is None:
                yield f"{where}: unknown machine type {printable(row.machine_type)}"
            elif topology.chips % host.chips:
                yield f"{where}: {topology} has {topology.chips} chips, which is not a multiple of {host.chips}"
            if len(topology.dimensions) != generation.dimensions:
                yield f"{where}: {topology} must have {generation.dimensions} dimensions, as {printable(name)}"


def _torn_families(catalog: Catalog) -> Iterator[str]:
    """Families of generations that other sections lack, and the reverse."""
    families = {family for name in catalog.generation_names for family in catalog.generation(name).families}
    told: dict[str, Iterable[str]] = {
        "zones.families": catalog.zones.families,
        "capacity.families": catalog.capacity.families,
        "disks.families": catalog.disks.families,
    }
    for place, there in told.items():
        yield from (f"{place}: missing family {printable(family)}" for family in sorted(families - set(there)))
        unknown = sorted(set(there) - families)
        yield from (f"{place}.{printable(family)}: unknown machine family" for family in unknown)
    for family in sorted(families):
        lacking = [mode for mode in get_args(CapacityMode) if mode not in catalog.capacity.families.get(family, {})]
        if lacking and family in catalog.capacity.families:
            yield f"capacity.families.{printable(family)}: {', '.join(lacking)} missing"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the catalog, and of an overlay."""
    schema = _adapter().json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _foreign_evidence(catalog: Catalog) -> Iterator[str]:
    """Observations of something that is neither a cluster nor a machine family or machine type of the catalog."""
    generations = [catalog.generation(name) for name in catalog.generation_names]
    known = {"cluster", *(each for item in generations for each in (*item.families, *item.machine_types))}
    for name, run in catalog.evidence.items():
        for index, each in enumerate(run.observations):
            if each.of not in known:
                place = f"evidence.{printable(name)}.observations.{index}.of"
                yield f"{place}: unknown machine family or machine type {printable(each.of)}"

"""The whole catalog as one document: the form of an overlay, and of the JSON Schema."""

from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pulumi_gke_tpu.catalog.capacity import Capacity, Quota
from pulumi_gke_tpu.catalog.facts import About, Record, Source, record
from pulumi_gke_tpu.catalog.generation import Announced, Generation
from pulumi_gke_tpu.catalog.maintenance import Maintenance
from pulumi_gke_tpu.catalog.place import SystemPools, Versions, Zones
from pulumi_gke_tpu.catalog.platform import Disks, Platform
from pulumi_gke_tpu.catalog.prices import Prices
from pulumi_gke_tpu.catalog.provider import Provider
from pulumi_gke_tpu.catalog.reader import Catalog, CatalogError
from pulumi_gke_tpu.findings import printable


@record
class CatalogFile(Record):
    """The whole catalog as one document: the form of an overlay, and of the JSON Schema."""

    about: About | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    generations: dict[str, Generation] = field(default_factory=dict)
    announced: dict[str, Announced] = field(default_factory=dict)
    zones: Zones | None = None
    versions: Versions | None = None
    capacity: Capacity | None = None
    disks: Disks | None = None
    quota: Quota | None = None
    prices: Prices | None = None
    maintenance: Maintenance | None = None
    system_pools: SystemPools | None = None
    platform: Platform | None = None
    provider: Provider | None = None


_SECTIONS = tuple(item.name for item in fields(CatalogFile))


def read_overlay(path: Path) -> dict[str, Any]:
    """Read an overlay file as plain data, with the same care as a plan.

    Raises:
        CatalogError: it cannot be read or is no mapping.
    """
    from pulumi_gke_tpu.yamlfile import YamlProblem, read_yaml

    try:
        content = read_yaml(path).data
    except YamlProblem as problem:
        raise CatalogError(str(problem)) from problem
    if not isinstance(content, dict):
        raise CatalogError(f"{path}: a catalog overlay is a mapping of sections: {', '.join(_SECTIONS)}")
    return content


def check_overlays(catalog: Catalog, overlays: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that the merged catalog still has the right shape, and that every source it names exists.

    Raises:
        CatalogError: listing every problem with its path.
    """
    names = [section for section in _SECTIONS if any(section in overlay for overlay in overlays.values())]
    unknown = sorted({key for overlay in overlays.values() for key in overlay} - set(_SECTIONS))
    problems = [f"{printable(key)}: no such section; there are {', '.join(_SECTIONS)}" for key in unknown]
    try:
        merged = {name: catalog.section(name) for name in names}
        TypeAdapter(CatalogFile).validate_python(merged)
    except ValidationError as error:
        for entry in error.errors(include_url=False):
            place = ".".join(str(step) for step in entry["loc"])
            problems.append(f"{printable(place)}: {printable(entry['msg'])}")
    if problems:
        raise CatalogError("\n".join([f"{', '.join(overlays)}: not a catalog overlay", *problems]))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the catalog, as committed in ``catalog/schema.json``."""
    schema = TypeAdapter(CatalogFile).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}

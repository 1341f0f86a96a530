"""Explanations and the records of the catalog as JSON for programs."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic_core import to_jsonable_python

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.places import families_in, known_zones
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.explain.offers import prices_of
from pulumi_gke_tpu.features.explain.steps import Explanation

FORMAT = 1
"""The version of this format. A new key keeps it; removing or changing a key raises it."""


def explain_json(explanation: Explanation) -> dict[str, Any]:
    """Give an explanation as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, **to_data(explanation)}


def explain_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`explain_json`."""
    schema = schema_of(
        Explanation, title="Explanation", description="What `gke-tpu explain --format json` writes, except for rules."
    )
    version = "The version of this format. A new key keeps it; removing or changing a key raises it."
    schema["properties"] = {"format": {"const": FORMAT, "description": version}, **schema["properties"]}
    schema["required"] = ["format", *schema["required"]]
    return schema


def overview_json(catalog: Catalog) -> dict[str, Any]:
    """Version and age of the catalog, and the generations in short."""
    return _page(
        catalog,
        generations={
            name: {
                "title": generation.title,
                "also_called": list(generation.also_called),
                "status": generation.status,
                "limits": generation.limits,
                "families": list(generation.families),
                "machine_types": list(generation.machine_types),
            }
            for name in catalog.generation_names
            for generation in (catalog.generation(name),)
        },
        announced=catalog.announced,
    )


def generation_json(catalog: Catalog, name: str) -> dict[str, Any]:
    """Everything about a generation; sections are by machine family."""
    generation = catalog.generation(name)
    families = tuple(generation.families)
    return _page(
        catalog,
        name=name,
        generation=generation,
        zones=_of(families, catalog.zones.families),
        capacity=_of(families, catalog.capacity.families),
        flex_start_zones=_of(families, catalog.capacity.flex_start.zones),
        disks=_of(families, catalog.disks.families),
        quota=[metric for metric in catalog.quota.metrics if set(metric.families) & set(families)],
        prices=[price for family in families for price in prices_of(catalog, family)],
    )


def announced_json(catalog: Catalog, name: str) -> dict[str, Any]:
    """An announced generation."""
    return _page(catalog, name=name, announced=catalog.announced[name])


def zones_json(catalog: Catalog) -> dict[str, Any]:
    """Every known zone with the families there."""
    return _page(
        catalog,
        zones={
            zone: [
                {
                    "family": item.family,
                    "certainty": item.certainty,
                    "confidence": item.fact.confidence_in(zone),
                    "as_of": item.fact.as_of,
                }
                for item in families_in(catalog, zone)
            ]
            for zone in known_zones(catalog)
        },
        ai_zones=catalog.zones.ai_zones,
    )


def prices_json(catalog: Catalog, generation: str | None) -> dict[str, Any]:
    """All captured prices, newest first for each region and model."""
    names = catalog.generation_names if generation is None else (generation,)
    families = [family for name in names for family in catalog.generation(name).families]
    return _page(
        catalog,
        prices=[price for family in families for price in prices_of(catalog, family)],
        cluster_fee=catalog.prices.cluster_fee,
        autopilot_premium=[item for item in catalog.prices.autopilot_premium if item.family in families],
    )


def topic_json(catalog: Catalog, topic: str) -> dict[str, Any]:
    """The records behind one topic; ``zones`` has one entry for each zone.

    Raises:
        KeyError: there is no such topic.
    """
    if topic == "zones":
        return zones_json(catalog)
    records: dict[str, Callable[[], Any]] = {
        "versions": lambda: catalog.versions.features,
        "capacity": lambda: catalog.capacity,
        "quota": lambda: catalog.quota,
        "disks": lambda: catalog.disks,
        "network": lambda: catalog.platform.network,
        "maintenance": lambda: catalog.maintenance,
        "addons": lambda: catalog.platform.addons,
        "system-pools": lambda: catalog.system_pools,
        "gke-adds": lambda: catalog.gke_adds,
        "evidence": lambda: catalog.evidence,
        "announced": lambda: catalog.announced,
        "sources": lambda: dict(sorted(catalog.sources.items())),
    }
    return _page(catalog, **{topic.replace("-", "_"): records[topic]()})


def _page(catalog: Catalog, **content: Any) -> dict[str, Any]:
    page: dict[str, Any] = to_jsonable_python({"format": FORMAT, "catalog": catalog.about, **content})
    return page


def _of(families: Iterable[str], section: dict[str, Any]) -> dict[str, Any]:
    return {family: section[family] for family in families if family in section}

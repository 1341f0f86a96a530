"""Explains zones and regions: their machine families, with the evidence."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.places import (
    FLEX_MEANING,
    Certainty,
    Presence,
    families_in,
    flex_pool,
    generation_of,
    known_zones,
    presence,
)
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, is_region, is_zone, region_of
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence, fitting_notes

_EVIDENCE: dict[Certainty, str] = {
    "documented": "documented",
    "single_host": "single-host slices only",
    "single_tenant": "single-tenant capacity",
    "hardware": "hardware, not in the GKE documentation",
}


def explain_zone(catalog: Catalog, word: str) -> Explanation | None:
    """A zone that a source lists for TPUs."""
    if not is_zone(word) or word not in known_zones(catalog):
        return None
    found = families_in(catalog, word)
    known = listed([item.family for item in found if item.certainty == "documented"])
    ai_zone = is_ai_zone(word)
    kind = "an AI zone" if ai_zone else "a zone"
    return Explanation(
        item=word,
        kind="zone",
        summary=f"{kind} in {region_of(word)}; the GKE documentation lists {known or 'no TPUs'} for this zone",
        catalog=catalog.about.version,
        steps=tuple(_zone_steps(catalog, word, found)),
        remarks=fitting_notes(catalog, _traits(found), {"zones"}),
    )


def _traits(found: Iterable[Presence]) -> set[str]:
    """The kinds of zones among these, for the notes that apply only to such zones."""
    kinds = {"ai_zones" if is_ai_zone(item.zone) else "" for item in found}
    kinds |= {"single_tenant" if item.certainty == "single_tenant" else "" for item in found}
    return kinds - {""}


def _zone_steps(catalog: Catalog, zone: str, found: tuple[Presence, ...]) -> Iterator[Step]:
    for item in found:
        yield _family_step(catalog, item)
    ai_zone = catalog.zones.ai_zones.get(zone)
    if ai_zone is not None:
        where = f" ({ai_zone.place})" if ai_zone.place else ""
        parent = f"its parent zone is {ai_zone.parent_zone}" if ai_zone.parent_zone else "its parent zone is unknown"
        yield Step("AI zone", f"{ai_zone.region}{where}", parent, evidence(catalog, ai_zone))
    cpu = catalog.system_pools.zones.get(zone)
    if cpu is not None:
        reason = "CPU machine families in this zone"
        reason += f"; not available: {listed(cpu.absent)}" if cpu.absent else ""
        yield Step("system pool", listed(cpu.families) or "no known CPU machine family", reason, evidence(catalog, cpu))


def _family_step(catalog: Catalog, item: Presence) -> Step:
    generation = generation_of(catalog, item.family)
    pool = flex_pool(catalog, item.family, item.zone)
    calendar = catalog.capacity.calendar.zones.get(item.family)
    more = []
    if pool.state != "unknown":
        more.append(f"flex-start: {FLEX_MEANING[pool.state]}")
    if calendar is not None and item.zone in calendar.zones:
        more.append("reservations in calendar mode are available")
    return Step(
        hardware(generation, item.family) if generation else item.family,
        f"{_EVIDENCE[item.certainty]} in {item.zone}",
        "; ".join([item.meaning, *more]),
        evidence(catalog, item.fact, item.zone) + evidence(catalog, pool.fact),
    )


def explain_place_for(catalog: Catalog, generation: str, place: str) -> Explanation | None:
    """A generation in a zone or region; None if no source lists TPUs there."""
    zones = [zone for zone in known_zones(catalog) if place in (zone, region_of(zone))]
    if not zones:
        return None
    families = catalog.generation(generation).families
    known = (presence(catalog, family, zone) for zone in zones for family in families)
    found = [item for item in known if item is not None]
    return Explanation(
        item=f"{generation} {place}",
        kind="zone",
        summary=f"{catalog.generation(generation).title} in {place}" + ("" if found else ": no source lists it"),
        catalog=catalog.about.version,
        steps=tuple(_family_step(catalog, item) for item in found) or tuple(_elsewhere(catalog, generation)),
        remarks=fitting_notes(catalog, {generation} | _traits(found), {"zones"}, only_on_subjects=True),
    )


def _elsewhere(catalog: Catalog, generation: str) -> Iterator[Step]:
    for family in catalog.generation(generation).families:
        zones = catalog.zones.families.get(family)
        if zones is not None:
            yield Step(
                family,
                listed(zones.documented.zones),
                "zones in the GKE documentation",
                evidence(catalog, zones.documented),
            )


def explain_region(catalog: Catalog, word: str) -> Explanation | None:
    """A region with a zone that a source lists for TPUs."""
    zones = [zone for zone in known_zones(catalog) if region_of(zone) == word]
    if not is_region(word) or not zones:
        return None
    steps = []
    for zone in zones:
        found = families_in(catalog, zone)
        sure = listed([item.family for item in found if item.certainty in ("documented", "single_host")])
        rest = listed([item.family for item in found if item.certainty not in ("documented", "single_host")])
        steps.append(
            Step(
                zone,
                sure or "no documented machine family",
                "; ".join(
                    filter(
                        None,
                        (
                            "in the GKE documentation" if sure else "",
                            f"only in other sources, or for one customer: {rest}" if rest else "",
                        ),
                    )
                )
                or "no source lists a machine family",
            )
        )
    return Explanation(
        item=word,
        kind="region",
        summary=f"a region; {'zones' if len(zones) > 1 else 'zone'} with TPUs: {listed(zones)}",
        catalog=catalog.about.version,
        steps=tuple(steps),
    )

"""How sure it is that a family exists in a zone, and which zones have its flex-start and calendar capacity."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog, Fact
from pulumi_gke_tpu.catalog.records.place import FamilyZones
from pulumi_gke_tpu.formats.location import region_of

Certainty = Literal["documented", "single_host", "single_tenant", "hardware"]

CERTAINTIES: tuple[Certainty, ...] = ("documented", "single_host", "single_tenant", "hardware")
"""From the surest kind of evidence to the weakest; single_host is worth less to a multi-host slice than any other."""

_MEANING: dict[Certainty, str] = {
    "documented": "GKE documents {} there",
    "single_host": "GKE documents {} there for single-host slices only",
    "hardware": "the hardware of {} is known there, but GKE does not list the zone",
    "single_tenant": "{} there is capacity built for one customer",
}


@dataclass(frozen=True, slots=True)
class Presence:
    """A family in a zone, and the list that says so."""

    family: str
    zone: str
    certainty: Certainty
    fact: Fact

    @property
    def meaning(self) -> str:
        """What this evidence says, as half a sentence."""
        return _MEANING[self.certainty].format(self.family)


def presences(family: str, zones: FamilyZones, *, multi_host: bool = False) -> Iterator[Presence]:
    """Every zone of a family with its surest evidence (for a multi-host slice, if it is about one), zones in order."""
    named: dict[str, Presence] = {}
    for certainty in sorted(CERTAINTIES, key=lambda certainty: multi_host and certainty == "single_host"):
        found = getattr(zones, certainty)
        for zone in found.zones if found else ():
            named.setdefault(zone, Presence(family, zone, certainty, found))
    yield from (named[zone] for zone in sorted(named))


def presence(catalog: Catalog, family: str, zone: str, *, multi_host: bool = False) -> Presence | None:
    """The surest evidence for a family in a zone; None where no source knows it there."""
    zones = catalog.zones.families.get(family)
    found = presences(family, zones, multi_host=multi_host) if zones else ()
    return next((item for item in found if item.zone == zone), None)


def families_in(catalog: Catalog, zone: str) -> tuple[Presence, ...]:
    """Every family that some source knows in a zone, in the order of the catalog."""
    found = (presence(catalog, family, zone) for family in catalog.zones.families)
    return tuple(item for item in found if item is not None)


def known_zones(catalog: Catalog) -> tuple[str, ...]:
    """Every zone in which some source knows a TPU family, and the AI zones; sorted."""
    zones = {item.zone for family, known in catalog.zones.families.items() for item in presences(family, known)}
    return tuple(sorted(zones | set(catalog.zones.ai_zones)))


def known_regions(catalog: Catalog) -> tuple[str, ...]:
    """The regions of all known zones, sorted."""
    return tuple(sorted({region_of(zone) for zone in known_zones(catalog)}))


@dataclass(frozen=True, slots=True)
class FlexPool:
    """Whether a zone has a family's flex-start pool."""

    state: Literal["documented", "named elsewhere", "refused", "unknown"]
    fact: Fact | None


def flex_pool(catalog: Catalog, family: str, zone: str) -> FlexPool:
    """What is known of flex-start for a family in a zone."""
    flex = catalog.capacity.flex_start
    for state, lists in (
        ("documented", flex.zones),
        ("refused", flex.refused_zones),
        ("named elsewhere", flex.more_zones),
    ):
        found = lists.get(family)
        if found is not None and zone in found.zones:
            return FlexPool(state, found)  # type: ignore[arg-type]
    return FlexPool("unknown", None)


def generation_of(catalog: Catalog, family: str) -> str:
    """The generation that a machine family belongs to; empty where none does."""
    found = (name for name in catalog.generation_names if family in catalog.generation(name).families)
    return next(found, "")

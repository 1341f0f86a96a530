"""The evidence that a zone has a machine family, its flex-start and its calendar capacity."""

from collections.abc import Iterator
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog, Fact
from pulumi_gke_tpu.core.catalog.records.platform import FamilyZones
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.names import region_of

Certainty = Literal["documented", "single_host", "single_tenant", "hardware"]

CERTAINTIES: tuple[Certainty, ...] = ("documented", "single_host", "single_tenant", "hardware")
"""From the strongest to the weakest evidence; for a multi-host slice, single_host is the weakest."""

FlexState = Literal["documented", "other sources", "rejected", "unknown"]

FLEX_MEANING: dict[FlexState, str] = {
    "documented": "Google's documentation lists the zone",
    "other sources": "other sources list the zone, or GKE accepted a request in it",
    "rejected": "GKE rejected a request in this zone",
}
"""The meaning of each kind of evidence for flex-start in a zone, as a clause."""

EVIDENCE_MEANING: dict[Certainty, str] = {
    "documented": "the GKE documentation lists {} for this zone",
    "single_host": "the GKE documentation lists {} for this zone only with single-host slices",
    "hardware": "other sources list {} for this zone, but the GKE documentation does not",
    "single_tenant": "the capacity of {} in this zone is for one customer",
}
"""The meaning of each kind of evidence, as a clause with a gap for the machine family."""


@frozen
class Presence:
    """A machine family in a zone, and the list that contains it."""

    family: str
    zone: str
    certainty: Certainty
    fact: Fact

    @property
    def meaning(self) -> str:
        """The meaning of this evidence, as a clause."""
        return EVIDENCE_MEANING[self.certainty].format(self.family)


def presences(family: str, zones: FamilyZones, *, multi_host: bool = False) -> Iterator[Presence]:
    """Every zone of a family with its strongest evidence, in the order of the zones."""
    named: dict[str, Presence] = {}
    for certainty in sorted(CERTAINTIES, key=lambda certainty: multi_host and certainty == "single_host"):
        found = getattr(zones, certainty)
        for zone in found.zones if found else ():
            named.setdefault(zone, Presence(family, zone, certainty, found))
    yield from (named[zone] for zone in sorted(named))


def presence(catalog: Catalog, family: str, zone: str, *, multi_host: bool = False) -> Presence | None:
    """The strongest evidence for a family in a zone; None if no source lists it."""
    zones = catalog.zones.families.get(family)
    found = presences(family, zones, multi_host=multi_host) if zones else ()
    return next((item for item in found if item.zone == zone), None)


def families_in(catalog: Catalog, zone: str) -> tuple[Presence, ...]:
    """All machine families of a zone in any source, in the order of the catalog."""
    found = (presence(catalog, family, zone) for family in catalog.zones.families)
    return tuple(item for item in found if item is not None)


def known_zones(catalog: Catalog) -> tuple[str, ...]:
    """All zones with a TPU family in any source, and the AI zones; sorted."""
    zones = {item.zone for family, known in catalog.zones.families.items() for item in presences(family, known)}
    return tuple(sorted(zones | set(catalog.zones.ai_zones)))


def known_regions(catalog: Catalog) -> tuple[str, ...]:
    """The regions of all known zones, sorted."""
    return tuple(sorted({region_of(zone) for zone in known_zones(catalog)}))


@frozen
class FlexPool:
    """Whether a zone offers flex-start for a machine family."""

    state: FlexState
    fact: Fact | None


def flex_pool(catalog: Catalog, family: str, zone: str) -> FlexPool:
    """The evidence about flex-start for a machine family in a zone."""
    flex = catalog.capacity.flex_start
    for state, lists in (
        ("documented", flex.zones),
        ("rejected", flex.refused_zones),
        ("other sources", flex.more_zones),
    ):
        found = lists.get(family)
        if found is not None and zone in found.zones:
            return FlexPool(state, found)  # type: ignore[arg-type]
    return FlexPool("unknown", None)


def generation_of(catalog: Catalog, family: str) -> str:
    """The generation of a machine family; empty if it has none."""
    found = (name for name in catalog.generation_names if family in catalog.generation(name).families)
    return next(found, "")

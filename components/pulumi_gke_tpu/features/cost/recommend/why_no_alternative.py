"""Why something is not an alternative for the slice groups of plans, in the words of ``recommend --why-not``."""

from collections.abc import Iterator
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.prices import MODES
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.location import is_region, is_zone, region_of
from pulumi_gke_tpu.features.cost.recommend.candidates import mode_text, zones_of
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, PlanCosts

_COMMITMENTS = {
    "calendar": "calendar mode",
    "calendar-mode": "calendar mode",
    "1-year": "1-year commitment",
    "1-year-commitment": "1-year commitment",
    "3-year": "3-year commitment",
    "3-year-commitment": "3-year commitment",
}


@frozen
class AlternativeQuestion:
    """What a user asks about. ``zones`` are the zones of a zone or region, sorted."""

    kind: Literal["capacity", "zone", "commitment", "reservation"]
    name: str
    zones: tuple[str, ...] = ()


def asked_of(word: str, catalog: Catalog) -> AlternativeQuestion:
    """The meaning of a word; a word without another meaning is the name of a reservation."""
    spelled = word.strip().lower().replace("_", "-").replace(" ", "-")
    if is_zone(spelled) or is_region(spelled):
        known = {zone for family in catalog.zones.families for zone in zones_of(catalog, family)}
        return AlternativeQuestion(
            "zone", spelled, tuple(sorted(zone for zone in known if spelled in (zone, region_of(zone))))
        )
    if spelled in map(mode_text, MODES):
        return AlternativeQuestion("capacity", spelled)
    if spelled in _COMMITMENTS:
        return AlternativeQuestion("commitment", _COMMITMENTS[spelled])
    return AlternativeQuestion("reservation", f"reservation {word.strip().removeprefix('reservation ')}")


def lines_of(asked: AlternativeQuestion, costs: Costs) -> list[str]:
    """The answer for each slice group; nothing if the word has no meaning for these plans."""
    if asked.kind == "zone" and not asked.zones:
        return [f"{asked.name}: no source lists TPUs there"]
    several = len(costs.plans) > 1
    lines = [
        f"{f'{plan.name} ' if several else ''}{group.key}, {line}"
        for plan in costs.plans
        for _, group in plan.fleet.groups()
        for line in _of_group(asked, plan, group)
    ]
    if not lines and asked.kind == "capacity":
        return [f"{asked.name}: the inventory has no other reservation of the machine type of a group in its zone"]
    return lines


def _of_group(asked: AlternativeQuestion, plan: PlanCosts, group: SliceGroup) -> Iterator[str]:
    if not group.slices.maximum and asked.kind != "reservation":
        yield f"{asked.name}: the group has no slices"
        return
    if asked.kind == "capacity" and asked.name in map(mode_text, group.capacity_modes):
        own = "the capacity mode" if len(group.capacity_modes) == 1 else "one of the capacity modes"
        yield f"{asked.name}: {own} of the group"
    yield from (f"{zone}: a zone of the group" for zone in asked.zones if zone in {group.zone, *group.zones})
    for item in plan.alternatives[group.key]:
        if _is_meant(asked, item.kind, item.name):
            yield f"{item.name}: an alternative of the group"
    for absent in plan.absent[group.key]:
        if _is_meant(asked, absent.kind, absent.name):
            yield f"{absent.name}: {absent.exclusion.text}"


def _is_meant(asked: AlternativeQuestion, kind: str, name: str) -> bool:
    if asked.kind == "zone":
        return kind == "zone" and name in asked.zones
    if asked == AlternativeQuestion("capacity", "reservation"):
        return kind == "capacity" and name.startswith("reservation ")
    return name == asked.name

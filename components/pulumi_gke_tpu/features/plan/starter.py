"""Chooses the values of a first plan: a generation, a topology, and a zone or region with the generation."""

import math
import re
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.places import CERTAINTIES, presences
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.estimate import PriceList
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.formats.location import is_ai_zone, is_zone, region_of

GROUP = "workers"
_CLUSTER = "dev"
_LONGEST_CLUSTER = 30
_NOT_IN_NAMES = re.compile("[^a-z0-9]+")


@frozen
class Starter:
    """The values of a first plan."""

    project: str
    mode: Mode
    location: str
    tpu: str
    topology: str
    chips_per_host: int | None = None
    zone: str | None = None
    cluster: str = _CLUSTER
    flex_start: bool = False
    """Whether the generation is offered with flex-start."""

    def plan(self) -> dict[str, Any]:
        """The plan as plain data."""
        group: dict[str, Any] = {"tpu": self.tpu, "topology": self.topology}
        if self.chips_per_host is not None:
            group["chips_per_host"] = self.chips_per_host
        if self.zone is not None:
            group["zone"] = self.zone
        cluster = {"mode": self.mode, "location": self.location, "slices": {GROUP: group}}
        return {"version": 1, "project": self.project, "clusters": {self.cluster: cluster}}


def choose_starter(
    catalog: Catalog,
    *,
    project: str,
    mode: Mode | None = None,
    location: str | None = None,
    tpu: str | None = None,
    topology: str | None = None,
    stack: str | None = None,
) -> Starter:
    """Fill in missing values. Requested values are not changed; the rules check them later.

    The name of the cluster is the name of the ``stack``, so that plans of several stacks have different clusters.

    The choice is the zone with the best evidence, then the region with most families, then the lowest on-demand price.
    """
    mode = mode or ("standard" if location is not None and is_zone(location) else "autopilot")
    # If no slice has all requested values, requests are dropped one after the other to fill in the rest.
    wishes = ((tpu, topology, location), (tpu, topology, None), (tpu, None, None), (None, None, None))
    found = (choice for wish in wishes for choice in [_best(catalog, mode, *wish)] if choice is not None)
    best = next(found, None)
    place = best.zone if best is not None else ""
    location = location or region_of(place)
    chosen = tpu or (best.tpu if best else "")
    return Starter(
        project=project,
        mode=mode,
        location=location,
        tpu=chosen,
        topology=topology or (best.topology if best else ""),
        chips_per_host=best.chips_per_host if best is not None and topology in (None, best.topology) else None,
        zone=place if mode == "standard" and not is_zone(location) and region_of(place) == location else None,
        cluster=cluster_called(stack) if stack is not None else _CLUSTER,
        flex_start=_has_flex_start(catalog, mode, chosen, topology or (best.topology if best else None)),
    )


def _has_flex_start(catalog: Catalog, mode: Mode, tpu: str, topology: str | None) -> bool:
    shape = _shape(catalog, tpu, mode, topology)
    known = catalog.capacity.families.get(shape.family, {}) if shape else {}
    return "flex_start" in known and known["flex_start"].offer == "yes"


def cluster_called(stack: str) -> str:
    """The name of a stack as a valid cluster name: lower-case letters, digits and hyphens, a letter first."""
    name = _NOT_IN_NAMES.sub("-", stack.lower()).strip("-")
    name = name if name[:1].isalpha() else f"stack-{name}"
    return name[:_LONGEST_CLUSTER].rstrip("-")


@frozen
class _Choice:
    """A slice in a zone that a source lists for it."""

    tpu: str
    topology: str
    chips_per_host: int | None
    """Set only if the topology has several forms."""
    zone: str


def _best(catalog: Catalog, mode: Mode, tpu: str | None, topology: str | None, location: str | None) -> _Choice | None:
    """The best choice with these values; None if no slice has them."""
    prices = PriceList(catalog.prices)
    ranked = []
    for name in catalog.generation_names if tpu is None else [tpu]:
        shape = _shape(catalog, name, mode, topology)
        known = catalog.zones.families.get(shape.family) if shape else None
        if shape is None or known is None:
            continue
        size = shape.chips_per_host if _several_forms(catalog, shape, mode) else None
        for item in presences(shape.family, known, multi_host=shape.multi_host):
            region = region_of(item.zone)
            if location in (None, item.zone, region):
                price = prices.find(shape.family, region, "on_demand")
                rank = (
                    CERTAINTIES.index(item.certainty),
                    is_ai_zone(item.zone),
                    -_families(catalog, region),
                    price.usd if price is not None and price.usd is not None else math.inf,
                    name,
                    item.zone,
                )
                ranked.append((rank, _Choice(name, str(shape.topology), size, item.zone)))
    return min(ranked, key=lambda entry: entry[0])[1] if ranked else None


def _families(catalog: Catalog, region: str) -> int:
    """The number of documented machine families in a region."""
    lists = (zones.documented.zones for zones in catalog.zones.families.values())
    return sum(any(region_of(zone) == region for zone in zones) for zones in lists)


def _shape(catalog: Catalog, tpu: str, mode: Mode, topology: str | None) -> Shape | None:
    """The shape of a topology with most chips per host; without one, the smallest single host with several chips."""
    if tpu not in catalog.generation_names:
        return None
    generation = catalog.generation(tpu)
    rows = selectable_rows(generation, mode)
    if topology is None:
        single = [row for row in rows if row.hosts == "single"]
        several = [row for row in single if Topology.parse(row.topology).chips > 1]
        topology = next((row.topology for row in (*several, *single, *rows)), "")
    sizes = sorted({machine.chips for machine in generation.machine_types.values()}, reverse=True)
    for size in (None, *sizes):
        found = shape_of(catalog, mode, SliceGroupSpec(tpu=tpu, topology=topology, chips_per_host=size))
        if isinstance(found, Shape):
            return found
    return None


def _several_forms(catalog: Catalog, shape: Shape, mode: Mode) -> bool:
    rows = selectable_rows(catalog.generation(shape.generation), mode)
    return sum(row.topology == str(shape.topology) for row in rows) > 1

"""The facts that the policy reads, as JSON: each with its sources, date and confidence."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Fact, Topology
from pulumi_gke_tpu.core.catalog.places import known_zones, presence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.catalog.topologies import custom_topologies, selectable_rows
from pulumi_gke_tpu.core.fleet.model import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES, STACK_RULES
from pulumi_gke_tpu.core.resources.terraform_names import names_of
from pulumi_gke_tpu.core.rules.capacity.modes import strictest_offering

RULES = (
    *("TPU103", "TPU111", "TPU112", "TPU113", "TPU115", "TPU161", "TPU163", "TPU168", "TPU207", "TPU208"),
    *("TPU301", "TPU302", "TPU303", "TPU361", "TPU362", "TPU363", "TPU364", "TPU365", "TPU461", "TPU462", "TPU465"),
)
"""The rules of ``gke-tpu check`` that the policy contains."""
_NOTES = (
    "flex-start-without-reservation",
    "multi-host-one-pool",
    "multi-host-one-zone",
    "multi-host-per-zone-limit",
    "one-mode-per-pool",
    "reservation-affinity",
    "tpu7x-workload-policy",
)
"""The notes of the catalog on which these rules rest."""
_FLEX_START: CapacityMode = "flex_start"
_QUEUED: CapacityMode = "queued"
_CAPACITY: Mapping[str, tuple[CapacityMode, ...]] = {
    "on_demand": ("on_demand",),
    "spot": ("spot",),
    "reservation": ("reservation",),
    "flex_start": (_FLEX_START,),
    "queued": (_QUEUED,),
    "flex_start_queued": (_FLEX_START, _QUEUED),
}
"""How nodes are obtained -> the capacity modes that this is."""
_KINDS = {"single": "single_host", "multi": "multi_host"}
Data = dict[str, Any]


def facts_of(catalog: Catalog) -> Data:
    """The facts about all generations, and the texts of the rules."""
    generations = {name: catalog.generation(name) for name in catalog.generation_names}
    families = {family: name for name, found in generations.items() for family in found.families}
    facts = {
        "catalog": {"version": catalog.about.version, "newest_evidence": catalog.about.newest_evidence},
        "rules": _rules(catalog),
        "ignored_updates": _ignored_updates(catalog),
        "generations": {name: _generation(found) for name, found in generations.items()},
        "families": {name: _family(catalog, generation, name) for name, generation in families.items()},
        "machine_types": {
            machine: _machine(catalog, name, machine)
            for name, found in generations.items()
            for machine in found.machine_types
        },
        "notes": {name: _note(catalog, name) for name in _NOTES},
    }
    return {**facts, "sources": _sources(catalog, facts)}


def _fact(fact: Fact | None) -> Data:
    """What a fact rests on. Only a certain fact is a reason to deny."""
    if fact is None:
        return {"source": [], "as_of": "", "confidence": "low", "certain": False}
    found: Data = {
        "source": [*fact.source],
        "as_of": fact.as_of,
        "confidence": fact.confidence,
        "certain": fact.is_certain,
    }
    return {**found, "conflict": fact.conflict} if fact.conflict else found


def _rules(catalog: Catalog) -> Data:
    words = names_of(catalog, NODE_POOL).spelling.words
    known = {rule.id: rule for rule in (*RESOURCE_RULES, *STACK_RULES)}
    found = (known[id] for id in RULES)
    return {rule.id: words(rule.why) for rule in found}


def _ignored_updates(catalog: Catalog) -> list[list[str | int]]:
    """The attributes whose update the provider plans and GKE ignores."""
    place = names_of(catalog, NODE_POOL).place
    known = catalog.provider.resources[NODE_POOL].properties
    return [[*place(path)] for path, item in sorted(known.items()) if item.gke == "fixed" and item.change == "no-op"]


def _generation(found: Generation) -> Data:
    machines, rows, forming = found.machine_types, selectable_rows(found, "standard"), dict[str, list[str]]()
    for row in rows:
        forming.setdefault(row.topology, []).append(row.machine_type)
    shapes = dict.fromkeys((machines[row.machine_type].family, _KINDS[row.hosts]) for row in rows)
    return {
        "dimensions": found.dimensions,
        "multi_host_placement": found.multi_host_placement,
        "machine_types": [
            name
            for name, machine in machines.items()
            if machine.documented and not found.families[machine.family].legacy
        ],
        "shapes": [{"family": family, "kind": kind} for family, kind in shapes],
        "topologies": forming,
        "undocumented_topologies": sorted({row.topology for row in found.topologies.rows} - forming.keys()),
        "custom_topologies": _custom(found),
        "fact": _fact(found.topologies),
    }


def _custom(found: Generation) -> Data | None:
    """The rule for topologies that are on no list, where a generation has one."""
    custom = custom_topologies(found, "standard")
    if custom is None:
        return None
    host = found.machine_types[custom.machine_type]
    return {
        "machine_types": [
            name
            for name, machine in found.machine_types.items()
            if (machine.family, machine.chips) == (host.family, host.chips)
        ],
        "multiple_of": custom.multiple_of,
        "above_chips": custom.above_chips,
        "max_chips": custom.max_chips,
        "max_chips_of_any_source": custom.disputed_chips or custom.max_chips,
        "any_order": custom.any_order,
        "fact": _fact(custom),
    }


def _machine(catalog: Catalog, generation: str, name: str) -> Data:
    found = catalog.generation(generation)
    machine = found.machine_types[name]
    rows = selectable_rows(found, "standard", name)
    alone = SliceGroupSpec(tpu=generation, machine_type=name, chips=machine.chips)
    return {
        "generation": generation,
        "family": machine.family,
        "chips": machine.chips,
        "hosts": {row.topology: Topology.parse(row.topology).chips // machine.chips for row in rows},
        "single_host": isinstance(shape_of(catalog, "standard", alone), Shape),
        "no_placement_on_one_host": _note(catalog, "single-host-no-topology", name.partition("-")[0]),
        "fact": _fact(machine),
    }


def _family(catalog: Catalog, generation: str, name: str) -> Data:
    """Zones and capacity modes of a machine family. A zone that is missing has no such TPUs in any source."""
    zones = catalog.zones.families.get(name)
    found: Data = {"generation": generation, "capacity": _capacity(catalog, name)}
    if zones is None:
        return found
    listed, documented = {zone: _zone(catalog, name, zone) for zone in known_zones(catalog)}, zones.documented
    mentioned = sorted({*documented.by_item, *documented.contested})
    return {
        **found,
        "documented_zones": [*documented.zones],
        "uncertain_zones": [zone for zone in mentioned if not documented.for_item(zone).is_certain],
        "zones": {zone: evidence for zone, evidence in listed.items() if evidence is not None},
        "fact": _fact(documented.for_item("")),
    }


def _zone(catalog: Catalog, family: str, zone: str) -> Data | None:
    """Whether GKE documents slices of one and of several hosts in a zone; None if no source has any there."""
    single, several = (presence(catalog, family, zone, multi_host=multi) for multi in (False, True))
    if single is None or several is None:
        return None
    exception = single.certainty == "single_host" and single.fact.confidence_in(zone) != "low"
    return {
        "single_host": "documented" if single.certainty == "documented" or exception else "undocumented",
        "multi_host": "documented" if several.certainty == "documented" else "undocumented",
        "fact": _fact(single.fact.for_item(zone)),
    }


def _capacity(catalog: Catalog, family: str) -> Data:
    """For each way to obtain nodes: yes, or the verdict of the fact that restricts it most."""
    found = {}
    for word, modes in _CAPACITY.items():
        strictest = strictest_offering(catalog, family, modes)
        offering = catalog.capacity.families.get(family, {}).get(modes[0])
        verdict, _, fact = strictest or ("yes", modes[0], offering)
        if fact is not None:
            found[word] = {"offer": verdict, "note": fact.note.rstrip("."), "fact": _fact(fact)}
    return found


def _note(catalog: Catalog, name: str, item: str = "") -> Data:
    notes = (*catalog.platform.notes, *catalog.capacity.notes)
    found = note_by_id(notes, name)
    return _fact(found.for_item(item) if found is not None and item else found)


def _sources(catalog: Catalog, facts: object) -> Data:
    """The titles and addresses of all sources that the facts name."""
    names = sorted(set(_source_names(facts)))
    known = {name: catalog.sources[name] for name in names if name in catalog.sources}
    return {name: {"title": source.title, "link": source.link} for name, source in known.items()}


def _source_names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value.get("source", ()) if isinstance(value.get("source"), list) else ()
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _source_names(item)

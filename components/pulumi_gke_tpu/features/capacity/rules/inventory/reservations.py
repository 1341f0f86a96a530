"""TPU801 to TPU804: reservations of the plans against those of the inventory."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.estimate.reservations import ReservationUse
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext, at_reservation
from pulumi_gke_tpu.features.capacity.rules.inventory.sums import IF_POSSIBLE, exceeded, limit_of, overruns

_INVENTORY = "the inventory"


@warning(
    "TPU801",
    about=of_groups("capacity.reservation"),
    title="Reservation is not in the inventory",
    why="GKE creates no nodes if the reservation does not exist",
    fix="Correct the name of the reservation, or add the reservation to the inventory.",
    source=_INVENTORY,
    failing="""
tpu: v6e
topology: 16x16
capacity: {reservation: v6e-pretrian}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
    edit=("reservation: v6e-pretrian", "reservation: v6e-pretrain"),
)
def unknown_reservation(context: InventoryContext) -> Iterable[Hit]:
    """Report only if the inventory lists other reservations there: otherwise it may be incomplete."""
    listed: dict[tuple[str, str], Suggestions] = {}
    for use in context.uses:
        if use.entry is not None or not context.readable or _elsewhere(context, use):
            continue
        project, place = key = use.project, use.group.zone or use.cluster.region
        names = context.names.get(key, set())
        if not names or use.name in names:
            continue
        if key not in listed:
            listed[key] = Suggestions(names)
        near = listed[key].nearest(use.name)
        where = f"of project {printable(project)} in {printable(place)}"
        yield at_reservation(
            use,
            f"the inventory has no reservation {quoted(use.name)} {where}",
            allowed=listed[key].shown,
            fix=SetKeys.of(reservation=near),
        )


@warning(
    "TPU802",
    about=of_groups("capacity.reservation.project", "zone"),
    title="Reservation is in another zone or project",
    why="a reservation belongs to one project and one zone, and only slices in that zone can use it",
    fix="Set `zone` to the zone of the reservation, or set `project` to the project of the reservation.",
    source=_INVENTORY,
    failing="""
tpu: v6e
topology: 16x16
zone: us-east5-a
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
    edit=("zone: us-east5-a", "zone: us-east5-b"),
)
def reservation_location_mismatch(context: InventoryContext) -> Iterable[Hit]:
    for use in context.uses:
        if use.entry is not None or not context.readable:
            continue
        zones, projects = _places(context, use)
        place = printable(use.group.zone or use.cluster.region)
        if zones:
            yield at_reservation(
                use,
                f"reservation {quoted(use.name)} is in {' and '.join(zones)}, but the slices are in {place}",
                allowed=tuple(zones),
                fix=SetKeys.of(zone=zones[0]) if len(zones) == 1 else None,
            )
        elif projects:
            project, name = printable(projects[0]), printable(use.name)
            yield at_reservation(
                use,
                f"reservation `{name}` in {place} belongs to project {project}",
                allowed=tuple(printable(item) for item in projects),
                fix=SetKeys.of(reservation={"name": use.name, "project": projects[0]}),
            )


def _elsewhere(context: InventoryContext, use: ReservationUse) -> bool:
    zones, projects = _places(context, use)
    return bool(zones or projects)


def _places(context: InventoryContext, use: ReservationUse) -> tuple[list[str], list[str]]:
    """The other zones with a reservation of this name, and the projects with one in this zone."""
    zones, projects = [], []
    for entry in context.owned.by_name.get(use.name, ()):
        near = use.could_be_in(entry.zone)
        if entry.project == use.project:
            if near:  # several zones of the region have one, and the group leaves the zone open
                return [], []
            zones.append(entry.zone)
        elif near and use.member.plan.project in (entry.shared_with or ()):
            projects.append(entry.project)
    return sorted(zones), sorted(projects)


@rule(
    "TPU803",
    about=of_groups("capacity.reservation"),
    title="Reservation is for another machine type",
    why="GKE uses a reservation only for VMs of the reserved machine type or machine family",
    fix="Use a reservation for the machine type of the slices. Or use slices with the reserved machine type. If the "
    "reservation counts chips, which slices of any shape can use, state `family` and `chips` in the inventory.",
    references=["compute-api-client", "plan-tpus"],
    note="aggregate-reservation",
    failing="""
tpu: v6e
topology: 2x4
chips_per_host: 8
capacity: {reservation: v6e-serve}
--- inventory
reservations:
  - {name: v6e-serve, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 2}
""",
    edit=("machine_type: ct6e-standard-4t, vms: 2", "family: ct6e, chips: 8"),
)
def reservation_machine_type_mismatch(context: InventoryContext) -> Iterable[Hit]:
    for use in context.uses:
        if use.entry is None or use.is_same_machine or not context.can_compare(use.entry):
            continue
        shape, machine_type = use.group.shape, use.entry.machine_type
        reserved = f"chips of {use.entry.machine_family}" if machine_type is None else printable(machine_type)
        counts_chips = ", unless the reservation counts chips (`family`, `chips`)" if use.is_same_family else ""
        yield at_reservation(
            use,
            f"reservation {quoted(use.name)} has {reserved}, but {shape.generation} {shape.topology} "
            f"requires {shape.machine_type}{counts_chips}",
            fact=note_by_id(context.catalog.capacity.notes, "reservation-machine-size") if use.is_same_family else None,
            allowed=(shape.machine_type,),
            fix=_other_form(context, use.group, machine_type) if machine_type is not None else None,
        )


def _other_form(context: InventoryContext, group: SliceGroup, machine_type: str) -> Fix | None:
    """The key that selects the form of the topology on the reserved machines, if there is one."""
    generation = context.catalog.generation(group.shape.generation)
    for row in generation.topologies.rows:
        if row.topology == str(group.shape.topology) and row.machine_type == machine_type.lower():
            return SetKeys.of(chips_per_host=generation.machine_types[row.machine_type].chips)
    return None


@rule(
    "TPU804",
    about=of_groups("capacity", "count"),
    otherwise=IF_POSSIBLE,
    title="Plans exceed the reservation",
    why="slices that name a reservation cannot use any other capacity, so GKE cannot create all of these slices",
    fix="Reduce the number of slices. Or use another reservation or capacity mode for some of the slices.",
    references=["autoscaler-injection", "plan-tpus"],
    note="reservation-affinity",
    failing="""
tpu: v6e
topology: 16x16
count: 2
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 100}
""",
    edit=("vms: 100", "vms: 128"),
)
def reservation_too_small(context: InventoryContext) -> Iterable[Hit]:
    for holding in context.reservations:
        if holding.block is None:
            limit = f"reservation {quoted(holding.name)} has {limit_of(holding.counted)}"
            yield from (exceeded(over, limit) for over in overruns(holding.counted))

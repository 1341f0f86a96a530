"""TPU80x: reservations of the plans against those of the inventory."""

from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Fact
from pulumi_gke_tpu.findings import Severity, number, printable
from pulumi_gke_tpu.fleet import SliceGroup
from pulumi_gke_tpu.rules.engine.rule import Hit, noted
from pulumi_gke_tpu.rules.engine.several import At, SeveralRule, several_rule
from pulumi_gke_tpu.rules.engine.suggest import Suggestions
from pulumi_gke_tpu.rules.engine.sums import Part, overrun
from pulumi_gke_tpu.rules.inventory.owned import Owned, Use
from pulumi_gke_tpu.yamlfile.emit import emit_entry

_INVENTORY = "the inventory"
_RESERVED_ONLY = "the inventory; GKE uses TPU reservations by name only (Plan TPUs in GKE)"


def _at(use: Use, message: str, *, fact: Fact | None = None, allowed: tuple[str, ...] = (), fix: str = "") -> At:
    """A hit at the reservation that a group names."""
    given = f"reservation: {printable(use.name)}"
    return At(use.member.document, Hit(use.path, message, fact=fact, given=given, allowed=allowed, fix=fix))


@several_rule(
    "TPU801",
    "inventory",
    title="Reservation is not in the inventory",
    why="GKE creates no node from a reservation that does not exist",
    fix="Correct the name, or add the reservation to the inventory.",
    source=_INVENTORY,
    severity=Severity.WARNING,
    failing="""
tpu: v6e
topology: 16x16
capacity: {reservation: v6e-pretrian}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
    passing="""
tpu: v6e
topology: 16x16
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
)
def not_in_inventory(owned: Owned) -> Iterable[At]:
    """Only where the inventory lists other reservations of that project and place: else it may just not be there."""
    listed: dict[tuple[str, str], Suggestions] = {}
    for use in owned.uses:
        if use.entry is not None or not owned.readable or _elsewhere(owned, use):
            continue
        project, place = key = use.project, use.group.zone or use.cluster.region
        names = owned.names.get(key, set())
        if not names or use.name in names:
            continue
        if key not in listed:
            listed[key] = Suggestions(names)
        near = listed[key].nearest(use.name)
        where = f"of project {printable(project)} in {printable(place)}"
        yield _at(
            use,
            f"the inventory has no reservation {printable(use.name)} {where}",
            allowed=listed[key].shown,
            fix=emit_entry("reservation", near) if near else "",
        )


@several_rule(
    "TPU802",
    "inventory",
    title="Reservation is in another zone or project",
    why="a reservation belongs to one project and one zone, and serves only slices in that zone",
    fix="Use the zone of the reservation, or name the project that owns it.",
    source=_INVENTORY,
    severity=Severity.WARNING,
    failing="""
tpu: v6e
topology: 16x16
zone: us-east5-a
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
    passing="""
tpu: v6e
topology: 16x16
zone: us-east5-b
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64}
""",
)
def in_another_place(owned: Owned) -> Iterable[At]:
    for use in owned.uses:
        if use.entry is not None or not owned.readable:
            continue
        zones, projects = _places(owned, use)
        place = printable(use.group.zone or use.cluster.region)
        if zones:
            yield _at(
                use,
                f"reservation {printable(use.name)} is in {' and '.join(zones)}, the slices are in {place}",
                allowed=tuple(zones),
                fix=f"zone: {zones[0]}" if len(zones) == 1 else "",
            )
        elif projects:
            project, name = printable(projects[0]), printable(use.name)
            yield _at(
                use,
                f"reservation {name} in {place} belongs to project {project}",
                allowed=tuple(printable(item) for item in projects),
                fix=emit_entry("reservation", {"name": use.name, "project": projects[0]}),
            )


def _elsewhere(owned: Owned, use: Use) -> bool:
    zones, projects = _places(owned, use)
    return bool(zones or projects)


def _places(owned: Owned, use: Use) -> tuple[list[str], list[str]]:
    """Where the inventory has a reservation of this name: other zones, and projects that share one right here."""
    zones, projects = [], []
    for entry in owned.by_name.get(use.name, ()):
        near = use.could_be_in(entry.zone)
        if entry.project == use.project:
            if near:  # several zones of the region have one, and the group leaves the zone open
                return [], []
            zones.append(entry.zone)
        elif near and use.member.plan.project in (entry.shared_with or ()):
            projects.append(entry.project)
    return sorted(zones), sorted(projects)


@several_rule(
    "TPU803",
    "inventory",
    title="Reservation holds another machine type",
    why="GKE takes from a reservation only machines of the type it was made for",
    fix="Use a reservation of this machine type, or slices of the reserved one.",
    source=_RESERVED_ONLY,
    basis="catalog",
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
    passing="""
tpu: v6e
topology: 2x4
chips_per_host: 4
capacity: {reservation: v6e-serve}
--- inventory
reservations:
  - {name: v6e-serve, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 2}
""",
)
def other_machine_type(owned: Owned) -> Iterable[At]:
    for use in owned.uses:
        if use.entry is None or _same_machine(use) or not owned.can_compare(use.entry.machine_type):
            continue
        shape, reserved = use.group.shape, printable(use.entry.machine_type)
        yield _at(
            use,
            f"reservation {printable(use.name)} holds {reserved}, {shape.generation} {shape.topology} needs "
            f"{shape.machine_type}",
            fact=noted(owned.catalog.capacity.notes, "reservation-machine-size") if use.is_same_family else None,
            allowed=(shape.machine_type,),
            fix=_other_form(owned, use.group, use.entry.machine_type),
        )


def _same_machine(use: Use) -> bool:
    return use.entry is not None and use.entry.machine_type.lower() == use.group.shape.machine_type


def _other_form(owned: Owned, group: SliceGroup, machine_type: str) -> str:
    """The key that chooses the form of the topology which the reserved machines make, where there is one."""
    generation = owned.catalog.generation(group.shape.generation)
    for row in generation.topologies.rows:
        if row.topology == str(group.shape.topology) and row.machine_type == machine_type.lower():
            return f"chips_per_host: {generation.machine_types[row.machine_type].chips}"
    return ""


@several_rule(
    "TPU804",
    "inventory",
    otherwise={Severity.WARNING: "where only the largest autoscaled size exceeds the limit"},
    title="Reservation is too small for the plans",
    why="GKE takes no machine from elsewhere for nodes that name a reservation",
    fix="Ask for fewer slices, or use another reservation or capacity mode for some of them.",
    source=_RESERVED_ONLY,
    basis="catalog",
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
    passing="""
tpu: v6e
topology: 16x16
count: 2
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 128}
""",
)
def too_small(owned: Owned) -> Iterable[At]:
    parts: dict[int, list[Part]] = {}
    entries = {}
    for use in owned.uses:
        if use.entry is not None and _same_machine(use):
            entries[id(use.entry)] = use.entry
            parts.setdefault(id(use.entry), []).append(Part(use.member, use.group, use.group.shape.hosts))
    for key, entry in entries.items():
        over = overrun(parts[key], entry.vms)
        if over is None:
            continue
        hit = Hit(
            over.path,
            f"reservation {printable(entry.name)} has {number(entry.vms, 'VM')}, {over.text}",
            severity=Severity.ERROR if over.always else Severity.WARNING,
            fix=over.fix,
        )
        yield At(over.part.member.document, hit)


@several_rule(
    "TPU805",
    "inventory",
    title="Reservation serves other slices",
    why="a reservation for batch workloads serves slices of several hosts only, one for serving single hosts only",
    fix="Use a reservation of the other workload type, or of none.",
    source=_INVENTORY,
    basis="catalog",
    failing="""
tpu: v6e
topology: 2x2
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64, workload: batch}
""",
    passing="""
tpu: v6e
topology: 4x4
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64, workload: batch}
""",
)
def other_workload(owned: Owned) -> Iterable[At]:
    workloads = owned.catalog.capacity.reservation_workloads
    for use in owned.uses:
        fact = workloads.get(use.entry.workload.upper()) if use.entry else None
        if use.entry is None or fact is None:
            continue
        if ("multi" if use.group.shape.multi_host else "single") not in fact.serves:
            yield _at(
                use,
                f"reservation {printable(use.name)} is for {use.entry.workload} workloads, these slices have "
                f"{number(use.group.shape.hosts, 'host')} each",
                fact=fact,
            )


@several_rule(
    "TPU806",
    "inventory",
    title="Reservation has no periodic maintenance",
    why="GKE refuses periodic host maintenance on a reservation that is not periodic itself",
    fix="Leave host_maintenance out, or use a reservation made with periodic maintenance.",
    source=_INVENTORY,
    severity=Severity.WARNING,
    failing="""
tpu: v6e
topology: 4x4
host_maintenance: periodic
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
    periodic_maintenance: false
""",
    passing="""
tpu: v6e
topology: 4x4
host_maintenance: periodic
capacity: {reservation: v6e-pretrain}
--- inventory
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
    periodic_maintenance: true
""",
)
def not_periodic(owned: Owned) -> Iterable[At]:
    fact = noted(owned.catalog.maintenance.notes, "periodic-maintenance")
    for use in owned.uses:
        wanted = use.group.plan.host_maintenance
        if use.entry is None or use.entry.periodic_maintenance is not False:
            continue
        if wanted is not None and wanted.interval == "periodic":
            hit = Hit(
                (*use.group.path, "host_maintenance"),
                f"reservation {printable(use.name)} has no periodic maintenance",
                fact=fact,
                given="host_maintenance: periodic",
                allowed=("as_needed",),
                fix="host_maintenance: as_needed",
            )
            yield At(use.member.document, hit)


@several_rule(
    "TPU807",
    "inventory",
    title="Reservation is not shared with the project",
    why="a project can use a reservation of another project only if that one shares it",
    fix="Share the reservation with the project, then add it to shared_with in the inventory.",
    source=_INVENTORY,
    basis="catalog",
    note="reservation-sharing",
    failing="""
tpu: v6e
topology: 4x4
capacity: {reservation: {name: v6e-shared, project: acme-infra}}
--- inventory
reservations:
  - name: v6e-shared
    project: acme-infra
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
    shared_with: [acme-web]
""",
    passing="""
tpu: v6e
topology: 4x4
capacity: {reservation: {name: v6e-shared, project: acme-infra}}
--- inventory
reservations:
  - name: v6e-shared
    project: acme-infra
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
    shared_with: [acme-web, acme-ml]
""",
)
def not_shared(owned: Owned) -> Iterable[At]:
    for use in owned.uses:
        mine = use.member.plan.project
        if use.entry is None or use.entry.shared_with is None or use.project == mine:
            continue
        numbers = any(item.isdigit() for item in use.entry.shared_with)  # projects by number cannot be told apart
        if mine not in use.entry.shared_with and not numbers:
            yield _at(
                use,
                f"reservation {printable(use.name)} of project {printable(use.project)} is not shared with "
                f"{printable(mine)}",
                allowed=tuple(printable(item) for item in use.entry.shared_with),
            )


CHECKS: tuple[SeveralRule[Owned], ...] = (
    not_in_inventory,
    in_another_place,
    other_machine_type,
    too_small,
    other_workload,
    not_periodic,
    not_shared,
)

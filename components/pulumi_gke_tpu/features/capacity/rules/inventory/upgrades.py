"""TPU812: nodes that an upgrade adds, beside a full reservation."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.estimate.holdings import HoldingPart
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.settings import upgrade_settings
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, warning
from pulumi_gke_tpu.core.text.findings import Fix, SetKeys, Severity, number, quoted
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext


@warning(
    "TPU812",
    about=of_groups("upgrade"),
    otherwise={Severity.NOTE: "if only the largest autoscaled size leaves too few VMs"},
    title="Reservation has no VMs for the nodes that upgrades add",
    why="the nodes that an upgrade adds come from the same reservation: GKE retries a surge upgrade that can add none, "
    "and a blue-green upgrade needs a second set of nodes",
    fix="Set `max_unavailable: 1` without `max_surge`. An upgrade then re-creates nodes on their own VMs. Or leave "
    "VMs of the reservation unused.",
    references=["gke-node-upgrades-quota", "gke-node-upgrade-strategies"],
    note="upgrades-need-reserved-vms",
    failing="""
tpu: v6e
topology: 2x2
count: 4
upgrade: {max_surge: 1}
capacity: {reservation: v6e-serve}
--- inventory
reservations:
  - {name: v6e-serve, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 4}
""",
    edit=("vms: 4", "vms: 5"),
)
def reservation_too_small_for_upgrades(context: InventoryContext) -> Iterable[Hit]:
    """Report each group once, at the reservation or else at its block. GKE upgrades one node pool at a time."""
    found: set[int] = set()
    for holding in context.reservations:
        counted = holding.counted
        if counted.left is None or counted.left.maximum < 0:
            continue  # unknown, or the plans exceed the reservation at their smallest size already
        free = max(counted.left.minimum, 0)
        for part in counted.parts:
            group, needed = part.group, _needed(part)
            if group is None or needed <= free or id(group) in found:
                continue
            found.add(id(group))
            name = f"block {quoted(holding.block)} of {quoted(holding.name)}" if holding.block else quoted(holding.name)
            at_most, most = needed > counted.left.maximum, number(needed, counted.unit)
            where = f"{'' if holding.block else 'reservation '}{name}"
            size = "" if at_most else " at the largest size of the slice groups"
            what = "a second set of nodes" if _is_blue_green(group) else "a surge node"
            yield Hit(
                (*group.path, "upgrade"),
                f"an upgrade requires {most} for {what}, and {where} has "
                f"{number(free, counted.unit) if free else 'none'} unused{size}",
                fact=note_by_id(context.catalog.maintenance.notes, "upgrades-need-reserved-vms"),
                severity=None if at_most else Severity.NOTE,
                fix=_in_place(group),
            ).within(part.member.document)


def _in_place(group: SliceGroup) -> Fix | None:
    """The ``upgrade`` of a group, without nodes in addition."""
    written = group.plan.upgrade
    kept = {name: getattr(written, name) for name in ("auto_repair", "auto_upgrade")}
    keys = {name: value for name, value in kept.items() if value is not None}
    return SetKeys.of(upgrade={"max_unavailable": getattr(written, "max_unavailable", None) or 1, **keys})


def _is_blue_green(group: SliceGroup) -> bool:
    return upgrade_settings(group).strategy.value == "blue_green"


def _needed(part: HoldingPart) -> int:
    """What an upgrade cannot do without: one node, or with blue-green all. None if it may delete a node first."""
    if part.group is None or not part.upgrades:
        return 0
    if _is_blue_green(part.group):
        return part.upgrades
    of_one_host = part.each // part.group.shape.hosts
    return 0 if upgrade_settings(part.group).max_unavailable.value else of_one_host

"""What several plans use together of each reservation in VMs or chips, and of its blocks in VMs."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.estimate.holdings.model import Holding, HoldingPart, ReservationHolding
from pulumi_gke_tpu.core.estimate.holdings.upgrades import added_hosts
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, ReservationUse
from pulumi_gke_tpu.core.plan.inventory import OwnedBlock, OwnedReservation, OwnedSubBlock


def reservation_holdings(uses: Iterable[ReservationUse], owned: OwnedReservations) -> tuple[ReservationHolding, ...]:
    """Every reservation of the inventory and of the plans, each followed by its blocks, sorted by place and name.

    Groups on machines of another type than the reserved ones cannot use the reservation, so they are not counted.
    """
    by_place: dict[tuple[str, str, str], list[ReservationUse]] = {key: [] for key in owned.by_identity}
    for use in uses:
        into = by_place.setdefault((use.project, use.place, use.name), [])
        if use.entry is None or use.is_same_machine:
            into.append(use)
    return tuple(
        holding
        for project, zone, name in sorted(by_place)
        for holding in _blocks(
            project, zone, name, by_place[project, zone, name], owned.by_identity.get((project, zone, name))
        )
    )


def _blocks(
    project: str, zone: str, name: str, uses: Sequence[ReservationUse], entry: OwnedReservation | None
) -> Iterator[ReservationHolding]:
    def holding(
        block: str | None,
        sub_block: str | None,
        owned: OwnedReservation | OwnedBlock | OwnedSubBlock | None,
        users: Iterable[ReservationUse],
    ) -> ReservationHolding:
        users = tuple(users)
        in_use = owned.in_use if isinstance(owned, OwnedReservation) and owned.unit == "VM" else 0
        vms = Holding(owned.vms if owned else None, in_use, tuple(map(_hosts, users)), "VM")
        chips = None
        if isinstance(owned, OwnedReservation) and owned.unit == "chip":
            chips = Holding(owned.chips, owned.in_use, tuple(map(_chips, users)), "chip")
        return ReservationHolding(project, zone, name, block, sub_block, owned, vms, chips)

    yield holding(None, None, entry, uses)
    blocks = {item.name: item for item in (entry.blocks if entry else ())}
    by_block = _by(uses, "block")
    for block in sorted({*blocks, *by_block}):
        owned = blocks.get(block)
        users = by_block.get(block, [])
        yield holding(block, None, owned, users)
        parts = {item.name: item for item in (owned.sub_blocks if owned else ())}
        by_sub_block = _by(users, "sub_block")
        for sub_block in sorted({*parts, *by_sub_block}):
            yield holding(block, sub_block, parts.get(sub_block), by_sub_block.get(sub_block, []))


def _hosts(use: ReservationUse) -> HoldingPart:
    group = use.group
    return HoldingPart(use.member, group, group.hosts, group.shape.hosts, added_hosts(group))


def _chips(use: ReservationUse) -> HoldingPart:
    group = use.group
    return HoldingPart(
        use.member, group, group.chips, group.shape.chips, added_hosts(group) * group.shape.chips_per_host
    )


def _by(uses: Iterable[ReservationUse], key: str) -> dict[str, list[ReservationUse]]:
    """The groups on each block, or on each sub-block."""
    found: dict[str, list[ReservationUse]] = {}
    for use in uses:
        named = getattr(use.group.plan.capacity.reservation, key)
        if named is not None:
            found.setdefault(named, []).append(use)
    return found

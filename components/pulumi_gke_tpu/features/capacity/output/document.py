"""Reservations and quota as a document: what plans use, what is left, what to request."""

import shlex
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoChips
from pulumi_gke_tpu.core.estimate.holdings import names_of, total_of
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Group,
    Page,
    Paragraph,
    Table,
)
from pulumi_gke_tpu.core.text.findings import format_path, listed, number, printable, printable_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pulumi_gke_tpu.core.estimate import QuotaNeed
    from pulumi_gke_tpu.core.estimate.headroom import Headroom, QuotaRequest
    from pulumi_gke_tpu.core.estimate.holdings import (
        CubesHolding,
        Holding,
        HoldingPart,
        QuotaHolding,
        ReservationHolding,
    )
    from pulumi_gke_tpu.core.text.findings import Finding

_MOST_GROUPS = 6
_MOST_USERS = 10
_UNKNOWN = "unknown"
_NUMBERS = ("plans", "limit", "others", "left")
"""Single words: a header never needs two lines."""
_NO_LIMIT = ("",) * (len(_NUMBERS) - 1)


def headroom_page(shown: "Headroom", warnings: "Sequence[Finding]") -> Page:
    """The use of reservations and quota, with the warnings about it."""
    return Page(_title(shown), _blocks(shown, warnings), heading="Reservations and quota")


def _title(shown: "Headroom") -> str:
    plans = shown.plans[0] if len(shown.plans) == 1 else number(len(shown.plans), "plan")
    inventory = f"inventory {shown.as_of}" if shown.as_of else "no inventory"
    return f"{plans} · {inventory} · catalog {printable(shown.catalog_version, 60)}"


def _blocks(shown: "Headroom", warnings: "Sequence[Finding]") -> Document:
    several = len(shown.plans) > 1
    blocks: list[Block] = [
        _reservations(shown.reservations, several=several),
        _table("quota, in chips", "location", [row for item in shown.quotas for row in _quota(item, several=several)]),
        Bullets([_warning(item) for item in warnings], label="warning", title="Warnings:", tone="careful"),
        Bullets([request_text(item) for item in shown.requests], label="request", title="Request:"),
        *_commands("Show the limits that are unknown:", [item for item in shown.requests if item.limit is None]),
        *_commands("Request higher limits:", [item for item in shown.requests if item.limit is not None]),
        Bullets(_notes(shown), label="note"),
    ]
    if not shown.reservations and not shown.quotas and not shown.unknown:
        blocks.insert(0, Paragraph("No reservation and no quota is used."))
    return blocks


def _reservations(items: "Sequence[ReservationHolding]", *, several: bool) -> Table:
    """The reservations with their blocks, with a column for the unit if some of them count chips."""
    rows = [row for item in items for row in _reservation(item, several=several)]
    if all(item.chips is None for item in items):
        return _table("reservation, in VMs", "zone", [(*row[:3], *row[4:]) for row in rows])
    return _table("reservation", "zone", rows, more=("in",))


def _table(name: str, place: str, rows: "Sequence[Sequence[str]]", more: "Sequence[str]" = ()) -> Table:
    numbers = (Column(item, right=True) for item in _NUMBERS)
    return Table((Column(name, whole=True), Column("project"), Column(place), *map(Column, more), *numbers), rows)


def _reservation(item: "ReservationHolding", *, several: bool) -> "Iterator[Sequence[str]]":
    level = "" if item.block is None else "- block " if item.sub_block is None else "-- sub-block "
    name, holding = item.sub_block or item.block or item.name, item.counted
    yield printable(level + name), printable(item.project), printable(item.zone), f"{holding.unit}s", *_numbers(holding)
    yield from ((*row[:3], "", *row[3:]) for row in _user_rows(holding, several=several))


def _name(item: "ReservationHolding") -> str:
    """A reservation or a part of it in a sentence."""
    parts = (("sub-block", item.sub_block), ("block", item.block), ("reservation", item.name))
    return " of ".join(f"{what} {printable(name)}" for what, name in parts if name is not None)


def _quota(item: "QuotaHolding", *, several: bool) -> "Iterator[Sequence[str]]":
    yield item.metric.label, printable(item.project), printable(item.location), *_numbers(item.chips)
    yield from _user_rows(item.chips, several=several)


def _user_rows(holding: "Holding", *, several: bool) -> "Iterator[Sequence[str]]":
    """The users of a limit that they exceed or can exceed, each with its use: the largest ones if there are many."""
    if holding.left is None or holding.left.minimum >= 0:
        return
    named = zip(names_of(holding.parts, several=several), holding.parts, strict=True)
    users = sorted(named, key=lambda user: -user[1].amount.maximum)
    for name, part in users[:_MOST_USERS]:
        yield f"by {name}", "", "", str(part.amount), *_NO_LIMIT
    others = [part for _, part in users[_MOST_USERS:]]
    if others:
        yield f"by {number(len(others), 'other user')}", "", "", str(total_of(others)), *_NO_LIMIT


def _numbers(holding: "Holding") -> tuple[str, ...]:
    return (
        str(holding.total),
        _UNKNOWN if holding.limit is None else f"{holding.limit:,}",
        f"{holding.in_use:,}" if holding.limit is not None else "",
        "" if holding.left is None else str(holding.left),
    )


def request_text(item: "QuotaRequest") -> str:
    """What to request, for which groups, and the limit of today."""
    name = item.quota_id or f"{item.metric} ({item.console_name})"
    dimensions = ", ".join(f"{key} {printable(value)}" for key, value in item.dimensions.items())
    upgrades = [f"{item.upgrades:,} for the nodes that upgrades add"] if item.upgrades else []
    others = [f"{item.in_use:,} for other use"] if item.in_use else []
    including = [f"including {listed((*upgrades, *others))}"] if upgrades or others else []
    least = [f"{item.least:,} with the minimum sizes"] if 0 < item.least < item.value else []
    remarks = "; ".join((*including, *least))
    now = "the limit is unknown" if item.limit is None else f"the limit is {item.limit:,}"
    doubt = "" if item.confidence == "high" else f" (confidence {item.confidence})"
    return (
        f"{item.service} quota {name} of project {printable(item.project)}, {dimensions}: "
        f"{number(item.value, 'chip')}{f' ({remarks})' if remarks else ''} for {_users(item.parts)}; {now}{doubt}"
    )


def _commands(title: str, requests: "Sequence[QuotaRequest]") -> list[Block]:
    """Commands to paste into a shell, each once."""
    commands = dict.fromkeys(item.command for item in requests if item.command)
    if not commands:
        return []
    return [Group([Paragraph(title), Code("\n".join(map(_shell, commands)), "sh")])]


def _shell(command: "Sequence[str]") -> str:
    """The words of a command, each option on its own line."""
    start = next(at for at, word in enumerate(command) if word.startswith("--"))
    return " \\\n    ".join([shlex.join(command[:start]), *map(shlex.quote, command[start:])])


def _warning(finding: "Finding") -> str:
    place = format_path(finding.path)
    file = f"{printable_path(finding.position.file)} " if finding.position else ""
    accepted = f" (accepted: {printable(finding.accepted)})" if finding.accepted else ""
    return f"{finding.rule} {file}{place}: {finding.message}{accepted}"


def _users(parts: "Sequence[HoldingPart]") -> str:
    """The first few groups and their chips, with their files if there are several."""
    shown = [f"{name} ({part.amount.counted('chip')})" for name, part in zip(names_of(parts), parts, strict=True)]
    return listed(shown, most=_MOST_GROUPS)


def _notes(shown: "Headroom") -> list[str]:
    notes = [_unknown(need) for need in shown.unknown]
    notes += [_cubes(item, cubes) for item in shown.reservations if (cubes := item.cubes) is not None]
    notes += _auto_notes(shown.quotas)
    notes += [_upgrade_note(_name(item), item.counted) for item in shown.reservations if item.counted.upgrades]
    notes += [_upgrade_note(item.metric.label, item.chips) for item in shown.quotas if item.chips.upgrades]
    notes += [note for item in shown.reservations if (note := _period(item))]
    if any(item.vms.parts for item in shown.reservations):
        notes.append("Slices on a reservation need no quota: the reservation used it when it was created.")
    if shown.quotas:
        notes.append("Quota is an upper limit and does not guarantee capacity.")
    return notes


def _auto_notes(quotas: "Sequence[QuotaHolding]") -> list[str]:
    """The chips that GKE may create, with the quotas of which they may use one."""
    found: dict[tuple[str, str, str], tuple[AutoChips, list[str]]] = {}
    for item in quotas:
        for part in item.chips.parts:
            if isinstance(part.user, AutoChips):
                key = (part.member.name, part.key, part.user.label)
                found.setdefault(key, (part.user, []))[1].append(item.metric.label)
    return [
        f"GKE can create up to {number(user.chips.maximum, f'{user.generation} chip')} for workloads in "
        f"{printable(user.cluster)} (auto-provisioning). The workloads select Spot or on-demand, so the maximum of "
        f"each of these quotas includes the chips: {listed(list(dict.fromkeys(metrics)))}."
        for user, metrics in found.values()
    ]


def _upgrade_note(name: str, holding: "Holding") -> str:
    users = listed([f"{printable(part.key)} {part.upgrades:,}" for part in holding.parts if part.upgrades], "")
    added = number(holding.upgrades, holding.unit)
    return f"Node upgrades can add up to {added} to {name}, which the table does not include: {users}."


def _cubes(item: "ReservationHolding", cubes: "CubesHolding") -> str:
    """The cubes that plans have, and those that could be added."""
    unit = item.counted.unit
    left = ""
    if cubes.left is not None:
        more = cubes.left.counted("more cube")
        left = f"; what is left is enough for {more}" if cubes.left.maximum > 0 else "; none are left"
    return f"{cubes.total.counted('cube')} of {number(cubes.size, unit)} in {_name(item)}{left}."


def _period(item: "ReservationHolding") -> str:
    """When a reservation begins and ends, if the inventory has it."""
    if not isinstance(item.entry, OwnedReservation) or (item.entry.start is None and item.entry.until is None):
        return ""
    dates = {"begins": item.entry.start, "ends": item.entry.until}
    parts = listed([f"{verb} on {day}" for verb, day in dates.items() if day is not None])
    return f"Reservation {printable(item.name)} in {printable(item.zone)} {parts}."


def _unknown(need: "QuotaNeed") -> str:
    chips, families = need.chips.counted("chip"), listed(need.families)
    return f"{chips} of {families} in {need.region} use a quota that no source names: {listed(need.groups)}"

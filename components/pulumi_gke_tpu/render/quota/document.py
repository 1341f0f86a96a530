"""Reservations and quota as a document: what plans use, what is left, what to request."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.markdown_writer import write_markdown
from pulumi_gke_tpu.document.model import Block, Bullets, Column, Document, Heading, Paragraph, Table
from pulumi_gke_tpu.document.text_writer import write_text
from pulumi_gke_tpu.findings import listed, number, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi_gke_tpu.estimate import QuotaNeed
    from pulumi_gke_tpu.estimate.headroom import Headroom
    from pulumi_gke_tpu.estimate.holdings import Holding, Part, QuotaHolding, ReservationHolding
    from pulumi_gke_tpu.estimate.quota_requests import QuotaRequest

_MOST_GROUPS = 6
_UNKNOWN = "unknown"
_NUMBERS = ("in plans", "limit", "other use", "left")


def headroom_text(shown: "Headroom", *, width: int, color: bool) -> str:
    """Show the use in a terminal, in lines of at most ``width`` columns where words allow it."""
    return write_text([Heading(_title(shown)), *_blocks(shown)], width=width, color=color)


def headroom_markdown(shown: "Headroom") -> str:
    """The use as Markdown. Text from a plan or an inventory cannot change the markup around it."""
    return write_markdown([Heading("Reservations and quota", 2), Paragraph(_title(shown)), *_blocks(shown)])


def _title(shown: "Headroom") -> str:
    plans = shown.plans[0] if len(shown.plans) == 1 else number(len(shown.plans), "plan")
    inventory = f"inventory {shown.as_of}" if shown.as_of else "no inventory"
    return f"{plans} · {inventory} · catalog {printable(shown.catalog_version, 60)}"


def _blocks(shown: "Headroom") -> Document:
    blocks: list[Block] = [
        _table("reservation, in VMs", "zone", [_reservation(item) for item in shown.reservations]),
        _table("quota, in chips", "location", [_quota(item) for item in shown.quotas]),
        Bullets([_request(item) for item in shown.requests], label="request", title="Request:"),
        Bullets(_notes(shown), label="note"),
    ]
    if not shown.reservations and not shown.quotas and not shown.unknown:
        blocks.insert(0, Paragraph("The plans use no reservation and no quota."))
    return blocks


def _table(name: str, place: str, rows: "Sequence[Sequence[str]]") -> Table:
    numbers = (Column(item, right=True) for item in _NUMBERS)
    return Table((Column(name, whole=True), Column("project"), Column(place), *numbers), rows)


def _reservation(item: "ReservationHolding") -> tuple[str, ...]:
    if item.block is None:
        name = item.name
    elif item.sub_block is None:
        name = f"- block {item.block}"
    else:
        name = f"-- sub-block {item.sub_block}"
    return printable(name), printable(item.project), printable(item.zone), *_numbers(item.vms)


def _quota(item: "QuotaHolding") -> tuple[str, ...]:
    metric = item.metric.metric.rpartition("/")[2]
    dimension = f" ({item.metric.dimension})" if item.metric.dimension else ""
    return f"{metric}{dimension}", printable(item.project), printable(item.location), *_numbers(item.chips)


def _numbers(holding: "Holding") -> tuple[str, ...]:
    return (
        str(holding.total),
        _UNKNOWN if holding.limit is None else f"{holding.limit:,}",
        f"{holding.in_use:,}" if holding.limit is not None else "",
        _UNKNOWN if holding.left is None else str(holding.left),
    )


def _request(item: "QuotaRequest") -> str:
    name = item.quota_id or f"{item.metric} ({item.console_name})"
    dimensions = ", ".join(f"{key} {printable(value)}" for key, value in item.dimensions.items())
    least = f" ({item.least:,} for the minimum sizes)" if 0 < item.least < item.value else ""
    now = "the limit is unknown" if item.limit is None else f"the limit is {item.limit:,}"
    doubt = "" if item.confidence == "high" else f" (confidence {item.confidence})"
    return (
        f"{item.service} quota {name} of project {printable(item.project)}, {dimensions}: "
        f"{number(item.value, 'chip')}{least} for {_users(item.parts)}; {now}{doubt}"
    )


def _users(parts: "Sequence[Part]") -> str:
    """The first few groups and their chips, with their files if there are several."""
    files = len({id(part.member) for part in parts}) > 1
    shown = [
        f"{f'{part.member.name} ' if files else ''}{printable(part.group.key)} ({part.amount.counted('chip')})"
        for part in parts
    ]
    return listed(shown, most=_MOST_GROUPS)


def _notes(shown: "Headroom") -> list[str]:
    notes = [_unknown(need) for need in shown.unknown]
    if any(item.vms.parts for item in shown.reservations):
        notes.append("Slices on a reservation need no quota: the reservation used it when it was created.")
    if shown.quotas:
        notes.append("Quota is an upper limit and does not guarantee capacity.")
    return notes


def _unknown(need: "QuotaNeed") -> str:
    chips, families = need.chips.counted("chip"), listed(need.families)
    return f"{chips} of {families} in {need.region} use a quota that no source names: {listed(need.groups)}"

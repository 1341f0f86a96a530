"""Recommended slices as a document: a table, the reasons for each row, what is left out."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.estimate import shown_usd
from pulumi_gke_tpu.core.text.document.model import Block, Bullets, Column, Document, Page, Paragraph, Table
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable
from pulumi_gke_tpu.features.cost.recommend.why_not import NOT_ADVISED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pulumi_gke_tpu.features.cost.recommend.candidates import Candidate, Need
    from pulumi_gke_tpu.features.cost.recommend.why_not import Reason, Shown, ShownRow

_UNKNOWN = "unknown"


def recommendation_page(shown: "Shown", *, details: bool = False) -> Page:
    """The rows of a recommendation, and what is left out and why.

    Without ``details``, each row has its main reasons in one item, and equal reasons of what is left out are one.
    """
    title = f"{_title(shown)} · catalog {printable(shown.catalog_version, 60)}"
    return Page(title, _blocks(shown, details=details), heading="Recommended slices")


def _title(shown: "Shown") -> str:
    need = shown.need
    asked = [
        number(need.chips, "chip") if need.chips is not None else "",
        f"{need.hbm_gib:,} GiB of HBM" if need.hbm_gib is not None else "",
        f"{need.tflops:,} {'TFLOPS' if need.precision == 'bf16' else 'TOPS'} ({need.precision})"
        if need.tflops is not None
        else "",
    ]
    return ", ".join(part for part in (*asked, need.use, *_conditions(need)) if part)


def _conditions(need: "Need") -> list[str]:
    mode = "Standard" if need.mode == "standard" else "Autopilot"
    return [
        mode,
        listed(need.generations, "or"),
        listed([_capacity(mode) for mode in need.capacities], "or"),
        f"in {need.near}" if need.near else "",
        f"in {listed(need.zones, 'or')}" if need.zones else "",
        "" if need.interruptible else "not interruptible",
        f"for {duration_text(need.run)}" if need.run else "",
        f"from {need.by}" if need.by else "",
        f"at most {shown_usd(need.budget.usd)} USD per {need.budget.per}" if need.budget else "",
        f"GKE {need.version}" if need.version else "",
    ]


def _capacity(mode: str) -> str:
    return mode.replace("_", "-")


def _blocks(shown: "Shown", *, details: bool) -> Document:
    blocks: list[Block] = []
    if shown.rows:
        blocks += [_table(shown), *(map(_reasons, shown.rows) if details else [_main_reasons(shown.rows)])]
    else:
        blocks.append(Paragraph(f"No slices meet the need.{_cheapest(shown)}"))
    hidden = shown.total - len(shown.rows)
    blocks += [
        Bullets(_left_out(shown, details=details), label="not offered", title="Not offered:"),
        Bullets(
            [
                *([f"{number(hidden, 'more row')} with --limit {shown.total}"] if hidden else []),
                *_shared(shown),
                *(note for note in shown.notes if details or not note.startswith(NOT_ADVISED)),
                *([] if details or not shown.rows else ["more reasons with --details"]),
            ],
            label="note",
        ),
    ]
    return blocks


def _cheapest(shown: "Shown") -> str:
    """The cheapest option if all of them exceed the budget."""
    over = shown.over_budget
    if over is None or over.option.usd is None:
        return ""
    candidate = over.option.candidate
    of_run = over.usd_per_run if shown.need.budget is not None and shown.need.budget.per == "run" else None
    cost = f"{shown_usd(over.option.usd)} USD per hour" if of_run is None else f"{shown_usd(of_run)} USD per run"
    doubt = ", at a price of low confidence" if over.option.cost.doubtful else ""
    name = f"{_name_of(candidate)}, {candidate.mode}, in {candidate.zone}"
    return f" The cheapest exceeds the budget: {name} costs {cost}{doubt}."


def _left_out(shown: "Shown", *, details: bool) -> list[str]:
    """The capacity modes and generations without a row, of those that were asked for."""
    asked = [item for item in shown.left_out if item.generation in (shown.need.generations or (item.generation,))]
    known = {item.main for item in asked}
    modes = [f"{item.capacity}: {item.reason}" for item in shown.modes_left_out if item.reason not in known]
    if details:
        return [*modes, *(f"{item.generation}: {item.reason}" for item in asked)]
    names: dict[str, list[str]] = {}
    for item in asked:
        names.setdefault(item.main or item.reason, []).append(item.generation)
    return [*modes, *(f"{listed(found)}: {reason}" for reason, found in names.items())]


def _main_reasons(rows: "Sequence[ShownRow]") -> Bullets:
    """The main reasons of each row in one item."""
    items = []
    for row in rows:
        found = (reason for reason in row.reasons if not reason.detail)
        texts = [text for text in (reason.short if reason.about else _reason(reason) for reason in found) if text]
        if texts:
            items.append(f"row {row.number}: {'; '.join(texts)}")
    return Bullets(items, title="Reasons:")


def _table(shown: "Shown") -> Table:
    run = (Column("USD per run", right=True),) if shown.need.run else ()
    columns = (
        Column("", right=True),
        Column("slices", whole=True),
        Column("zone"),
        Column("capacity"),
        Column("hosts", right=True),
        Column("chips", right=True),
        Column("HBM, GiB", right=True, spare=shown.need.hbm_gib is None),
        Column(
            "bf16 TFLOPS" if shown.need.precision == "bf16" else "int8 TOPS",
            right=True,
            spare=shown.need.tflops is None,
        ),
        Column("USD per hour", right=True),
        *run,
    )
    return Table(columns, [_row(row, shown.need) for row in shown.rows])


def _row(row: "ShownRow", need: "Need") -> "Sequence[str]":
    candidate = row.row.option.candidate
    slices = candidate.slices
    compute = row.tflops if need.precision == "bf16" else row.int8_tops
    usd = row.row.option.usd
    reserved = f" {candidate.reservation.name}" if candidate.reservation else ""
    cells = (
        f"{row.number}{'*' if row.row.efficient else ' '}",
        _name(row),
        candidate.zone,
        printable(f"{candidate.mode}{reserved}"),
        f"{slices.hosts:,}",
        f"{slices.chips:,}",
        _UNKNOWN if row.hbm_gib is None else f"{row.hbm_gib:,}",
        _UNKNOWN if compute is None else f"{compute:,}",
        _UNKNOWN if usd is None else f"{_low(row)}{shown_usd(usd)}",
    )
    return cells if row.usd_per_run is None and not row.has_run else (*cells, _run_cost(row))


def _run_cost(row: "ShownRow") -> str:
    return _UNKNOWN if row.usd_per_run is None else f"{_low(row)}{shown_usd(row.usd_per_run)}"


def _low(row: "ShownRow") -> str:
    return "?" if row.row.option.cost.doubtful else ""


def _reasons(row: "ShownRow") -> Bullets:
    candidate = row.row.option.candidate
    title = f"Row {row.number}, {_name(row)}, {candidate.mode}:"
    texts = (reason.short if reason.about else _reason(reason) for reason in row.reasons)
    return Bullets([text for text in texts if text], title=title)


def _reason(reason: "Reason") -> str:
    rule = f" ({reason.rule})" if reason.rule else ""
    doubt = "" if reason.confidence == "high" else f" (confidence {reason.confidence})"
    return f"{printable(reason.text, 400)}{rule}{doubt}"


def _shared(shown: "Shown") -> "Iterator[str]":
    """Statements that several rows have in common."""
    found = [reason for row in shown.rows for reason in row.reasons if reason.about]
    if shown.rows and shown.rows[0].row.advice is None:  # the note about this has the advice
        found = [reason for reason in found if not reason.short]
    yield from dict.fromkeys(f"{'' if reason.short else f'{reason.about}: '}{_reason(reason)}" for reason in found)


def _name(row: "ShownRow") -> str:
    return _name_of(row.row.option.candidate)


def _name_of(candidate: "Candidate") -> str:
    slices = candidate.slices
    count = f" × {slices.count:,}" if slices.count > 1 else ""
    form = f" ({number(slices.chips_per_host, 'chip')} per host)" if slices.ambiguous else ""
    return f"{candidate.generation} {slices.topology}{count}{form}"

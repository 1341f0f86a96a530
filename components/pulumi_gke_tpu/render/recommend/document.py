"""Recommended slices as a document: a table, the reasons for each row, what is left out."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.markdown_writer import write_markdown
from pulumi_gke_tpu.document.model import Block, Bullets, Column, Document, Heading, Paragraph, Table
from pulumi_gke_tpu.document.text_writer import write_text
from pulumi_gke_tpu.estimate import shown_usd
from pulumi_gke_tpu.findings import duration_text, listed, number, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi_gke_tpu.recommend.need import Need
    from pulumi_gke_tpu.recommend.shown import Shown, ShownRow

_UNKNOWN = "unknown"


def recommendation_text(shown: "Shown", *, width: int, color: bool) -> str:
    """Show a recommendation in a terminal, in lines of at most ``width`` columns where words allow it."""
    document = [Heading(f"{_title(shown)} · catalog {printable(shown.catalog_version, 60)}"), *_blocks(shown)]
    return write_text(document, width=width, color=color)


def recommendation_markdown(shown: "Shown") -> str:
    """A recommendation as Markdown."""
    title = Paragraph(f"{_title(shown)} · catalog {printable(shown.catalog_version, 60)}")
    return write_markdown([Heading("Recommended slices", 2), title, *_blocks(shown)])


def _title(shown: "Shown") -> str:
    need = shown.need
    asked = [
        number(need.chips, "chip") if need.chips is not None else "",
        f"{need.hbm_gib:,} GiB of HBM" if need.hbm_gib is not None else "",
        f"{need.tflops:,} TFLOPS ({need.precision})" if need.tflops is not None else "",
    ]
    return ", ".join(part for part in (*asked, need.use, *_conditions(need)) if part)


def _conditions(need: "Need") -> list[str]:
    mode = "Standard" if need.mode == "standard" else "Autopilot"
    return [
        mode,
        f"in {need.near}" if need.near else "",
        f"in {listed(need.zones, 'or')}" if need.zones else "",
        "" if need.interruptible else "not interruptible",
        f"for {duration_text(need.run)}" if need.run else "",
        f"from {need.by}" if need.by else "",
    ]


def _blocks(shown: "Shown") -> Document:
    left_out = [f"{name}: {reason}" for name, reason in shown.left_out]
    blocks: list[Block] = []
    if shown.rows:
        blocks += [_table(shown), Bullets([_reasons(row) for row in shown.rows], label="", title="Reasons:")]
    else:
        blocks.append(Paragraph("No slices meet the need."))
    hidden = shown.total - len(shown.rows)
    blocks += [
        Bullets(left_out, label="not offered", title="Not offered:"),
        Bullets(
            [
                *([f"{number(hidden, 'more row')} with --limit {shown.total}"] if hidden else []),
                *shown.notes,
            ],
            label="note",
        ),
    ]
    return blocks


def _table(shown: "Shown") -> Table:
    run = (Column("USD per run", right=True),) if shown.need.run else ()
    columns = (
        Column("", right=True),
        Column("slices", whole=True),
        Column("zone"),
        Column("capacity"),
        Column("hosts", right=True),
        Column("chips", right=True),
        Column("HBM, GiB", right=True),
        Column("bf16 TFLOPS", right=True),
        Column("USD per hour", right=True),
        *run,
    )
    return Table(columns, [_row(row) for row in shown.rows])


def _row(row: "ShownRow") -> "Sequence[str]":
    candidate = row.row.option.candidate
    slices = candidate.slices
    count = f" × {slices.count:,}" if slices.count > 1 else ""
    form = f" ({number(slices.chips_per_host, 'chip')} per host)" if slices.ambiguous else ""
    usd = row.row.option.usd
    reserved = f" {candidate.reservation.name}" if candidate.reservation else ""
    cells = (
        f"{row.number}{'*' if row.row.efficient else ' '}",
        f"{candidate.generation} {slices.topology}{count}{form}",
        candidate.zone,
        printable(f"{candidate.capacity.replace('_', '-')}{reserved}"),
        f"{slices.hosts:,}",
        f"{slices.chips:,}",
        _UNKNOWN if row.hbm_gib is None else f"{row.hbm_gib:,}",
        _UNKNOWN if row.tflops is None else f"{row.tflops:,}",
        _UNKNOWN if usd is None else shown_usd(usd),
    )
    return cells if row.usd_per_run is None and not row.has_run else (*cells, _run_cost(row))


def _run_cost(row: "ShownRow") -> str:
    return _UNKNOWN if row.usd_per_run is None else shown_usd(row.usd_per_run)


def _reasons(row: "ShownRow") -> str:
    parts = []
    for reason in row.reasons:
        rule = f" ({reason.rule})" if reason.rule else ""
        doubt = "" if reason.confidence == "high" else f" (confidence {reason.confidence})"
        parts.append(f"{printable(reason.text, 400)}{rule}{doubt}")
    return f"{row.number}: {'; '.join(parts)}"

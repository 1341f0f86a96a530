"""Catalog pages as text: tables for a terminal, drawn by rich."""

import io
from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.terminal import Page as Layout
from pulumi_gke_tpu.document.terminal import words
from pulumi_gke_tpu.findings import one_line, safe

if TYPE_CHECKING:
    from pulumi_gke_tpu.explain.facts.tables import Page, Table


def page_text(page: "Page", *, width: int, colour: bool) -> str:
    """Show a page. Cells wrap where a table would be wider than ``width``; no final line break."""
    layout = Layout(width, colour)
    parts = [layout.paint(one_line(page.title), "1")]
    parts += ["\n".join(_wrapped(layout, page.lines, ""))] if page.lines else []
    for table in page.tables:
        drawn = "\n".join([_drawn(table, width, colour), *_wrapped(layout, table.lines, "  ")])
        parts.append(f"{layout.paint(one_line(table.title), '1')}\n{drawn}")
    if page.notes:
        parts.append("\n".join(_wrapped(layout, page.notes, "- ")))
    return "\n\n".join(parts)


def _wrapped(layout: Layout, lines: tuple[str, ...], lead: str) -> list[str]:
    return [part for line in lines for part in layout.flow(words(one_line(line)), lead=lead, hang=len(lead))]


def _longest_word(cell: str) -> int:
    return max(map(len, cell.split()), default=1)


def _drawn(table: "Table", width: int, colour: bool) -> str:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawing = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim" if colour else "")
    for index, item in enumerate(table.columns):
        drawing.add_column(
            Text(safe(item.name)),
            justify="right" if item.right else "left",
            no_wrap=item.whole,
            overflow="fold",
            # A name is rather kept whole than a sentence on one line.
            min_width=min(width // 3, max((_longest_word(row[index]) for row in table.rows), default=1)),
        )
    for row in table.rows:
        drawing.add_row(*(Text("\n".join(map(safe, cell.split("\n")))) for cell in row))
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    console.print(drawing)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())

"""Pages of the catalog as documents: tables with titles and notes."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Group,
    Heading,
    Lines,
    Paragraph,
    Table,
)


def titled(
    title: str, columns: tuple[Column, ...], rows: Sequence[tuple[str, ...]], lines: Sequence[str] = ()
) -> Block:
    """A table with its title and sentences below it; empty without rows. Cells can contain line breaks."""
    if not rows:
        return Group(())
    table = Table(columns, [tuple(map(_cell, row)) for row in rows])
    return Group((Heading(title, 2), table, Bullets(lines)))


def _cell(text: str) -> Cell:
    return Lines(tuple(text.split("\n"))) if "\n" in text else text


def page(title: str, *, lines: Sequence[str] = (), tables: Sequence[Block] = (), notes: Sequence[str] = ()) -> Document:
    """A page with a title, sentences, tables and notes."""
    remarks = Group((Heading("Notes", 2), Bullets(notes))) if notes else Group(())
    return [Heading(title), *map(Paragraph, lines), *tables, remarks]

"""Pages of the catalog as data: tables with a title, and lines around them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``right`` aligns numbers; ``whole`` keeps its cells on one line."""

    name: str
    right: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table; cells may hold line breaks. ``lines`` are said below it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What one question about the catalog is answered with."""

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()

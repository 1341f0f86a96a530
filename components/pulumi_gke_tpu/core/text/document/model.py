"""A document for people: blocks of text, tables, lists and code, which each writer renders in its own way.

Texts are plain: their content cannot change the text around them. :class:`Prose` marks sentences in which
names are in backticks, :class:`Name` text that is a name or is to be copied.
"""

from collections.abc import Sequence
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen

Tone = Literal["", "strong", "quiet", "good", "careful", "bad", "info"]
"""How a piece of text is emphasized: by a color in a terminal; in Markdown, strong and bad text is bold."""


class Prose(str):
    """Sentences in which every second piece between backticks is a name."""

    __slots__ = ()


class Name(str):
    """A name, or text to copy."""

    __slots__ = ()


@frozen
class Toned:
    """Text with emphasis."""

    text: str
    tone: Tone


@frozen
class Link:
    """A link of ours; its address is not checked."""

    text: str
    address: str


Piece = str | Toned | Link
Line = Piece | tuple[Piece, ...]
"""Text on one line, which writers may wrap. Pieces follow each other without a space."""


@frozen
class Lines:
    """Several lines in one cell of a table."""

    lines: tuple[Line, ...]


Cell = Line | Lines


@frozen
class Heading:
    """A heading; level 1 is the title of the document."""

    line: Line
    level: int = 1
    marker: str = ""
    """A hidden Markdown comment before the heading, which identifies the document."""


@frozen
class Paragraph:
    """A paragraph."""

    line: Line
    tone: Tone = ""
    """In a terminal only."""
    label: str = ""
    """What a terminal shows before the first line."""


@frozen
class Bullets:
    """Entries of a list."""

    entries: Sequence[Line]
    title: Line = ""
    label: str = ""
    """The text before each entry in a terminal, instead of title and bullets: ``note: ...``."""
    tone: Tone = ""
    """In a terminal only."""
    below: tuple[tuple[Line, ...], ...] = ()
    """Further lines below the first entries."""


@frozen
class Column:
    """A column of a table. ``right`` aligns numbers; ``whole`` keeps its cells on one line where there is room.

    A terminal leaves out a ``spare`` column if the table does not fit with it.
    """

    name: str
    right: bool = False
    whole: bool = False
    spare: bool = False


@frozen
class Table:
    """A table. Without rows, nothing is shown."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Cell]]


@frozen
class Code:
    """Lines to copy: never wrapped."""

    text: str
    language: str = "yaml"
    tone: Tone = "good"
    label: str = ""
    """What a terminal shows before the first line."""


@frozen
class Branch:
    """A line of a tree: its cells, aligned with those of its siblings, and what is below it."""

    cells: tuple[str, ...]
    below: tuple["Branch", ...] = ()


@frozen
class Tree:
    """A tree with a title; ``about`` is beside the title."""

    title: str
    about: str
    branches: tuple[Branch, ...]


@frozen
class Entry:
    """One item: its label and title, what differs, what that means, and labeled remarks."""

    label: Toned
    title: str
    lines: tuple[str, ...] = ()
    text: Line = ""
    remarks: tuple[tuple[str, Line], ...] = ()
    below: tuple["Block", ...] = ()
    """Shown below the item in a terminal only: Markdown shows details elsewhere."""


@frozen
class Entries:
    """Items: blocks of lines in a terminal, a list with one line per item in Markdown."""

    entries: Sequence[Entry]
    title: Line = ""
    """In Markdown only."""


@frozen
class Fields:
    """Labeled blocks: beside their labels in a terminal, below headings in Markdown."""

    fields: tuple[tuple[str, "Block"], ...]
    level: int = 2


@frozen
class Group:
    """Blocks that belong together: without blank lines between them in a terminal."""

    blocks: Sequence["Block"]


@frozen
class Series:
    """Blocks of the same kind, one after the other."""

    blocks: Sequence["Block"]


@frozen
class Folded:
    """A part that Markdown folds below a summary. A terminal shows it without the summary."""

    summary: str
    block: "Block"


@frozen
class Alert:
    """Blocks in a box that GitHub colors by its kind. A terminal shows them without a box."""

    kind: Literal["caution", "warning"]
    blocks: Sequence[Paragraph | Bullets]


Block = Alert | Heading | Paragraph | Bullets | Table | Code | Tree | Entries | Fields | Group | Series | Folded


@frozen
class Limited:
    """A block that may be cut where the whole document is limited in size."""

    block: Block
    name: str
    """The plural name of its parts, for the note about omitted parts."""
    share: int = 100
    """Its maximum percentage of the size if not everything fits; the rest is for later blocks."""


Document = Sequence[Block | Limited]


@frozen
class Page:
    """A document with a title. In Markdown, a ``heading`` that states the subject can be above the title."""

    title: Line
    blocks: Document
    heading: str = ""
    markdown: Document = ()
    """The whole document in Markdown, if it has other blocks there."""

    @property
    def in_terminal(self) -> Document:
        """The page for a terminal; an empty title is left out."""
        return [*([Heading(self.title)] if self.title else []), *self.blocks]

    @property
    def in_markdown(self) -> Document:
        """The page for Markdown, where it can be among other pages."""
        if self.markdown:
            return self.markdown
        if not self.heading:
            return self.in_terminal
        return [Heading(self.heading, 2), Paragraph(self.title), *self.blocks]

"""What the YAML parser said, and what people are told instead."""

import re
from dataclasses import dataclass

from pulumi_gke_tpu.yamlfile.source import Source

SHOWN = 60
"""How many characters of the file a message quotes."""

_COMMENT = re.compile(r"\s+#.*")


@dataclass(frozen=True)
class Said:
    """What to tell: the offsets to point at, the sentence, and what helps."""

    start: int
    end: int
    message: str
    why: str = ""
    fix: str = ""
    rule: str = "TPU003"


@dataclass(frozen=True)
class ParserError:
    """What the parser said: about the place ``at``, while it read what begins at ``begin``.

    ``bracket`` is where the innermost bracket that is still open stands, ``quote`` the text in quotes just read.
    """

    source: Source
    context: str
    problem: str
    begin: int
    at: int
    bracket: int | None
    quote: int | None

    @property
    def char(self) -> str:
        """The character at the place; empty at the end of the file."""
        return self.source.text[self.at : self.at + 1]

    @property
    def is_first(self) -> bool:
        """Whether nothing but spaces stands before the place on its line."""
        return not self.source.text[self.source.line_start(self.at) : self.at].strip()

    def rest(self, start: int) -> str:
        """What stands from ``start`` to the end of the line, without a comment."""
        return _COMMENT.sub("", self.source.text[start : self.source.line_end(start)][:500]).rstrip()

    def value(self, start: int) -> str:
        """What was probably meant as one value: the rest of the line, or between brackets what ends there."""
        rest = self.rest(start)
        flow = self.bracket is not None or self.source.text[:start].rstrip().endswith(("[", "{", ","))
        return rest if not flow else re.split(r"[,\]}](?!})", rest, maxsplit=1)[0].rstrip()

    def where(self, offset: int) -> str:
        """A place in words."""
        place = self.source.position(offset, offset)
        return f"line {place.line}, column {place.column}"

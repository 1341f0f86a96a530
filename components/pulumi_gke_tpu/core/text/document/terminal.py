"""Lines for a terminal or a build log: width in columns, wrapping, hanging indents, color, and no log commands."""

import functools
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

BOLD = "1"
DIM = "2"
GREEN = "32"
RED = "1;31"
YELLOW = "1;33"
CYAN = "1;36"

_NARROWEST = 30
_COMMAND_MARK = lazy_pattern(r"(##\w*)\[")
_COMMAND_START = lazy_pattern(r"^(\s*):(?=:)")


class Word(NamedTuple):
    """Text that stays on one line, and its color; ``joined`` keeps it on the line of the word before it."""

    text: str
    color: str = ""
    joined: bool = False


@frozen
class LineLayout:
    """The maximum width of lines, in terminal columns, and whether they have colors."""

    width: int
    color: bool

    @property
    def room(self) -> int:
        """The width; at least 30, because narrower terminals usually report a wrong width."""
        return max(self.width, _NARROWEST)

    def paint(self, text: str, color: str) -> str:
        """The text in a color, if colors are enabled."""
        return f"\x1b[{color}m{text}\x1b[0m" if self.color and color and text else text

    def flow(self, words: Iterable[Word], lead: str = "", hang: int = 0) -> list[str]:
        """Fill lines with words: ``lead`` is before the first one, ``hang`` spaces before every further line.

        A word that is wider than a line is not broken: names and addresses have to be copied whole.
        """
        lines: list[str] = []
        plain = painted = lead
        gap = ""
        for word in words:
            if gap and not word.joined and cells(plain) + 1 + cells(word.text) > self.room:
                lines.append(painted.rstrip(" "))
                plain = painted = " " * hang
                gap = ""
            if not gap and not word.text:
                continue
            text = word.text if plain.strip() else no_command(word.text)
            plain += gap + text
            painted += gap + self.paint(text, word.color)
            gap = " "
        return [*lines, painted.rstrip(" ")]


def words(text: str, color: str = "") -> list[Word]:
    """The words between spaces."""
    return [Word(word, color) for word in text.split(" ")]


def cells(text: str) -> int:
    """The width of a text in terminal columns: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(map(_cell, text))


@functools.lru_cache(maxsize=1_000)
def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut_end(text: str, room: int) -> str:
    """The text, or as much of its start as fits the room before an ellipsis."""
    if cells(text) <= room:
        return text
    if room < 1:
        return ""
    end = room - 1
    while cells(text[:end]) > room - 1:
        end -= 1
    return f"{text[:end]}…"


def cut_start(text: str, room: int) -> str:
    """The text, or as much of its end as fits the room after an ellipsis."""
    return "".join(reversed(cut_end("".join(reversed(text)), room)))


def cut_path(path: str, room: int) -> str:
    """The path, or an ellipsis and as many of its last parts as fit the room: ``…/prod/plan.yaml``."""
    if cells(path) <= room:
        return path
    separators = [at for at, char in enumerate(path) if char in "/\\" and cells(path[at:]) < room]
    return f"…{path[separators[0] :]}" if separators else cut_start(path, room)


def no_mark(text: str, instead: str = "\\x5b") -> str:
    """Replace the bracket of ``##[...]``, which build systems run as a command anywhere in a line of a log."""
    return _COMMAND_MARK.sub(lambda match: match.group(1) + instead, text)


def no_command(text: str) -> str:
    """Escape a ``::`` at the start of a line, which build systems run as a command in a log."""
    return _COMMAND_START.sub(r"\1\\x3a", text)

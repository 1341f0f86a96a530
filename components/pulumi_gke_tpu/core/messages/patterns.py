"""Patterns of messages: literal text with named parts such as ``{zone}``, searched in linear time."""

import functools
import re
from collections.abc import Callable, Iterator

from pulumi_gke_tpu.core.catalog.records.messages import Message
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.pasted import PastedText, read_pasted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

NUMBER = r"-?\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,9})?"
NAME = r"[a-z0-9_][a-z0-9._/@:*~+=-]{0,252}"
ANY = r".{0,240}?"
KINDS: dict[str, str] = {
    "zone": r"[a-z]{2,20}-[a-z]{2,20}\d{1,2}-(?:ai\d{1,2})?[a-z]",
    "region": r"[a-z]{2,20}-[a-z]{2,20}\d{1,2}",
    "quota": r"[a-z][a-z0-9_./-]{2,120}",
    "code": r"[a-z0-9][a-z0-9_.-]{0,120}",
    "topology": r"\d{1,3}(?:x\d{1,3}){1,2}",
    "duration": r"\d[\dhmsµun.]{0,40}",
    "range": r"[0-9a-f.:]{3,40}/\d{1,3}",
    "project": r"[a-z0-9*][a-z0-9.:*-]{0,62}",
    **dict.fromkeys(("count", "total", "needed", "limit", "requested", "capacity", "free"), NUMBER),
    **dict.fromkeys(("running", "transitioning"), NUMBER),
    **dict.fromkeys(("cluster", "pool", "node", "pod", "job_name", "workload", "queue", "flavor", "reservation"), NAME),
    **dict.fromkeys(("machine_type", "accelerator", "resource", "label", "taint", "permission", "service"), NAME),
    **dict.fromkeys(("namespace", "network", "image", "account", "constraint", "field", "group", "name"), NAME),
    "topology_name": NAME,
    **dict.fromkeys(("text", "zones"), ANY),
}
"""The named parts of patterns -> their regular expression in lower-case text without quotation marks."""

_PART = lazy_pattern(r"\{([a-z_]+)\}")
_BEFORE, _AFTER = 600, 1600
"""How far from its longest literal part a message reaches."""
_MOST_TRIES = 400
_MOST_FOUND = 20
_SHORTEST_CLOSED = 18
"""The number of letters from which a message is also searched in the text without spaces."""
_ENOUGH_TO_START = 9


@frozen
class Match:
    """A place where a message is in a text."""

    start: int
    text: str
    """The place as the text has it."""
    parts: tuple[tuple[str, str], ...]
    """The named parts in the case of the text."""


@frozen
class _Compiled:
    """A pattern for one of the two forms of a text."""

    anchor: str
    """The literal part by which places are found."""
    literal: int
    """The number of characters outside of the named parts."""
    leads: bool
    """Whether the pattern begins with the anchor."""
    expression: re.Pattern[str]


@frozen
class Found:
    """Where a message is in a text."""

    matches: tuple[Match, ...]
    """The places of all its patterns; patterns can find the same place. The patterns are in their order."""
    times: int
    """How often one of the patterns was found; at most the number that is searched for."""

    @property
    def start(self) -> int:
        """The first place."""
        return min(match.start for match in self.matches)

    @property
    def excerpt(self) -> str:
        """The longest text of a place."""
        return max((match.text for match in self.matches), key=len)


def find(message: Message, text: PastedText) -> Found | None:
    """The places where a message is in a text; None if it is not there."""
    forms = (_compiled(pattern, closed=False) for pattern in message.patterns)
    found = [list(_found(form, text.folded, text.text, text.with_quotes)) for form in forms]
    if not any(found):
        forms = (_compiled(pattern, closed=True) for pattern in message.patterns)
        found = [
            list(_found(form, text.closed, text.closed_text, text.with_spaces))
            for form in forms
            if form.literal >= _SHORTEST_CLOSED
        ]
    matches = tuple(match for each in found for match in each)
    return Found(matches, max(map(len, found))) if matches else None


def literal_words(pattern: str) -> tuple[str, ...]:
    """The words of a pattern without its named parts."""
    return tuple(_PART.sub(" ", read_pasted(pattern).folded).split())


def part_names(text: str) -> tuple[str, ...]:
    """The names of the parts of a pattern or of a command."""
    return tuple(match[1] for match in _PART.finditer(text))


def with_parts(text: str, parts: dict[str, str]) -> str:
    """A command with the parts of a message; a part that is not known is its name in capital letters."""
    return _PART.sub(lambda match: parts.get(match[1]) or match[1].upper(), text)


def _found(form: _Compiled, folded: str, shown: str, excerpt: Callable[[int, int], str]) -> Iterator[Match]:
    place, tries, found = folded.find(form.anchor), 0, 0
    while place >= 0 and tries < _MOST_TRIES and found < _MOST_FOUND:
        tries += 1
        end = min(len(folded), place + len(form.anchor) + _AFTER)
        match = form.expression.match(folded, place, end) if form.leads else _around(form, folded, place, end)
        behind = place + 1
        if match is not None:
            found += 1
            behind = max(behind, match.end())
            parts = ((name, shown[slice(*match.span(name))].strip(" .,:;")) for name in match.re.groupindex)
            yield Match(match.start(), excerpt(*match.span()), tuple(part for part in parts if part[1]))
        place = folded.find(form.anchor, behind)


def _around(form: _Compiled, folded: str, place: int, end: int) -> re.Match[str] | None:
    """A match that contains the anchor at a place. The anchor is the first one that the match can contain."""
    match = form.expression.search(folded, max(0, place - _BEFORE), end)
    return match if match is not None and match.start() <= place < match.end() else None


@functools.cache
def _compiled(pattern: str, *, closed: bool) -> _Compiled:
    plain = read_pasted(pattern).folded
    plain = plain.replace(" ", "") if closed else plain
    pieces = _PART.split(plain)
    literals = [piece for piece in pieces[::2] if piece]
    anchor = literals[0]
    if pieces[0] == "" or len(anchor) < _ENOUGH_TO_START:
        anchor = max(literals, key=len)
    seen: set[str] = set()
    expression = "".join(
        re.escape(piece) if index % 2 == 0 else _part(piece, seen) for index, piece in enumerate(pieces)
    )
    if not closed:
        expression = _edge(plain[0], before=True) + expression + _edge(plain[-1], before=False)
    return _Compiled(anchor, sum(map(len, literals)), anchor == pieces[0], lazy_pattern(expression, re.DOTALL))


def _part(name: str, seen: set[str]) -> str:
    if name in seen:
        return f"(?:{KINDS[name]})"
    seen.add(name)
    return f"(?P<{name}>{KINDS[name]})"


def _edge(char: str, *, before: bool) -> str:
    """What keeps a pattern from beginning or ending within a word."""
    if not (char.isalnum() or char in "_{}"):
        return ""
    return r"(?<![a-z0-9_])" if before else r"(?![a-z0-9_])"

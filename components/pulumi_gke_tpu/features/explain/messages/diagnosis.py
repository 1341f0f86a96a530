"""What a pasted text says: its known messages, the root cause first, with what is variable in them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.places import known_regions
from pulumi_gke_tpu.core.catalog.records.messages import Message, MessageStage
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.pasted import PastedText, plain, read_pasted
from pulumi_gke_tpu.core.messages.patterns import KINDS, literal_words, part_names, with_parts
from pulumi_gke_tpu.core.messages.search import FoundMessage, MessageSearch
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.explain.steps import Evidence, evidence

_LONGEST_EXCERPT = 240
_MOST_VALUES = 5
_MOST_NEAR = 3
_FEWEST_WORDS = 4
_SHORTEST_WORD = 3
_NEAR = 60
"""The percentage of the words of a message that a line must have, by weight, to be near."""
_LINES_FOR_NEAR = 200
_LONGEST_LINE = 2000
_WORD = lazy_pattern(r"[a-z0-9]+(?:[._/-][a-z0-9]+)*")
_NAMED_BY_PATHS = lazy_pattern(
    r"\bprojects/(?P<project>[a-z][a-z0-9.:-]{4,60})|"
    r"/clusters/(?P<cluster>[a-z][a-z0-9-]{0,62})|/node[pP]ools/(?P<pool>[a-z][a-z0-9-]{0,62})"
    r"|/reservations/(?P<reservation>[a-z][a-z0-9-]{0,62})"
)
_PLACE = lazy_pattern(rf"\b(?P<zone>{KINDS['zone']})\b|\b(?P<region>{KINDS['region']})\b")


@frozen
class VariablePart:
    """A variable part of a message, with the values that the text has for it."""

    name: str
    values: tuple[str, ...]


@frozen
class KnownMessage:
    """A message that is in the text."""

    id: str
    origin: str
    """The program that prints it."""
    title: str
    stage: MessageStage
    excerpt: str
    """The part of the text that was recognized."""
    times: int
    """How often it was found; at most the number that is searched for."""
    parts: tuple[VariablePart, ...]
    cause: str
    look: tuple[str, ...]
    """Commands with the values of the text."""
    needs: tuple[str, ...]
    """What the commands need and the text does not have, such as ``cluster``."""
    fix: str
    hidden: tuple[str, ...]
    """Causes that can be behind the message although the text does not name them."""
    page: str
    rules: tuple[str, ...]
    evidence: tuple[Evidence, ...]


@frozen
class NearMessage:
    """A known message that resembles an unknown text."""

    id: str
    title: str
    pattern: str


@frozen
class Diagnosis:
    """What a pasted text says. Without messages, the text is unknown."""

    catalog: str
    """Version of the catalog: a date."""
    messages: tuple[KnownMessage, ...]
    """The root cause first."""
    nearest: tuple[NearMessage, ...]
    """Known messages that resemble the text; only if no message was found."""
    is_cut: Annotated[bool, Field(alias="cut")] = False
    """Whether only the beginning of the text was read."""


def diagnose(catalog: Catalog, content: str, *, is_cut: bool = False) -> Diagnosis:
    """The known messages of a text, or those that resemble it."""
    text, search = read_pasted(content), MessageSearch(catalog)
    shown = search.found(text)
    around = _named_anywhere(catalog, text) if shown else {}
    messages = tuple(_known(catalog, found, around) for found in shown)
    nearest = () if messages else tuple(_nearest(search.known, content))
    return Diagnosis(catalog.about.version, messages, nearest, is_cut)


def _known(catalog: Catalog, found: FoundMessage, around: Mapping[str, str]) -> KnownMessage:
    """A message with the values of the text; ``around`` are names that the whole text has only one of."""
    message = found.message
    values: dict[str, dict[str, None]] = {}
    for match in found.places.matches:
        for name, value in match.parts:
            values.setdefault(name, {}).setdefault(value)
    single = {**around} | {name: next(iter(given)) for name, given in values.items()}
    if "region" not in single and "zone" in single:
        single["region"] = single["zone"].rpartition("-")[0]
    wanted = dict.fromkeys(name for command in (*message.look, message.fix) for name in part_names(command))
    return KnownMessage(
        id=found.id,
        origin=found.origin,
        title=message.title,
        stage=message.stage,
        excerpt=found.places.excerpt[:_LONGEST_EXCERPT],
        times=found.places.times,
        parts=tuple(
            VariablePart(name, tuple(given)[:_MOST_VALUES]) for name, given in values.items() if name != "text"
        ),
        cause=message.cause,
        look=tuple(with_parts(command, single) for command in message.look),
        needs=tuple(name for name in wanted if name not in single),
        fix=with_parts(message.fix, single),
        hidden=found.hidden,
        page=message.page,
        rules=message.rules,
        evidence=evidence(catalog, message),
    )


def _named_anywhere(catalog: Catalog, text: PastedText) -> dict[str, str]:
    """Names that the whole text has only one of: project, cluster, node pool, zone, region."""
    continents = {region.partition("-")[0] for region in known_regions(catalog)}
    values: dict[str, set[str]] = {}
    for match in _NAMED_BY_PATHS.finditer(text.text):
        values.setdefault(match.lastgroup or "", set()).add(match[match.lastgroup or 0])
    for match in _PLACE.finditer(text.text):
        if match[0].partition("-")[0] in continents:
            values.setdefault(match.lastgroup or "", set()).add(match[0])
    return {name: next(iter(given)) for name, given in values.items() if len(given) == 1}


def _nearest(known: Mapping[str, tuple[str, Message]], content: str) -> Iterator[NearMessage]:
    """The messages of which a line of the text has most words; words that many messages have count less."""
    patterns = [(id, pattern) for id, (_, message) in known.items() for pattern in message.patterns]
    words = {pattern: _words(" ".join(literal_words(pattern))) for _, pattern in patterns}
    frequency = Counter(word for those in words.values() for word in those)
    weights = {word: 1 / count for word, count in frequency.items()}
    lines = [_words(line[:_LONGEST_LINE].lower()) for line in _lines(content)]
    shares: dict[str, tuple[float, str]] = {}
    for id, pattern in patterns:
        those = words[pattern]
        whole = sum(weights[word] for word in those)
        common = (those & line for line in lines if len(those & line) >= _FEWEST_WORDS)
        share = max((100 * sum(weights[word] for word in shared) / whole for shared in common), default=0)
        if share >= _NEAR and share > shares.get(id, (0, ""))[0]:
            shares[id] = (share, pattern)
    for id, (_, pattern) in sorted(shares.items(), key=lambda item: (-item[1][0], item[0]))[:_MOST_NEAR]:
        yield NearMessage(id, known[id][1].title, pattern)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text) if len(word) >= _SHORTEST_WORD}


def _lines(content: str) -> Iterable[str]:
    """The first and the last lines of a text, and the text itself where it is short."""
    lines = [line for line in plain(content).splitlines() if line.strip()]
    if len(lines) > 2 * _LINES_FOR_NEAR:
        return [*lines[:_LINES_FOR_NEAR], *lines[-_LINES_FOR_NEAR:]]
    return [*lines, " ".join(lines)]

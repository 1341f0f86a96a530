"""Reads the JSON that the engine writes, and makes its texts safe to show."""

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from pulumi_gke_tpu.core.text.findings import is_visible
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

WRITE_AGAIN = "write it again: pulumi preview --json > events.json"

_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class EventsError(ValueError):
    """A file without a preview of the engine. The message contains the location and the problem, safe to print."""


def decoded(content: bytes) -> str:
    """As UTF-8, or as the UTF-16 that PowerShell writes."""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise EventsError(f"line {line}: it is not UTF-8 text; {WRITE_AGAIN}") from None


def filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def parsed(text: str) -> Any:  # noqa: ANN401 - JSON has no type until it is checked
    """Parse JSON without duplicate keys; numbers stay strings, because none is needed.

    Raises:
        json.JSONDecodeError: the text is not JSON, or incomplete.
        EventsError: a key is duplicate, or the document is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except RecursionError:
        raise EventsError("it is nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise EventsError("duplicate key in an object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise EventsError(f"{name} is not JSON")


def object_at(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key.

    Raises:
        EventsError: there is none.
    """
    found = data.get(key)
    if not isinstance(found, dict):
        raise EventsError(f"{key}: it must be an object")
    return found


def text_at(data: Mapping[str, Any], key: str) -> str:
    """The string value of a key; empty if the key is absent.

    Raises:
        EventsError: the value is not a string.
    """
    found = data.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise EventsError(f"{key}: it must be a string")
    return found


SECRET_KEY = "4dabf18193072939515e22adb298388d"
"""Marks an object of the engine that stands for a special value, such as a secret."""

SECRET = "[secret]"
_UNKNOWN = "[unknown]"
_UNKNOWNS = lazy_pattern(
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9|1c4a061d-8072-4f0a-a4cb-0ff528b18fe7|3eeb2bf0-c639-47a8-9e75-3b44932eb421"
    "|6a19a0b0-7e62-4c92-b797-7f8e31da9cc2|030794c1-ac77-496b-92df-f27374a8bd58|e48ece36-62e2-4504-bad9-02848725956a"
    "|dd056dcd-154b-4c76-9bd3-c8f88648b5ff"
)
"""What the engine writes for values that are known later."""

_COLOUR = lazy_pattern(r"<\{%[^%]{0,100}%\}>|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_SHORTEST = 4
"""Characters of the shortest secret that is looked for inside of words."""
_SHORTEST_LINE = 8
_WORDS = frozenset({"true", "false", "null", "none"})
"""Values of a configuration that give nothing away."""

_LONGEST_RAW = 20_000


def secrets_in(value: object) -> Iterator[str]:
    """Every text that a value marks as secret and yet contains. Without recursion: values may be nested deeply."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            if SECRET_KEY in found:
                for key in ("plaintext", "value"):
                    yield from _texts(found.get(key))
            waiting.extend(found.values())


def config_texts(config: object) -> Iterator[str]:
    """The values of a configuration, and the texts in those that are JSON; very short ones give nothing away."""
    if isinstance(config, dict):
        for value in config.values():
            yield from (text for text in _texts(value) if len(text) >= _SHORTEST and text.lower() not in _WORDS)


def _texts(value: object) -> Iterator[str]:
    """A text, and every text in it where it is JSON."""
    waiting, outer = [value], True
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, str) and found:
            yield found
            if outer and found[0] in '[{"':
                with contextlib.suppress(ValueError, RecursionError):
                    waiting.append(json.loads(found))
        outer = False


class Redactor:
    """Takes secrets out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {spelled for secret in secrets for spelled in _spellings(secret)}
        found -= {"", SECRET}
        ordered = sorted(found, key=lambda text: (-len(text), text))
        self._long = [text for text in ordered if len(text) >= _SHORTEST]
        short = [re.escape(text) for text in ordered if len(text) < _SHORTEST]
        self._short = lazy_pattern(rf"(?<!\w)(?:{'|'.join(short)})(?!\w)") if short else None
        self._longest = len(ordered[0]) if ordered else 0

    def text(self, raw: str, limit: int) -> str:
        """A text in one line of at most ``limit`` characters, safe to print and without secrets."""
        text = self.without_secrets(plain_text(raw[:_LONGEST_RAW]))
        if len(raw) > _LONGEST_RAW:
            # The text can end with the first part of a secret.
            text = text[: max(0, len(text) - self._longest)]
        # Joined lines may spell a secret that none of them did alone.
        text = self.without_secrets(" ".join(text.split()))
        return text if len(text) <= limit else f"{text[: limit - 1]}…"

    def without_secrets(self, text: str) -> str:
        """The same text, with secrets and unknown values replaced."""
        text = _UNKNOWNS.sub(_UNKNOWN, text)
        for secret in self._long:
            text = text.replace(secret, SECRET)
        return self._short.sub(SECRET, text) if self._short else text


def plain_text(text: str) -> str:
    """The text without color codes and without characters that change the text around them; line breaks stay."""
    text = _COLOUR.sub("", text)
    if is_visible(text):
        return text
    return "".join(_plain_character(character) for character in text)


def _plain_character(character: str) -> str:
    if character in "\n\t\r\u2028\u2029":
        return "\n"
    return character if is_visible(character) else ""


def _spellings(secret: str) -> Iterator[str]:
    """The forms of a secret in a message: unchanged, in one line, quoted, and the lines of a long one."""
    for text in (secret, plain_text(secret)):
        yield from (text, text.strip(), " ".join(text.split()))
        yield from (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1])
        yield from (line.strip() for line in text.split("\n") if len(line.strip()) >= _SHORTEST_LINE)

"""Reads the files of Terraform as data: blocks and literal values. Every other expression is unknown.

Nothing is evaluated. The grammar is that of HCL's native syntax. Of expressions, references such as ``local.zone`` and
texts with them are kept; of all others, only their extent matters here.
"""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_DEEPEST = 100
_LONGEST_NUMBER = 20
_SPACE = lazy_pattern(r"(?:[ \t\r\n\f]+|\#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_INLINE = lazy_pattern(r"(?:[ \t\r\f]+|/\*[^\n]*?\*/)*")
_COMMENT = lazy_pattern(r"(?:\#|//)[^\n]*")
_NAME = lazy_pattern(r"[^\W\d][\w-]*")
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = lazy_pattern(r"(?:true|false|null)(?![\w.\[(-])")
_PLAIN = lazy_pattern(r'(?:[^"\\$%\n]|\\.|\$\$\{|%%\{|[$%](?!\{))*', re.DOTALL)
_HEREDOC = lazy_pattern(r"<<-?([^\W\d][\w-]*)[ \t]*\r?\n((?:.*?\n)??)[ \t]*\1[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_FOR = lazy_pattern(r"\s*for\b")
_SKIPPED = lazy_pattern(r'[^"\'\#/<(\[{)\]},\n]+')
_REFERENCE = lazy_pattern(r"(?<![\w-])[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)+")
_PATH = r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*|\[(?:\d{1,4}|\"[^\"$%\\\n]*\")\])+"
_STEPS = lazy_pattern(rf"{_PATH}(?![\w.\[(*-])")
_FILLED = lazy_pattern(rf"\$\{{\s*({_PATH})\s*\}}")
_STEP = lazy_pattern(r'\[(\d+)\]|\["([^"]*)"\]|\.?([^\W\d][\w-]*)')
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|(.))|([$%])\3\{", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}
_OPEN, _CLOSE = "([{", ")]}"


class HclError(Exception):
    """A file is not HCL: the reason and where, as a text and as a line and a column."""


@frozen
class HclReference:
    """An expression that is only a name: ``each.value.topology`` and ``var.zones[0]``."""

    steps: tuple[str | int, ...]


@frozen
class HclTemplate:
    """A text into which references are filled in."""

    parts: tuple[Any, ...]


@frozen
class HclValue:
    """A value as it is written, from its first character to the one after its last."""

    value: Any
    start: int
    end: int
    key: int
    """Where the name of the attribute begins."""


@dataclasses.dataclass(eq=False)
class HclBlock:
    """A block: ``resource "google_container_node_pool" "a" { ... }``. The file itself has no type and no labels."""

    type: str
    labels: tuple[str, ...]
    start: int
    attributes: dict[str, HclValue] = field(default_factory=dict)
    blocks: list["HclBlock"] = field(default_factory=list)

    def named(self, name: str) -> "Iterator[HclBlock]":
        """The block itself, or what it repeats, if it makes blocks of some type."""
        if self.type == name:
            yield self
        elif self.type == "dynamic" and self.labels[:1] == (name,):
            yield from (block for block in self.blocks if block.type == "content")

    def place(self, path: Path) -> tuple[int, int]:
        """Where the value at a path of the data of a block is, or the innermost one on the way to it."""
        here, start, end = self, self.start, self.start
        steps = list(path)
        while steps:
            name, *steps = steps
            expression = here.attributes.get(str(name))
            if expression is not None:
                return expression.start, expression.end
            inner = [each for block in here.blocks for each in block.named(str(name))]
            if not inner:
                break
            index = steps.pop(0) if steps and isinstance(steps[0], int) else 0
            here = inner[min(int(index), len(inner) - 1)]
            start = end = here.start
        return start, end


@frozen(eq=False)
class HclFile:
    """A file of Terraform."""

    source: SourceText
    root: HclBlock

    @classmethod
    def read(cls, name: str, text: str) -> "HclFile":
        """Read a file.

        Raises:
            HclError: the file is not HCL.
        """
        source = SourceText(name, text)
        return cls(source, _Parser(source).file())

    def position(self, block: HclBlock, path: Path) -> Position:
        """The position of a value in a block; that of the block itself without a path."""
        return self.source.position(*block.place(path))

    def references(self, expression: HclValue) -> Iterator[tuple[str, ...]]:
        """What an expression refers to: ``("google_container_cluster", "train", "id")``."""
        written = self.source.text[expression.start : expression.end]
        return (tuple(match[0].split(".")) for match in _REFERENCE.finditer(written))


class _Parser:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self._depth = 0

    def file(self) -> HclBlock:
        """The whole file."""
        root = HclBlock("", (), 0)
        self._body(root, 0)
        return root

    def _body(self, block: HclBlock, depth: int) -> None:
        """The attributes and blocks up to the end of the file, or to the closing brace."""
        if depth > _DEEPEST:
            raise self._error("blocks are nested too deeply")
        while True:
            self._skip(_SPACE)
            if self.at >= len(self.text):
                if depth:
                    raise self._error("a block is not closed")
                return
            if self.text[self.at] == "}" and depth:
                self.at += 1
                return
            self._item(block, depth)

    def _item(self, block: HclBlock, depth: int) -> None:
        start = self.at
        name = _NAME.match(self.text, start)
        if name is None:
            raise self._error("expected the name of an attribute or a block")
        self.at = name.end()
        self._skip(_INLINE)
        if self._next() in ("=", ":") and not self.text.startswith("==", self.at):
            self.at += 1
            block.attributes.setdefault(name[0], self._attribute(start))
            return
        inner = HclBlock(name[0], tuple(self._labels()), start)
        if self._next() != "{":
            raise self._error("expected `=` or `{`")
        self.at += 1
        block.blocks.append(inner)
        self._body(inner, depth + 1)

    def _labels(self) -> Iterator[str]:
        while True:
            self._skip(_INLINE)
            label = _NAME.match(self.text, self.at)
            if label is not None:
                self.at = label.end()
                yield label[0]
            elif self._next() == '"':
                value = self._string()
                yield value if isinstance(value, str) else ""
            else:
                return

    def _attribute(self, key: int) -> HclValue:
        self._skip(_INLINE)
        start = self.at
        value = self._value(0)
        return HclValue(value, start, self.at, key)

    def _value(self, depth: int) -> Any:
        """A literal value; unknown for any other expression, up to whose end is read."""
        if depth > _DEEPEST:
            raise self._error("values are nested too deeply")
        value = self._literal(depth)
        before = self.at
        self._skip(_INLINE)
        if self._ends():
            self.at = before
            return value
        self._rest()
        return UNKNOWN

    def _ends(self) -> bool:
        """Whether an expression ends here."""
        return self._next() in ("", "\n", ",", "]", "}", ")") or _COMMENT.match(self.text, self.at) is not None

    def _literal(self, depth: int) -> Any:
        following = self._next()
        if following == '"':
            return self._string()
        if following == "[":
            return self._list(depth)
        if following == "{":
            return self._object(depth)
        if self.text.startswith("<<", self.at):
            return self._heredoc()
        for pattern, read in ((_NUMBER, _number), (_WORD, _WORDS.get), (_STEPS, _reference)):
            match = pattern.match(self.text, self.at)
            if match is not None:
                self.at = match.end()
                return read(match[0])
        return UNKNOWN

    def _list(self, depth: int) -> Any:
        self.at += 1
        if _FOR.match(self.text, self.at):
            return self._unread_bracket(1)
        found: list[Any] = []
        while True:
            self._skip(_SPACE)
            if self._next() == "]":
                self.at += 1
                return found
            found.append(self._value(depth + 1))
            self._skip(_SPACE)
            if self._next() == ",":
                self.at += 1
            elif self._next() != "]":
                return self._unread_bracket(1)

    def _object(self, depth: int) -> Any:
        self.at += 1
        found: dict[str, Any] = {}
        while True:
            self._skip(_SPACE)
            if self._next() == "}":
                self.at += 1
                return found
            name = _NAME.match(self.text, self.at)
            key: Any = name[0] if name else None
            if name is not None:
                self.at = name.end()
            elif self._next() == '"':
                key = self._string()
            self._skip(_INLINE)
            if key is None or key == "for" or self._next() not in ("=", ":") or self.text.startswith("=>", self.at):
                return self._unread_bracket(1)
            self.at += 1
            self._skip(_INLINE)
            value = self._value(depth + 1)
            if isinstance(key, str):
                found[key] = value
            self._skip(_INLINE)
            if self._next() == ",":
                self.at += 1

    def _unread_bracket(self, depth: int) -> Any:
        """Read up to the end of brackets that are open."""
        self._rest(depth)
        return UNKNOWN

    def _rest(self, depth: int = 0) -> None:
        """Read up to the end of an expression; with ``depth``, to the end of as many brackets."""
        inside = depth > 0
        while self.at < len(self.text):
            plain = _SKIPPED.match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
                continue
            char = self.text[self.at]
            if not depth and char in "\n,)]}":
                return
            if char == '"':
                self._string()
            elif self.text.startswith("<<", self.at) and _HEREDOC.match(self.text, self.at):
                self._heredoc()
            elif char == "#" or self.text.startswith(("//", "/*"), self.at):
                self._comment()
            else:
                depth += (char in _OPEN) - (char in _CLOSE)
                self.at += 1
                if inside and not depth:
                    return
        if depth:
            raise self._error("a bracket is not closed")

    def _comment(self) -> None:
        of_lines = self.text.startswith("/*", self.at)
        end = self.text.find("*/" if of_lines else "\n", self.at)
        if end < 0 and of_lines:
            raise self._error("a comment is not closed")
        self.at = (end + 2 if of_lines else end) if end >= 0 else len(self.text)

    def _string(self) -> Any:
        """A text in quotes; unknown if a template fills in a part of it."""
        start = self.at
        self.at += 1
        parts: list[Any] = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            parts.append(_ESCAPE.sub(_unescaped, plain[0]) if plain else "")
            self.at = plain.end() if plain else self.at
            char = self._next()
            if char == '"':
                self.at += 1
                if UNKNOWN in parts:
                    return UNKNOWN
                return parts[0] if len(parts) == 1 else HclTemplate(tuple(parts))
            if char not in ("$", "%"):
                self.at = start
                raise self._error("a text is not closed")
            filled = _FILLED.match(self.text, self.at)
            parts.append(_reference(filled[1]) if filled else UNKNOWN)
            self.at += 2
            self._nest(start)
            self._rest(1)
            self._depth -= 1

    def _nest(self, start: int) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self.at = start
            raise self._error("templates are nested too deeply")

    def _heredoc(self) -> Any:
        match = _HEREDOC.match(self.text, self.at)
        if match is None:
            raise self._error("a text is not closed")
        self.at = match.end()
        return UNKNOWN if "${" in match[2] or "%{" in match[2] else match[2]

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _error(self, reason: str) -> HclError:
        place = self.source.position(self.at)
        return HclError(f"line {place.line}, column {place.column}: {reason}")


def _reference(written: str) -> HclReference:
    steps = (int(index) if index else name or key for index, key, name in _STEP.findall(written))
    return HclReference(tuple(steps))


def _number(written: str) -> int | float:
    return int(written) if written.lstrip("-").isdecimal() and len(written) < _LONGEST_NUMBER else float(written)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2]) if match[2] else f"{match[3]}{{"

"""Reads the files of Terraform as data: blocks, literal values, and expressions as trees.

Nothing is evaluated here. The grammar is that of the native syntax of HCL. Anything else is unknown up to
where it ends.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resources.hcl_expressions import (
    HclAccess,
    HclCall,
    HclConditional,
    HclFor,
    HclObject,
    HclOperation,
    HclReference,
    HclSplat,
    HclTemplate,
)
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_DEEPEST = 60
_LONGEST_NUMBER = 20
_MOST_OPERATORS = 100
"""The most operators of one level in a row."""
_SPACE = lazy_pattern(r"(?:[ \t\r\n\f]+|\#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_INLINE = lazy_pattern(r"(?:[ \t\r\f]+|/\*[^\n]*?\*/)*")
_COMMENT = lazy_pattern(r"(?:\#|//)[^\n]*")
_NAME = lazy_pattern(r"[^\W\d][\w-]*")
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|-?\d+(?=\.\.\.)")
_WORD = lazy_pattern(r"(?:true|false|null)(?![\w.\[(-])")
_PLAIN = lazy_pattern(r'(?:[^"\\$%\n]|\\.|\$\$\{|%%\{|[$%](?!\{))*', re.DOTALL)
_BLOCK_COMMENT = lazy_pattern(r"/\*.*?\*/", re.DOTALL)
_HEREDOC = lazy_pattern(
    r"<<(?P<indented>-?)(?P<end>[^\W\d][\w-]*)[ \t]*\r?\n(?P<text>(?:.*?\n)??)[ \t]*(?P=end)[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
_FOR = lazy_pattern(r"\s*for\s+(?P<first>[^\W\d][\w-]*)(?:\s*,\s*(?P<second>[^\W\d][\w-]*))?\s+in\b\s*")
_FOR_WORD = lazy_pattern(r"\s*for\b")
_IF = lazy_pattern(r"if\b\s*")
_SKIPPED = lazy_pattern(r'[^"\'\#/<(\[{)\]},\n]+')
_REFERENCE = lazy_pattern(r"(?<![\w-])[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)+")
_STEP = lazy_pattern(r"\.(?:(?P<index>\d{1,4})(?!\d)|(?P<name>[^\W\d][\w-]*)|(?P<every>\*))|\[\*\]")
_OPERATOR = lazy_pattern(r"\|\||&&|==|!=|<=|>=|<(?!<)|>|\+|-|\*|/(?![/*])|%(?!\{)")
_LEVELS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!="), 3),
    **dict.fromkeys(("<", ">", "<=", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|(.))|([$%])\3\{", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}
_OPEN, _CLOSE = "([{", ")]}"


class HclError(Exception):
    """A file is not HCL: the reason and where, as a text and as a line and a column."""


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

    def place(self, path: Path) -> tuple[int, int, list[str | int]]:
        """Where the innermost value on the way along a path of the data of a block is, and the steps below it."""
        here, start, end = self, self.start, self.start
        steps = list(path)
        while steps:
            name, *steps = steps
            expression = here.attributes.get(str(name))
            if expression is not None:
                return expression.start, expression.end, steps
            inner = [each for block in here.blocks for each in block.named(str(name))]
            if not inner:
                break
            index = steps.pop(0) if steps and isinstance(steps[0], int) else 0
            here = inner[min(int(index), len(inner) - 1)]
            start = end = here.start
        return start, end, []


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
        start, end, steps = block.place(path)
        if steps:
            start, end = _Parser(self.source).within(start, end, steps)
        return self.source.position(start, end)

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
        self._openings = {'"': self._string, "[": self._list, "{": self._object, "(": self._parentheses}

    def file(self) -> HclBlock:
        """The whole file."""
        root = HclBlock("", (), 0)
        self._body(root, 0)
        return root

    def within(self, start: int, end: int, steps: list[str | int]) -> tuple[int, int]:
        """Where a part of a literal value is, or the innermost one on the way to it that is written."""
        for step in steps:
            self.at = start
            found = next((place for key, place in self._parts() if key == step), None)
            if found is None:
                break
            start, end = found
        return start, end

    def _parts(self) -> Iterator[tuple[str | int, tuple[int, int]]]:
        """The items of a list or a mapping that is written here, with their places."""
        opening = self._next()
        if opening not in ("[", "{"):
            return
        self.at += 1
        blank = _SPACE if opening == "[" else _INLINE
        for index in itertools.count():
            self._skip(_SPACE)
            name = _NAME.match(self.text, self.at)
            key: Any = index
            if opening == "{" and name is not None:
                key, self.at = name[0], name.end()
            elif opening == "{" and self._next() == '"':
                key = self._string()
            if opening == "{":
                self._skip(_INLINE)
                if self._next() not in ("=", ":"):
                    return
                self.at += 1
            self._skip(blank)
            if self._next() in ("]", "}", ""):
                return
            start = self.at
            self._value(blank)
            yield key, (start, self.at)
            self._skip(blank)
            self.at += self._next() == ","

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
        value = self._value(_INLINE)
        return HclValue(value, start, self.at, key)

    def _value(self, blank: re.Pattern[str]) -> Any:
        """An expression; unknown for what is none, up to whose end is read. ``blank`` is what separates its parts."""
        value = self._expression(blank)
        before = self.at
        self._skip(blank)
        if self._ends():
            self.at = before
            return value
        self._rest()
        return UNKNOWN

    def _ends(self) -> bool:
        """Whether an expression ends here."""
        return (
            self._next() in ("", "\n", ",", "]", "}", ")")
            or _COMMENT.match(self.text, self.at) is not None
            or self.text.startswith("...", self.at)
        )

    def _expression(self, blank: re.Pattern[str]) -> Any:
        """An expression up to the place from which on nothing belongs to it."""
        test = self._operation(1, blank)
        before = self.at
        self._skip(blank)
        if self._next() != "?":
            self.at = before
            return test
        self.at += 1
        self._nest()
        self._skip(_SPACE)
        one = self._expression(_SPACE)
        self._skip(_SPACE)
        value: Any = UNKNOWN
        if self._next() == ":":
            self.at += 1
            self._skip(_SPACE)
            value = HclConditional(test, one, self._expression(blank))
        self._depth -= 1
        return value

    def _operation(self, lowest: int, blank: re.Pattern[str]) -> Any:
        """Operands with operators of a level, or of higher ones."""
        left = self._operand(blank)
        for _ in range(_MOST_OPERATORS):
            before = self.at
            self._skip(blank)
            match = _OPERATOR.match(self.text, self.at)
            if match is None or _LEVELS[match[0]] < lowest:
                self.at = before
                return left
            self.at = match.end()
            self._skip(_SPACE)
            left = HclOperation(match[0], (left, self._operation(_LEVELS[match[0]] + 1, blank)))
        return UNKNOWN

    def _operand(self, blank: re.Pattern[str]) -> Any:
        self._nest()
        sign = self._next()
        if sign in ("!", "-") and not _NUMBER.match(self.text, self.at):
            self.at += 1
            self._skip(blank)
            value: Any = HclOperation(sign, (self._operand(blank),))
        else:
            value = self._with_keys(self._primary())
        self._depth -= 1
        return value

    def _nest(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("values are nested too deeply")

    def _primary(self) -> Any:
        read = self._openings.get(self._next())
        if read is not None:
            return read()
        if self.text.startswith("<<", self.at):
            return self._heredoc()
        for pattern, value in ((_NUMBER, _number), (_WORD, _WORDS.get)):
            match = pattern.match(self.text, self.at)
            if match is not None:
                self.at = match.end()
                return value(match[0])
        name = _NAME.match(self.text, self.at)
        if name is None:
            return UNKNOWN
        self.at = name.end()
        return self._call(name[0]) if self._next() == "(" else HclReference((name[0],))

    def _parentheses(self) -> Any:
        self.at += 1
        self._skip(_SPACE)
        inside = self._expression(_SPACE)
        return inside if self._closed(")") else UNKNOWN

    def _closed(self, closing: str) -> bool:
        """Whether brackets end here, behind which is read; otherwise up to their end."""
        self._skip(_SPACE)
        if self._next() == closing:
            self.at += 1
            return True
        self._rest(1)
        return False

    def _call(self, name: str) -> Any:
        items = self._items(")")
        return UNKNOWN if items is None else HclCall(name, *items)

    def _items(self, closing: str) -> tuple[tuple[Any, ...], bool] | None:
        """The values in brackets, and whether ``...`` is behind one; None for anything else, up to their end."""
        self.at += 1
        found: list[Any] = []
        expands = False
        while True:
            self._skip(_SPACE)
            if self._next() == closing:
                self.at += 1
                return tuple(found), expands
            found.append(self._value(_SPACE))
            self._skip(_SPACE)
            if self.text.startswith("...", self.at):
                expands = True
                self.at += 3
                self._skip(_SPACE)
            if self._next() == ",":
                self.at += 1
            elif self._next() != closing:
                self._rest(1)
                return None

    def _with_keys(self, value: Any) -> Any:
        """A value with what is read of it: ``.name``, ``[0]``, ``[*]``."""
        keys: list[Any] = []
        while True:
            step = _STEP.match(self.text, self.at)
            if step is not None and not self.text.startswith("..", self.at):
                self.at = step.end()
                keys.append(int(step["index"]) if step["index"] else step["name"] or HclSplat())
            elif self._next() == "[":
                self.at += 1
                self._skip(_SPACE)
                key = self._expression(_SPACE)
                keys.append(key if self._closed("]") else UNKNOWN)
            else:
                break
        if not keys:
            return value
        if isinstance(value, HclReference):
            named = next((at for at, key in enumerate(keys) if not isinstance(key, str | int)), len(keys))
            value, keys = HclReference((*value.steps, *keys[:named])), keys[named:]
        return HclAccess(value, tuple(keys)) if keys else value

    def _list(self) -> Any:
        if _FOR_WORD.match(self.text, self.at + 1):
            self.at += 1
            return self._for("]")
        found = self._items("]")
        return UNKNOWN if found is None or found[1] else [*found[0]]

    def _object(self) -> Any:
        self.at += 1
        if _FOR_WORD.match(self.text, self.at):
            return self._for("}")
        found: list[tuple[Any, Any]] = []
        while True:
            self._skip(_SPACE)
            if self._next() == "}":
                self.at += 1
                if all(isinstance(key, str) for key, _ in found):
                    return dict(found)
                return HclObject(tuple(found))
            name = _NAME.match(self.text, self.at)
            key: Any = name[0] if name else None
            if name is not None:
                self.at = name.end()
            elif self._next() in ('"', "("):
                key = self._primary()
            elif number := _NUMBER.match(self.text, self.at):
                key = number[0]
                self.at = number.end()
            self._skip(_INLINE)
            if self._next() not in ("=", ":") or self.text.startswith("=>", self.at):
                return self._unread_bracket(1)
            self.at += 1
            self._skip(_INLINE)
            found.append((key, self._value(_INLINE)))
            self._skip(_INLINE)
            if self._next() == ",":
                self.at += 1

    def _for(self, closing: str) -> Any:
        """A ``for`` expression behind its opening bracket."""
        intro = _FOR.match(self.text, self.at)
        if intro is None:
            return self._unread_bracket(1)
        self.at = intro.end()
        names = tuple(name for name in (intro["first"], intro["second"]) if name)
        items = self._expression(_SPACE)
        self._skip(_SPACE)
        if self._next() != ":":
            return self._unread_bracket(1)
        self.at += 1
        self._skip(_SPACE)
        key, result, condition, grouped = None, self._expression(_SPACE), None, False
        self._skip(_SPACE)
        has_key = self.text.startswith("=>", self.at)
        if has_key:
            self.at += 2
            self._skip(_SPACE)
            key, result = result, self._expression(_SPACE)
            self._skip(_SPACE)
            grouped = self.text.startswith("...", self.at)
            self.at += 3 if grouped else 0
            self._skip(_SPACE)
        has_condition = _IF.match(self.text, self.at)
        if has_condition:
            self.at = has_condition.end()
            condition = self._expression(_SPACE)
        if not self._closed(closing) or has_key != (closing == "}"):
            return UNKNOWN
        return HclFor(names, items, key, result, condition, has_key, bool(has_condition), grouped)

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
            elif _HEREDOC.match(self.text, self.at):
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
        if not self.text.startswith("/*", self.at):
            self._skip(_COMMENT)
            return
        match = _BLOCK_COMMENT.match(self.text, self.at)
        if match is None:
            raise self._error("a comment is not closed")
        self.at = match.end()

    def _string(self) -> Any:
        """A text in quotes; unknown if a template fills in a part of it."""
        start = self.at
        self.at += 1
        parts: list[Any] = []
        trims = False
        while True:
            plain = _PLAIN.match(self.text, self.at)
            text = _ESCAPE.sub(_unescaped, plain[0]) if plain else ""
            parts.append(text.lstrip() if trims else text)
            self.at = plain.end() if plain else self.at
            char = self._next()
            if char == '"':
                self.at += 1
                return _text(parts)
            if char not in ("$", "%"):
                self.at = start
                raise self._error("a text is not closed")
            self.at += 2
            value: Any = UNKNOWN
            if char == "$":
                if self._next() == "~":
                    parts[-1] = parts[-1].rstrip()
                    self.at += 1
                self._skip(_SPACE)
                value = self._expression(_SPACE)
                self._skip(_SPACE)
                trims = self._next() == "~"
                self.at += trims
            if self._next() == "}":
                self.at += 1
            else:
                value = UNKNOWN
                self._rest(1)
            parts.append(value)

    def _heredoc(self) -> Any:
        match = _HEREDOC.match(self.text, self.at)
        if match is None:
            raise self._error("a text is not closed")
        self.at = match.end()
        text = match["text"]
        if "${" in text or "%{" in text:
            return UNKNOWN
        return _without_indentation(text) if match["indented"] else text

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _error(self, reason: str) -> HclError:
        place = self.source.position(self.at)
        return HclError(f"line {place.line}, column {place.column}: {reason}")


def _text(parts: list[Any]) -> Any:
    """The text of its parts; a template with nothing but one expression is that expression."""
    if len(parts) == 1:
        return parts[0]
    filled = [part for part in parts if part != ""]
    if any(part is UNKNOWN for part in filled):
        return UNKNOWN
    return filled[0] if len(filled) == 1 else HclTemplate(tuple(filled))


def _without_indentation(text: str) -> str:
    """A text without the blanks that all of its lines begin with; lines of nothing else stay."""
    lines = text.split("\n")
    most = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[most:] if line.strip() else line for line in lines)


def _number(written: str) -> int | float:
    return int(written) if written.lstrip("-").isdecimal() and len(written) < _LONGEST_NUMBER else float(written)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2]) if match[2] else f"{match[3]}{{"

"""The values of words: parameters, braces and arithmetic, as far as the script itself says them."""

import ast
import fnmatch
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.branches import ScriptBranch
from pulumi_gke_tpu.core.text.shell.model import UNKNOWN_PART, ScriptWord
from pulumi_gke_tpu.core.text.shell.syntax import MalformedError, Parser
from pulumi_gke_tpu.core.text.shell.tree import Arithmetic, Literal, Parameter, Part, ShellWord, Substitution

LONGEST_VALUE = 20_000
_MOST_ALTERNATIVES = 1_000
_LONGEST_FORMULA = 200
_LARGEST = 2**40
_DEEPEST = 8
_MOST_WAYS = 32
"""Ways through several branches, one after the other."""
_PARAMETER = lazy_pattern(
    r"(?P<mark>[!#]?)(?P<name>[A-Za-z_]\w*|\d+|[@*])(?:\[(?P<index>[^\]]*)\])?(?P<rest>.*)\Z", re.ASCII | re.DOTALL
)
_BRACES = lazy_pattern(
    r"\{(?:(?P<first>-?\w{1,9})\.\.(?P<last>-?\w{1,9})|(?P<list>[^{}\s,]*(?:,[^{}\s,]*)+))\}", re.ASCII
)
_VARIABLE = lazy_pattern(r"\$?\{?(?P<name>[A-Za-z_]\w*)\}?", re.ASCII)
_NAME_IN = lazy_pattern(r"\w+", re.ASCII)
_SPECIAL = "?$!-#"
SEVERAL = "has several values"
BY_COMMAND = "it contains the output of a command"


@frozen
class Value:
    """A text; with a ``problem``, a part of it is not known. ``outside``: who starts the script sets it."""

    text: str
    problem: str = ""
    outside: bool = False
    ways: tuple["Value | dict[str, ScriptWord]", ...] = ()
    """What it is after each way through the branch with the number ``branch``; this can depend on a branch as well."""
    branch: int = 0
    items: tuple[ScriptWord, ...] = ()
    """The words of an array. Those that are not the same after each way are one unknown word."""

    @property
    def depth(self) -> int:
        """On how many branches it depends, one after the other."""
        return 1 + max(way.depth if isinstance(way, Value) else 0 for way in self.ways) if self.ways else 0


UNSET = Value(UNKNOWN_PART, "the script does not set it")
_NOT_FOLLOWED = Value(UNKNOWN_PART, "it contains an expansion that only a shell knows")
Array = dict[str, ScriptWord]
Variables = dict[str, Value | Array]
_Read = TypeVar("_Read", Value, Array)


def joined(one: Variables, other: Variables) -> Variables:
    """The variables after one of two ways through a script.

    A value that only one of them sets, or that the other takes from outside, is the usual one.
    """
    found = dict(one)
    for name, value in other.items():
        mine = found.get(name)
        if mine is None or (isinstance(mine, Value) and mine.outside):
            found[name] = value
        elif mine != value and not (isinstance(value, Value) and value.outside):
            problem = f"${name} {SEVERAL}"
            found[name] = Value(UNKNOWN_PART, problem, items=_in_both(_items_of(mine), _items_of(value), problem))
    return found


def _items_of(value: Value | Array) -> tuple[ScriptWord, ...]:
    """The words of an array; none for another value."""
    return value.items if isinstance(value, Value) else tuple(value.values())


def _in_both(one: tuple[ScriptWord, ...], other: tuple[ScriptWord, ...], problem: str) -> tuple[ScriptWord, ...]:
    """The words at the beginning and at the end of both, with an unknown one for those that differ."""
    most = min(len(one), len(other))
    first = next((index for index in range(most) if one[index] != other[index]), most)
    last = next((index for index in range(most - first) if one[-1 - index] != other[-1 - index]), most - first)
    if not first + last:
        return ()
    return (*one[:first], ScriptWord(UNKNOWN_PART, 0, 0, problem, several=True), *one[len(one) - last :])


@dataclass
class _Field:
    """Words while they are read."""

    line: int
    column: int
    done: list[ScriptWord] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    problem: str = ""
    quoted: bool = False
    several: bool = False
    """Whether it is nothing but an unquoted unknown value, which may be any number of words."""
    vanishes: bool = False
    """Whether it has an array without words. Quotation marks do not make that a word."""

    def add(self, value: Value, *, split: bool) -> None:
        """Add a value, which ends the word at each blank if it is to be split."""
        self.problem = value.problem or self.problem
        parts = _fields(value.text) if split else [value.text]
        for index, part in enumerate(parts):
            if index:
                self._end()
            self.text.append(part)

    def add_word(self, word: ScriptWord, *, first: bool) -> None:
        """Add one of the words of an array, which keeps its own place."""
        if not first:
            self._end()
        if not any(self.text):
            self.line, self.column = word.line, word.column
        self.text.append(word.text)
        self.problem = word.problem or self.problem
        self.several = self.several or word.several
        self.quoted = True

    def _end(self) -> None:
        self.done.append(ScriptWord("".join(self.text), self.line, self.column, self.problem, self.several))
        self.text, self.problem, self.several = [], "", False

    def words(self) -> list[ScriptWord]:
        """The words; none for variables without a value."""
        self._end()
        quoted = self.quoted and not self.vanishes
        return [word for word in self.done if word.text or word.problem or quoted]


class Expander:
    """Expands words with the variables of a script, which change while it is read."""

    def __init__(self, output: Callable[[str, int], Value]) -> None:
        self.variables: Variables = {}
        self.arguments: tuple[ScriptWord, ...] | None = None
        """Of the function that runs; None if they are those of the script."""
        self.taken: dict[int, int] = {}
        """ScriptBranch -> the way that is followed now, where each is followed alone."""
        self.met: dict[int, int] = {}
        """ScriptBranch on which values depended -> the number of its ways."""
        self._output = output
        self._unset: dict[str, int] = {}
        """Parameter of which only who starts the script knows whether it is set -> the branch that stands for it."""

    def words(self, word: ShellWord, place: tuple[int, int]) -> Iterator[ScriptWord]:
        """The words that one word becomes, each at its place."""
        for parts in itertools.islice(_alternatives(word.parts), _MOST_ALTERNATIVES):
            found = _Field(*place)
            for part in parts:
                self._add(found, part, alone=len(parts) == 1)
            yield from found.words()

    def assigned(self, word: ShellWord) -> Value:
        """A word as the value of a variable, also after each way through the one branch on which it depends."""
        return self.by_way(lambda: self.value(word), lambda found: found if found.problem else None)

    def by_way(
        self, read: Callable[[], _Read], unknown: Callable[[_Read], Value | None], most: int = _MOST_WAYS
    ) -> _Read | Value:
        """What is read now; if that depends on a branch, what is ``unknown`` then, with what it is after each way."""
        met, self.met = self.met, {}
        found, own = read(), {branch: number for branch, number in self.met.items() if branch not in self.taken}
        self.met = met | self.met
        branch, number = next(iter(own.items()), (0, most + 1))
        made = unknown(found) if number <= most else None
        if made is None:
            return found
        before, ways = self.taken, []
        for way in range(number):
            self.taken = {**before, branch: way}
            ways.append(self.by_way(read, unknown, most // number))
        self.taken = before
        return Value(made.text, made.problem, made.outside, tuple(ways), branch, made.items)

    def value_in(self, text: str) -> Value:
        """The value of a text within an expansion. Between double quotes, one quote in it is a character."""
        try:
            return self.value(Parser(text).word_text())
        except MalformedError:
            return _NOT_FOLLOWED

    def value(self, word: ShellWord) -> Value:
        """A word as one value, as in an assignment."""
        texts: list[str] = []
        problem, outside = "", True
        for part in word.parts:
            value = self._value_of(part)
            texts.append(value.text)
            if value.problem:
                problem, outside = value.problem, outside and value.outside
        return Value("".join(texts), problem, outside and bool(problem))

    def document(self, word: ShellWord) -> str:
        """The text of a here-document; unknown variables stay as they are written, as in a template."""
        texts = []
        for part in word.parts:
            value = self._value_of(part)
            if isinstance(part, Literal):
                texts.append(part.text)
            elif not value.problem:
                texts.append(value.text.replace("\n", " "))
            else:
                name = _NAME_IN.match(part.inside) if isinstance(part, Parameter) else None
                texts.append(f"$({name[0] if name else 'unknown'})")
        return "".join(texts)

    def _add(self, found: _Field, part: Part, *, alone: bool) -> None:
        if isinstance(part, Literal):
            found.quoted = found.quoted or part.quoted
            found.text.append(part.text)
            return
        quoted = isinstance(part, Arithmetic) or part.quoted
        items = self._items(part) if isinstance(part, Parameter) else None
        if items is not None:
            found.vanishes = found.vanishes or not items
            for index, item in enumerate(items):
                found.add_word(item, first=not index)
            return
        found.quoted = found.quoted or quoted
        value = self._value_of(part)
        found.several = alone and not quoted and bool(value.problem) and value.text == UNKNOWN_PART
        found.add(value, split=not quoted)

    def _items(self, part: Parameter) -> tuple[ScriptWord, ...] | None:
        """The words of ``$@`` and ``${ARRAY[@]}``; None for any other parameter."""
        match = _PARAMETER.match(part.inside)
        if match is None or match["mark"] == "#":
            return None
        if match["name"] in ("@", "*"):
            if self.arguments is not None:
                return self.arguments
            return (ScriptWord(UNKNOWN_PART, 0, 0, "only a shell knows the arguments of the script", several=True),)
        return self._array(match["name"], keys=match["mark"] == "!") if match["index"] in ("@", "*") else None

    def _array(self, name: str, *, keys: bool) -> tuple[ScriptWord, ...]:
        value = self.variable(name)
        if value is None:
            value = Value(UNKNOWN_PART, f"the script does not set ${name}")
        if isinstance(value, Value):
            return value.items or (ScriptWord(value.text, 0, 0, value.problem, several=bool(value.problem)),)
        return tuple(ScriptWord(key, 0, 0) for key in value) if keys else tuple(value.values())

    def _value_of(self, part: Part) -> Value:
        if isinstance(part, Literal):
            return Value(part.text)
        if isinstance(part, Arithmetic):
            number = self.number(part.text)
            return (
                Value(str(number)) if number is not None else Value(UNKNOWN_PART, "it contains a sum of unknown values")
            )
        if isinstance(part, Substitution):
            return self._output(part.text, part.at)
        return self._parameter(part.inside)

    # Parameters

    def _parameter(self, inside: str, depth: int = 0) -> Value:
        if inside in _SPECIAL:
            return Value(UNKNOWN_PART, f"only a shell knows the value of ${inside}", outside=True)
        match = _PARAMETER.match(inside)
        if match is None or depth > _DEEPEST:
            return _NOT_FOLLOWED
        value = self._named(match["name"], match["index"])
        unset = Value(UNKNOWN_PART, f"the script does not set ${match['name']}", outside=True)
        if match["mark"] == "!":
            known = value is not None and not value.problem
            return self._parameter(value.text, depth + 1) if value is not None and known else value or unset
        if match["mark"] == "#":
            return self._length(match["name"], match["index"], value)
        return self._modified(match["name"], value, match["rest"]) if match["rest"] else value or unset

    def _named(self, name: str, index: str | None) -> Value | None:
        if name.isdecimal() or name in ("@", "*"):
            return self._argument(name)
        value = self.variable(name)
        if isinstance(value, dict):
            key = "0" if index is None else self._index(index)
            word = value.get(key) if key is not None else None
            if index in ("@", "*"):
                return _together(value.values())
            if word is None:
                return Value(UNKNOWN_PART, f"the script does not set ${name}[{index or 0}]")
            return Value(word.text, word.problem)
        if value is not None and len(value.text) > LONGEST_VALUE:
            return Value(UNKNOWN_PART, f"the value of ${name} is longer than {LONGEST_VALUE:,} characters")
        return value

    def variable(self, name: str) -> Value | Array | None:
        """What a variable is after the ways that are followed."""
        value = self.variables.get(name)
        while isinstance(value, Value) and value.ways:
            self.met[value.branch] = len(value.ways)
            if value.branch not in self.taken:
                break
            value = value.ways[self.taken[value.branch]]
        return value

    def _index(self, index: str) -> str | None:
        value = self.value_in(index)
        if value.problem:
            return None
        number = self.number(value.text)
        return value.text if number is None else str(number)

    def _argument(self, name: str) -> Value | None:
        if self.arguments is None:
            return Value(UNKNOWN_PART, f"only a shell knows the value of ${name}", outside=True)
        if name in ("@", "*"):
            return _together(self.arguments)
        position = int(name) if len(name) < 5 else 0  # noqa: PLR2004 - no script has as many arguments
        before = self.arguments[:position]
        if any(item.several for item in before):
            return Value(UNKNOWN_PART, f"only a shell knows the value of ${name}", outside=True)
        if not 0 < position <= len(self.arguments):
            return None if position else Value(UNKNOWN_PART, "only a shell knows the value of $0", outside=True)
        item = self.arguments[position - 1]
        return Value(item.text, item.problem, outside=bool(item.problem))

    def _length(self, name: str, index: str | None, value: Value | None) -> Value:
        items = self.variables.get(name)
        if isinstance(items, dict) and index in ("@", "*"):
            return Value(str(len(items)))
        if name in ("@", "*") or value is None or value.problem:
            return Value(UNKNOWN_PART, f"only a shell knows the length of ${name}")
        return Value(str(len(value.text)))

    def _modified(self, name: str, value: Value | None, rest: str) -> Value:
        """A parameter with a default, a pattern that is removed, or another change."""
        colon = rest[0] == ":" and rest[1:2] in ("-", "=", "?", "+")
        kind, other = (rest[1], rest[2:]) if colon else (rest[0], rest[1:])
        if kind in "-=":
            if value is not None and not value.outside and not (colon and not value.text):
                return value
            usual = self.value_in(other)
            if kind == "=" and not name.isdecimal():
                self.variables[name] = usual
            return usual
        if kind == "+":
            return self._if_set(name, value, other, colon=colon)
        if value is None or value.problem or kind == "?":
            return value or Value(UNKNOWN_PART, f"the script does not set ${name}", outside=True)
        changed = self._changed(value.text, rest)
        return Value(changed) if changed is not None else _NOT_FOLLOWED

    def _if_set(self, name: str, value: Value | None, other: str, *, colon: bool) -> Value:
        """``${NAME:+OTHER}``. If the script does not say whether the parameter is set, both ways are followed."""
        usual = value is not None and (bool(value.problem) or bool(value.text) or not colon)
        if value.problem if value is not None else not name.isdecimal():
            branch = self._unset.setdefault(name, -1 - len(self._unset))
            self.met[branch] = 2
            usual = self.taken[branch] == 0 if branch in self.taken else usual
        return self.value_in(other) if usual else Value("")

    def branch_of_unset(self, number: int) -> ScriptBranch:
        """The branch that stands for a parameter of which only who starts the script knows whether it is set."""
        name = next(name for name, own in self._unset.items() if own == number)
        return ScriptBranch((), frozenset({name}), optional=True)

    def _changed(self, text: str, rest: str) -> str | None:
        if rest in (",,", "^^"):
            return text.lower() if rest == ",," else text.upper()
        for mark, from_end, longest in (
            ("%%", True, True),
            ("##", False, True),
            ("%", True, False),
            ("#", False, False),
        ):
            if rest.startswith(mark):
                pattern = self.value_in(rest[len(mark) :])
                return None if pattern.problem else _without(text, pattern.text, from_end=from_end, longest=longest)
        if rest.startswith("/"):
            every = rest.startswith("//")
            old, _, new = rest[2 if every else 1 :].partition("/")
            if any(char in old for char in "*?[\\$`") or any(char in new for char in "$`\\") or not old:
                return None
            return text.replace(old, new, -1 if every else 1)
        if match := re.fullmatch(r":\s*(\d{1,5})(?::(\d{1,5}))?", rest, re.ASCII):
            start = int(match[1])
            return text[start : start + int(match[2])] if match[2] else text[start:]
        return None

    # Arithmetic

    def number(self, formula: str) -> int | None:
        """The value of a formula of whole numbers; None if a part of it is not known."""
        if len(formula) > _LONGEST_FORMULA:
            return None
        names: dict[str, int] = {}
        for match in _VARIABLE.finditer(formula):
            value = self.variable(match["name"])
            if (
                not isinstance(value, Value)
                or value.problem
                or not re.fullmatch(r"\s*-?\d{1,12}\s*", value.text, re.ASCII)
            ):
                return None
            names[match["name"]] = int(value.text)
        try:
            tree = ast.parse(_VARIABLE.sub(lambda match: match["name"], formula).strip(), mode="eval")
            return _computed(tree.body, names)
        except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError):
            return None


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: int(one / other),
    ast.Mod: operator.mod,
}


def _computed(node: ast.expr, names: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) < _LARGEST:
        return int(node.value)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        found = _OPERATORS[type(node.op)](_computed(node.left, names), _computed(node.right, names))
        if abs(found) < _LARGEST:
            return found
    raise ValueError


def _together(words: Iterable[ScriptWord]) -> Value:
    """Several words as one."""
    items = tuple(words)
    return Value(" ".join(item.text for item in items), next((item.problem for item in items if item.problem), ""))


def _without(text: str, pattern: str, *, from_end: bool, longest: bool) -> str:
    """A text without a beginning or an end that matches a pattern."""
    if len(text) > _LONGEST_FORMULA or len(pattern) > _LONGEST_FORMULA:
        return text
    lengths = range(len(text), -1, -1) if longest else range(len(text) + 1)
    for length in lengths:
        part = text[len(text) - length :] if from_end else text[:length]
        if fnmatch.fnmatchcase(part, pattern):
            return text[: len(text) - length] if from_end else text[length:]
    return text


def _alternatives(parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """The parts of a word for each item of its braces: a-{0..3}, {a,b}."""
    waiting = [parts]
    made = 0
    while waiting:
        current = waiting.pop()
        found = next(
            ((index, match) for index, part in enumerate(current) if (match := _braces_in(part)) is not None), None
        )
        if found is None:
            yield current
            continue
        index, match = found
        text = match.string
        items = _brace_items(match)
        made += len(items)
        if made > _MOST_ALTERNATIVES:
            yield current
            return
        for item in reversed(items):
            part = Literal(text[: match.start()] + item + text[match.end() :], quoted=False)
            waiting.append((*current[:index], part, *current[index + 1 :]))


def _braces_in(part: Part) -> re.Match[str] | None:
    if not isinstance(part, Literal) or part.quoted or "{" not in part.text or len(part.text) > LONGEST_VALUE:
        return None
    match = _BRACES.search(part.text)
    return match if match is not None and _brace_items(match) else None


def _brace_items(match: re.Match[str]) -> list[str]:
    if match["list"] is not None:
        return match["list"].split(",")
    first, last = match["first"], match["last"]
    if re.fullmatch(r"-?\d+", first, re.ASCII) and re.fullmatch(r"-?\d+", last, re.ASCII):
        low, high = int(first), int(last)
        width = len(first) if first.startswith("0") and len(first) > 1 else 0
        if abs(high - low) >= _MOST_ALTERNATIVES:
            return []
        step = 1 if high >= low else -1
        return [str(number).zfill(width) for number in range(low, high + step, step)]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and first <= last:
        return [chr(code) for code in range(ord(first), ord(last) + 1)]
    return []


def _fields(value: str) -> list[str]:
    """An unquoted value at its blanks. An empty part at an end separates it from the text beside it."""
    if not value or value.isspace():
        return ["", ""] if value else [""]
    parts = value.split()
    return [*([""] if value[0].isspace() else []), *parts, *([""] if value[-1].isspace() else [])]

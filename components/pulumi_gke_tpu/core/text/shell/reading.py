"""Follows a script through its branches, loops and functions, and collects the commands on the way.

Nothing is executed. Where only a shell knows which branch runs, each one does; a variable that differs after that is
not known. A script is followed for a limited number of steps, whatever its loops and functions say.
"""

import contextlib
import fnmatch
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import syntax, tree
from pulumi_gke_tpu.core.text.shell.expansion import BY_COMMAND, Expander, Value, Variables, joined
from pulumi_gke_tpu.core.text.shell.model import UNKNOWN_PART, Command, HereDocument, Script, ScriptWord, ShellProblem
from pulumi_gke_tpu.core.text.shell.syntax import MalformedError, Parser, ScriptPlaces
from pulumi_gke_tpu.core.text.shell.tree import ShellWord

LARGEST = 4_000_000
_MOST_STEPS = 1_000_000
_MOST_COMMANDS = 5_000
_MOST_ITERATIONS = 1_000
_DEEPEST_CALL = 20
_SKIPPED = frozenset({"!", "time", "exec", "command", "sudo", "nohup", "$"})
_SHELLS = frozenset({"bash", "sh", "zsh", "ksh", "dash"})
_TO_FOLLOW = "the script runs more commands than gke-tpu follows"
_HEADER = lazy_pattern(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*=(?P<first>[^;]+);\s*(?P=name)\s*(?P<compare><=?)(?P<last>[^;]+);"
    r"\s*(?:\+\+(?P=name)|(?P=name)\s*\+\+|(?P=name)\s*\+=\s*(?P<step>\d{1,6}))\s*\Z",
    re.ASCII,
)
_CHANGED = lazy_pattern(r"(?:\+\+|--)?\b(?P<name>[A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%]?=(?!=))", re.ASCII)
_NAME = lazy_pattern(r"[A-Za-z_]\w*\Z", re.ASCII)


class Host(Protocol):
    """What knows the commands of a tool while a script is followed."""

    def ran(self, command: Command) -> None:
        """A command runs."""

    def output_of(self, words: Sequence[ScriptWord]) -> str | None:
        """The output of a command; None if it is not known."""

    def file_named(self, path: str) -> str | None:
        """The text of another file; None if it is not known. The beginning of the path may be unknown."""


def read_script(
    text: str, host: Host | None = None, *, line: int = 1, variables: Mapping[str, str] | None = None
) -> Script:
    """The commands that a script runs, in the order in which it runs them, and its here-documents.

    ``line`` is that of its first line in its file; ``variables`` are set before it runs.
    """
    follower = _ScriptFollower(host)
    follower.expander.variables |= {name: Value(value) for name, value in (variables or {}).items()}
    return follower.read(text.replace(UNKNOWN_PART, "..."), line)


class _TooLongError(Exception):
    pass


class _ScriptFollower:
    def __init__(self, host: Host | None) -> None:
        self.host = host
        self.expander = Expander(self._output)
        self.commands: list[Command] = []
        self.documents: dict[int, HereDocument] = {}
        self.functions: dict[str, tuple[tree.Function, ScriptPlaces]] = {}
        self.called: set[str] = set()
        self.calls: list[dict[str, object]] = []
        """For each function that runs, the variables that its own hide."""
        self.places = ScriptPlaces("")
        self.steps = 0
        self.muted = 0
        self.depth = 0

    def read(self, text: str, line: int) -> Script:
        parser = Parser(text, ScriptPlaces(text, line))
        self.places = parser.places
        problem: ShellProblem | None = None
        try:
            parser.parse()
        except MalformedError as error:
            problem = error.problem
        try:
            self._block(parser.block)
            self._uncalled()
        except _TooLongError:
            last = self.commands[-1].words[0] if self.commands else None
            problem = ShellProblem(_TO_FOLLOW, last.line if last else 1, last.column if last else 1)
        documents = tuple(self.documents[line] for line in sorted(self.documents))
        return Script(tuple(self.commands), problem, documents)

    def _uncalled(self) -> None:
        """The functions that the script only defines, with unknown arguments."""
        for name, (function, places) in list(self.functions.items()):
            if name not in self.called:
                self.expander.arguments, self.places = None, places
                self._block(function.body)

    # Commands

    def _spend(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise _TooLongError

    def _block(self, block: tree.ShellBlock) -> bool | None:
        """Follow commands; whether the last one succeeds, if that is known."""
        truth: bool | None = True
        for connector, node in block.steps:
            self._spend()
            if (connector == "&&" and truth is False) or (connector == "||" and truth is True):
                continue
            if connector and truth is None:
                before = self._copied()
                self._node(node)
                self.expander.variables = joined(before, self.expander.variables)
            else:
                truth = self._node(node)
        return truth

    def _copied(self) -> Variables:
        self._spend(len(self.expander.variables))
        return dict(self.expander.variables)

    def _node(self, node: tree.Node) -> bool | None:
        if isinstance(node, tree.Simple):
            return self._simple(node)
        if isinstance(node, tree.Test):
            return _truth([word for part in node.words for word in self._words(part)])
        if isinstance(node, tree.Conditional):
            self._conditional(node)
        elif isinstance(node, tree.Case):
            self._case(node)
        elif isinstance(node, tree.ForEach):
            self._for_each(node)
        elif isinstance(node, tree.Loop):
            self._loop(node)
        elif isinstance(node, tree.Function):
            self.functions[node.name] = (node, self.places)
        elif isinstance(node, tree.Compute):
            self._changed_by(node.text)
        elif isinstance(node, tree.ShellGroup):
            return self._block(node.body)
        else:
            return self._block(node)
        return None

    def _words(self, word: ShellWord) -> Iterator[ScriptWord]:
        place = self.places.at(word.at)
        for each in self.expander.words(word, place):
            self._spend(1 + len(each.text) // 1000)
            yield each if each.line else ScriptWord(each.text, *place, each.problem, each.several)

    def _simple(self, node: tree.Simple) -> bool | None:
        words = [each for word in node.words for each in self._words(word)]
        for document in node.documents:
            self._document(document)
        while words and words[0].text in _SKIPPED:
            words.pop(0)
        name = words[0].text if words else ""
        if not words:
            self._assign(node)
            return True
        if name in _KNOWN:
            return _KNOWN[name](words)
        built_in = _BUILT_IN.get(name)
        if built_in is not None:
            built_in(self, words, node)
        elif name in self.functions:
            self._call(name, tuple(words[1:]))
        elif not self._runs_script(name.rpartition("/")[2], words, node) and not self.muted:
            self._run(Command(tuple(words)))
        return None

    def _run(self, command: Command) -> None:
        if len(self.commands) >= _MOST_COMMANDS:
            raise _TooLongError
        self.commands.append(command)
        if self.host is not None:
            self.host.ran(command)

    def _shift(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        del node
        number = words[1].text if len(words) > 1 else "1"
        if self.expander.arguments and re.fullmatch(r"\d{1,3}", number, re.ASCII):
            self.expander.arguments = self.expander.arguments[int(number) :]

    def _set_arguments(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        del node
        if [word.text for word in words[1:2]] == ["--"]:
            self.expander.arguments = tuple(words[2:])

    def _document(self, document: tree.ShellDocument) -> None:
        if self.muted:
            return
        line = self.places.at(document.at)[0]
        self._spend(1 + len(document.text) // 100)
        text = document.text
        if document.expands:
            text = self.expander.document(Parser(text).quoted_text()) if _balanced(text) else text
        self.documents.setdefault(line, HereDocument(text, line))

    def _runs_script(self, name: str, words: Sequence[ScriptWord], node: tree.Simple) -> bool:
        """Follow the text that a shell gets as an argument or as its input."""
        if name == "eval" and not any(word.problem for word in words):
            self._nested(" ".join(word.text for word in words[1:]), words[0])
            return True
        if name not in _SHELLS:
            return False
        for index, word in enumerate(words[1:], 1):
            if re.fullmatch(r"-\w*c", word.text, re.ASCII) and index + 1 < len(words):
                self._nested(words[index + 1].text, words[index + 1])
                return True
        for document in node.documents:
            outer, self.places = self.places, ScriptPlaces(document.text, self.places.at(document.at)[0])
            self._follow(document.text)
            self.places = outer
        return bool(node.documents)

    def _nested(self, text: str, word: ScriptWord) -> None:
        outer, self.places = self.places, ScriptPlaces(text, word.line, word.column + 1)
        self._follow(text)
        self.places = outer

    def _follow(self, text: str) -> None:
        """Follow another text as commands, at ``places``."""
        if self.depth >= _DEEPEST_CALL:
            return
        self._spend(1 + len(text) // 10)
        self.depth += 1
        parser = Parser(text, self.places, self.depth)
        with contextlib.suppress(MalformedError):  # the commands in front of it are there
            parser.parse()
        self._block(parser.block)
        self.depth -= 1

    def _call(self, name: str, arguments: tuple[ScriptWord, ...]) -> None:
        self.called.add(name)
        if len(self.calls) >= _DEEPEST_CALL:
            return
        function, places = self.functions[name]
        outer, before = self.places, self.expander.arguments
        self.places, self.expander.arguments = places, arguments
        self.calls.append({})
        self._block(function.body)
        for hidden, value in self.calls.pop().items():
            if value is None:
                self.expander.variables.pop(hidden, None)
            else:
                self.expander.variables[hidden] = value  # type: ignore[assignment]
        self.places, self.expander.arguments = outer, before

    # Variables

    def _declare(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        if words[0].text == "local" and self.calls:
            names = [item.name for item in node.assignments]
            names += [word.text for word in words if _NAME.match(word.text)]
            for name in names:
                self.calls[-1].setdefault(name, self.expander.variables.get(name))
        self._assign(node)

    def _assign(self, node: tree.Simple) -> None:
        variables = self.expander.variables
        for item in node.assignments:
            self._spend()
            before = variables.get(item.name)
            if isinstance(item.value, tuple):
                array = dict(before) if item.adds and isinstance(before, dict) else {}
                self._spend(len(array))
                for word in item.value:
                    self._add_item(array, word)
                variables[item.name] = array
                continue
            value = self.expander.value(item.value)
            if item.index is not None:
                array = before if isinstance(before, dict) else {}
                index = self.expander.value(Parser(item.index).word_text()).text
                array[index] = ScriptWord(value.text, *self.places.at(item.value.at), value.problem)
                variables[item.name] = array
            elif item.adds and isinstance(before, Value):
                variables[item.name] = Value(before.text + value.text, before.problem or value.problem)
            else:
                variables[item.name] = value
            self._spend((len(value.text) + (len(before.text) if isinstance(before, Value) else 0)) // 1000)

    def _add_item(self, array: dict[str, ScriptWord], word: ShellWord) -> None:
        first = word.parts[0] if word.parts else None
        match = re.match(r"\[([^\]]+)\]=", first.text) if isinstance(first, tree.Literal) and not first.quoted else None
        if match is not None and isinstance(first, tree.Literal):
            rest = ShellWord((tree.Literal(first.text[match.end() :], False), *word.parts[1:]), word.at)
            value = self.expander.value(rest)
            array[match[1]] = ScriptWord(value.text, *self.places.at(word.at), value.problem)
            return
        for item in self._words(word):
            array[str(len(array))] = item

    def _forget(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        del node
        for word in words[1:]:
            if _NAME.match(word.text):
                if words[0].text == "unset":
                    self.expander.variables.pop(word.text, None)
                else:
                    reason = f"only a shell knows the value of ${word.text}"
                    self.expander.variables[word.text] = Value(UNKNOWN_PART, reason)

    def _source(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        """Follow another script for the variables and functions that it sets; its places are those of the command."""
        del node
        text = self.host.file_named(words[1].text) if self.host is not None and len(words) > 1 else None
        if text is not None:
            outer, self.places = self.places, _OnePlace(text, words[0].line, words[0].column)
            self._follow(text)
            self.places = outer

    def _read(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        """Set the variables of ``read`` from a here-string."""
        value = self.expander.value(node.here) if node.here is not None else None
        if value is None or value.problem or not self._read_line(words, node, value.text.partition("\n")[0]):
            self._forget(words, node)

    def _read_line(self, words: Sequence[ScriptWord], node: tree.Simple, line: str) -> bool:
        """Set variables to the fields of a line; whether it is known how."""
        names = [word.text for word in words[1:] if not word.text.startswith("-")]
        options = {word.text for word in words[1:] if word.text.startswith("-")}
        if options - {"-r"} or not names or not all(map(_NAME.match, names)):
            return False
        given = next((item.value for item in node.assignments if item.name == "IFS"), None)
        between = self.expander.value(given).text if isinstance(given, ShellWord) else " \t"
        separator = between[0] if between.strip(" \t") else None
        fields = line.split(separator, len(names) - 1) if between else [line]
        for name, field in itertools.zip_longest(names, fields[: len(names)], fillvalue=""):
            unknown = "$(" in field
            reason = f"only a shell knows the value of ${name}"
            self.expander.variables[name] = Value(UNKNOWN_PART, reason) if unknown else Value(field.rstrip(" \t"))
        return True

    def _changed_by(self, formula: str) -> None:
        for match in _CHANGED.finditer(formula):
            name = match["name"]
            self.expander.variables[name] = Value(UNKNOWN_PART, f"${name} has several values")

    def _output(self, text: str, at: int) -> Value:
        """The output of commands, which are followed as well."""
        parser = Parser(text, ScriptPlaces(text, *self.places.at(at)), self.depth + 1)
        self._spend(1 + len(text) // 10)
        try:
            parser.parse()
        except MalformedError:
            return Value(UNKNOWN_PART, BY_COMMAND)
        nodes = [node for _, node in parser.block.steps]
        outer, self.places = self.places, parser.places
        try:
            if len(nodes) == 1 and isinstance(nodes[0], tree.Simple):
                self.muted += 1
                words = [each for word in nodes[0].words for each in self._words(word)]
                self.muted -= 1
                known = self._known_output(words)
                if known is not None:
                    return Value(known)
            if self.depth < _DEEPEST_CALL:
                before = self._copied()
                self.depth += 1
                self._block(parser.block)
                self.depth -= 1
                self.expander.variables = before
        finally:
            self.places = outer
        return Value(UNKNOWN_PART, BY_COMMAND)

    def _known_output(self, words: Sequence[ScriptWord]) -> str | None:
        texts = [word.text for word in words]
        if not texts or any(word.problem for word in words):
            return None
        if texts[0] == "echo" and not any(text.startswith("-") for text in texts[1:]):
            return " ".join(texts[1:])
        if texts[0] == "seq" and 2 <= len(texts) <= 4:  # noqa: PLR2004 - last; first, last; first, step, last
            if not all(re.fullmatch(r"-?\d{1,6}", text, re.ASCII) for text in texts[1:]):
                return None
            numbers = [int(text) for text in texts[1:]]
            first, step, last = ([1, 1, *numbers], [numbers[0], 1, numbers[-1]], numbers)[len(numbers) - 1]
            found = range(first, last + (1 if step > 0 else -1), step) if step else range(0)
            return "\n".join(map(str, found)) if len(found) <= _MOST_ITERATIONS else None
        return self.host.output_of(words) if self.host is not None else None

    # Branches and loops

    def _conditional(self, node: tree.Conditional) -> None:
        self._branch(
            (self._block(condition) if condition is not None else True, body) for condition, body in node.branches
        )

    def _branch(self, branches: Iterable[tuple[bool | None, tree.ShellBlock]]) -> None:
        """Run each branch whose condition can hold, until one holds. A condition is evaluated when it is reached."""
        ways: list[Variables] = []
        for holds, body in branches:
            if holds is False:
                continue
            before = self._copied()
            self._block(body)
            ways.append(self.expander.variables)
            if holds is True:
                break
            self.expander.variables = before
        else:
            ways.append(self.expander.variables)
        self._join(ways)

    def _join(self, ways: Sequence[Variables]) -> None:
        found = ways[0]
        for other in ways[1:]:
            self._spend(len(found))
            found = joined(found, other)
        self.expander.variables = found

    def _case(self, node: tree.Case) -> None:
        subject = self.expander.value(node.subject)
        self._branch(
            (None if subject.problem else self._matches(subject.text, patterns), body)
            for patterns, body in node.branches
        )

    def _matches(self, subject: str, patterns: Sequence[ShellWord]) -> bool | None:
        found: bool | None = False
        for pattern in patterns:
            value = self.expander.value(pattern)
            if value.problem:
                found = None
            elif fnmatch.fnmatchcase(subject, value.text):
                return True
        return found

    def _for_each(self, node: tree.ForEach) -> None:
        if node.words is None:
            items = self.expander.arguments
            words = list(items) if items is not None else [ScriptWord(UNKNOWN_PART, 1, 1, "", several=True)]
        else:
            words = [each for word in node.words for each in self._words(word)]
        unknown = any(word.several for word in words) or len(words) > _MOST_ITERATIONS
        if unknown or any("*" in word.text for word in words):
            reason = f"only a shell knows the value of ${node.name}"
            self.expander.variables[node.name] = Value(UNKNOWN_PART, reason)
            self._repeated(node.body)
            return
        for word in words:
            self.expander.variables[node.name] = Value(word.text, word.problem)
            self._block(node.body)

    def _loop(self, node: tree.Loop) -> None:
        match = _HEADER.match(node.header) if node.header else None
        numbers = self._numbers(match) if match else None
        if match is not None and numbers is not None:
            for number in numbers:
                self.expander.variables[match["name"]] = Value(str(number))
                self._block(node.body)
            return
        if node.input is not None:
            self._simple(node.input)
            if self._read_lines(node):
                return
        self._changed_by(node.header)
        self._block(node.condition)
        self._repeated(node.body)

    def _read_lines(self, node: tree.Loop) -> bool:
        """Follow ``while read`` for each line of its input; whether these are known."""
        reader = node.condition.steps[-1][1] if node.condition.steps else None
        lines = self._lines(node.input) if node.input is not None else None
        if not isinstance(reader, tree.Simple) or lines is None or len(lines) > _MOST_ITERATIONS:
            return False
        words = [each for word in reader.words for each in self._words(word)]
        if not words or words[0].text != "read":
            return False
        for line in lines:
            if not self._read_line(words, reader, line):
                return False
            self._block(node.body)
        return True

    def _lines(self, given: tree.Simple) -> list[str] | None:
        """The lines of a here-document or a here-string."""
        if given.documents:
            document = given.documents[-1]
            known = not document.expands or not _balanced(document.text)
            text = document.text if known else self.expander.document(Parser(document.text).quoted_text())
            return text.splitlines()
        value = self.expander.value(given.here) if given.here is not None else None
        return value.text.split("\n") if value is not None and not value.problem else None

    def _numbers(self, match: re.Match[str]) -> range | None:
        first, last = self.expander.number(match["first"]), self.expander.number(match["last"])
        step = int(match["step"] or 1)
        if first is None or last is None or not step:
            return None
        found = range(first, last + (1 if match["compare"] == "<=" else 0), step)
        return found if len(found) <= _MOST_ITERATIONS else None

    def _repeated(self, body: tree.ShellBlock) -> None:
        """A body that runs any number of times: what it changes is not known while it runs."""
        before, documents = self._copied(), dict(self.documents)
        self.muted += 1
        self._block(body)
        self.muted -= 1
        self.documents = documents
        self.expander.variables = joined(before, self.expander.variables)
        self._block(body)


class _OnePlace(ScriptPlaces):
    """The same place for every offset of a text."""

    def __init__(self, text: str, line: int, column: int) -> None:
        super().__init__(text)
        self._place = line, column

    def at(self, offset: int) -> tuple[int, int]:
        """The place, whatever the offset."""
        del offset
        return self._place


def _balanced(text: str) -> bool:
    """Whether the text of a here-document can be read as one: its substitutions are closed."""
    try:
        Parser(text).quoted_text()
    except MalformedError:
        return False
    return True


def _truth(words: Sequence[ScriptWord]) -> bool | None:
    """Whether a test holds; None if a shell has to say it."""
    texts = [word.text for word in words]
    if texts[:1] == ["!"]:
        inner = _truth(words[1:])
        return None if inner is None else not inner
    if any(word.problem for word in words):
        return None
    if len(texts) == 1:
        return bool(texts[0])
    if len(texts) == 2 and texts[0] in ("-z", "-n"):  # noqa: PLR2004 - operator and operand
        return bool(texts[1]) == (texts[0] == "-n")
    return _compared(*texts) if len(texts) == 3 else None  # noqa: PLR2004 - operand, operator, operand


def _compared(one: str, kind: str, other: str) -> bool | None:
    if kind in ("=", "==", "!="):
        return fnmatch.fnmatchcase(one, other) == (kind != "!=")
    numbers = [int(text) for text in (one, other) if re.fullmatch(r"-?\d{1,12}", text, re.ASCII)]
    return _COMPARISONS[kind](*numbers) if kind in _COMPARISONS and len(numbers) == 2 else None  # noqa: PLR2004 - both


_COMPARISONS = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}
_KNOWN: Mapping[str, Callable[[Sequence[ScriptWord]], bool | None]] = {
    "[": lambda words: _truth(words[1:-1]),
    "test": lambda words: _truth(words[1:]),
    "true": lambda _: True,
    ":": lambda _: True,
    "false": lambda _: False,
}
"""Commands that only succeed or fail."""
_BUILT_IN: Mapping[str, Callable[[_ScriptFollower, Sequence[ScriptWord], tree.Simple], None]] = {
    **dict.fromkeys(syntax.DECLARING, _ScriptFollower._declare),  # noqa: SLF001 - the table of the class above
    **dict.fromkeys(("source", "."), _ScriptFollower._source),  # noqa: SLF001
    "read": _ScriptFollower._read,  # noqa: SLF001
    **dict.fromkeys(("mapfile", "readarray", "getopts", "unset"), _ScriptFollower._forget),  # noqa: SLF001
    "shift": _ScriptFollower._shift,  # noqa: SLF001
    "set": _ScriptFollower._set_arguments,  # noqa: SLF001
}
"""Commands that change variables."""

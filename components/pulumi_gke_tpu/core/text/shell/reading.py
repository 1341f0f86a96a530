"""Follows a script through its branches, loops and functions, and collects the commands on the way.

Nothing is executed. Where only a shell knows which branch runs, each one does; a variable that differs after that is
not known. A script is followed for a limited number of steps, whatever its loops and functions say.
"""

import contextlib
import fnmatch
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import syntax, tree
from pulumi_gke_tpu.core.text.shell.branches import condition_text
from pulumi_gke_tpu.core.text.shell.commands import CONDITIONS, FILTERS, PRINTERS, filtered, truth
from pulumi_gke_tpu.core.text.shell.expansion import BY_COMMAND, SEVERAL, Expander, Value, Variables, joined
from pulumi_gke_tpu.core.text.shell.model import (
    SETTINGS,
    UNKNOWN_PART,
    Command,
    HereDocument,
    Script,
    ScriptWord,
    ShellProblem,
)
from pulumi_gke_tpu.core.text.shell.places import OnePlace, ScriptPlaces
from pulumi_gke_tpu.core.text.shell.state import NAME, ScriptState, TooLongError
from pulumi_gke_tpu.core.text.shell.syntax import MalformedError, Parser
from pulumi_gke_tpu.core.text.shell.tree import ShellWord

LARGEST = 4_000_000
_MOST_COMMANDS = 5_000
_MOST_ITERATIONS = 1_000
_DEEPEST_CALL = 20
_MOST_BEFORE = 12
_MOST_BRANCHES = 6
"""On which one command depends."""
_MOST_FOLLOWED = 2_000
"""Ways of all commands."""
_SKIPPED = frozenset({"!", "time", "exec", "command", "sudo", "nohup", "$"})
_SHELLS = frozenset({"bash", "sh", "zsh", "ksh", "dash"})
_TO_FOLLOW = "the script runs more commands than gke-tpu follows"
_HEADER = lazy_pattern(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*=(?P<first>[^;]+);\s*(?P=name)\s*(?P<compare><=?)(?P<last>[^;]+);"
    r"\s*(?:\+\+(?P=name)|(?P=name)\s*\+\+|(?P=name)\s*\+=\s*(?P<step>\d{1,6}))\s*\Z",
    re.ASCII,
)
_CHANGED = lazy_pattern(r"(?:\+\+|--)?\b(?P<name>[A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%]?=(?!=))", re.ASCII)


class Host(Protocol):
    """What knows the commands of a tool while a script is followed."""

    def ran(self, command: Command) -> None:
        """A command runs."""

    def output_of(self, words: Sequence[ScriptWord]) -> str | None:
        """The output of a command; None if it is not known."""

    def file_named(self, path: str) -> str | None:
        """The text of another file; None if it is not known. The beginning of the path may be unknown."""

    def alternative(self) -> contextlib.AbstractContextManager[None]:
        """What runs inside is one of several things that the next command may be."""


def read_script(
    text: str, host: Host | None = None, *, line: int = 1, variables: Mapping[str, str] | None = None
) -> Script:
    """The commands that a script runs, in the order in which it runs them, and its here-documents.

    ``line`` is that of its first line in its file; ``variables`` are set before it runs.
    """
    follower = _ScriptFollower(host)
    follower.expander.variables |= {name: Value(value) for name, value in (variables or {}).items()}
    return follower.read(text.replace(UNKNOWN_PART, "..."), line)


class _LeaveError(Exception):
    """A command leaves a loop, a function or the script: continue, break, return or exit."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class _ScriptFollower(ScriptState):
    def __init__(self, host: Host | None) -> None:
        super().__init__(Expander(self._output))
        self.host = host
        self.commands: list[Command] = []
        self.documents: dict[int, HereDocument] = {}
        self.functions: dict[str, tuple[tree.Function, ScriptPlaces]] = {}
        self.called: set[str] = set()
        self.muted = 0
        self.depth = 0
        self.followed = 0
        self.unusual: tuple[int, ...] = ()
        """The branches of which another way than the last one is followed for a command."""

    def read(self, text: str, line: int) -> Script:
        parser = Parser(text, ScriptPlaces(text, line))
        self.places = parser.places
        problem: ShellProblem | None = None
        try:
            parser.parse()
        except MalformedError as error:
            problem = error.problem
        try:
            with contextlib.suppress(_LeaveError):
                self._block(parser.block)
            self._uncalled()
        except TooLongError:
            last = self.commands[-1].words[0] if self.commands else None
            problem = ShellProblem(_TO_FOLLOW, last.line if last else 1, last.column if last else 1)
        documents = tuple(self.documents[line] for line in sorted(self.documents))
        return Script(tuple(self.commands), problem, documents)

    def _uncalled(self) -> None:
        """The functions that the script only defines, with unknown arguments."""
        for name, (function, places) in list(self.functions.items()):
            if name not in self.called:
                self.expander.arguments, self.places = None, places
                with contextlib.suppress(_LeaveError):
                    self._block(function.body)

    # Commands

    def _block(self, block: tree.ShellBlock) -> bool | None:
        """Follow commands; whether the last one succeeds, if that is known."""
        truth: bool | None = True
        earlier: list[tree.Node] = []
        for connector, node in block.steps:
            self._spend()
            earlier = [*earlier, node] if connector else [node]
            if (connector == "&&" and truth is False) or (connector == "||" and truth is True):
                continue
            if connector and truth is None:
                before = self._copied()
                try:
                    self._node(node)
                    condition = condition_text(earlier[:-1])
                    self._join([self.expander.variables, before], self._new_branch(), condition, optional=True)
                except _LeaveError:
                    self.expander.variables = before
                continue
            try:
                truth = self._node(node)
            except _LeaveError as leave:  # a check of an argument that only who starts the script gives
                if not connector or leave.kind != "exit":
                    raise
        return truth

    def _iteration(self, body: tree.ShellBlock) -> bool:
        """Follow the body of a loop once; whether the loop goes on."""
        try:
            self._block(body)
        except _LeaveError as leave:
            if leave.kind not in ("continue", "break"):
                raise
            return leave.kind == "continue"
        return True

    def _node(self, node: tree.Node) -> bool | None:
        if isinstance(node, tree.Simple):
            return self._simple(node)
        if isinstance(node, tree.Test):
            return truth([word for part in node.words for word in self._words(part)])
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

    def _simple(self, node: tree.Simple) -> bool | None:
        met, self.expander.met = self.expander.met, {}
        words = [each for word in node.words for each in self._words(word)]
        met, self.expander.met = self.expander.met, met
        if met and not self.muted and self._runs_gcloud(words) and self._followed_ways(node, met):
            return None
        for document in node.documents:
            self._document(document)
        while words and words[0].text in _SKIPPED:
            words.pop(0)
        name = words[0].text if words else ""
        if not words:
            self._assign(node)
            return True
        if name in _LEAVING:
            raise _LeaveError(name)
        if name in CONDITIONS:
            return CONDITIONS[name](words)
        built_in = _BUILT_IN.get(name)
        if built_in is not None:
            built_in(self, words, node)
        elif name in self.functions:
            self._call(name, tuple(words[1:]))
        elif not self._runs_script(name.rpartition("/")[2], words, node) and not self.muted:
            self._run(Command(tuple(words), self._settings(node)))
        return None

    def _settings(self, node: tree.Simple) -> dict[str, str]:
        """The variables of the environment of a command from which gcloud takes values that no flag gives."""
        own = {each.name: each.value for each in node.assignments if isinstance(each.value, ShellWord)}
        variables = self.expander.variables
        values = ((name, self.expander.value(own[name]) if name in own else variables.get(name)) for name in SETTINGS)
        return {name: value.text for name, value in values if isinstance(value, Value)}

    def _runs_gcloud(self, words: Sequence[ScriptWord]) -> bool:
        """Whether a command may be one of gcloud."""
        first = words[0].text if words else ""
        return first in self.functions or first == "eval" or any("gcloud" in word.text for word in words[:_MOST_BEFORE])

    def _followed_ways(self, node: tree.Simple, met: Mapping[int, int]) -> bool:
        """Follow a command after each way through a branch, for what the host makes of it then; whether that is all.

        Of several branches beside each other, one takes each way, and in the others nothing changes. If that may not be
        possible, the command stays with what is certain.
        """
        taken, unusual = self.expander.taken, self.unusual
        branch, number = next((each for each in met.items() if each[0] not in taken), (0, 0))
        self.followed += number
        if self.host is None or not number or len(met) > _MOST_BRANCHES or self.followed > _MOST_FOLLOWED:
            return False
        if self._exclude_each_other(met):
            return False
        around = self.branches[branch].inside if branch in self.branches else ()
        is_free = {*unusual} <= {*around}
        for way in range(number) if is_free else (number - 1,):
            before, commands = self._copied(), len(self.commands)
            self.expander.taken = {**taken, branch: way}
            self.unusual = unusual if way == number - 1 else (*unusual, branch)
            with self.host.alternative(), contextlib.suppress(_LeaveError):
                self._simple(node)
            self.expander.taken, self.unusual, self.expander.variables = taken, unusual, before
            del self.commands[commands:]
        return bool(taken)

    def _run(self, command: Command) -> None:
        if len(self.commands) >= _MOST_COMMANDS:
            raise TooLongError
        self.commands.append(command)
        if self.host is not None:
            self.host.ran(command)

    def _shift(self, words: Sequence[ScriptWord], _node: tree.Simple) -> None:
        number = words[1].text if len(words) > 1 else "1"
        if self.expander.arguments and re.fullmatch(r"\d{1,3}", number, re.ASCII):
            self.expander.arguments = self.expander.arguments[int(number) :]

    def _set_arguments(self, words: Sequence[ScriptWord], _node: tree.Simple) -> None:
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
        if name == "ssh" and "gcloud" in words[-1].text and not words[-1].problem:
            self._nested(words[-1].text, words[-1])
            return True
        if name not in _SHELLS:
            return False
        for index, word in enumerate(words[1:], 1):
            if re.fullmatch(r"-\w*c", word.text, re.ASCII) and index + 1 < len(words):
                self._nested(words[index + 1].text, words[index + 1])
                return True
        for document in node.documents:
            self._follow(document.text, ScriptPlaces(document.text, self.places.at(document.at)[0]))
        return bool(node.documents)

    def _nested(self, text: str, word: ScriptWord) -> None:
        self._follow(text, ScriptPlaces(text, word.line, word.column + 1))

    def _follow(self, text: str, places: ScriptPlaces) -> None:
        """Follow another text as commands."""
        if self.depth >= _DEEPEST_CALL:
            return
        self._spend(1 + len(text) // 10)
        outer, self.places = self.places, places
        self.depth += 1
        parser = Parser(text, self.places, self.depth)
        with contextlib.suppress(MalformedError):  # the commands in front of it are there
            parser.parse()
        with contextlib.suppress(_LeaveError):
            self._block(parser.block)
        self.depth -= 1
        self.places = outer

    def _call(self, name: str, arguments: tuple[ScriptWord, ...]) -> None:
        self.called.add(name)
        if len(self.calls) >= _DEEPEST_CALL:
            return
        function, places = self.functions[name]
        outer, before = self.places, self.expander.arguments
        self.places, self.expander.arguments = places, arguments
        self.calls.append({})
        try:
            self._block(function.body)
        except _LeaveError as leave:
            if leave.kind != "return":
                raise
        finally:
            for hidden, value in self.calls.pop().items():
                if value is None:
                    self.expander.variables.pop(hidden, None)
                else:
                    self.expander.variables[hidden] = value  # type: ignore[assignment]
            self.places, self.expander.arguments = outer, before

    # Input of variables

    def _source(self, words: Sequence[ScriptWord], _node: tree.Simple) -> None:
        """Follow another script for the variables and functions that it sets; its places are those of the command."""
        text = self.host.file_named(words[1].text) if self.host is not None and len(words) > 1 else None
        if text is not None:
            self._follow(text, OnePlace(text, words[0].line, words[0].column))

    def _read(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        """Set the variables of ``read`` from its input."""
        text = self._input(node)
        if text is None or not self._read_line(words, node, text.partition("\n")[0]):
            self._forget(words, node)

    def _read_lines_into(self, words: Sequence[ScriptWord], node: tree.Simple) -> None:
        """Set the array of ``mapfile`` to the lines of its input."""
        text, last = self._input(node), words[-1]
        options = {word.text for word in words[1:-1]}
        if text is None or options - {"-t"} or not NAME.match(last.text):
            self._forget(words, node)
            return
        lines = text.splitlines()
        self._spend(len(lines))
        self._set_array(last.text, lines, last)

    def _changed_by(self, formula: str) -> None:
        for match in _CHANGED.finditer(formula):
            name = match["name"]
            self.expander.variables[name] = Value(UNKNOWN_PART, f"${name} {SEVERAL}")

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
            if self._is_pipeline(nodes):
                known = self._printed(nodes[-1])
                if known is not None:
                    return Value(known.rstrip("\n"))
            if self.depth < _DEEPEST_CALL:
                before = self._copied()
                self.depth += 1
                with contextlib.suppress(_LeaveError):
                    self._block(parser.block)
                self.depth -= 1
                self.expander.variables = before
        finally:
            self.places = outer
        return Value(UNKNOWN_PART, BY_COMMAND)

    @staticmethod
    def _is_pipeline(nodes: Sequence[tree.Node]) -> bool:
        """Whether each command gets the output of the one before it."""
        pairs = itertools.pairwise(nodes)
        return bool(nodes) and all(isinstance(each, tree.Simple) and each.feeder is before for before, each in pairs)

    def _input(self, node: tree.Simple) -> str | None:
        """What a command reads; None if only a shell knows it."""
        if node.documents:
            document = node.documents[-1]
            known = not document.expands or not _balanced(document.text)
            return document.text if known else self.expander.document(Parser(document.text).quoted_text())
        if node.here is not None:
            value = self.expander.value(node.here)
            return value.text if not value.problem else None
        if node.file is not None:
            value = self.expander.value(node.file)
            return self.host.file_named(value.text) if self.host is not None else None
        if node.produced is not None:
            value = self._output(node.produced.text, node.produced.at)
            return value.text if not value.problem else None
        return self._printed(node.feeder) if node.feeder is not None else None

    def _printed(self, node: tree.Node) -> str | None:
        """What a command writes; None if only a shell knows it."""
        if not isinstance(node, tree.Simple):
            return None
        self.muted += 1
        words = [each for word in node.words for each in self._words(word)]
        self.muted -= 1
        if not words:
            return self._input(node) if node.file is not None else None
        texts = [word.text for word in words]
        if any(word.problem for word in words) and texts[0] != "cat":
            return None
        if texts[0] in FILTERS:
            *options, name = texts[1:] or [""]
            read = self.host.file_named if self.host is not None else lambda _: None
            given = read(name) if name and not name.startswith(("-", "+")) else None
            if given is None:
                options, given = texts[1:], self._input(node)
            self._spend(1 + len(given or "") // 100)
            return filtered(texts[0], options, given) if given is not None else None
        if texts[0] in PRINTERS:
            return PRINTERS[texts[0]](texts[1:])
        return self.host.output_of(words) if self.host is not None else None

    # Branches and loops

    def _conditional(self, node: tree.Conditional) -> None:
        conditions = (
            (self._block(condition) if condition is not None else True, body) for condition, body in node.branches
        )
        self._branch(conditions, condition_text(condition for condition, _ in node.branches))

    def _branch(self, branches: Iterable[tuple[bool | None, tree.ShellBlock]], condition: str) -> None:
        """Run each branch whose condition can hold, until one holds. A condition is evaluated when it is reached."""
        ways: list[Variables] = []
        left: _LeaveError | None = None
        number, outer, optional = self._new_branch(), self.inside, False
        for holds, body in branches:
            if holds is False:
                continue
            before = self._copied()
            self.inside = (*outer, number)
            try:
                self._block(body)
                ways.append(self.expander.variables)
            except _LeaveError as leave:
                left = leave
            self.inside = outer
            if holds is True:
                self.expander.variables = before
                break
            self.expander.variables = before
        else:
            optional = True
            ways.append(self.expander.variables)
        if ways:
            self._join(ways, number, condition, optional=optional)
        elif left is not None and left.kind != "exit":
            raise left

    def _case(self, node: tree.Case) -> None:
        subject = self.expander.value(node.subject)
        conditions = (
            (self._matches(None if subject.problem else subject.text, patterns), body)
            for patterns, body in node.branches
        )
        patterns = (pattern for patterns, _ in node.branches for pattern in patterns)
        self._branch(conditions, condition_text([node.subject, *patterns]))

    def _matches(self, subject: str | None, patterns: Sequence[ShellWord]) -> bool | None:
        found: bool | None = False
        for pattern in patterns:
            value = self.expander.value(pattern)
            if pattern.plain == "*":
                return True
            if value.problem or subject is None:
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
            if not self._iteration(node.body):
                break

    def _loop(self, node: tree.Loop) -> None:
        match = _HEADER.match(node.header) if node.header else None
        numbers = self._numbers(match) if match else None
        if match is not None and numbers is not None:
            for number in numbers:
                self.expander.variables[match["name"]] = Value(str(number))
                if not self._iteration(node.body):
                    break
            return
        given = node.input
        if given is not None:
            self._simple(given)
        elif node.feeder is not None:
            given = tree.Simple(feeder=node.feeder)
        if given is not None and self._read_lines(node, given):
            return
        self._changed_by(node.header)
        self._block(node.condition)
        self._repeated(node.body)

    def _read_lines(self, node: tree.Loop, given: tree.Simple) -> bool:
        """Follow ``while read`` for each line of its input; whether these are known."""
        reader = next((step for _, step in node.condition.steps if isinstance(step, tree.Simple)), None)
        text = self._input(given)
        lines = text.splitlines() if text is not None else []
        if reader is None or text is None or len(lines) > _MOST_ITERATIONS:
            return False
        words = [each for word in reader.words for each in self._words(word)]
        if not words or words[0].text != "read":
            return False
        for line in lines:
            if not self._read_line(words, reader, line):
                return False
            if not self._iteration(node.body):
                break
        return True

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
        with contextlib.suppress(_LeaveError):
            self._block(body)
        self.muted -= 1
        self.documents = documents
        self.expander.variables = joined(before, self.expander.variables)
        with contextlib.suppress(_LeaveError):
            self._block(body)


def _balanced(text: str) -> bool:
    """Whether the text of a here-document can be read as one: its substitutions are closed."""
    try:
        Parser(text).quoted_text()
    except MalformedError:
        return False
    return True


_LEAVING = frozenset({"continue", "break", "return", "exit"})
_BUILT_IN: Mapping[str, Callable[[_ScriptFollower, Sequence[ScriptWord], tree.Simple], None]] = {
    **dict.fromkeys(syntax.DECLARING, _ScriptFollower._declare),  # noqa: SLF001 - the table of the class above
    **dict.fromkeys(("source", "."), _ScriptFollower._source),  # noqa: SLF001
    "read": _ScriptFollower._read,  # noqa: SLF001
    **dict.fromkeys(("mapfile", "readarray"), _ScriptFollower._read_lines_into),  # noqa: SLF001
    **dict.fromkeys(("getopts", "unset"), _ScriptFollower._forget),  # noqa: SLF001
    "shift": _ScriptFollower._shift,  # noqa: SLF001
    "set": _ScriptFollower._set_arguments,  # noqa: SLF001
}
"""Commands that change variables."""

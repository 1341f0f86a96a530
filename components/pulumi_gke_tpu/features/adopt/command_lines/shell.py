"""Reads shell scripts as data: the words of their commands, with the variables that the script itself sets.

Nothing is executed. A word whose text only a shell could know has a problem instead; scripts use such words for much
that is not about a plan, so the reader of a command decides whether it needs the word.
"""

import re
from collections.abc import Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

LARGEST = 4_000_000
_LONGEST_VALUE = 20_000
_NAME = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNMENT = lazy_pattern(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)\Z", re.ASCII | re.DOTALL)
_DEFAULT = lazy_pattern(r"(?P<name>[A-Za-z_]\w*)(?P<kind>:?[-=])(?P<word>[^${}`\"'\\]*)\Z", re.ASCII)
_DECLARING = frozenset({"export", "readonly", "declare", "local", "typeset"})
_KEYWORDS = frozenset(
    {"do", "then", "else", "elif", "if", "while", "until", "!", "{", "time", "exec", "command", "sudo"}
)
_REDIRECTION = lazy_pattern(
    r"<<<|<<-?[ \t]*(?P<end>\\?[\w.-]+|'[^'\n]*'|\"[^\"\n]*\")|<<|[<>]\(|[<>][>&|]?[-\d]?", re.ASCII
)
_DESCRIPTOR = lazy_pattern(r"\d+(?=[<>])", re.ASCII)
_ENDS = "\n;&|()"
_BLANK = " \t\r"


@frozen
class ScriptWord:
    """One word. With a ``problem``, its text is only as far as it is known."""

    text: str
    line: int
    column: int
    problem: str = ""


@frozen
class Command:
    """One simple command without its redirections and assignments."""

    words: tuple[ScriptWord, ...]


@frozen
class ShellProblem:
    """Why a script ends early, and where."""

    message: str
    line: int
    column: int


@frozen
class Script:
    """The commands up to the first problem of form."""

    commands: tuple[Command, ...]
    problem: ShellProblem | None = None


def read_script(text: str) -> Script:
    """The commands of a script, in its order, whichever branch of the script runs them."""
    reader = _ScriptReader(text)
    try:
        commands = tuple(reader.commands())
    except _MalformedError as error:
        return Script(tuple(reader.found), error.problem)
    return Script(commands)


class _MalformedError(Exception):
    def __init__(self, problem: ShellProblem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class _Parts:
    """A word while it is read, and the words in front of it that come from the same word of the script."""

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column
        self.done: list[ScriptWord] = []
        self.text: list[str] = []
        self.problem = ""
        self.quoted = False

    def expand(self, value: str, problem: str) -> None:
        """Add the value of an unquoted variable, which ends a word at each blank, except in an assignment."""
        self.problem = problem or self.problem
        assigns = not self.done and bool(_ASSIGNMENT.match("".join(self.text[:1])))
        for index, part in enumerate([value] if assigns else _fields(value)):
            if index:
                self.done.append(ScriptWord("".join(self.text), self.line, self.column, self.problem))
                self.text = []
            self.text.append(part)

    def words(self) -> list[ScriptWord]:
        """The words; none for variables without a value."""
        last = ScriptWord("".join(self.text), self.line, self.column, self.problem)
        return [word for word in (*self.done, last) if word.text or word.problem or self.quoted]


class _ScriptReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.line_start = 0
        self.counted = 0
        self.variables: dict[str, str | None] = {}
        """None where the script sets a value that only a shell knows."""
        self.found: list[Command] = []
        self.documents: list[str] = []
        """The ends of the here-documents that begin on the next line."""

    def commands(self) -> Iterator[Command]:
        words: list[ScriptWord] = []
        skip_next = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK:
                self.at += 1
            elif self.text.startswith(("\\\n", "\\\r\n"), self.at):
                self.at = self.text.index("\n", self.at) + 1
            elif char == "#":
                self._skip_line()
            elif char in _ENDS:
                yield from self._ended(words)
                words = []
                self.at += 1
                if char == "\n":
                    self._skip_documents()
            elif char in "<>":
                skip_next = self._redirection()
            else:
                number = _DESCRIPTOR.match(self.text, self.at)
                if number:
                    self.at = number.end()
                    continue
                read = self._word()
                if not skip_next:
                    words += read
                skip_next = False
        yield from self._ended(words)

    def _ended(self, words: list[ScriptWord]) -> Iterator[Command]:
        """The command of these words, if one is left behind the assignments, which are carried out."""
        rest = list(words)
        while rest and (rest[0].text in _KEYWORDS or rest[0].text == "$"):
            rest.pop(0)
        if rest and rest[0].text in {"for", "read", "select"} and len(rest) > 1:
            self.variables[rest[1].text] = None
            return
        declared = bool(rest) and rest[0].text in _DECLARING
        if declared:
            rest = [word for word in rest[1:] if not word.text.startswith("-")]
        assigned: dict[str, str | None] = {}
        while rest and (match := _ASSIGNMENT.match(rest[0].text)):
            assigned[match["name"]] = None if rest[0].problem else match["value"]
            rest.pop(0)
        if declared or not rest:
            self.variables |= assigned
            return
        command = Command(tuple(rest))
        self.found.append(command)
        yield command

    def _word(self) -> list[ScriptWord]:
        """The words that one word of the script becomes: several where an unquoted variable has blanks."""
        parts = _Parts(*self._place(self.at))
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK or char in _ENDS or char in "<>":
                break
            if char in "'\"":
                self._quoted(parts)
            elif char in "$`":
                value, reason = self._expansion()
                parts.expand(value, reason)
            elif char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                parts.text.append("" if following == "\n" else following)
                self.at += 2
            else:
                end = self.at + 1
                while end < len(self.text) and self.text[end] not in _SPECIAL:
                    end += 1
                parts.text.append(self.text[self.at : end])
                self.at = end
        return parts.words()

    def _quoted(self, parts: "_Parts") -> None:
        parts.quoted = True
        if self.text[self.at] == '"':
            parts.problem = self._double_quoted(parts.text) or parts.problem
            return
        end = self.text.find("'", self.at + 1)
        if end < 0:
            self._malformed("this quote is not closed")
        parts.text.append(self.text[self.at + 1 : end])
        self.at = end + 1

    def _double_quoted(self, text: list[str]) -> str:
        """Read up to the closing quote; the problem of what is inside."""
        start, problem = self.at, ""
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return problem
            if char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                text.append("" if following == "\n" else following if following in '"\\$`' else "\\" + following)
                self.at += 2
            elif char in "$`":
                value, reason = self._expansion()
                problem = reason or problem
                text.append(value)
            else:
                end = self.at + 1
                while end < len(self.text) and self.text[end] not in '"\\$`':
                    end += 1
                text.append(self.text[self.at : end])
                self.at = end
        self.at = start
        self._malformed("this quote is not closed")
        return problem

    def _expansion(self) -> tuple[str, str]:
        """The value at a dollar sign or a backtick, or why only a shell knows it."""
        start = self.at
        if self.text[start] == "`":
            end = self.text.find("`", start + 1)
            if end < 0:
                self._malformed("this backtick is not closed")
            self.at = end + 1
            return "", "it contains the output of a command"
        if self.text.startswith("$(", start):
            self._skip_parentheses()
            return "", "it contains the output of a command"
        if self.text.startswith("${", start):
            end = self.text.find("}", start)
            if end < 0:
                self._malformed("this brace is not closed")
            self.at = end + 1
            return self._value(self.text[start + 2 : end])
        name = _NAME.match(self.text, start + 1)
        if name:
            self.at = name.end()
            return self._value(name[0])
        following = self.text[start + 1 : start + 2]
        if following and following in "@*#?$!-0123456789":
            self.at = start + 2
            return "", f"only a shell knows the value of ${following}"
        self.at = start + 1
        return "$", ""

    def _value(self, inside: str) -> tuple[str, str]:
        default = _DEFAULT.match(inside)
        name = default["name"] if default else inside
        if not _NAME.fullmatch(name):
            return "", "it contains an expansion that only a shell knows"
        if name not in self.variables and default:
            if "=" in default["kind"]:
                self.variables[name] = default["word"]
            return default["word"], ""
        if name not in self.variables:
            return "", f"the script does not set ${name}"
        value = self.variables[name]
        if value is None:
            return "", f"only a shell knows the value of ${name}"
        if len(value) > _LONGEST_VALUE:
            return "", f"the value of ${name} is longer than {_LONGEST_VALUE:,} characters"
        return value, ""

    def _skip_parentheses(self) -> None:
        start, depth = self.at, 0
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
            elif char in "'\"":
                end = self.text.find(char, self.at + 1)
                if end < 0:
                    break
                self.at = end
            elif char == "(":
                depth += 1
            elif char == ")":
                depth -= 1
                if not depth:
                    self.at += 1
                    return
            self.at += 1
        self.at = start
        self._malformed("this parenthesis is not closed")

    def _redirection(self) -> bool:
        """Skip an operator; whether its target is the next word. A here-document begins on the next line."""
        match = _REDIRECTION.match(self.text, self.at)
        assert match is not None
        if match[0] in {"<(", ">("}:
            self._skip_parentheses()
            return False
        self.at = match.end()
        if match["end"]:
            self.documents.append(match["end"].strip("\\'\""))
            return False
        return not match[0].endswith(tuple("-0123456789"))

    def _skip_documents(self) -> None:
        for end in self.documents:
            start = self.at
            while True:
                if self.at >= len(self.text):
                    self.at = start
                    self._malformed(f"this here-document does not end: a line {end} is missing")
                line_end = self.text.find("\n", self.at)
                line_end = len(self.text) if line_end < 0 else line_end
                line = self.text[self.at : line_end].strip()
                self.at = line_end + 1
                if line == end:
                    break
        self.documents = []

    def _skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column. Places are asked for in the order of the text, so that each line is counted once."""
        if at < self.counted:
            return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        self.line += self.text.count("\n", self.counted, at)
        self.line_start = max(self.line_start, self.text.rfind("\n", self.counted, at) + 1)
        self.counted = at
        return self.line, at - self.line_start + 1

    def _malformed(self, message: str) -> None:
        raise _MalformedError(ShellProblem(message, *self._place(self.at)))


_SPECIAL = frozenset(_BLANK + _ENDS + "<>'\"\\$`")


def _fields(value: str) -> list[str]:
    """An unquoted value at its blanks. An empty part at an end separates it from the text beside it."""
    if not value or value.isspace():
        return ["", ""] if value else [""]
    parts = value.split()
    return [*([""] if value[0].isspace() else []), *parts, *([""] if value[-1].isspace() else [])]

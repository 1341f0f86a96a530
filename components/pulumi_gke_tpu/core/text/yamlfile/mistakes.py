"""Finds the fix of a syntax error."""

import re
from collections.abc import Callable

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Fix, Verbatim, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.refuse import Problems, StopReading, as_text, in_double_quotes
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_SHOWN = 60
"""Maximum number of characters that a message quotes."""
_FURTHEST = 100
"""Maximum number of comment lines to skip on the way to the line above."""
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")

_COMMENT = lazy_pattern(r"(?<!\s)\s+#.*")
_ASSIGNMENT = lazy_pattern(r"[\w-]+ *= *[^=\s]")
_INDENT = lazy_pattern(r" *(?:- +)*")
_ENTRY = lazy_pattern(r"^[^\s\"'{]+: ")
_BRACKETS = lazy_pattern(
    r"""(?<=[\s,\[{:])"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[\s,\[{:])'[^']*'|(?<=\s)\#[^\r\n]*|[\[\]{}]""", re.DOTALL
)


@frozen
class SyntaxProblem:
    """A syntax error: its offsets, the message, and the fix."""

    start: int
    end: int
    message: str
    why: str = ""
    fix: Fix | None = None


@frozen
class ParserError:
    """An error of the parser at the offset ``at``, in the node that begins at ``begin``.

    ``bracket`` is the place of the innermost bracket that is still open.
    """

    source: SourceText
    context: str
    problem: str
    begin: int
    at: int
    bracket: int | None

    @property
    def char(self) -> str:
        """The character at the place; empty at the end of the file."""
        return self.source.text[self.at : self.at + 1]

    @property
    def before(self) -> str:
        """The text between the begin of the line and the place."""
        return self.source.text[self.source.line_start(self.at) : self.at]

    def rest(self, start: int) -> str:
        """The text from ``start`` to the end of the line, without a comment."""
        return _COMMENT.sub("", self.source.text[start : self.source.line_end(start)][:500]).rstrip()

    def value(self, start: int) -> str:
        """The text that is probably one value: the rest of the line, or between brackets up to the next delimiter."""
        rest = self.rest(start)
        before = self.source.text[self.source.line_start(start) : start]
        opened = sum(map(before.count, "[{")) > sum(map(before.count, "]}"))
        flow = self.bracket is not None or opened or before.rstrip().endswith(",")
        return rest if not flow else re.split(r"[,\]}](?!})", rest, maxsplit=1)[0].rstrip()

    def where(self, offset: int) -> str:
        """Line and column of an offset, for a message."""
        place = self.source.position(offset, offset)
        return f"line {place.line}, column {place.column}"

    def line_above(self) -> tuple[int, str] | None:
        """The offset and the text of the last line above with content, without comments."""
        start = self.source.line_start(self.at)
        for _ in range(_FURTHEST):
            if start == 0:
                return None
            start = self.source.line_start(len(self.source.text[:start].rstrip()))
            line = self.rest(start)
            if line.strip() and not line.lstrip().startswith("#"):
                return start, line
        return None


def tab(error: ParserError) -> SyntaxProblem:
    """A tab in the indentation, or elsewhere between tokens."""
    if error.before.strip():
        return SyntaxProblem(error.at, error.at + 1, "unexpected tab: use spaces between the parts of a line")
    start = error.source.line_start(error.at)
    first = error.source.text.index("\t", start)
    line = error.rest(start).replace("\t", "  ")
    indent = line[: len(line) - len(line.lstrip())]
    above = error.line_above()
    if above is not None:
        indent = above[1][: len(above[1]) - len(above[1].lstrip())].expandtabs(2)
        indent += "  " if above[1].endswith(":") else ""
    return SyntaxProblem(
        first,
        first + 1,
        "tab in the indentation: YAML allows only spaces",
        why="programs show tabs with different widths",
        fix=Verbatim(printable(f"{indent}{line.lstrip()}"), "line"),
    )


def unclosed_quote(error: ParserError) -> SyntaxProblem:
    """A quote without an end."""
    return SyntaxProblem(
        error.begin,
        error.begin + 1,
        f"unclosed quote: {printable(error.rest(error.begin), _SHOWN)}",
        why="YAML reads everything up to the next quote as one text",
    )


def brackets(error: ParserError) -> SyntaxProblem:
    """A bracket without its counterpart, or an invalid value between brackets."""
    start = error.bracket if "node content" in error.problem else error.begin
    if start is None:
        return needs_quotes(error)
    opened = error.source.text[start : start + 1]
    closing, kind = ("}", "mapping") if opened == "{" else ("]", "list")
    if error.char and error.char in "]}":
        return _wrong_bracket(error, start, closing, kind)
    document_ends = not error.before.strip() and error.source.text.startswith(("---", "..."), error.at)
    if document_ends or not _is_closed(error.source.text, start):
        shown = printable(error.rest(start), _SHOWN)
        return SyntaxProblem(
            start,
            start + 1,
            f"unclosed {opened} in `{shown}`",
            why=f"a {kind} that begins with {opened} must end with {closing}",
        )
    if "node content" in error.problem:
        return needs_quotes(error)
    message = f"missing comma, or missing {closing} for the {kind} that begins at {error.where(start)}"
    return SyntaxProblem(error.at, error.at + 1, message)


def _wrong_bracket(error: ParserError, start: int, closing: str, kind: str) -> SyntaxProblem:
    text, opening = error.source.text, {"]": "[", "}": "{"}
    spare = text.count(error.char) > text.count(opening[error.char])
    instead = spare and text.count(closing) < text.count(opening[closing])
    return SyntaxProblem(
        error.at,
        error.at + 1,
        f"unexpected {error.char}: the {kind} that begins at {error.where(start)} closes with {closing}",
        fix=Verbatim(closing, "character") if instead else None,
    )


def _is_closed(text: str, start: int) -> bool:
    """Whether the bracket at ``start`` has a counterpart."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        if match[0] in ("[", "{"):
            depth += 1
        elif match[0] in ("]", "}"):
            depth -= 1
            if depth == 0:
                return True
    return False


def needs_quotes(error: ParserError) -> SyntaxProblem:
    """Text that begins with a character that YAML reserves."""
    at = error.begin if error.context and "node content" not in error.problem else error.at
    char = error.source.text[at : at + 1]
    if error.source.text.startswith("- ", at):
        return dash(error)
    if char in (":", ",", ""):
        return SyntaxProblem(
            at, at + 1, f"missing {'key' if char == ':' else 'value'} before {printable(char or 'the end')}"
        )
    template = error.source.text[max(at - 1, 0) : at + 1] == "{%"
    value = error.rest(at - 1) if template else error.value(at)
    return SyntaxProblem(
        at,
        at + 1,
        f"text that begins with {printable(char)} needs quotes",
        why="YAML reserves this character",
        fix=None if _ENTRY.search(value) else as_text(value),
    )


def dash(error: ParserError) -> SyntaxProblem:
    """A list item where no list can begin."""
    if error.bracket is not None:
        item = error.value(error.at)[1:].strip()
        fix = Verbatim(f"[{printable(item, _SHOWN)}]") if len(item) <= _SHOWN else None
        return SyntaxProblem(
            error.at, error.at + 1, "unexpected dash: between braces a list is written [a, b]", fix=fix
        )
    key, item = error.before.strip(), error.rest(error.at)
    return SyntaxProblem(
        error.at,
        error.at + 1,
        "unexpected dash: a list begins on the line below its key",
        why="text that begins with a dash and a space needs quotes",
        fix=Verbatim(f"{printable(key, _SHOWN)}\n  {printable(item, _SHOWN)}", "entry"),
    )


def second_colon(error: ParserError) -> SyntaxProblem:
    """A colon in a value, or a key below something that has a value or no colon."""
    key, colon, _ = error.before.partition(": ")
    if not colon:
        return _below_a_value(error)
    value = in_double_quotes(error.rest(error.source.line_start(error.at))[len(key) + 2 :].strip())
    return SyntaxProblem(
        error.at,
        error.at + 1,
        "second colon on this line: put a value that contains a colon in quotes",
        why="a colon and a space separate a key from its value",
        fix=Verbatim(f"{printable(key.strip(), _SHOWN)}: {value}", "entry") if value else None,
    )


def _below_a_value(error: ParserError) -> SyntaxProblem:
    above = error.line_above()
    if above is None:
        return SyntaxProblem(error.at, error.at + 1, "unexpected key")
    start, line = above
    column = _column(error.before)
    if column > _column(line) and not line.startswith(_CONFLICT):
        number = error.source.position(start).line
        return SyntaxProblem(
            error.source.line_start(error.at) + column - 1,
            error.at,
            f"unexpected indentation: the key at line {number} already has a value",
            why="all keys of a mapping have the same indentation",
        )
    return _without_colon(start + _column(line) - 1, line[_column(line) - 1 :])


def no_colon(error: ParserError) -> SyntaxProblem:
    """A line among keys that has no colon."""
    return _without_colon(error.begin, error.rest(error.begin))


def _without_colon(start: int, line: str) -> SyntaxProblem:
    shown = printable(line, _SHOWN)
    if line.startswith(_CONFLICT):
        why = "keep one side of the conflict, and delete the lines with the markers"
        return SyntaxProblem(start, start + len(line), f"merge conflict marker: {shown}", why)
    missing = "space after the colon" if ":" in line else "colon after the key"
    key, _, value = line.partition(":" if ":" in line else "=" if _ASSIGNMENT.match(line) else " ")
    fixed = printable(f"{key.strip()}: {value.strip()}".rstrip())
    fix = None if line.startswith(("'", '"')) else Verbatim(fixed, "entry" if value.strip() else "value")
    why = "a colon and a space follow a key"
    return SyntaxProblem(start, start + len(line), f"missing {missing}: {shown}", why, fix)


def block(error: ParserError) -> SyntaxProblem:
    """A line outside every mapping and list above it, or text after a value."""
    if error.before.strip():
        end = error.at + max(1, len(error.rest(error.at)))
        why = "inside single quotes, write each quote twice: 'it''s'" if error.before.rstrip().endswith("'") else ""
        return SyntaxProblem(
            error.at, end, f"unexpected text after a value: {printable(error.rest(error.at), _SHOWN)}", why
        )
    if error.char == ":":
        return SyntaxProblem(error.at, error.at + 1, "missing key before :")
    kind = "mapping" if "mapping" in error.context else "list" if error.context else "document"
    message = f"this line does not continue the {kind} above"
    if error.begin < error.at:
        message = f"this line does not continue the {kind} that begins at {error.where(error.begin)}"
    why = "the keys of a mapping begin in the same column, and so do the items of a list"
    return SyntaxProblem(error.at, error.source.line_end(error.at), message, why)


def _column(line: str) -> int:
    """The column, from 1, of the first character of a line that is neither a space nor the dash of a list item."""
    match = _INDENT.match(line)
    return (match.end() if match else 0) + 1


def syntax_error(problems: Problems, error: object, bracket: int | None) -> StopReading:
    """Note a syntax error; the caller raises what this returns.

    ``bracket`` is the offset of the innermost bracket that is open.
    """
    marks = [mark.index for name in ("context_mark", "problem_mark") if (mark := getattr(error, name, None))]
    begin, at = (marks[0], marks[-1]) if marks else (0, 0)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "")
    context = str(getattr(error, "context", None) or "")
    found = _explained(ParserError(problems.source, context, problem, begin, at, bracket))
    return problems.stop("TPU003", found.start, found.end, found.message, why=found.why, fix=found.fix)


def _explained(error: ParserError) -> SyntaxProblem:
    if error.char == "\t":
        return tab(error)
    for context, problem, explain in _EXPLANATIONS:
        if context in error.context and problem in error.problem:
            return explain(error)
    return SyntaxProblem(error.at, error.at + 1, f"invalid YAML: {printable(error.problem)}")


_EXPLANATIONS: tuple[tuple[str, str, Callable[[ParserError], SyntaxProblem]], ...] = (
    ("quoted scalar", "end of stream", unclosed_quote),
    ("quoted scalar", "document", unclosed_quote),
    ("flow", "", brackets),
    ("node", "node content", brackets),
    ("alias", "", needs_quotes),
    ("anchor", "", needs_quotes),
    ("", "cannot start any token", needs_quotes),
    ("", "mapping keys are not allowed", needs_quotes),
    ("", "mapping values are not allowed", second_colon),
    ("simple key", "", no_colon),
    ("", "sequence entries are not allowed", dash),
    ("block mapping", "", block),
    ("block collection", "", block),
    ("", "document start", block),
)
"""Pattern of the parser's context, pattern of its problem, and the function that explains the error."""

"""Says in plain words what the YAML parser did not understand, and points at what has to change.

Both of PyYAML's parsers are known here: libyaml's and the one in Python, whose words differ.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile.problem import Problems, Stop
from pulumi_gke_tpu.yamlfile.refuse import quoted
from pulumi_gke_tpu.yamlfile.source import Source

_SHOWN = 60
_COMMENT = re.compile(r"\s+#.*")
_BRACKETS = re.compile(
    r"""(?<=[\s,\[{:])"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[\s,\[{:])'[^']*'|(?<=\s)\#[^\r\n]*|[\[\]{}]""", re.DOTALL
)


@dataclass(frozen=True)
class _Said:
    """What to tell: the offsets to point at, the sentence, and what helps."""

    start: int
    end: int
    message: str
    why: str = ""
    fix: str = ""
    rule: str = "TPU003"


@dataclass(frozen=True)
class _Error:
    """What the parser said: about the place ``at``, while it read what begins at ``begin``.

    ``bracket`` is where the innermost bracket that is still open stands, ``quote`` the text in quotes just read.
    """

    source: Source
    context: str
    problem: str
    begin: int
    at: int
    bracket: int | None
    quote: int | None

    @property
    def char(self) -> str:
        return self.source.text[self.at : self.at + 1]

    @property
    def is_first(self) -> bool:
        """Whether nothing but spaces stands before the place on its line."""
        return not self.source.text[self.source.line_start(self.at) : self.at].strip()

    def rest(self, start: int) -> str:
        """What stands from ``start`` to the end of the line, without a comment."""
        return _COMMENT.sub("", self.source.text[start : self.source.line_end(start)][:500]).rstrip()

    def where(self, offset: int) -> str:
        place = self.source.position(offset, offset)
        return f"line {place.line}, column {place.column}"


def syntax_error(problems: Problems, error: Any, bracket: int | None, quote: int | None) -> Stop:
    """Note what the parser said; the caller raises what this returns.

    ``bracket`` is the offset of the innermost bracket that is open, ``quote`` that of the last node if it has quotes.
    """
    marks = [mark.index for name in ("context_mark", "problem_mark") if (mark := getattr(error, name, None))]
    begin, at = (marks[0], marks[-1]) if marks else (0, 0)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "")
    context = str(getattr(error, "context", None) or "")
    said = _say(_Error(problems.source, context, problem, begin, at, bracket, quote))
    return problems.stop(said.rule, said.start, said.end, said.message, why=said.why, fix=said.fix)


def _say(error: _Error) -> _Said:
    if error.char == "\t":
        return _tab(error)
    for context, problem, say in _SENTENCES:
        if context in error.context and problem in error.problem:
            return say(error)
    return _Said(error.at, error.at + 1, f"this is not YAML: {printable(error.problem)}")


def _tab(error: _Error) -> _Said:
    if not error.is_first:
        return _Said(error.at, error.at + 1, "a tab stands here where YAML expects a space")
    start = error.source.line_start(error.at)
    tab = error.source.text.index("\t", start)
    return _Said(
        tab,
        tab + 1,
        "this line is indented with a tab, and YAML accepts only spaces",
        why="how wide a tab is depends on the program that shows it",
        fix=printable(error.rest(start).replace("\t", "  ")),
    )


def _unclosed_quote(error: _Error) -> _Said:
    return _Said(
        error.begin,
        error.begin + 1,
        f"the quote that opens here is never closed: {printable(error.rest(error.begin), _SHOWN)}",
        why="everything up to the end of the file is read as one text",
    )


def _quote_over_document(error: _Error) -> _Said:
    return _Said(
        error.begin,
        error.begin + 1,
        f"the quote that opens here is not closed before the document ends at {error.where(error.at)}",
    )


def _escape(error: _Error) -> _Said:
    text = error.source.text
    start = max(text.rfind("\\", error.begin, error.at + 1), error.begin)
    shown = printable(text[start : start + 2])
    close = text.find('"', error.begin + 1, error.source.line_end(start))
    inner = text[error.begin + 1 : close].replace("'", "''") if close > 0 else ""
    return _Said(
        start,
        start + 2,
        f"{shown} is not an escape that YAML knows",
        why="in double quotes a backslash begins an escape; write \\\\ for a backslash, or use single quotes",
        fix=f"'{printable(inner)}'" if inner else "\\\\",
    )


def _flow(error: _Error) -> _Said:
    text, begin = error.source.text, error.begin
    opened = text[begin : begin + 1]
    closing, kind = ("}", "mapping") if opened == "{" else ("]", "list")
    if error.char and error.char in "]}":
        return _Said(
            error.at,
            error.at + 1,
            f"{error.char} stands here, but the {kind} that opens at {error.where(begin)} closes with {closing}",
            fix=closing,
        )
    if not _is_closed(text, begin):
        return _unclosed_bracket(error, begin)
    return _Said(
        error.at,
        error.at + 1,
        f"a comma is missing before this, or {closing} to close the {kind} that opens at {error.where(begin)}",
    )


def _is_closed(text: str, start: int) -> bool:
    """Whether the bracket at ``start`` has a counterpart, whatever stands between them."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        if match[0] in ("[", "{"):
            depth += 1
        elif match[0] in ("]", "}"):
            depth -= 1
            if depth == 0:
                return True
    return False


def _unclosed_bracket(error: _Error, start: int) -> _Said:
    opened = error.source.text[start : start + 1]
    return _Said(
        start,
        start + 1,
        f"the {opened} that opens here is never closed: {printable(error.rest(start), _SHOWN)}",
        why=f"{'}' if opened == '{' else ']'} must close it",
    )


def _no_content(error: _Error) -> _Said:
    if error.char == "," and error.bracket is not None:
        return _Said(error.at, error.at + 1, "nothing stands before this comma", fix=",")
    if error.char and error.char in ",]}":
        return _needs_quotes(error)
    if error.bracket is not None:
        return _unclosed_bracket(error, error.bracket)
    return _Said(error.at, error.at + 1, "a value is missing here")


def _needs_quotes(error: _Error) -> _Said:
    start = error.at - 1 if error.source.text[max(error.at - 1, 0) : error.at + 1] == "{%" else error.at
    return _Said(
        error.at,
        error.at + 1,
        f"text cannot begin with {printable(error.char)}: write it in quotes",
        why="YAML keeps this character for itself",
        fix=quoted(error.rest(start)),
    )


def _no_name(error: _Error) -> _Said:
    char = error.source.text[error.begin : error.begin + 1]
    kind = {"*": "an alias", "&": "an anchor"}.get(char, "a tag")
    return _Said(
        error.begin,
        error.begin + 1,
        f"{printable(char)} begins {kind} here; write text that begins with it in quotes",
        why=f"a name must follow {printable(char)}" if kind != "a tag" else "the tag has no valid form",
        fix=quoted(error.rest(error.begin)),
    )


def _unknown_handle(error: _Error) -> _Said:
    rest = error.rest(error.begin)
    tag = rest.split(" ")[0]
    return _Said(
        error.begin,
        error.begin + len(tag),
        f"the tag {printable(tag, _SHOWN)} is not supported",
        why="text, numbers, lists and mappings are read as they are written; a tag is not needed",
        fix=quoted(rest[len(tag) :].strip()),
        rule="TPU009",
    )


def _second_colon(error: _Error) -> _Said:
    start = error.source.line_start(error.at)
    key, colon, _ = error.source.text[start : error.at].partition(": ")
    if not colon:
        return _after_line(error)
    value = quoted(error.rest(start)[len(key) + 2 :].strip())
    return _Said(
        error.at,
        error.at + 1,
        "a second colon stands on this line; write a value that holds one in quotes",
        why="a colon and a space separate a key from its value",
        fix=f"{printable(key.strip(), _SHOWN)}: {value}" if value else "",
    )


def _line_before(error: _Error) -> tuple[int, str] | None:
    """The offset and the text of the last line with content before the place, comments left out."""
    start = error.source.line_start(error.at)
    while start > 0:
        start = error.source.line_start(start - 1)
        line = error.rest(start)
        if line.strip() and not line.lstrip().startswith("#"):
            return start, line
    return None


def _after_line(error: _Error) -> _Said:
    """A key that cannot stand where it does because of the line before it."""
    before = _line_before(error)
    if before is None:
        return _Said(error.at, error.at + 1, "a key cannot stand here")
    start, line = before
    here = error.source.text[error.source.line_start(error.at) : error.at]
    if _indent(here) > _indent(line):
        return _Said(
            error.at - len(here) + _indent(here),
            error.at,
            f"this line is indented further than line {error.source.line_number(start)}, whose key has a value already",
            why="the keys of one mapping have the same indentation",
        )
    return _without_colon(start + _indent(line), line.strip())


def _without_colon(start: int, line: str) -> _Said:
    missing = "space after its colon" if ":" in line else "colon after its key"
    key, _, value = line.partition(":" if ":" in line else " ")
    return _Said(
        start,
        start + len(line),
        f"this line has no {missing}: {printable(line, _SHOWN)}",
        why="a key is followed by a colon and a space",
        fix=printable(f"{key}: {value.strip()}".rstrip()),
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _no_colon(error: _Error) -> _Said:
    return _without_colon(error.begin, error.rest(error.begin))


def _block(error: _Error) -> _Said:
    """Something that continues neither the mapping or list that is being read nor one around it."""
    if not error.is_first:
        return _after_value(error)
    if error.char == ":":
        return _Said(
            error.at, error.at + 1, "a key is missing before this colon", why="write text with a colon in quotes"
        )
    indent = error.at - error.source.line_start(error.at)
    before = _line_before(error)
    if before is None or indent == error.begin - error.source.line_start(error.begin):
        return _other_kind(error)
    start, line = before
    return _Said(
        error.at,
        error.source.line_end(error.at),
        f"this line is indented by {_spaces(indent)}, which fits nothing before it",
        why=f"what belongs together has the same indentation; line {error.source.line_number(start)} has "
        f"{_spaces(_indent(line))}",
    )


def _other_kind(error: _Error) -> _Said:
    what = "a list item" if error.source.text.startswith(("- ", "-\n", "-\r"), error.at) else "this"
    among = "the keys of the mapping" if "mapping" in error.context else "the items of the list"
    return _Said(
        error.at,
        error.source.line_end(error.at),
        f"{what} cannot stand among {among} that begins at {error.where(error.begin)}",
        why="keys and list items do not mix at one level",
    )


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count} spaces"


def _after_value(error: _Error) -> _Said:
    source = error.source
    rest = printable(error.rest(error.at), _SHOWN)
    if error.quote is not None and source.line_number(error.quote) < source.line_number(error.at):
        return _Said(
            error.quote,
            error.quote + 1,
            f"the quote that opens here closes only at {error.where(error.at)}, before: {rest}",
            why="a closing quote is probably missing in between",
        )
    before = source.text[source.line_start(error.at) : error.at].rstrip()
    return _Said(
        error.at,
        error.at + max(1, len(error.rest(error.at))),
        f"nothing can stand after the end of a value: {rest}",
        why="in single quotes a quote is written twice: 'it''s'"
        if before.endswith("'")
        else "a value ends with its closing quote or bracket",
    )


def _dash(error: _Error) -> _Said:
    start = error.source.line_start(error.at)
    key, item = error.source.text[start : error.at].strip(), error.rest(error.at)
    return _Said(
        error.at,
        error.at + 1,
        "a list cannot begin on the line of its key",
        why="text that begins with a dash and a space must stand in quotes",
        fix=f"{printable(key, _SHOWN)}\n  {printable(item, _SHOWN)}",
    )


def _block_scalar(error: _Error) -> _Said:
    sign = error.source.text[error.begin : error.begin + 1]
    return _Said(
        error.at,
        error.at + 1,
        f"this cannot follow {printable(sign)}: the text begins on the next line",
        why=f"write a value that begins with {printable(sign)} in quotes",
        fix=quoted(error.rest(error.begin)),
    )


def _document_start(error: _Error) -> _Said:
    before = error.source.text[: error.at].rstrip()
    if before.endswith("..."):
        return _Said(error.at, error.source.line_end(error.at), "the document has ended before this line, with ...")
    return _Said(error.at, error.at + 1, "--- must stand between a line that begins with % and the content", fix="---")


def _directive(error: _Error) -> _Said:
    return _Said(
        error.begin,
        error.source.line_end(error.begin),
        f"a line that begins with % is an instruction to the YAML reader, and this one is unknown: "
        f"{printable(error.rest(error.begin), _SHOWN)}",
        why="write a text that begins with % in quotes",
    )


def _version(error: _Error) -> _Said:
    return _Said(error.at, error.source.line_end(error.at), "this file says that it is not YAML 1", fix="%YAML 1.2")


_SENTENCES: tuple[tuple[str, str, Callable[[_Error], _Said]], ...] = (
    ("quoted scalar", "end of stream", _unclosed_quote),
    ("quoted scalar", "document", _quote_over_document),
    ("quoted scalar", "", _escape),
    ("flow", "node content", _no_content),
    ("node", "node content", _no_content),
    ("flow", "", _flow),
    ("alias", "", _no_name),
    ("anchor", "", _no_name),
    ("node", "undefined tag handle", _unknown_handle),
    ("tag", "", _no_name),
    ("", "cannot start any token", _needs_quotes),
    ("", "mapping values are not allowed", _second_colon),
    ("simple key", "", _no_colon),
    ("", "sequence entries are not allowed", _dash),
    ("", "mapping keys are not allowed", _needs_quotes),
    ("block scalar", "", _block_scalar),
    ("block mapping", "", _block),
    ("block collection", "", _block),
    ("", "incompatible YAML document", _version),
    ("", "document start", _document_start),
    ("directive", "", _directive),
)

"""Says what is wrong with lines: their indentation, their keys, and where a document begins and ends."""

import re

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile.inline import needs_quotes, no_key
from pulumi_gke_tpu.yamlfile.parser_error import SHOWN, ParserError, Said
from pulumi_gke_tpu.yamlfile.refuse import quoted

_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")
_FURTHEST = 100
"""How many lines of comments are passed on the way to the line before."""

_ASSIGNMENT = re.compile(r"[\w-]+ *= *[^=\s]")
_INDENT = re.compile(r" *(?:- +)*")


def second_colon(error: ParserError) -> Said:
    """A colon where the line before, or this line, leaves no place for a key."""
    start = error.source.line_start(error.at)
    key, colon, _ = error.source.text[start : error.at].partition(": ")
    if not colon:
        return _after_line(error)
    value = quoted(error.rest(start)[len(key) + 2 :].strip())
    return Said(
        error.at,
        error.at + 1,
        "a second colon stands on this line; write a value that holds one in quotes",
        why="a colon and a space separate a key from its value",
        fix=f"{printable(key.strip(), SHOWN)}: {value}" if value else "",
    )


def _line_before(error: ParserError) -> tuple[int, str] | None:
    """The offset and the text of the last line with content before the place, comments left out."""
    source = error.source
    start = source.line_start(error.at)
    for _ in range(_FURTHEST):
        if start == 0:
            return None
        start = source.line_start(len(source.text[:start].rstrip()))
        line = error.rest(start)
        if line.strip() and not line.lstrip().startswith("#"):
            return start, line
    return None


def _after_line(error: ParserError) -> Said:
    """A key that cannot stand where it does because of the line before it."""
    before = _line_before(error)
    if before is None:
        return Said(error.at, error.at + 1, "a key cannot stand here")
    start, line = before
    here = error.source.text[error.source.line_start(error.at) : error.at]
    if _column(here) > _column(line) and not line.startswith(_CONFLICT):
        return Said(
            error.at - len(here) + _column(here) - 1,
            error.at,
            f"this line is indented further than line {error.source.line_number(start)}, whose key has a value already",
            why="the keys of one mapping have the same indentation",
        )
    return _without_colon(start + _column(line) - 1, line[_column(line) - 1 :])


def _without_colon(start: int, line: str) -> Said:
    if line.startswith(_CONFLICT):
        why = "git left both sides of a conflict in the file; keep one and remove the lines with its marks"
        return Said(start, start + len(line), f"this is the mark of a merge conflict: {printable(line, SHOWN)}", why)
    if line.startswith(("'", '"')):
        message = f"this key does not end on its line, or no colon follows it: {printable(line, SHOWN)}"
        return Said(start, start + len(line), message, why="a key stands on one line, with its colon")
    missing = "space after its colon" if ":" in line else "colon after its key"
    key, _, value = line.partition(":" if ":" in line else "=" if _ASSIGNMENT.match(line) else " ")
    return Said(
        start,
        start + len(line),
        f"this line has no {missing}: {printable(line, SHOWN)}",
        why="a key is followed by a colon and a space",
        fix=printable(f"{key.strip()}: {value.strip()}".rstrip()),
    )


def _column(line: str) -> int:
    """The column, from 1, of the first character of a line that is neither a space nor the dash of a list item."""
    match = _INDENT.match(line)
    return (match.end() if match else 0) + 1


def no_colon(error: ParserError) -> Said:
    """A line among keys that has no colon."""
    return _without_colon(error.begin, error.rest(error.begin))


def block(error: ParserError) -> Said:
    """Something that continues neither the mapping or list that is being read nor one around it."""
    if not error.is_first:
        return _after_value(error)
    if error.char == ":":
        return no_key(error)
    source = error.source
    if error.at - source.line_start(error.at) == error.begin - source.line_start(error.begin):
        return _other_kind(error)
    return _misaligned(error)


def _misaligned(error: ParserError) -> Said:
    column = error.at - error.source.line_start(error.at) + 1
    before = _line_before(error)
    why = "what belongs together begins in the same column"
    if before is not None:
        why += f"; line {error.source.line_number(before[0])} begins in column {_column(before[1])}"
    message = f"this line begins in column {column}, which fits nothing before it"
    return Said(error.at, error.source.line_end(error.at), message, why=why)


def _other_kind(error: ParserError) -> Said:
    what = "a list item" if error.source.text.startswith(("- ", "-\n", "-\r"), error.at) else "this"
    among = "the keys of the mapping" if "mapping" in error.context else "the items of the list"
    return Said(
        error.at,
        error.source.line_end(error.at),
        f"{what} cannot stand among {among} that begins at {error.where(error.begin)}",
        why="keys and list items do not mix at one level",
    )


def _after_value(error: ParserError) -> Said:
    source = error.source
    rest = printable(error.rest(error.at), SHOWN)
    if error.quote is not None and source.line_number(error.quote) < source.line_number(error.at):
        return Said(
            error.quote,
            error.quote + 1,
            f"the quote that opens here closes only at {error.where(error.at)}, before: {rest}",
            why="a closing quote is probably missing in between",
        )
    before = source.text[source.line_start(error.at) : error.at].rstrip()
    return Said(
        error.at,
        error.at + max(1, len(error.rest(error.at))),
        f"nothing can stand after the end of a value: {rest}",
        why="in single quotes a quote is written twice: 'it''s'"
        if before.endswith("'")
        else "a value ends with its closing quote or bracket",
    )


def dash(error: ParserError) -> Said:
    """A dash that begins a list where none can begin."""
    if error.bracket is not None:
        return needs_quotes(error)
    start = error.source.line_start(error.at)
    key, item = error.source.text[start : error.at].strip(), error.rest(error.at)
    return Said(
        error.at,
        error.at + 1,
        "a list cannot begin on the line of its key",
        why="text that begins with a dash and a space must stand in quotes",
        fix=f"{printable(key, SHOWN)}\n  {printable(item, SHOWN)}",
    )


def document_start(error: ParserError) -> Said:
    """Content where the document has ended, or has not begun."""
    before = error.source.text[: error.at].rstrip()
    if before.endswith("..."):
        return Said(error.at, error.source.line_end(error.at), "the document has ended before this line, with ...")
    if before.startswith("%"):
        message = "--- must stand between a line that begins with % and the content"
        return Said(error.at, error.at + 1, message, fix="---")
    return _misaligned(error) if error.is_first else _after_value(error)


def directive(error: ParserError) -> Said:
    """A line with % that is no known directive."""
    return Said(
        error.begin,
        error.source.line_end(error.begin),
        f"a line that begins with % is an instruction to the YAML reader, and this one is unknown: "
        f"{printable(error.rest(error.begin), SHOWN)}",
        why="write a text that begins with % in quotes",
    )


def version(error: ParserError) -> Said:
    """A directive for another version of YAML."""
    return Said(error.at, error.source.line_end(error.at), "this file says that it is not YAML 1", fix="%YAML 1.2")

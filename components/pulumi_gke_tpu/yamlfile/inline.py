"""Says what is wrong within a line: characters, quotes and brackets."""

import re

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile.parser_error import SHOWN, ParserError, Said
from pulumi_gke_tpu.yamlfile.refuse import quoted

_ENTRY = re.compile(r"^[^\s\"'{]+: ")
_BRACKETS = re.compile(
    r"""(?<=[\s,\[{:])"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[\s,\[{:])'[^']*'|(?<=\s)\#[^\r\n]*|[\[\]{}]""", re.DOTALL
)


_ABOVE = 20
"""How many lines above are looked at for one with content."""


def tab(error: ParserError) -> Said:
    """A tab where only a space can stand."""
    if not error.is_first:
        return Said(error.at, error.at + 1, "a tab stands here where YAML expects a space")
    start = error.source.line_start(error.at)
    first = error.source.text.index("\t", start)
    line = error.rest(start).replace("\t", "  ")
    return Said(
        first,
        first + 1,
        "this line is indented with a tab, and YAML accepts only spaces",
        why="how wide a tab is depends on the program that shows it",
        fix=printable(f"{_indent_like_siblings(error, start, line)}{line.lstrip()}"),
    )


def _indent_like_siblings(error: ParserError, start: int, line: str) -> str:
    """The spaces before the line above, two more where that opens a block; else those of the line itself."""
    above = next((text for text in reversed(error.source.text[:start].split("\n")[-_ABOVE:]) if text.strip()), None)
    if above is None:
        return line[: len(line) - len(line.lstrip())]
    return above[: len(above) - len(above.lstrip())].expandtabs(2) + ("  " if above.rstrip().endswith(":") else "")


def unclosed_quote(error: ParserError) -> Said:
    """A quote without an end."""
    return Said(
        error.begin,
        error.begin + 1,
        f"the quote that opens here is never closed: {printable(error.rest(error.begin), SHOWN)}",
        why="everything up to the end of the file is read as one text",
    )


def quote_over_document(error: ParserError) -> Said:
    """A quote that runs into the end of the document."""
    return Said(
        error.begin,
        error.begin + 1,
        f"the quote that opens here is not closed before the document ends at {error.where(error.at)}",
    )


def escape(error: ParserError) -> Said:
    """A backslash in double quotes that begins no escape."""
    text = error.source.text
    start = max(text.rfind("\\", error.begin, error.at + 1), error.begin)
    shown = printable(text[start : start + 2])
    close = text.find('"', error.begin + 1, error.source.line_end(start))
    inner = text[error.begin + 1 : close].replace("'", "''") if close > 0 else ""
    return Said(
        start,
        start + 2,
        f"{shown} is not an escape that YAML knows",
        why="in double quotes a backslash begins an escape; write \\\\ for a backslash, or use single quotes",
        fix=f"'{printable(inner)}'" if inner else "\\\\",
    )


def flow(error: ParserError) -> Said:
    """Brackets whose content or end is wrong."""
    closing, kind = _closing(error, error.begin)
    if error.char and error.char in "]}":
        return _wrong_bracket(error, error.begin)
    if not _is_closed(error.source.text, error.begin):
        return _unclosed_bracket(error, error.begin)
    return Said(
        error.at,
        error.at + 1,
        f"a comma is missing before this, or {closing} to close the {kind} that opens at {error.where(error.begin)}",
    )


def _closing(error: ParserError, start: int) -> tuple[str, str]:
    """The bracket that closes the one at ``start``, and what both enclose."""
    return ("}", "mapping") if error.source.text.startswith("{", start) else ("]", "list")


def _wrong_bracket(error: ParserError, start: int) -> Said:
    closing, kind = _closing(error, start)
    text, opening = error.source.text, {"]": "[", "}": "{"}
    spare = text.count(error.char) > text.count(opening[error.char])
    instead = spare and text.count(closing) < text.count(opening[closing])
    return Said(
        error.at,
        error.at + 1,
        f"{error.char} stands here, but the {kind} that opens at {error.where(start)} closes with {closing}",
        fix=closing if instead else "",
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


def _unclosed_bracket(error: ParserError, start: int) -> Said:
    opened = error.source.text[start : start + 1]
    return Said(
        start,
        start + 1,
        f"the {opened} that opens here is never closed: {printable(error.rest(start), SHOWN)}",
        why=f"{_closing(error, start)[0]} must close it",
    )


def no_content(error: ParserError) -> Said:
    """A place that needs a value and has none, or something that no value begins with."""
    if error.bracket is not None:
        if error.char and error.char in "]}":
            return _wrong_bracket(error, error.bracket)
        document_ends = error.source.text.startswith(("---", "..."), error.at) and error.is_first
        if document_ends or not _is_closed(error.source.text, error.bracket):
            return _unclosed_bracket(error, error.bracket)
        if error.char == ",":
            return Said(error.at, error.at + 1, "nothing stands before this comma", fix=",")
    if error.char == ":":
        return no_key(error)
    return needs_quotes(error)


def no_key(error: ParserError) -> Said:
    """A colon without a key."""
    message = "a key is missing before this colon"
    return Said(error.at, error.at + 1, message, why="text that begins with a colon must stand in quotes")


def needs_quotes(error: ParserError) -> Said:
    """Text that begins with a character which YAML keeps for itself."""
    if error.bracket is not None and error.source.text.startswith("- ", error.at):
        item = error.value(error.at)[1:].strip()
        message = "a list between braces is written [a, b]"
        return Said(error.at, error.at + 1, message, fix=f"[{printable(item, SHOWN)}]" if len(item) <= SHOWN else "")
    template = error.source.text[max(error.at - 1, 0) : error.at + 1] == "{%"
    value = error.rest(error.at - 1) if template else error.value(error.at)
    return Said(
        error.at,
        error.at + 1,
        f"text cannot begin with {printable(error.char)}: write it in quotes",
        why="YAML keeps this character for itself",
        fix="" if _ENTRY.search(value) else quoted(value),
    )


def no_name(error: ParserError) -> Said:
    """An alias, anchor or tag without a valid name."""
    char = error.source.text[error.begin : error.begin + 1]
    kind = {"*": "an alias", "&": "an anchor"}.get(char, "a tag")
    return Said(
        error.begin,
        error.begin + 1,
        f"{printable(char)} begins {kind} here; write text that begins with it in quotes",
        why=f"a name must follow {printable(char)}" if kind != "a tag" else "the tag has no valid form",
        fix=quoted(error.value(error.begin)),
    )


def unknown_handle(error: ParserError) -> Said:
    """A tag like ``!a!b`` whose first part is not defined."""
    rest = error.rest(error.begin)
    tag = rest.split(" ")[0]
    return Said(
        error.begin,
        error.begin + len(tag),
        f"the tag {printable(tag, SHOWN)} is not supported",
        why="text, numbers, lists and mappings are read as they are written; a tag is not needed",
        fix=quoted(rest[len(tag) :].strip()),
        rule="TPU009",
    )


def block_scalar(error: ParserError) -> Said:
    """Something after ``|`` or ``>`` on its line."""
    sign = error.source.text[error.begin : error.begin + 1]
    return Said(
        error.at,
        error.at + 1,
        f"this cannot follow {printable(sign)}: the text begins on the next line",
        why=f"write a value that begins with {printable(sign)} in quotes",
        fix=quoted(error.rest(error.begin)),
    )

"""Says in plain words what the YAML parser did not understand, and points at what has to change.

Both of PyYAML's parsers are known here: libyaml's and the one in Python, whose words differ.
"""

from collections.abc import Callable
from typing import Any

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile import inline, layout
from pulumi_gke_tpu.yamlfile.parser_error import ParserError, Said
from pulumi_gke_tpu.yamlfile.problem import Problems, Stop


def syntax_error(problems: Problems, error: Any, bracket: int | None, quote: int | None) -> Stop:
    """Note what the parser said; the caller raises what this returns.

    ``bracket`` is the offset of the innermost bracket that is open, ``quote`` that of the last node if it has quotes.
    """
    marks = [mark.index for name in ("context_mark", "problem_mark") if (mark := getattr(error, name, None))]
    begin, at = (marks[0], marks[-1]) if marks else (0, 0)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "")
    context = str(getattr(error, "context", None) or "")
    said = _say(ParserError(problems.source, context, problem, begin, at, bracket, quote))
    return problems.stop(said.rule, said.start, said.end, said.message, why=said.why, fix=said.fix)


def _say(error: ParserError) -> Said:
    if error.char == "\t":
        return inline.tab(error)
    for context, problem, say in _SENTENCES:
        if context in error.context and problem in error.problem:
            return say(error)
    return Said(error.at, error.at + 1, f"this is not YAML: {printable(error.problem)}")


_SENTENCES: tuple[tuple[str, str, Callable[[ParserError], Said]], ...] = (
    ("quoted scalar", "end of stream", inline.unclosed_quote),
    ("quoted scalar", "document", inline.quote_over_document),
    ("quoted scalar", "", inline.escape),
    ("flow", "node content", inline.no_content),
    ("node", "node content", inline.no_content),
    ("flow", "", inline.flow),
    ("alias", "", inline.no_name),
    ("anchor", "", inline.no_name),
    ("node", "undefined tag handle", inline.unknown_handle),
    ("directive", "", layout.directive),
    ("tag", "", inline.no_name),
    ("", "cannot start any token", inline.needs_quotes),
    ("", "mapping values are not allowed", layout.second_colon),
    ("simple key", "", layout.no_colon),
    ("", "sequence entries are not allowed", layout.dash),
    ("", "mapping keys are not allowed", inline.needs_quotes),
    ("block scalar", "", inline.block_scalar),
    ("block mapping", "", layout.block),
    ("block collection", "", layout.block),
    ("", "incompatible YAML document", layout.version),
    ("", "document start", layout.document_start),
)

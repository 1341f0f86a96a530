"""Explains syntax errors: common ones by name, all others with the message of the parser.

PyYAML has two parsers, libyaml and one in Python, whose messages differ: the patterns match both.
"""

from collections.abc import Callable

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.yamlfile import mistakes
from pulumi_gke_tpu.core.text.yamlfile.mistakes import ParserError, SyntaxProblem
from pulumi_gke_tpu.core.text.yamlfile.problem import Problems, StopReading


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
        return mistakes.tab(error)
    for context, problem, explain in _EXPLANATIONS:
        if context in error.context and problem in error.problem:
            return explain(error)
    return SyntaxProblem(error.at, error.at + 1, f"invalid YAML: {printable(error.problem)}")


_EXPLANATIONS: tuple[tuple[str, str, Callable[[ParserError], SyntaxProblem]], ...] = (
    ("quoted scalar", "end of stream", mistakes.unclosed_quote),
    ("quoted scalar", "document", mistakes.unclosed_quote),
    ("flow", "", mistakes.brackets),
    ("node", "node content", mistakes.brackets),
    ("alias", "", mistakes.needs_quotes),
    ("anchor", "", mistakes.needs_quotes),
    ("", "cannot start any token", mistakes.needs_quotes),
    ("", "mapping keys are not allowed", mistakes.needs_quotes),
    ("", "mapping values are not allowed", mistakes.second_colon),
    ("simple key", "", mistakes.no_colon),
    ("", "sequence entries are not allowed", mistakes.dash),
    ("block mapping", "", mistakes.block),
    ("block collection", "", mistakes.block),
    ("", "document start", mistakes.block),
)
"""Pattern of the parser's context, pattern of its problem, and the function that explains the error."""

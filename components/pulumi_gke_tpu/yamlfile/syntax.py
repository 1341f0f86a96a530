"""Says in plain words what the YAML parser did not understand, and where to look."""

from typing import Any

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile.problem import Problems, Stop


def syntax_error(problems: Problems, error: Any) -> Stop:
    """Note what the parser said. Returns what the caller raises."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = mark.index if mark else 0
    said = printable(getattr(error, "problem", None) or str(error).splitlines()[0])
    return problems.stop("TPU003", at, at + 1, f"this is not YAML: {said}")

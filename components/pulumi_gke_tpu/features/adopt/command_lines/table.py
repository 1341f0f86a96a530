"""What became of each option, and the plan that the options make."""

from typing import Any, Literal

from pulumi_gke_tpu.core.frozen import frozen

Became = Literal["key", "derived", "extra", "left out", "unknown"]


@frozen
class OptionRow:
    """One option of one command.

    ``key`` is the path in the plan for "key" and "extra"; ``reason`` is a sentence without its period, needed for
    everything else.
    """

    command: str
    option: str
    value: str
    became: Became
    key: str = ""
    reason: str = ""
    file: str = ""
    line: int = 0
    """0 for a default of the tool, which no line states."""


@frozen
class Problem:
    """Why no plan can be written, and where."""

    message: str
    file: str
    line: int
    column: int
    fix: str = ""


@frozen(eq=False)
class Translation:
    """A plan, the table of options, and what prevents it."""

    plan: dict[str, Any]
    rows: tuple[OptionRow, ...]
    problems: tuple[Problem, ...]

"""What commands write that only print their arguments: echo, printf and seq."""

import re
from collections.abc import Callable, Mapping, Sequence

_MOST_NUMBERS = 1_000


def _echo(given: Sequence[str]) -> str | None:
    if given[:1] in (["-e"], ["-n"]):
        shown = " ".join(given[1:])
        return shown.replace("\\n", "\n") if given[0] == "-e" else shown
    return " ".join(given) if not any(text.startswith("-") for text in given) else None


def _printf(given: Sequence[str]) -> str | None:
    if given[:1] in (["%s\\n"], ["%s"]):
        end = "" if given[0] == "%s" else "\n"
        return "".join(f"{text}{end}" for text in given[1:])
    return given[0].replace("\\n", "\n") if len(given) == 1 and "%" not in given[0] else None


def _seq(given: Sequence[str]) -> str | None:
    """The numbers up to the last one, from the first one, or in steps."""
    if len(given) not in (1, 2, 3) or not all(re.fullmatch(r"-?\d{1,6}", text, re.ASCII) for text in given):
        return None
    numbers = [*map(int, given)]
    first, step, last = ([1, 1, *numbers], [numbers[0], 1, numbers[-1]], numbers)[len(numbers) - 1]
    found = range(first, last + (1 if step > 0 else -1), step) if step else range(0)
    return "\n".join(map(str, found)) if len(found) <= _MOST_NUMBERS else None


PRINTERS: Mapping[str, Callable[[Sequence[str]], str | None]] = {"echo": _echo, "printf": _printf, "seq": _seq}
"""Name -> what a command writes for its arguments; None if only a shell knows it."""

"""Regular expressions that are compiled when they are first used.

The modules of a command define two or three times as many as it uses, and to compile one takes as long as to import a
small module.
"""

import functools
import re
from collections.abc import Callable
from typing import AnyStr, cast


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` returns, compiled when one of its attributes is first read."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(functools.partial(re.compile, expression, flags)))  # noqa: TID251


class _LazyPattern:
    """Has the attributes of a compiled expression, each from the time when it is first read."""

    def __init__(self, compiled: Callable[[], object]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> object:
        value = getattr(self._compiled(), name)
        setattr(self, name, value)
        return value

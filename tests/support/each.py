"""A property of many texts, rules or edits as one test: a loop that reports every case without the property."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each(
    names: str, cases: Iterable[Any] | Callable[[], Iterable[Any]], shown: Callable[[Any], object] = str
) -> Callable[[Test], Test]:
    """Decorates a test whose parameters ``names`` have the values of each case in turn, with the same fixtures for all.

    With several names, separated by commas, a case is a tuple. A function that gives the cases is called when the test
    runs: every process imports all tests, and then runs only some. ``shown`` names a case in the list of offenders. The
    loop is skipped if every case is. Use ``pytest.mark.parametrize`` instead for cases that take long, that need
    fixtures of their own, or that somebody runs alone.
    """
    words = [name.strip() for name in names.split(",")]

    def decorate(test: Test) -> Test:
        given = None if callable(cases) else [*cases]
        assert given is None or given, f"{test.__name__} has no cases"

        @functools.wraps(test)
        def in_turn(**fixtures: Any) -> None:
            every = [*cases()] if callable(cases) else given or []
            assert every, f"{test.__name__} has no cases"
            offenders, skipped = [], []
            for case in every:
                values = zip(words, case if len(words) > 1 else (case,), strict=True)
                try:
                    test(**dict(values), **fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(f"{shown(case)}: {reason}")
                except (Exception, pytest.fail.Exception) as error:
                    what = str(error) if isinstance(error, AssertionError) else repr(error)
                    offenders.append(f"{shown(case)}: {what}")
            assert not offenders, "\n".join(offenders)
            if len(skipped) == len(every):
                pytest.skip(skipped[0])

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name not in words]
        assert len(others) + len(words) == len(signature.parameters), f"{test.__name__} has not all of {words}"
        in_turn.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return in_turn

    return decorate


def by_id(case: Any) -> str:
    """The ID of a rule."""
    return str(case.id)

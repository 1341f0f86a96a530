"""Loops over cases: every offender is listed, and nothing passes because of another case."""

import pytest
from support.each import each


@each("left, right", [(1, 1), (2, 3), (4, 4), (5, 6)])
def equal(left: int, right: int) -> None:
    assert left == right, "not equal"


@each("number", [1, 2, 3], lambda number: f"case {number}")
def first_only(number: int) -> None:
    if number == 2:
        pytest.skip("not today")
    if number == 3:
        pytest.fail("too large")


@each("number", [1, 2])
def never(number: int) -> None:
    pytest.skip(f"no {number}")


@each("number", [1, 2])
def once(number: int) -> None:
    if number == 1:
        pytest.skip("not today")


def test_every_offender_is_listed() -> None:
    with pytest.raises(AssertionError) as error:
        equal()
    offenders = [line for line in str(error.value).splitlines() if "not equal" in line]
    assert offenders == ["(2, 3): not equal", "(5, 6): not equal"]


def test_a_case_that_is_skipped_hides_no_other() -> None:
    with pytest.raises(AssertionError, match="case 3: too large"):
        first_only()
    once()
    with pytest.raises(pytest.skip.Exception, match="1: no 1"):
        never()


def test_a_loop_has_cases_and_parameters_for_them() -> None:
    with pytest.raises(AssertionError, match="never has no cases"):
        each("number", [])(never)
    with pytest.raises(AssertionError, match="has not all of"):
        each("other", [1])(once)

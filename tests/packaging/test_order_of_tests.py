"""The order in which ``tools/test`` runs tests: no process waits for a cluster that another one has, or at the end."""

import pytest
from support.fixtures.order import in_turn


def parts(tests: list[str], processes: int) -> list[list[str]]:
    """What each process gets, as ``--dist worksteal`` hands it out."""
    found = []
    for number in range(processes):
        size = len(tests) // (processes - number)
        found.append(tests[:size])
        tests = tests[size:]
    return found


ALONE = [f"alone {number}" for number in range(3)]
WAITING = [f"waiting {number}" for number in range(10)]
OTHERS = [f"other {number}" for number in range(41)]


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 7])
def test_every_test_runs_once(processes: int) -> None:
    for tests in ([*ALONE, *WAITING, *OTHERS], [*ALONE, *WAITING], ALONE, []):
        groups = [[name for name in tests if name.startswith(kind)] for kind in ("alone", "waiting", "other")]
        assert sorted(in_turn(*groups, processes)) == sorted(tests)


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_tests_that_run_alone_are_in_one_process_and_those_that_wait_begin_in_the_others(processes: int) -> None:
    first, *further = parts(in_turn(ALONE, WAITING, OTHERS, processes), processes)
    assert first[:3] == ALONE
    assert not {*first} & {*WAITING}
    for part in further:
        waiting = [name for name in part if name in WAITING]
        assert part[: len(waiting)] == waiting
        assert 0 <= len(waiting) - len(WAITING) // len(further) <= 1


def test_one_process_begins_with_them() -> None:
    assert in_turn(ALONE, WAITING, OTHERS, 1) == [*ALONE, *WAITING, *OTHERS]

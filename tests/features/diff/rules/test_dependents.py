"""Rules about workload policies that were created for another topology."""

import pytest
from support.policy_plans import MADE, NAMED, body, group, said
from support.transitions import change_of

CUBES = "workload_policies: {cubes: {topology: 4x4x4}}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([group("a", "4x4x4", "cube")], [group("a", "2x2x2", "cube")], ["warning"]),
        ([group("a", "4x4x4", "cube")], [group("a", "2x2x2", "small")], []),
        ([group("a", "4x4x4", "cube")], [group("a", "4x4x4", "cube", count="2")], []),
        ([group("a", "4x4x4", "cube")], [group("b", "2x2x2", "cube")], ["warning"]),
        ([MADE], [group("small", "2x2x2", "train-large-4x4x4")], ["error"]),
        ([MADE], [group("large", "4x4x4", "train-large-4x4x4")], ["error"]),
        ([MADE], [MADE, group("small", "4x4x4", "train-large-4x4x4")], []),
        ([MADE], [group("large", "2x2x2")], []),
        ([MADE, group("b", "2x2x2")], [MADE, group("b", "2x2x2", "cube")], []),
    ],
    ids=[
        "topology under the same policy",
        "another policy with it",
        "more slices",
        "another group takes the policy",
        "of a group that is deleted",
        "its own, which is deleted",
        "of a group that stays",
        "made anew",
        "never seen before",
    ],
)
def test_a_change_of_the_topology_of_a_policy_is_reported(
    before: list[str], after: list[str], expected: list[str]
) -> None:
    found = said(change_of(body(*before), body(*after)), "TPU975")
    assert [severity for severity, _ in found] == expected
    assert all(path.endswith(".placement.workload_policy") for _, path in found)


SMALL = "workload_policies: {cubes: {topology: 2x2x2}}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CUBES + body(NAMED), body(NAMED), ["error"]),
        (CUBES + body(NAMED), SMALL + body(group("large", "2x2x2", "cubes")), []),
        (CUBES + body(NAMED), body(group("large", "4x4x4")), []),
        (body(NAMED), CUBES + body(NAMED), []),
    ],
    ids=["deleted while a group names it", "re-created with the topology", "no longer named", "created now"],
)
def test_a_change_that_deletes_a_policy_of_the_cluster_is_reported(
    before: str, after: str, expected: list[str]
) -> None:
    assert [severity for severity, _ in said(change_of(before, after), "TPU975")] == expected

"""Rules about renames that keep what exists."""

import itertools

import pytest
from support.fixtures.checks import Check

GROUP = "{tpu: v6e, topology: 2x2, zone: us-east5-b}"


def plan(moved: str) -> str:
    """Two clusters, train with the groups main and spare, and serve with the group main."""
    train = f"{{mode: standard, location: us-east5, slices: {{main: {GROUP}, spare: {GROUP}}}}}"
    serve = f"{{mode: standard, location: us-east5, slices: {{main: {GROUP}}}}}"
    moves = ", ".join(f"{{from: {source}, to: {to}}}" for source, to in (pair.split(">") for pair in moved.split()))
    return f"version: 1\nproject: acme-ml\nclusters:\n  train: {train}\n  serve: {serve}\nmoved: [{moves}]\n"


@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        pytest.param("", [], id="none"),
        pytest.param("train/old>train/main", [], id="a group"),
        pytest.param("old>train", [], id="a cluster"),
        pytest.param("old>train old/a>train/main", [], id="a cluster, and a group by the cluster's old name"),
        pytest.param("old>train train/a>train/main", [], id="a cluster, and a group by the cluster's new name"),
        pytest.param("older>old old>train older/a>train/main", [], id="a cluster twice, and a group from before"),
        pytest.param("train/a>train/b train/b>train/main", [], id="a group twice"),
        pytest.param("train/b>train/main train/a>train/b", [], id="a group twice, newest first"),
        pytest.param("old/a>old/main old>train", [], id="a group, and its cluster later"),
        pytest.param("old/a>old/mian old>train", ["TPU911 error"], id="a group to nothing, and its cluster later"),
        pytest.param("train/old>train/mian", ["TPU911 error"], id="to nothing"),
        pytest.param("old>trian", ["TPU911 error"], id="a cluster to nothing"),
        pytest.param(
            "train/a>train/b train/b>train/c", ["TPU911 error"], id="a chain to a missing item is reported once"
        ),
        pytest.param("train/spare>train/main", ["TPU912 error"], id="still there"),
        pytest.param("serve>train", ["TPU912 error"], id="a cluster that is still there"),
        pytest.param("serve/old>train/main", ["TPU913 error"], id="to another cluster"),
        pytest.param("gone/old>train/main", ["TPU913 error"], id="from a cluster that is gone"),
        pytest.param("serve/main>train/main", ["TPU913 error"], id="to another cluster, and still there"),
        pytest.param("old>train/main", ["TPU913 error"], id="a cluster becomes a group"),
        pytest.param("train/old>train", ["TPU913 error"], id="a group becomes a cluster"),
        pytest.param("a/b/c>train/main", ["TPU913 error"], id="no item"),
        pytest.param("train/old>train/main/0", ["TPU913 error"], id="a pool is not an item"),
        pytest.param('"">train', ["TPU913 error"], id="nothing at all"),
        pytest.param("train/main>train/main", ["TPU914 warning"], id="to itself"),
        pytest.param("train/old>train/old", ["TPU914 warning"], id="to itself, and not there"),
        pytest.param("train/a>train/main train/b>train/main", ["TPU914 error"], id="two become one"),
        pytest.param("a>train b>train", ["TPU914 error"], id="two clusters become one"),
        pytest.param("train/a>train/main train/a>train/spare", ["TPU914 error"], id="one becomes two"),
        pytest.param("train/a>train/main train/a>train/main", ["TPU914 error"], id="the same twice"),
        pytest.param("train/main>train/b train/b>train/main", ["TPU914 error"], id="there and back"),
        pytest.param("train/main>train/spare train/spare>train/main", ["TPU914 error"], id="swapped"),
        pytest.param("train/main>train/a train/a>train/b train/b>train/main", ["TPU914 error"], id="a circle"),
        pytest.param("train/x>train/main train/y>train/spare", [], id="two that are unrelated"),
    ],
)
def test_moves(check: Check, moved: str, expected: list[str]) -> None:
    """Names that follow from the moves are checked elsewhere."""
    found = [item for item in check(plan(moved)) if item.path[0] == "moved"]
    assert [f"{item.rule} {item.severity.word}" for item in found] == expected


@pytest.mark.parametrize("moved", ["train/old>train/spares-2", "train/a>train/main train/b>train/mian", "old>serve-2"])
def test_the_fix_never_names_another_item_or_one_with_a_predecessor(check: Check, moved: str) -> None:
    (finding,) = check(plan(moved))
    assert (finding.rule, finding.fix) == ("TPU911", "")


def test_the_fix_for_a_misspelled_name_is_the_nearest_one(check: Check) -> None:
    (finding,) = check(plan("train/old>train/mian"))
    assert (finding.given, finding.fix) == ("to: train/mian", "to: train/main")


def test_the_finding_points_at_the_end_that_is_wrong(check: Check) -> None:
    (finding,) = check(plan("train/spare>train/main"))
    assert finding.path == ("moved", 0, "from")
    assert finding.position is not None
    assert finding.position.text[finding.position.column - 1 :].startswith("train/spare")


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize(("renames", "expected"), [(50, []), (51, ["TPU914"]), (200, ["TPU914"])])
def test_an_item_has_at_most_fifty_former_names(
    renames: int, expected: list[str], newest_first: bool, check: Check
) -> None:
    names = ["train/main", *(f"train/n{index}" for index in range(renames))]
    moves = [f"{source}>{to}" for to, source in itertools.pairwise(names)]
    findings = check(plan(" ".join(moves if newest_first else moves[::-1])))
    assert sorted({finding.rule for finding in findings}) == expected
    assert all("exceeds the limit of 50 former names" in finding.message for finding in findings)

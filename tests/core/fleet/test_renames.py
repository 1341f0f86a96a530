"""Renames that no ``moved`` declares: what is recognized, what is not, and what is ambiguous."""

import datetime

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.names import PossibleRename, find_renames
from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

TODAY = datetime.date(2026, 11, 20)
HEAD = "version: 1\nproject: acme-ml\nclusters:\n"
EAST = "  east: {mode: standard, location: us-east5, slices: {%s}}\n"
RESERVED = "{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: pool}}"
ONE_HOST = RESERVED.replace("4x4", "2x2")
SPOT = "{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot}"


def with_more(group: str, more: str) -> str:
    return f"{group[:-1]}, {more}}}"


def found(before: str, after: str) -> tuple[PossibleRename, ...]:
    plans = []
    for text in (before, after):
        read = parse_plan(parse_yaml((HEAD + text).encode(), "plan.yaml").data)
        assert read.content is not None, read.findings
        plans.append(read.content)
    base, head = (derive(plan, read_catalog(), TODAY) for plan in plans)
    return find_renames(pair_fleets(base, head), plans[1].moved)


def renames(before: str, after: str) -> dict[str, list[str]]:
    """Old name -> possible new ones, of the groups in one cluster."""
    return {
        rename.before: [candidate.after for candidate in rename.candidates]
        for rename in found(EAST % before, EAST % after)
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"a: {RESERVED}", f"b: {RESERVED}"),
        (f"a: {SPOT}", f"b: {SPOT}"),
        (f"a: {RESERVED}", f"b: {with_more(RESERVED, 'count: 3, node_labels: {x: y}, protect: false')}"),
        (f"a: {SPOT}", f"b: {with_more(SPOT, 'count: 3, name: a')}"),
        (f"a: {SPOT}", f"b: {with_more(SPOT.replace('4x4', '4x8'), 'name: a')}"),
        (f"a: {with_more(SPOT, 'protect: true')}", f"b: {with_more(SPOT, 'protect: true, count: 2')}"),
        (f"a: {with_more(SPOT, 'name: w')}", f"b: {with_more(SPOT, 'name: w')}"),
        (f"a: {with_more(ONE_HOST, 'count: {min: 1, max: 2}')}", f"b: {with_more(ONE_HOST, 'count: 2')}"),
    ],
)
def test_a_group_under_another_key_is_recognized(before: str, after: str) -> None:
    assert renames(before, after) == {"east/a": ["east/b"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"a: {RESERVED}", f"b: {RESERVED.replace('4x4', '4x8')}"),
        (f"a: {RESERVED}", f"b: {RESERVED.replace('us-east5-b', 'us-east5-a')}"),
        (f"a: {RESERVED}", f"b: {RESERVED.replace('pool', 'other')}"),
        (f"a: {RESERVED}", f"b: {with_more(RESERVED, 'max_pods_per_node: 64')}"),
        (f"a: {RESERVED}", f"b: {with_more(RESERVED, 'name: c')}"),
        (f"a: {with_more(RESERVED, 'name: w')}", f"b: {RESERVED}"),
        (f"a: {RESERVED}", f"b: {with_more(RESERVED.replace('4x4', '4x8'), 'name: a')}"),
        (f"a: {SPOT}", f"b: {with_more(SPOT, 'count: 3')}"),
        (f"a: {with_more(SPOT, 'protect: true, count: {max: 1}')}", f"b: {with_more(SPOT, 'protect: true')}"),
        (f"a: {with_more(RESERVED, 'count: {min: 1, max: 2}')}", f"b: {with_more(RESERVED, 'count: 2')}"),
        (f"a: {RESERVED}", f"a: {RESERVED}, b: {RESERVED}"),
        (f"a: {RESERVED}", ""),
    ],
)
def test_an_item_that_cannot_be_kept_or_is_ambiguous_is_not_a_rename(before: str, after: str) -> None:
    assert renames(before, after) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"a: {RESERVED}", f"b: {with_more(RESERVED, 'node_labels: {x: y}')}, c: {RESERVED}"),
        (f"a: {SPOT}", f"b: {SPOT}, c: {with_more(SPOT, 'name: a, count: 3')}"),
        (f"a: {SPOT}", f"b: {SPOT}, c: {with_more(SPOT.replace('4x4', '4x8'), 'name: a')}"),
    ],
)
def test_of_several_candidates_only_the_likeliest_count(before: str, after: str) -> None:
    """If another group has the name of the removed one, two groups would have the name after the entry in ``moved``."""
    assert renames(before, after) == {"east/a": ["east/c"]}


def test_candidates_that_are_alike_are_all_named_and_none_is_certain() -> None:
    (rename,) = found(EAST % f"a: {RESERVED}", EAST % f"b: {RESERVED}, c: {RESERVED}")
    assert ([candidate.after for candidate in rename.candidates], rename.certain) == (["east/b", "east/c"], False)


def test_two_groups_that_may_be_the_same_new_one_are_not_certain() -> None:
    first, second = found(EAST % f"a: {RESERVED}, b: {RESERVED}", EAST % f"c: {RESERVED}")
    assert (first.before, second.before, first.certain, second.certain) == ("east/a", "east/b", False, False)


def test_a_group_in_another_cluster_is_none() -> None:
    other = "  west: {mode: standard, location: us-east5, slices: {%s}}\n"
    before, after = EAST % f"a: {RESERVED}" + other % "", EAST % "" + other % f"a: {RESERVED}"
    assert found(before, after) == ()


def test_a_name_in_a_moved_entry_is_not_a_candidate() -> None:
    after = EAST % f"b: {RESERVED}" + "moved: [{from: east/x, to: east/b}]\n"
    assert found(EAST % f"a: {RESERVED}", after) == ()


WEST = EAST.replace("east:", "west:")


@pytest.mark.parametrize(
    "after",
    [
        WEST % f"a: {RESERVED}, b: {SPOT}",
        WEST % f"a: {with_more(RESERVED, 'count: 2')}, b: {SPOT}",
        (WEST % f"a: {RESERVED}, b: {SPOT}").replace("us-east5,", "us-east5, release_channel: rapid,"),
        (WEST % f"z: {RESERVED}").replace("us-east5,", "us-east5, name: east,"),
    ],
)
def test_a_cluster_under_another_key_is_recognized(after: str) -> None:
    rename = found(EAST % f"a: {RESERVED}, b: {SPOT}", after)[0]
    assert (rename.before, rename.candidates[0].after, rename.certain) == ("east", "west", True)


def test_a_cluster_with_the_same_groups_is_likelier_than_one_with_more_or_some_of_them() -> None:
    before, north = f"a: {SPOT}, b: {RESERVED}", EAST.replace("east:", "north:")
    for other in (f"{before}, d: {ONE_HOST}", f"a: {SPOT}"):
        (rename, *_) = found(EAST % before, north % other + WEST % before)
        assert [candidate.after for candidate in rename.candidates] == ["west"]


def test_a_cluster_with_the_name_of_the_removed_one_is_likelier_than_an_equal_one() -> None:
    named = (EAST % "").replace("east:", "main:").replace("us-east5,", "us-east5, name: east,")
    for after in (WEST % f"a: {SPOT}" + named, named + WEST % f"a: {SPOT}"):
        cluster = found(EAST % f"a: {SPOT}", after)[0]
        assert [candidate.after for candidate in cluster.candidates] == ["main"]


@pytest.mark.parametrize(
    "after",
    [
        (WEST % f"a: {RESERVED}, b: {SPOT}").replace("us-east5,", "us-east1,").replace("east5-b", "east1-d"),
        (WEST % f"a: {RESERVED}, b: {SPOT}").replace("standard", "autopilot").replace(", zone: us-east5-b", ""),
        (WEST % f"a: {RESERVED}, b: {SPOT}").replace("us-east5,", "us-east5, name: other,"),
        WEST % f"c: {SPOT.replace('4x4', '2x2')}",
    ],
)
def test_another_cluster_is_none(after: str) -> None:
    assert found(EAST % f"a: {RESERVED}, b: {SPOT}", after) == ()


def test_groups_follow_their_cluster_and_all_entries_are_in_one_list() -> None:
    before, after = EAST % f"a: {RESERVED}, b: {SPOT}", WEST % f"main: {RESERVED}, b: {SPOT}"
    moves = (("east", "west"), ("east/a", "west/main"))
    assert {rename.before: rename.candidates[0].moves for rename in found(before, after)} == dict.fromkeys(
        ("east", "east/a", "east/b"), moves
    )


def test_a_group_that_follows_its_cluster_under_its_own_key_has_no_other_candidate() -> None:
    before, after = EAST % f"a: {RESERVED}, b: {SPOT}", WEST % f"a: {RESERVED}, b: {SPOT}, c: {RESERVED}"
    candidates = {rename.before: [item.after for item in rename.candidates] for rename in found(before, after)}
    assert candidates == {"east": ["west"], "east/a": ["west/a"], "east/b": ["west/b"]}


def test_a_group_of_a_renamed_cluster_that_a_move_names_already_has_no_candidate() -> None:
    moved = "moved: [{from: east/a, to: west/x}]\n"
    before, after = EAST % f"a: {RESERVED}, b: {SPOT}, d: {SPOT}", WEST % f"b: {SPOT}, c: {RESERVED}, d: {SPOT}"
    assert [rename.before for rename in found(before, after + moved)] == ["east", "east/b", "east/d"]


def test_a_group_that_follows_its_cluster_is_not_a_candidate_for_a_removed_one() -> None:
    before, after = EAST % f"a: {SPOT}, b: {SPOT}, d: {SPOT}", WEST % f"b: {SPOT}, d: {SPOT}"
    candidates = {rename.before: [item.after for item in rename.candidates] for rename in found(before, after)}
    assert candidates == {"east": ["west"], "east/b": ["west/b"], "east/d": ["west/d"]}

"""Renames that keep what exists, and protection that is lifted for a time."""

from typing import Any

import pulumi
import pytest
import yaml
from support.plans import CLUSTER, NODE_POOL, POLICY, fleet
from support.recording import Recording, Registration

from pulumi_gke_tpu.components.registration import aliases_of
from pulumi_gke_tpu.core.graph.declared import Alias

BEFORE = """
clusters:
  east:
    mode: standard
    location: us-central1
    network: create
    slices:
      cubes: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, count: 2, capacity: {reservation: ours}}
      hosts: {tpu: v5e, topology: 2x4, chips_per_host: 8, zone: us-central1-a, count: {min: 0, max: 3}}
  other:
    mode: autopilot
    location: us-central1
    slices:
      cubes: {tpu: tpu7x, topology: 2x2x2}
"""


def renamed(moves: list[tuple[str, str]], start: str = BEFORE) -> str:
    """The plan after these renames, one after the other, with their ``moved`` entries."""
    plan = yaml.safe_load(start)
    for old, new in moves:
        (old_cluster, _, old_group), (new_cluster, _, new_group) = old.partition("/"), new.partition("/")
        if old_group:
            slices = plan["clusters"][old_cluster]["slices"]
            plan["clusters"][new_cluster]["slices"] = {
                new_group if key == old_group else key: group for key, group in slices.items()
            }
        else:
            plan["clusters"] = {
                new_cluster if key == old_cluster else key: cluster for key, cluster in plan["clusters"].items()
            }
    plan["moved"] = [{"from": old, "to": new} for old, new in moves]
    return yaml.safe_dump(plan, sort_keys=False)


def known_as(registration: Registration) -> set[str]:
    """Every URN under which the engine looks for a resource in its state: its own and those of its aliases."""
    place = registration.urn.rpartition("::")[0]
    return {registration.urn, *(f"{place}::{name}" for name in registration.former_names)}


def registered_as(registration: Registration) -> Any:
    """What decides whether the engine sees a change: properties, apart from the values that name a resource."""
    return registration.inputs if registration.request.custom else None


def pairs(before: Recording, after: Recording) -> list[tuple[Registration, Registration]]:
    """Each resource with the one that takes its place."""
    found = []
    for old in before:
        new = [item for item in after if old.urn in known_as(item)]
        assert [item.urn for item in new] == [new[0].urn] if new else pytest.fail(f"{old.urn} is forgotten")
        found.append((old, new[0]))
    assert len({new.urn for _, new in found}) == len(after.registrations)
    return found


RENAMES = [
    [("east/cubes", "east/main")],
    [("east/hosts", "east/main")],
    [("east", "west")],
    [("other", "else")],
    [("other/cubes", "other/main")],
    [("east", "west"), ("other", "else")],
    [("east", "west"), ("west", "north")],
    [("east/cubes", "east/main"), ("east/main", "east/top")],
    [("east", "west"), ("west/cubes", "west/main")],
]


@pytest.mark.parametrize("moves", RENAMES, ids=lambda moves: " ".join(">".join(move) for move in moves))
def test_a_rename_changes_nothing_in_google_cloud(moves: list[tuple[str, str]]) -> None:
    before, after = fleet(BEFORE), fleet(renamed(moves))
    for old, new in pairs(before, after):
        assert (old.type, registered_as(old)) == (new.type, registered_as(new))
        assert old.protect == new.protect


@pytest.mark.parametrize("first", [[("east/cubes", "east/main")], [("east", "west")], []])
def test_group_and_cluster_can_be_renamed_in_either_order(first: list[tuple[str, str]]) -> None:
    """The final plan has only the first names, regardless of the updates in between."""
    plan = yaml.safe_load(renamed([("east", "west"), ("west/cubes", "west/main")]))
    plan["moved"] = [{"from": "east", "to": "west"}, {"from": "east/cubes", "to": "west/main"}]
    between, after = fleet(renamed(first) if first else BEFORE), fleet(yaml.safe_dump(plan))
    renames = [(old.name, new.name) for old, new in pairs(between, after) if old.type == NODE_POOL]
    assert ("cubes-0", "west/main/cubes-0") in [(old.split("/")[-1], new) for old, new in renames]
    for old, new in pairs(between, after):
        assert registered_as(old) == registered_as(new)


def test_without_moves_it_is_another_resource() -> None:
    plan = yaml.safe_load(renamed([("east/cubes", "east/main")]))
    del plan["moved"]
    after = fleet(yaml.safe_dump(plan))
    urns = {urn for item in after for urn in known_as(item)}
    assert [item.name for item in fleet(BEFORE).of_type(NODE_POOL) if item.urn not in urns] == [
        "east/cubes/cubes-0",
        "east/cubes/cubes-1",
    ]


def test_a_new_group_may_take_a_name_that_became_free() -> None:
    """Without taking over what was there: no resource is claimed twice."""
    plan = yaml.safe_load(renamed([("east", "west"), ("west/cubes", "west/main")]))
    plan["clusters"]["west"]["slices"]["cubes"] = {"tpu": "v5e", "topology": "2x2", "zone": "us-central1-a"}
    plan["moved"] = [{"from": "east", "to": "west"}, {"from": "east/cubes", "to": "west/main"}]
    recording = fleet(yaml.safe_dump(plan))
    claimed = [urn for item in recording for urn in known_as(item)]
    assert len(claimed) == len(set(claimed))
    assert recording.one(NODE_POOL, "west/cubes/cubes").former_names == ()
    assert "east/cubes/cubes-0" in recording.one(NODE_POOL, "west/main/cubes-0").former_names


def test_names_after_a_rename() -> None:
    after = fleet(renamed([("east", "west"), ("west/cubes", "west/main")]))
    pool = after.one(NODE_POOL, "west/main/cubes-1")
    assert pool.inputs["name"] == "cubes-1"
    assert set(pool.former_names) == {"west/cubes/cubes-1", "east/main/cubes-1", "east/cubes/cubes-1"}
    assert after.one(POLICY, "west/main").inputs["name"] == "east-cubes-2x2x2"
    assert after.one(CLUSTER, "west").inputs["name"] == "east"
    assert after.one(NODE_POOL, "west/system").former_names == ("east/system",)


def test_a_written_name_is_kept_through_a_rename() -> None:
    start = BEFORE.replace(
        "location: us-central1\n    network", "location: us-central1\n    name: gke-east\n    network"
    )
    before, after = fleet(start), fleet(renamed([("east", "west")], start))
    assert [new.inputs for _, new in pairs(before, after) if new.type == CLUSTER] == [
        old.inputs for old in before.of_type(CLUSTER)
    ]


def test_an_alias_leaves_open_what_did_not_change() -> None:
    taken = aliases_of((Alias(name="east/old"), Alias(type="gke-tpu:index:Old"), Alias("old", "gke-tpu:index:Old")))
    written = ({"name": "east/old"}, {"type_": "gke-tpu:index:Old"}, {"name": "old", "type_": "gke-tpu:index:Old"})
    assert [vars(alias) for alias in taken] == [vars(pulumi.Alias(**parts)) for parts in written]


def test_without_moves_nothing_has_an_alias() -> None:
    assert [item.urn for item in fleet(BEFORE) if item.former_names] == []


def test_no_component_is_an_alias_of_itself() -> None:
    """Every other type that a cluster's component could have had is one."""
    for component in [item for item in fleet(BEFORE) if not item.request.custom]:
        types = [alias.spec.type for alias in component.request.aliases]
        assert component.request.type not in types, component.urn
        assert len(types) == len(set(types))


# Protection that is lifted


def acknowledged(of: str, today: str | None) -> Recording:
    entry = {"change": "replace", "of": of, "reason": "a new topology", "until": "2026-12-01"}
    plan = {**yaml.safe_load(BEFORE), "acknowledge": [entry], **({"today": today} if today else {})}
    return fleet(yaml.safe_dump(plan))


TODAYS = [("2026-11-20", True), ("2026-12-01", True), ("2026-12-02", False), (None, False)]


@pytest.mark.parametrize(("today", "holds"), TODAYS)
def test_acknowledging_a_group_lifts_its_protection_until_that_day(today: str | None, holds: bool) -> None:
    recording = acknowledged("east/cubes", today)
    protect = not holds
    assert recording.one(POLICY, "east/cubes").protect is protect
    assert [recording.one(NODE_POOL, f"east/cubes/cubes-{index}").protect for index in (0, 1)] == [protect, protect]
    assert recording.one(NODE_POOL, "east/hosts/hosts").protect is None
    assert recording.one(CLUSTER, "east").inputs["deletionProtection"] is True


@pytest.mark.parametrize(("today", "holds"), TODAYS)
def test_acknowledging_a_cluster_lifts_the_protection_of_all_in_it(today: str | None, holds: bool) -> None:
    recording = acknowledged("east", today)
    assert recording.one(CLUSTER, "east").inputs["deletionProtection"] is not holds
    assert recording.one(NODE_POOL, "east/cubes/cubes-0").protect is not holds
    assert recording.one(NODE_POOL, "east/hosts/hosts").protect is (False if holds else None)
    assert recording.one(CLUSTER, "other").inputs["deletionProtection"] is True


def test_the_date_is_not_an_input_of_any_resource() -> None:
    """Or every day would show a change."""
    first, second = acknowledged("east/cubes", "2026-11-20"), acknowledged("east/cubes", "2026-11-21")
    assert {item.urn: item.inputs for item in first} == {item.urn: item.inputs for item in second}

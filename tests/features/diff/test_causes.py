"""The cause of a change is what makes it vanish when it is put back: edits, pairs of edits, and adopted plans."""

import copy
import functools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.causes import causes, decided, put_back, report_of
from support.each import each
from support.editing import BASES, SCORE, Change, both, edited, group, inside
from support.edits import EDITS
from support.fleets import adoptions, fleets
from support.shipped import Plan

from pulumi_gke_tpu.features.diff.model import ItemChange

EVERY, PAIRS, ADOPTED_PAIRS = 3, 60, 40
"""Every third edit, and a sample of pairs: each needs several previews."""
CLUSTER_KEYS: dict[str, Any] = {
    "node_service_account": "create",
    "private_nodes": True,
    "addons": ["gcs_fuse"],
    "control_plane": {"dns_endpoint": True},
    "deletion_protection": False,
    "release_channel": "regular",
    "resource_labels": {"team": "ml"},
    "security": {"workload_identity": False},
}
GROUP_KEYS: dict[str, Any] = {
    "node_labels": {"team": "ml"},
    "resource_labels": {"budget": "ml"},
    "boot_disk": {"size_gib": 200},
    "topology": "2x4",
    "upgrade": {"max_unavailable": 2},
}


@dataclass(frozen=True)
class Changed:
    """A plan before and after."""

    name: str
    before: Plan = field(repr=False)
    after: Plan = field(repr=False)

    def __str__(self) -> str:
        return self.name


def single() -> Iterator[Changed]:
    for edit in EDITS[::EVERY]:
        yield Changed(str(edit), BASES[edit.base](), edited(edit))


def pairs() -> Iterator[Changed]:
    """Every time the same sample."""
    chosen = random.Random("pairs")
    by_base = [[edit for edit in EDITS if edit.base == base] for base in BASES]
    several = [edits for edits in by_base if len(edits) > 1]
    found = 0
    while found < PAIRS:
        first, second = chosen.sample(chosen.choice(several), 2)
        changed = applied(f"{first}, {second.name}", BASES[first.base](), first.change, second.change)
        if changed is not None:
            found += 1
            yield changed


def adopted() -> Iterator[Changed]:
    for name, plan in adopted_plans()[::2]:
        for key in CLUSTER_KEYS:
            yield with_keys(name, plan, cluster=[key])
        for key in GROUP_KEYS:
            yield with_keys(name, plan, slices=[key])


def adopted_pairs() -> Iterator[Changed]:
    """Every time the same sample."""
    chosen = random.Random("adopted")
    every = [(key, key in CLUSTER_KEYS) for key in (*CLUSTER_KEYS, *GROUP_KEYS) if key != "resource_labels"]
    for name, plan in chosen.choices(adopted_plans(), k=ADOPTED_PAIRS):
        keys = chosen.sample(every, 2)
        of_cluster, of_group = ([key for key, own in keys if own is kind] for kind in (True, False))
        yield with_keys(name, plan, cluster=of_cluster, slices=of_group)


@functools.cache
def adopted_plans() -> list[tuple[str, Plan]]:
    return [
        (fleet.name, plan)
        for fleet in fleets()
        for adoption in adoptions(fleet)
        if (plan := plan_of(adoption.plan)) is not None
    ]


def plan_of(data: Any) -> Plan | None:
    """A plan whose first cluster has slice groups."""
    clusters = list(data.get("clusters", {}).values())
    return data if clusters and clusters[0].get("slices") else None


def with_keys(name: str, plan: Plan, *, cluster: Sequence[str] = (), slices: Sequence[str] = ()) -> Changed:
    after: Any = copy.deepcopy(plan)
    first = next(iter(after["clusters"].values()))
    first |= copy.deepcopy({key: CLUSTER_KEYS[key] for key in cluster})
    next(iter(first["slices"].values())).update(copy.deepcopy({key: GROUP_KEYS[key] for key in slices}))
    return Changed(f"{name}: {', '.join((*cluster, *slices))}", plan, after)


def applied(name: str, before: Plan, *changes: Change) -> Changed | None:
    """None if the second change does not fit after the first."""
    after = copy.deepcopy(before)
    try:
        both(*changes)(after)
    except (KeyError, ValueError, TypeError):
        return None
    return Changed(name, before, after)


def speaks_of_keys(item: ItemChange) -> bool:
    """Whether the item exists before and after, and neither another resource nor a protection is the cause."""
    of_others = (
        any(resource.because_of for resource in item.resources) or "are deleted with cluster" in item.consequence
    )
    only_protection = all(each.path == "protect" for resource in item.resources for each in resource.differences)
    return item.item == item.former_item and not item.gone and not of_others and not only_protection


def check(changed: Changed) -> None:
    before, after = changed.before, changed.after
    report = report_of(before, after)
    for item in filter(speaks_of_keys, report.items if report is not None else ()):
        named, decisive = causes(item), decided(report, item)
        if "require it" in item.consequence:
            continue  # slice groups of the cluster, each an item of its own
        assert named, (item.item, item.consequence)
        left = decided(report_of(before, put_back(before, after, named)), item)
        assert not left & decisive, (item.item, "not the whole cause", named, left)
        if decisive and not named[0].key.startswith("kubernetes"):
            left = decided(report_of(before, put_back(before, after, named[:1])), item)
            assert not decisive <= left, (item.item, "not a cause", named)


@each("changed", single)
def test_what_an_edit_changes_is_the_cause(changed: Changed) -> None:
    check(changed)


@each("changed", pairs)
def test_two_edits_have_their_own_causes(changed: Changed) -> None:
    check(changed)


@each("changed", adopted)
def test_a_key_of_an_adopted_plan_is_the_cause(changed: Changed) -> None:
    check(changed)


@each("changed", adopted_pairs)
def test_two_keys_of_an_adopted_plan_have_their_own_effects(changed: Changed) -> None:
    check(changed)


@pytest.mark.parametrize("key", ["node_service_account", "addons", "control_plane"])
def test_a_key_that_states_the_default_is_a_change_of_an_adopted_cluster(key: str) -> None:
    assert changed_items(key)["training"].written[0].key.startswith(key)


@pytest.mark.parametrize("other", ["private_nodes", "resource_labels", "deletion_protection"])
def test_of_two_keys_the_one_that_replaces_is_named(other: str) -> None:
    items = changed_items("node_service_account", other)
    assert items["training"].written[0].key == "node_service_account"
    assert items["training/train"].consequence.endswith(
        "The cause is the change of `node_service_account` in cluster `training`."
    )


def test_a_key_of_the_system_pool_does_not_change_a_slice_group() -> None:
    labels = inside("system_pool", node_labels={"role": "system"}), group(SCORE, node_labels={"team": "serving"})
    changed = applied("", BASES["full"](), *labels)
    assert changed is not None
    report = report_of(changed.before, changed.after)
    assert report is not None
    (item,) = (item for item in report.items if item.item == SCORE)
    assert [cause.key for cause in causes(item)] == ["node_labels.team"]


def changed_items(*keys: str) -> dict[str, ItemChange]:
    plan = next(plan for name, plan in adopted_plans() if name == "gcloud_cluster")
    changed = with_keys("", plan, cluster=keys)
    report = report_of(changed.before, changed.after)
    assert report is not None
    return {item.item: item for item in report.items}

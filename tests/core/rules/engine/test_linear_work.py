"""Twice as much of anything in a plan or an inventory takes at most about twice the work, right or wrong."""

import datetime
import functools
from collections.abc import Callable

import pytest
from support.sampling import sample
from support.work import lines_executed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
MANY = 60
_SLACK = 2.2
_GROUP = "{tpu: v6e, topology: 2x2, zone: us-east5-b}"
_BODY = "tpu: v6e\n        topology: 2x2\n        zone: us-east5-b\n"


_RESERVED = "{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: r1}}"
_WINDOW = "window: {start: 2026-01-03T02:00:00Z, duration: 6h}"


def lines(count: int, text: Callable[[int], str], indent: int) -> str:
    return "".join(f"{' ' * indent}{text(index)}\n" for index in range(count))


def plan(top: str = "", cluster: str = "", groups: str = "") -> str:
    return (
        f"version: 1\nproject: acme-ml\n{top}clusters:\n  train:\n    mode: standard\n    location: us-east5\n{cluster}"
        f"    slices:\n      main: {_GROUP}\n{groups}"
    )


def entries(key: str, text: Callable[[int], str], groups: str = "") -> Callable[[int], str]:
    return lambda count: plan(
        top=f"{key}:\n{lines(count, text, 2)}",
        groups=lines(count, groups.format, 6) if groups else "",
    )


def groups(text: str) -> Callable[[int], str]:
    return lambda count: plan(groups=lines(count, lambda index: text.replace("#", str(index)), 6))


def keys(text: str, start: str = "") -> Callable[[int], str]:
    body = f"      other:\n        {_BODY}{start}"
    return lambda count: plan(
        groups=body + lines(count, lambda index: text.replace("#", str(index)), 10 if start else 8)
    )


def runs(run: str, exclusion: str = "") -> Callable[[int], str]:
    return lambda count: plan(
        cluster=f"    maintenance:\n      {_WINDOW}\n"
        + (f"      exclusions:\n{lines(count, exclusion.format, 8)}" if exclusion else "")
        + f"    runs:\n{lines(count, run.format, 6)}",
        groups=f"      pretrain: {_RESERVED}\n",
    )


PLANS: dict[str, Callable[[int], str]] = {
    "unknown keys at the top": lambda count: plan(top=lines(10 * count, lambda index: f"key{index}: 1", 0)),
    "unknown keys in a cluster": lambda count: plan(cluster=lines(count, lambda index: f"key{index}: 1", 4)),
    "unknown keys in a group": keys("key#: 1"),
    "misspelt keys": keys("topolog#: 1"),
    "keys without a value in braces": lambda count: plan(
        groups=f"      other: {{tpu: v6e, {', '.join(f'key{index}' for index in range(10 * count))}}}\n"
    ),
    "a value cut by commas": lambda count: plan(
        groups=f"      other: {{name: a,{','.join(f'b{index}' for index in range(count))}}}\n"
    ),
    "wrong groups": groups("g#: {tpu: 6}"),
    "groups with an unknown key": groups("g#: {tpu: v6e, topology: 2x2, nope: 1}"),
    "groups without a value": groups("g#: {tpu: v6e, topology: }"),
    "groups in an unknown zone": groups("g#: {tpu: v6e, topology: 2x2, zone: eu-west-#}"),
    "groups without a shape": groups("g#: {tpu: v6e, topology: 3x3, zone: us-east5-b}"),
    "good groups": groups(f"g#: {_GROUP}"),
    "aliases": lambda count: plan(groups=f"      a: &a {_GROUP}\n{lines(count, 'g{}: *a'.format, 6)}"),
    "clusters": lambda count: plan() + lines(count, "c{}: {{mode: autopilot, location: us-central1}}".format, 2),
    "wrong clusters": lambda count: plan() + lines(count, "c{}: {{mode: autopilt, location: 1}}".format, 2),
    "wrong taints": keys("- {key: a#, effect: Nope}", "        taints:\n"),
    "labels": keys("a#-: b", "        node_labels:\n"),
    "acceptances": entries("accept", "- {{rule: TPU203, reason: x, until: 2026-12-01}} # {}".format),
    "wrong acceptances": entries("accept", "- {{rule: TPU203, reason: x, until: 12/{}/2026}}".format),
    "acceptances of warnings": entries(
        "accept",
        "- {{rule: TPU204, of: train/g{}, reason: x, until: 2026-12-01}}".format,
        "g{}: {{tpu: v6e, topology: 2x2, zone: us-east5-c}}",
    ),
    "acknowledgements": entries(
        "acknowledge",
        "- {{change: delete, of: train/g{}, reason: x, until: 2026-12-01}}".format,
        "g{}: {{tpu: v6e, topology: 2x2, zone: us-east5-b}}",
    ),
    "moves": entries(
        "moved", "- {{from: train/o{0}, to: train/g{0}}}".format, "g{}: {{tpu: v6e, topology: 2x2, zone: us-east5-b}}"
    ),
    "runs": runs("r{}: {{slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}}"),
    "runs of unknown groups": runs("r{0}: {{slices: pretrian{0}, start: 2026-12-01T08:00:00Z, duration: 10d}}"),
    "runs and exclusions": runs(
        "r{}: {{slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}}",
        "e{}: {{start: 2026-12-01T00:00:00Z, end: 2026-12-02T00:00:00Z}}",
    ),
    "a chain of moves": entries("moved", lambda index: f"- {{from: train/o{index + 1}, to: train/o{index}}}"),
}
INVENTORIES: dict[str, Callable[[int], str]] = {
    "reservations": lambda count: f"reservations:\n{lines(count, _reservation, 2)}",
    "misspelt keys": lambda count: f"reservations:\n{lines(count, lambda i: _reservation(i).replace('vms', 'vmz'), 2)}",
    "wrong machine types": lambda count: (
        f"reservations:\n{lines(count, lambda index: _reservation(index).replace('4t', '9t'), 2)}"
    ),
    "quotas": lambda count: (
        "quotas:\n"
        + lines(count, "- {{project: a{}, metric: preemptible_tpu_v6e, region: us-east5, limit: 4}}".format, 2)
    ),
    "versions": lambda count: (
        f"gke_versions: {{us-east5: {{regular: [{', '.join(f'1.34.{index}-gke' for index in range(count))}]}}}}\n"
    ),
}


def _reservation(index: int) -> str:
    return f"- {{name: r{index}, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 4}}"


def checked(text: str) -> None:
    validate_fleet([check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG, TODAY)], CATALOG, today=TODAY)


def check_inventory(text: str) -> None:
    uses = lines(MANY, lambda index: f"g{index}: {_GROUP[:-1]}, capacity: {{reservation: r{index}}}}}", 6)
    checked = check_plan(read_plan_content(plan(groups=uses).encode(), "plan.yaml"), CATALOG, TODAY)
    inventory = read_inventory_content(f"version: 1\nas_of: 2026-11-20\n{text}".encode(), "inventory.yaml")
    validate_inventory([checked], inventory, CATALOG, today=TODAY)


KINDS = [("plan", name) for name in PLANS] + [("inventory", name) for name in INVENTORIES]


@pytest.mark.parametrize(("file", "name"), sample(KINDS, 5))
def test_work_grows_with_the_size(file: str, name: str) -> None:
    check, make = (checked, PLANS[name]) if file == "plan" else (check_inventory, INVENTORIES[name])
    texts = [make(count) for count in (MANY, 2 * MANY, 4 * MANY)]
    check(texts[0])  # imports and caches are not measured
    works = [lines_executed(functools.partial(check, text)) for text in texts]
    first, second = works[1] - works[0], works[2] - works[1]
    assert second <= _SLACK * max(first, 2000)

"""Slices of two shapes on one budget, decided by the flavor assigner and the preemptor of the real Kueue.

The model decides the same: its other tests speak for Kueue. Workloads come in both orders of the shapes, one of each in
turn, and with the second queue first.
"""

import itertools
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from support.budget_plans import CHIPS, QUEUES, SHAPES, SIZE, plan_of, queued_of
from support.go_tools import KUEUE
from support.kubernetes_model.queues import Kueue
from support.kubernetes_model.units import QueuedWorkload
from support.kueue_decisions.decisions import decisions
from support.tool_installation import found_or_skipped, module_version
from support.workload_plans import objects_of

from pulumi_gke_tpu.core.catalog import read_catalog

pytestmark = pytest.mark.kubernetes

PAIRS = [*itertools.permutations(SHAPES, 2)]


@pytest.fixture(scope="session")
def kueue(pytestconfig: pytest.Config) -> pathlib.Path:
    """The program. If it cannot be built, the tests are skipped; in CI they fail."""
    return found_or_skipped(pytestconfig, "kubernetes", lambda tell: KUEUE.build(tell).program("kueue_decisions"))


def orders_of(every: list[QueuedWorkload]) -> Iterator[list[QueuedWorkload]]:
    """All of one shape first, one of each shape in turn, and the queues the other way round."""
    shapes = list(dict.fromkeys(shape_of(one) for one in every))
    groups = [[one for one in every if shape_of(one) == shape] for shape in shapes]
    turns = [one for row in itertools.zip_longest(*groups) for one in row if one is not None]
    yield from (every, turns)
    yield from ([*reversed(order)] for order in (every, turns))


def shape_of(one: QueuedWorkload) -> str:
    return one.owner.split("/")[1].partition("-")[0]


def queues_of(name: str, reclaim: str) -> dict[str, Any]:
    return {queue: {**keys, "reclaim": reclaim} for queue, keys in QUEUES[name].items()}


def test_the_library_has_the_version_that_plans_install() -> None:
    assert (
        module_version(KUEUE.folder, "sigs.k8s.io/kueue")
        == read_catalog().kubernetes.operators.installations["kueue"].version
    )


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("queues", QUEUES)
def test_kueue_admits_what_the_model_admits(queues: str, mode: str, kueue: pathlib.Path) -> None:
    """Borrowed chips run, whatever the shapes and their order; what waits has the reason."""
    for pair in PAIRS:
        plan = plan_of(dict.fromkeys(pair, "scales"), queues, pair, mode)
        plan["clusters"]["c"]["kubernetes"]["queues"] = queues_of(queues, "never")
        objects = objects_of(plan)
        orders = [*orders_of(queued_of(objects))]
        for order, found in zip(orders, decisions(kueue, objects, orders), strict=True):
            assert [one.flavors for one in found] == Kueue(objects).in_order(order), pair
            assert {flavor for one in found for _, flavor in one.flavors or ()} <= {"budget-shared"}
            chips = sum(SIZE[shape_of(one)] for one, each in zip(order, found, strict=True) if each.flavors)
            assert chips == CHIPS or queues not in ("one", "cohort"), pair
            waiting = {one.message for one in found if one.flavors is None}
            assert all("google.com/tpu in flavor budget-shared" in message for message in waiting), waiting


@pytest.mark.parametrize("count", ["scales", "static"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_kueue_takes_borrowed_chips_back_for_another_shape(
    pair: tuple[str, str], count: str, kueue: pathlib.Path
) -> None:
    """The first shape borrows all chips; then the second one enters its own queue."""
    first, second = pair
    own = {"cohort": "all", "chips": {"shared": CHIPS}}
    for reclaim in ("any", "never"):
        plan = plan_of(dict.fromkeys(pair, count), "cohort", pair)
        queues = {"a": {"cohort": "all", "chips": {"shared": 0}}, "b": {**own, "reclaim": reclaim}}
        plan["clusters"]["c"]["kubernetes"]["queues"] = queues
        objects = objects_of(plan)
        every = queued_of(objects)
        borrowing = [one for one in every if one.owner.endswith(f"/{first}-a")]
        waiting = next(one for one in every if one.owner.endswith(f"/{second}-b"))
        (found,) = decisions(kueue, objects, [[*borrowing, waiting]])
        running = [(one, each.flavors) for one, each in zip(borrowing, found[:-1], strict=True) if each.flavors]
        assert len(running) == len(borrowing) == CHIPS // SIZE[first]
        expected = Kueue(objects).preempted(running, waiting)
        assert (found[-1].flavors is None) is (expected is None) is (reclaim == "never")
        assert found[-1].ended == frozenset(expected or ())


def test_kueue_keeps_workloads_of_other_budgets_out(kueue: pathlib.Path) -> None:
    """One queue with two budgets, in both orders of the flavors."""
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": {"max": 2}}
    for names in (("ours", "theirs"), ("theirs", "ours")):
        plan = plan_of({}, "one", ())
        plan["budgets"] = {f"of-{name}": {"chips": 8, "reservation": name} for name in names}
        cluster = plan["clusters"]["c"]
        cluster["slices"] = {name: {**group, "capacity": {"reservation": name}} for name in names}
        run = {"kind": "deployment", "count": 2, "queue": "a", "image": "us-docker.pkg.dev/acme-ml/train/max:v1"}
        cluster["kubernetes"] = {
            "queues": {"a": {}},
            "workloads": {name: {**run, "slices": name} for name in sorted(names)},
        }
        objects = objects_of(plan)
        order = queued_of(objects)
        (found,) = decisions(kueue, objects, [order])
        flavors = {
            (shape_of(one), flavor) for one, each in zip(order, found, strict=True) for _, flavor in each.flavors or ()
        }
        assert flavors == {("ours", "budget-of-ours"), ("theirs", "budget-of-theirs")}

"""Slices of two shapes on the chips of one budget: each is whole or waits in its queue, or a rule reports the plan.

The model of Kueue follows every order in which workloads come. The reservation has as many chips as the budget. Node
pools that scale have the nodes that admitted Pods need while the reservation has chips for them; static ones always
have their nodes. So Pods that Kueue admits stay Pending if a slice group is too small, or if nodes of another shape are
idle.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from support.budget_plans import CHIPS, FLOORS, QUEUES, SHAPES, SIZE, plan_of, queued_of
from support.control_plane.testbed import Testbed
from support.kubernetes_model.fleets import node_pools
from support.kubernetes_model.outcomes import outcomes
from support.kubernetes_model.places import SPLIT, WHOLE
from support.kubernetes_model.queues import Admission, Kueue
from support.workload_plans import checked, objects_of, with_image

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

MODES = ("standard", "autopilot")


def chips_of(admission: Admission) -> dict[str, int]:
    """The chips of each shape that Kueue has admitted: ``default/Deployment/single-a#0`` is one slice."""
    found: dict[str, int] = {}
    for name, flavors in admission.items():
        if flavors is not None:
            shape = name.split("/")[-1].partition("-")[0]
            found[shape] = found.get(shape, 0) + SIZE[shape]
    return found


def lacks_nodes(admission: Admission, cluster: Cluster) -> bool:
    """Whether Pods that Kueue has admitted stay Pending."""
    chips, needed = chips_of(admission), 0
    for group in cluster.groups:
        wanted = chips.get(group.name, 0)
        if group.pools and wanted > group.chips.maximum:
            return True
        needed += max(wanted, group.chips.minimum if group.pools else 0)
    return needed > CHIPS


def choices(plan: dict[str, Any]) -> Iterator[Admission]:
    objects = objects_of(plan)
    yield from Kueue(objects).admissions(queued_of(objects))


@pytest.mark.parametrize("queues", QUEUES)
@pytest.mark.parametrize("first", SHAPES)
def test_rules_report_exactly_the_plans_whose_admitted_pods_can_lack_nodes(first: str, queues: str) -> None:
    wrong = {}
    for second in SHAPES:
        wanted = [(first,), (second,), (first, second)] if second != first else []
        admissions = {
            workloads: [*choices(plan_of({first: "scales", second: "scales"}, queues, workloads))]
            for workloads in wanted
        }  # what Kueue does never depends on the size of slice groups
        for counts in itertools.product(FLOORS, repeat=2) if wanted else ():
            plan = plan_of(dict(zip((first, second), counts, strict=True)), queues)
            (cluster,) = checked(plan).fleet.clusters
            told = {item.rule for item in check_plan(parse_plan(plan), read_catalog()).findings}
            stuck = any(lacks_nodes(one, cluster) for found in admissions.values() for one in found)
            if "TPU874" not in told and stuck is not bool(told & {"TPU875", "TPU876"}):
                wrong[(second, *counts)] = (stuck, sorted(told))
    assert wrong == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("queues", ["one", "cohort"])
def test_slices_of_two_shapes_are_whole_or_wait_for_quota(queues: str, mode: str) -> None:
    """The nodes of each shape are those that its admitted Pods need."""
    wrong = {}
    for shapes in itertools.permutations(SHAPES, 2):
        plan = plan_of(dict.fromkeys(shapes, "scales"), queues, shapes, mode)
        (cluster,) = checked(plan).fleet.clusters
        for outcome in outcomes(objects_of(plan), node_pools(cluster)):
            admission = {f"default/{item.name}": flavors for item, flavors in outcome.flavors}
            assert sum(chips_of(admission).values()) == CHIPS  # nothing waits beside free chips
            for unit, placement in outcome.slices:
                shape = unit.name.split("/")[1].partition("-")[0]
                if placement is not None and (
                    not placement.ends <= {WHOLE, SPLIT}
                    or {name.removeprefix("nap-").partition("-")[0] for name in placement.pools} != {shape}
                ):
                    wrong[shapes, unit.name] = placement
    assert wrong == {}


@pytest.mark.parametrize("shapes", [*itertools.permutations(SHAPES, 2)], ids="-".join)
def test_a_queue_gets_its_borrowed_chips_back_for_another_shape(shapes: tuple[str, str]) -> None:
    """The first shape borrows all chips; then the second one enters its own queue, and what is left is whole."""
    first, second = shapes
    own = {"cohort": "all", "chips": {"shared": 8}}
    for reclaim in ("any", "never"):
        plan = plan_of(dict.fromkeys(shapes, "scales"), "cohort", shapes)
        queues = {"a": {"cohort": "all", "chips": {"shared": 0}}, "b": {**own, "reclaim": reclaim}}
        plan["clusters"]["c"]["kubernetes"]["queues"] = queues
        objects = objects_of(plan)
        kueue, every = Kueue(objects), queued_of(objects)
        borrowing = [one for one in every if one.owner.endswith(f"/{first}-a")]
        (admission,) = kueue.admissions(borrowing)
        running = [(one, admission[f"default/{one.name}"]) for one in borrowing]
        assert None not in [flavors for _, flavors in running]
        waiting = next(one for one in every if one.owner.endswith(f"/{second}-b"))
        ended = kueue.preempted([(one, flavors or ()) for one, flavors in running], waiting)
        if reclaim == "never":
            assert ended is None
        else:
            assert ended is not None
            free = CHIPS - SIZE[first] * (len(borrowing) - len(ended))
            assert SIZE[second] <= free < SIZE[second] + SIZE[first]


def test_a_budget_keeps_the_workloads_of_others_out() -> None:
    """One queue with two budgets, and with a slice group outside of both."""
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": {"max": 2}}
    slices = {name: {**group, "capacity": {"reservation": name}} for name in ("ours", "theirs")}
    run = {name: with_image({"slices": name, "queue": "a", "kind": "jobset"}) for name in ("ours", "theirs", "spot")}
    slices["spot"] = {**group, "capacity": "spot"}
    for swapped in (False, True):
        order = dict(reversed(slices.items())) if swapped else slices
        budgets = {f"of-{name}": {"chips": 8, "reservation": name} for name in ("ours", "theirs")}
        kubernetes = {"queues": {"a": {}}, "workloads": run}
        cluster = {"mode": "standard", "location": "us-east5", "slices": order, "kubernetes": kubernetes}
        plan = {"version": 1, "project": "acme-ml", "budgets": budgets, "clusters": {"c": cluster}}
        for admission in choices(plan):
            flavors = {name.rpartition("/")[2]: dict(found or ()) for name, found in admission.items()}
            assert {name: {*found.values()} for name, found in flavors.items()} == {
                "ours": {"budget-of-ours"},
                "theirs": {"budget-of-theirs"},
                "spot": {"tpu-spot"},
            }


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("mode", MODES)
def test_the_server_accepts_the_objects(mode: str, bed: Testbed) -> None:
    plan = plan_of({"single": "scales", "hosts": "scales"}, "no borrowing", ("single", "hosts"), mode)
    items = objects_of(plan, "queues")
    assert [item["metadata"]["name"] for item in items if item["kind"] == "ResourceFlavor"] == ["cpu", "budget-shared"]
    assert [(item["kind"], words) for item in items if (words := bed.refusal(item))] == []

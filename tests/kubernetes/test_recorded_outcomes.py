"""The model of Kueue and of the scheduler gives the outcomes that real controllers and the real scheduler gave.

``support.kubernetes_model`` says how each slice *can* end; a recording has one end of each. So a slice that was held by
luck must be able to end in another way, and every other slice must end as recorded in every case. ``DIFFERENT`` lists
the slices of which the model says something else, and nothing more: an entry that is no longer needed fails.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
from support.kubernetes_model.outcomes import Outcome, outcomes
from support.kubernetes_model.places import PARTIAL, PENDING, SPLIT, WHOLE, Placement
from support.kubernetes_model.recorded import Case, RecordedSlice, recorded

CASES = recorded()

RAY = "Ray workers are pinned to node pools that a JobSet or LeaderWorkerSet can take as well: luck"
OPERATORS = "a JobSet and a LeaderWorkerSet ignore each other and can start slices in one node pool: luck"
PRIORITIES = "a JobSet keeps away only from JobSets of its own priority: luck"
VOLUME = "the disk of the Pods is in another zone than the nodes, and the model ignores volumes"
POOLS = "the recording has the node pools of the other cluster of the plan"
_LONG = "a-long-namespace-name-for-a-research-team-in-europe"
_LONG_NAMES = {
    f"{_LONG}/JobSet/a-quite-long-name-of-a-training-run-with-30b-m/slice-0",
    f"{_LONG}/JobSet/a-quite-long-name-of-path-ways/worker-0",
    f"{_LONG}/LeaderWorkerSet/a-quite-long-name-of-a-server/group-0",
}
_LONG_RAY = f"{_LONG}/RayCluster/a-quite-long-name-of-ray-cluster-x/slices-0"
_PRETRAINING = {"research/JobSet/pretraining/slice-0", "research/JobSet/pretraining/slice-1"}
_TRAIN = {"JobSet/train/slice-0", "JobSet/train/slice-1"}
DIFFERENT: dict[tuple[str, str], set[str]] = {
    ("pairs/p017", VOLUME): {"RayJob/work/slices"},
    ("pairs/p036", VOLUME): {"JobSet/work/worker-0"},
    ("special/s14-zones-and-disk", VOLUME): {"Deployment/chat"},
    ("special/s12-two-clusters-central", POOLS): {"research/JobSet/w/slice-0"},
    ("shipped/doc-workloads-1", RAY): {*_PRETRAINING, "research/RayJob/sweep/slices-0"},
    ("special/s04-ray-beside-jobset", RAY): _TRAIN,
    ("special/s04-ray-beside-jobset (again)", RAY): {*_TRAIN, "RayJob/tune/slices-0"},
    ("special/s22-long-names", RAY): _LONG_NAMES,
    ("special/s22-long-names (again)", RAY): {*_LONG_NAMES, _LONG_RAY},
    ("special/s06-jobset-and-lws-one-group", OPERATORS): {
        "JobSet/train/slice-0",
        "LeaderWorkerSet/serve/group-0",
        "LeaderWorkerSet/serve/group-1",
    },
    ("special/s07-jobset-and-lws-head-one-group", OPERATORS): {
        "JobSet/train/slice-0",
        "LeaderWorkerSet/serve/group-0",
        "LeaderWorkerSet/serve/group-1",
    },
    ("special/s19-fallback-standard-multihost", OPERATORS): {
        *_TRAIN,
        "JobSet/single/slice-0",
        "LeaderWorkerSet/serve/group-0",
    },
    ("shipped/doc-workloads-2", PRIORITIES): {
        "product/JobSet/distill/slice-0",
        "research/JobSet/ablation/slice-0",
    },
    ("special/s11-cohorts-borrow", PRIORITIES): {
        "blue/JobSet/b/slice-0",
        "red/JobSet/r/slice-0",
        "red/JobSet/r/slice-1",
        "red/JobSet/r/slice-2",
    },
}
_EXPECTED = {name: slices for (name, _), slices in DIFFERENT.items()}


@pytest.mark.parametrize("name", CASES)
def test_the_model_gives_the_recorded_outcome(name: str) -> None:
    case = CASES[name]
    possible = [one for one in outcomes(case.objects, case.pools) if _flavors(one) == _recorded_flavors(case)]
    assert len(possible) == 1, "Kueue chooses other flavors"
    (outcome,) = possible
    assert set(_different_slices(outcome, case)) == _EXPECTED.get(name, set())
    assert list(_different_pods(outcome, case)) == []


def test_every_exception_is_a_recorded_slice() -> None:
    assert {(name, one) for name, slices in _EXPECTED.items() for one in slices} <= {
        (name, one.name) for name, case in CASES.items() for one in case.slices
    }


def test_the_recordings_contain_every_kind_of_end() -> None:
    """Otherwise, a model that always says the same would pass."""
    ends = Counter(_end(one) for case in CASES.values() for one in case.slices)
    assert min(ends[end] for end in (WHOLE, SPLIT, PARTIAL, PENDING)) >= 2, ends
    held = Counter(reason for case in CASES.values() for one in case.slices for reason in one.held_by)
    assert set(held) == {"one pod", "selector", "affinity", "only pool", "luck"}
    assert any(one.flavors is None for case in CASES.values() for one in case.workloads)
    assert any("nodeTaints" in item["spec"] for case in CASES.values() for item in case.objects)


def _recorded_flavors(case: Case) -> Counter[object]:
    return Counter(
        (one.owner, None if one.flavors is None else frozenset(one.flavors.items())) for one in case.workloads
    )


def _flavors(outcome: Outcome) -> Counter[object]:
    return Counter((one.owner, None if flavors is None else frozenset(flavors)) for one, flavors in outcome.flavors)


def _different_slices(outcome: Outcome, case: Case) -> Iterator[str]:
    """The names of the recorded slices of which the model says something else."""
    left: dict[str, list[Placement | None]] = {}
    for unit, placement in outcome.slices:
        left.setdefault(_full_name(unit.namespace, unit.name), []).append(placement)
    for one in case.slices:
        same = left.get(one.name, [])
        found = next((index for index, placement in enumerate(same) if _agrees(one, placement)), None)
        if found is None:
            yield one.name
        else:
            same.pop(found)
    # Slices without an entry in the recording
    yield from (name for name, rest in left.items() for _ in rest if name not in {one.name for one in case.slices})


def _agrees(one: RecordedSlice, placement: Placement | None) -> bool:
    if placement is None:
        return _end(one) == PENDING and one.held_by == ()
    if _end(one) not in placement.ends or not set(one.pools) <= placement.pools or placement.held_by not in one.held_by:
        return False
    return placement.safe != (placement.held_by == "luck") if _end(one) == WHOLE else not placement.safe


def _end(one: RecordedSlice) -> str:
    if one.bound < one.pods:
        return PARTIAL if one.bound else PENDING
    return WHOLE if len(one.pools) == 1 else SPLIT


def _different_pods(outcome: Outcome, case: Case) -> Iterator[str]:
    """Pods without chips that the model places elsewhere; those that were started as often as recorded."""
    started: dict[str, list[frozenset[str]]] = {}
    for unit, pools in outcome.other_pods:
        started.setdefault(_full_name(unit.namespace, unit.name), []).append(pools)
    for name, pool, count in case.other_pods:
        for pools in started.get(name, [])[:count]:
            if (pool not in pools) if pool else pools:
                yield f"{name} is in {pool}, but could be in {sorted(pools)}"
    recorded_pods = {name for name, _, _ in case.other_pods}
    waiting = {one.name.rpartition("/")[0] for one in case.slices if _end(one) in (PARTIAL, PENDING)}
    for name in started:  # KubeRay starts the submitter of a RayJob when all workers run
        if name not in recorded_pods and not (name.endswith("/submitter") and name.rpartition("/")[0] in waiting):
            yield f"{name} is not recorded"


def _full_name(namespace: str, name: str) -> str:
    return name if namespace == "default" else f"{namespace}/{name}"

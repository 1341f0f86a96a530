"""Rules about manager clusters of MultiKueue and their workers."""

import json
from typing import Any

import pytest
from support.multikueue import manager_plan, told, worker
from support.workload_plans import objects_of

OURS = ("TPU86", "TPU700", "TPU703", "TPU705")
MODES = pytest.mark.parametrize("mode", ["standard", "autopilot"])
JOBSET = {"slices": "pretrain", "kind": "jobset", "count": 2}
QUEUES = "hub.kubernetes.queues.research"
RUN = "hub.kubernetes.workloads.run"


@MODES
def test_a_manager_and_its_workers_have_no_findings(mode: str) -> None:
    assert told(manager_plan(mode, {"run": JOBSET}), OURS) == []


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        ({}, ["TPU860 hub.kubernetes.multikueue.workers"]),
        ({"east": {}}, []),
        ({"esat": {}, "east": {}}, ["TPU860 hub.kubernetes.multikueue.workers.esat"]),
        ({"hub": {}, "east": {}}, ["TPU860 hub.kubernetes.multikueue.workers.hub"]),
    ],
)
def test_workers_are_other_clusters_of_the_plan(workers: dict[str, Any], expected: list[str]) -> None:
    assert told(manager_plan(multikueue={"workers": workers}), OURS) == expected


def test_a_manager_cannot_be_a_worker() -> None:
    plan = manager_plan(multikueue={"workers": {"east": {}, "west": {}}})
    plan["clusters"]["west"]["kubernetes"]["multikueue"] = {"workers": {"east": {}}}
    assert told(plan, ("TPU860",)) == ["TPU860 hub.kubernetes.multikueue.workers.west"]
    plan["clusters"]["west"]["kubernetes"]["multikueue"] = {"workers": {"hub": {}}}
    expected = [
        f"TPU860 {one}.kubernetes.multikueue.workers.{other}" for one, other in (("hub", "west"), ("west", "hub"))
    ]
    assert told(plan, ("TPU860",)) == expected


def test_a_manager_has_at_most_20_workers() -> None:
    for count, expected in ((20, []), (21, ["TPU860 hub.kubernetes.multikueue.workers"])):
        plan = manager_plan(multikueue={"workers": {f"w{number}": {} for number in range(count)}})
        plan["clusters"] |= {f"w{number}": worker("east", "autopilot") for number in range(count)}
        assert told(plan, ("TPU860",)) == expected


@MODES
def test_a_manager_has_no_slices(mode: str) -> None:
    plan = manager_plan(mode)
    plan["clusters"]["hub"]["slices"] = worker("east", mode)["slices"]
    assert told(plan, OURS) == ["TPU861 hub.slices"]


@MODES
@pytest.mark.parametrize(
    ("queues", "expected"),
    [
        ({"research": {}}, []),
        ({"research": {"namespaces": ["default", "papers"]}}, []),
        ({"other": {}}, [f"TPU862 note {QUEUES}"]),
        ({"research": {"namespace": "papers"}}, [f"TPU862 note {QUEUES}"]),
    ],
)
def test_workers_have_the_queues_of_their_manager(mode: str, queues: dict[str, Any], expected: list[str]) -> None:
    plan = manager_plan(mode)
    plan["clusters"]["west"] = worker("west", mode, queues=queues)
    assert told(plan, OURS) == expected


@pytest.mark.parametrize(
    ("east", "west", "told_of"),
    [
        ({"other": {}}, {"research": {}}, ["TPU862 note"]),
        ({"other": {}}, {"other": {}}, ["TPU862", "TPU862"]),
        ({"research": {"namespace": "papers"}}, {"research": {"namespace": "papers"}}, ["TPU862", "TPU862"]),
        ({"research": {"namespace": "papers"}}, {"research": {}}, ["TPU862 note"]),
    ],
)
def test_a_queue_on_some_of_the_workers_sends_its_workloads_to_these(
    east: dict[str, Any], west: dict[str, Any], told_of: list[str]
) -> None:
    plan = manager_plan("standard")
    for name, queues in (("east", east), ("west", west)):
        plan["clusters"][name] = worker(name, "standard", queues=queues)
    assert [text.rpartition(" ")[0] for text in told(plan, ("TPU862",))] == told_of


DISK = {"disk": {"type": "hyperdisk-balanced", "size_gib": 10}}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, []),
        ({"kind": "rayjob", "command": ["run"]}, []),
        ({"kind": "raycluster"}, []),
        ({"kind": "leaderworkerset"}, []),
        ({"kind": "leaderworkerset", "port": 80}, [f"TPU863 {RUN}"]),
        ({"kind": "job", "count": 1}, []),
        ({"kind": "job", "count": 1, "max_restarts": 1}, []),
        ({"kind": "pathways", "scratch": "gs://a/b"}, None),
        ({"volumes": {"data": {"mount": "/data", **DISK}}}, [f"TPU863 {RUN}.volumes.data"]),
        ({"volumes": {"data": {"mount": "/data", "claim": "existing"}}}, []),
        ({"volumes": {"data": {"mount": "/data", "empty_dir": True}}}, []),
        ({"queue": None}, [f"TPU863 {RUN}"]),
        ({"slices": "other"}, [f"TPU700 {RUN}.slices"]),
        ({"count": 4}, []),
        ({"count": 5}, [f"TPU703 {RUN}.count"]),
    ],
)
def test_workloads_that_kueue_can_send(keys: dict[str, Any], expected: list[str] | None) -> None:
    """A workload needs no more slices than the largest worker has. None: a workload with several objects."""
    plan = manager_plan(workloads={"run": {**JOBSET, **keys}})
    run = plan["clusters"]["hub"]["kubernetes"]["workloads"]["run"]
    if run["queue"] is None:
        del run["queue"]
    found = told(plan, OURS)
    assert found == expected if expected is not None else all(item.startswith("TPU863") for item in found)


def test_a_job_with_a_service_for_its_pods_is_not_sent() -> None:
    plan = manager_plan(workloads={"run": {**JOBSET, "kind": "job", "count": 1}})
    for place in ("east", "west"):
        plan["clusters"][place]["slices"]["pretrain"]["count"] = 1
    assert told(plan, OURS) == [f"TPU863 {RUN}"]


@MODES
def test_workers_need_equal_slice_groups(mode: str) -> None:
    plan = manager_plan(mode, {"run": JOBSET})
    west = plan["clusters"]["west"]["slices"]
    west["pretrain"]["topology"] = "4x8"
    assert told(plan, OURS) == [f"TPU864 warning {RUN}"]
    west["other"] = west.pop("pretrain")  # its flavor has another taint, so the worker does not admit the workload
    assert told(plan, OURS) == []


def test_a_queue_sends_workloads_to_the_workers_that_have_its_chips() -> None:
    """Generations differ, and a worker with the budget admits a workload whose shape it does not have."""
    plan = manager_plan(workloads={"run": JOBSET})
    reserved = {"capacity": {"reservation": "ours"}}
    west = plan["clusters"]["west"]
    west["slices"] = {"evaluate": {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-b", **reserved}}
    west["kubernetes"]["queues"] = {"small": {}}
    assert told(plan, OURS) == []
    plan["clusters"]["hub"]["kubernetes"]["queues"] = {"research": {}, "small": {}}
    assert told(plan, OURS) == []
    plan["clusters"]["east"]["slices"]["pretrain"] |= reserved
    plan["budgets"] = {"shared": {"chips": 64, "reservation": "ours"}}
    west["kubernetes"]["queues"] = {"research": {}, "small": {}}
    assert told(plan, ("TPU864",)) == [f"TPU864 warning {RUN}"]


def test_workers_with_other_taints_or_labels_are_reported() -> None:
    for keys in ({"taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]}, {"capacity": "spot"}):
        plan = manager_plan(workloads={"run": JOBSET})
        plan["clusters"]["west"]["slices"]["pretrain"] |= keys
        assert told(plan, OURS) == [f"TPU864 warning {RUN}"], keys


@MODES
@pytest.mark.parametrize(
    ("key", "entry", "name"),
    [("priority_classes", {"value": 10}, "priority"), ("service_accounts", {}, "service_account")],
)
def test_workers_have_what_the_pods_name(mode: str, key: str, entry: dict[str, Any], name: str) -> None:
    plan = manager_plan(mode, {"run": {**JOBSET, name: "runner"}}, **{key: {"runner": entry}})
    for place in ("east", "west"):
        assert f"TPU865 {RUN}.{name}" in told(plan, OURS)
        plan["clusters"][place]["kubernetes"][key] = {"runner": entry}
    assert told(plan, OURS) == []


@MODES
def test_the_order_of_clusters_in_the_plan_does_not_matter(mode: str) -> None:
    plan = manager_plan(mode, {"run": {**JOBSET, "count": 5}})
    backwards = {**plan, "clusters": dict(reversed(plan["clusters"].items()))}
    assert told(backwards, OURS) == told(plan, OURS) == [f"TPU703 {RUN}.count"]


@pytest.mark.parametrize(
    ("manager", "worker_mode", "reported"),
    [
        ("autopilot", "standard", True),
        ("autopilot", "autopilot", False),
        ("standard", "standard", False),
        ("standard", "autopilot", False),
    ],
)
def test_autopilot_changes_the_pods_that_a_manager_copies(manager: str, worker_mode: str, reported: bool) -> None:
    plan = manager_plan(worker_mode, {"run": JOBSET})
    plan["clusters"]["hub"]["mode"] = manager
    assert bool(told(plan, ("TPU571",))) is reported


def test_a_manager_of_three_workers_speaks_of_those_that_a_queue_can_reach() -> None:
    """One worker without slice groups gets nothing; a queue over the two others needs the queue on both."""
    plan = manager_plan(workloads={"run": JOBSET})
    plan["clusters"]["idle"] = {"mode": "standard", "location": "us-east1"}
    plan["clusters"]["hub"]["kubernetes"]["multikueue"]["workers"]["idle"] = {}
    assert told(plan, OURS) == []
    queues = plan["clusters"]["hub"]["kubernetes"]["queues"] = {"research": {}, "east-only": {"chips": {"early": 16}}}
    east, west = (plan["clusters"][name] for name in ("east", "west"))
    east["slices"]["early"] = dict(east["slices"]["pretrain"])
    east["kubernetes"]["queues"] = {"research": {}, "east-only": {}}
    assert told(plan, ("TPU862",)) == []
    west["kubernetes"]["queues"] = {"other": {}}
    assert told(plan, ("TPU862",)) == ["TPU862 note hub.kubernetes.queues.research"]
    queues["west-only"] = {"chips": {"pretrain": 32}}
    assert {text.rpartition(".")[2] for text in told(plan, ("TPU862",))} == {"research", "west-only"}


def with_second_group(group: str, *places: str) -> dict[str, Any]:
    """A workload that falls back to a slice group of some workers."""
    plan = manager_plan(workloads={"run": {**JOBSET, "fallback": [group]}})
    for place in places:
        slices = plan["clusters"][place]["slices"]
        slices[group] = {**slices["pretrain"], "capacity": "spot", "node_labels": {"tier": "second"}}
        slices["pretrain"] = {**slices["pretrain"], "node_labels": {"tier": "first"}}
    return plan


def test_a_slice_group_takes_over_on_the_same_worker() -> None:
    assert told(with_second_group("spot", "east", "west"), ("TPU333", "TPU700")) == []
    assert told(with_second_group("spot"), ("TPU333", "TPU700")) == [f"TPU700 {RUN}.fallback[0]"]
    plan = with_second_group("spot", "west")
    assert told(plan, ("TPU333", "TPU700")) == []  # the first worker has the first group only
    del plan["clusters"]["west"]["slices"]["pretrain"]
    assert told(plan, ("TPU333", "TPU700")) == [f"TPU333 {RUN}.fallback[0]"]


def test_pods_tolerate_the_taints_of_a_group_that_a_later_worker_has() -> None:
    tolerated = json.dumps(objects_of(with_second_group("spot", "west"), "workloads"))
    assert '"value": "spot"' in tolerated


@pytest.mark.parametrize("operators", [{"kueue": {}}, {"kueue": {}, "jobset": {}}])
def test_workers_have_the_operators_of_what_their_manager_sends(operators: dict[str, Any]) -> None:
    plan = manager_plan(workloads={"run": JOBSET})
    plan["clusters"]["west"]["kubernetes"]["operators"] = operators
    expected = [] if "jobset" in operators else ["TPU660 warning west.kubernetes.operators"]
    assert told(plan, ("TPU660",)) == expected


def test_a_queue_that_the_worker_with_the_slices_lacks_is_reported_and_not_its_quota() -> None:
    plan = manager_plan(workloads={"run": JOBSET})
    east = plan["clusters"]["east"]
    plan["clusters"]["west"] = worker("west", "standard")
    east["slices"] = {"other": east["slices"]["pretrain"]}
    plan["clusters"]["west"]["kubernetes"]["queues"] = {"theirs": {}}
    assert told(plan, OURS) == [f"TPU862 {QUEUES}"]
    plan["clusters"]["west"]["kubernetes"]["queues"] = {"research": {}}
    assert told(plan, OURS) == []


def with_fleet(**keys: Any) -> dict[str, Any]:
    """A plan whose clusters are in one fleet; ``keys`` are keys of the manager."""
    plan = manager_plan(multikueue={"workers": {"east": {}, "west": {}}, "credentials": "fleet"})
    for cluster in plan["clusters"].values():
        cluster["fleet"] = "acme-ml"
    plan["clusters"]["hub"] |= keys
    return plan


def test_access_by_the_fleet_reads_no_secret() -> None:
    plan = with_fleet()
    assert told(plan, ("TPU879",)) == []
    plan["clusters"]["hub"]["kubernetes"]["multikueue"]["workers"]["west"] = {"kubeconfig_secret": "west-access"}
    assert told(plan, ("TPU879",)) == ["TPU879 hub.kubernetes.multikueue.workers.west.kubeconfig_secret"]


@pytest.mark.parametrize(("value", "expected"), [("kueue-system", False), ("other", True)])
def test_labels_of_the_manager_are_those_that_the_fleet_reads(value: str, expected: bool) -> None:
    label = "fleet-clusterinventory-namespace"
    found = told(with_fleet(resource_labels={label: value, "team": "ml"}), ("TPU879",))
    assert found == ([f"TPU879 hub.resource_labels.{label}"] if expected else [])


def test_an_existing_manager_joins_the_fleet_where_it_is_managed() -> None:
    plan = with_fleet()
    hub = plan["clusters"]["hub"]
    del hub["location"]
    hub |= {"existing": "projects/acme-ml/locations/us-east5/clusters/hub", "version": "1.35"}
    rules = ("TPU286", "TPU879")
    assert [item for item in told(plan, rules) if "addons" not in item] == ["TPU286 hub.fleet"]
    del hub["fleet"]
    expected = ["TPU879 note hub.kubernetes.multikueue.credentials"]
    assert [item for item in told(plan, rules) if "addons" not in item] == expected


@pytest.mark.parametrize(
    ("queues", "expected"),
    [
        ({"research": {}}, []),
        ({"research": {"chips": {"pretrain": 96}}}, []),
        ({"research": {"chips": {"pretrain": 97}}}, ["TPU704 warning hub.kubernetes.queues.research.chips.pretrain"]),
        (
            {"research": {"chips": {"pretrain": 96}}, "papers": {"chips": {"pretrain": 1}}},
            ["TPU704 warning hub.kubernetes.queues.papers.chips.pretrain"],
        ),
    ],
)
def test_the_quotas_of_a_manager_are_at_most_the_chips_of_its_workers(
    queues: dict[str, Any], expected: list[str]
) -> None:
    assert told(manager_plan(queues=queues), ("TPU704",)) == expected


def test_the_quotas_of_a_manager_are_at_most_its_budget() -> None:
    plan = manager_plan(queues={"research": {"chips": {"shared": 64}}})
    plan["budgets"] = {"shared": {"chips": 64, "reservation": "ours"}}
    for name in ("east", "west"):
        plan["clusters"][name]["slices"]["pretrain"] |= {"capacity": {"reservation": "ours"}, "count": {"max": 4}}
        plan["clusters"][name]["kubernetes"]["queues"]["research"] = {"chips": {"shared": 32}}
    assert told(plan, ("TPU704",)) == []
    plan["clusters"]["hub"]["kubernetes"]["queues"]["research"]["chips"]["shared"] = 65
    assert told(plan, ("TPU704",)) == ["TPU704 warning hub.kubernetes.queues.research.chips.shared"]

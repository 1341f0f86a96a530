"""Changes of Kubernetes objects: which objects change, in which way, and whether Pods can stop."""

import functools
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.diff.effects.objects import object_changes
from pulumi_gke_tpu.features.diff.model import ObjectChange
from pulumi_gke_tpu.features.diff.narrative.notes import notes_of

CATALOG = read_catalog()
PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "1.35"
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot}
      serve: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: 2}
    kubernetes:
      namespace: research
      priority_classes: {urgent: {value: 1000}}
      workloads:
        llama: {slices: pretrain, image: us-docker.pkg.dev/acme-ml/t/llama:1, kind: jobset}
        chat: {slices: serve, image: us-docker.pkg.dev/acme-ml/t/chat:1, kind: deployment, port: 80}
        eval: {slices: serve, image: us-docker.pkg.dev/acme-ml/t/eval:1, max_restarts: 1}
"""
QUEUES = """\
      queues: {team: {cohort: all, chips: {serve: 4}, namespaces: [research]}}
      cohorts: {all: {}, top: {}}
"""
LLAMA = "        llama: {slices: pretrain, image: us-docker.pkg.dev/acme-ml/t/llama:1, kind: jobset}\n"


def fleet(text: str) -> Fleet:
    checked = check_plan(parse_plan(parse_yaml(text.encode(), "plan.yaml").data), CATALOG)
    assert not checked.has_errors, checked.findings
    assert checked.fleet is not None
    return checked.fleet


def changes(before: str, after: str) -> list[tuple[str, str, bool]]:
    found = object_changes("plan.yaml", fleet(before), fleet(after), CATALOG)
    return [(item.operation, item.object, item.disruptive) for item in found]


@pytest.mark.parametrize(
    ("was", "will", "expected"),
    [
        ("", "", []),
        ("llama:1", "llama:2", [("replace", "JobSet/research/llama", True)]),
        ("chat:1", "chat:2", [("update", "Deployment/research/chat", True)]),
        (
            "port: 80}",
            "port: 81}",
            [("update", "Deployment/research/chat", True), ("update", "Service/research/chat", False)],
        ),
        ("eval:1", "eval:2", [("replace", "Job/research/eval", True)]),
        ("max_restarts: 1", "max_restarts: 2", [("update", "Job/research/eval", True)]),
        (LLAMA, "", [("delete", "JobSet/research/llama", True)]),
        ("value: 1000", "value: 2000", [("replace", "PriorityClass/urgent", False)]),
        (
            "{urgent: {value: 1000}}",
            "{urgent: {value: 1000}, low: {value: 1}}",
            [("create", "PriorityClass/low", False)],
        ),
        ("location: us-east5", "location: us-east5\n    release_channel: rapid", []),
    ],
    ids=[
        "nothing",
        "JobSet",
        "Deployment",
        "port",
        "Job",
        "retries of a Job",
        "removed",
        "fixed value",
        "added",
        "of the cluster only",
    ],
)
def test_what_happens_to_each_object(was: str, will: str, expected: list[tuple[str, str, bool]]) -> None:
    assert changes(PLAN, PLAN.replace(was, will) if was else PLAN) == expected


def test_the_sentence_about_a_changed_job_names_the_property() -> None:
    (found,) = object_changes("plan.yaml", fleet(PLAN), fleet(PLAN.replace("eval:1", "eval:2")), CATALOG)
    assert found.means == "`spec.template` cannot change, so it is deleted and created again: its Pods stop."


def test_another_size_of_the_memory_for_checkpoints_loses_those_in_memory() -> None:
    """The controller ignores a change, so that the configuration is replaced, and its driver with it."""
    with_checkpoints = f"{PLAN}      checkpoints: {{bucket: acme-checkpoints, memory: 60Gi, slices: [pretrain]}}\n"
    (found,) = object_changes(
        "plan.yaml", fleet(with_checkpoints), fleet(with_checkpoints.replace("60Gi", "80Gi")), CATALOG
    )
    assert (found.operation, found.object, found.disruptive) == (
        "replace", "CheckpointConfiguration/checkpoints-ct6e-standard-4t", True
    )  # fmt: skip
    assert found.means.endswith("created again: checkpoints in the memory of its hosts are lost.")


def test_another_namespace_deletes_and_creates_what_is_in_it() -> None:
    found = changes(PLAN, PLAN.replace("namespace: research", "namespace: prod"))
    assert ("delete", "Namespace/research", True) in found
    assert ("create", "JobSet/prod/llama", False) in found
    assert ("delete", "JobSet/research/llama", True) in found


def test_objects_of_a_new_or_deleted_cluster_are_part_of_its_change() -> None:
    other = PLAN.replace("  train:\n", "  other:\n")
    assert changes(PLAN, other) == []


def test_a_moved_cluster_keeps_its_objects() -> None:
    moved = PLAN.replace("  train:\n", "  other:\n") + "moved: [{from: train, to: other}]\n"
    assert changes(PLAN, moved) == []


@pytest.mark.parametrize(
    ("was", "will"), [("llama:1", "llama:2"), ("chat:1", "chat:2"), ("eval:1", "eval:2"), ("value: 1000", "value: 2")]
)
def test_an_object_is_replaced_exactly_if_the_component_tells_the_engine_to_replace_it(was: str, will: str) -> None:
    """tests/engine holds what the engine plans for these fields; `replace_on_changes` is what it is given."""
    before, after = fleet(PLAN), fleet(PLAN.replace(was, will))
    (changed,) = object_changes("plan.yaml", before, after, CATALOG)
    old, new = (
        {declared.name: declared for declared in tpu_workloads(each.clusters[0], CATALOG, "w")}
        for each in (before, after)
    )
    name = f"w/{changed.object.rpartition('/')[2]}"
    fixed = new[name].options.replace_on_changes
    differs = any(value_at(old[name].properties, path) != value_at(new[name].properties, path) for path in fixed)
    assert (changed.operation == "replace") == differs


def value_at(properties: Any, path: str) -> Any:
    return functools.reduce(lambda value, name: (value or {}).get(name), path.split("."), properties)


IN_ORDER = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      ours: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: a}, node_labels: {pool: a}}
      theirs: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: b}, node_labels: {pool: b}}
      spot: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {max: 2}, capacity: spot}
    kubernetes:
      queues: {team: {}}
      workloads:
        llama: {slices: ours, fallback: [theirs, spot], queue: team, image: llama, kind: jobset}
        chat: {slices: ours, fallback: [theirs, spot], queue: team, image: chat, kind: leaderworkerset}
"""
_JOB, _SERVER = ("replace", "JobSet/default/llama", True), ("replace", "LeaderWorkerSet/default/chat", True)
_QUEUE = ("update", "ClusterQueue/team", False)


@pytest.mark.parametrize(
    ("was", "will", "expected"),
    [
        ("slices: ours, fallback: [theirs, spot]", "slices: theirs, fallback: [ours, spot]", {_QUEUE}),
        ("fallback: [theirs, spot]", "fallback: [theirs]", {_JOB, _SERVER}),
        ("count: {max: 2}, capacity: spot", "count: {max: 3}, capacity: spot", {_QUEUE}),
    ],
    ids=["another order", "a group less", "more slices"],
)
def test_another_order_of_slice_groups_stops_no_pods(was: str, will: str, expected: set[object]) -> None:
    assert set(changes(IN_ORDER, IN_ORDER.replace(was, will))) == expected


def test_the_order_in_which_the_plan_lists_slice_groups_changes_no_pods() -> None:
    """The Pods tolerated the taints in that order, so that moving a line stopped every run in an order of groups."""
    lines = IN_ORDER.splitlines(keepends=True)
    start = lines.index("    slices:\n") + 1
    listed = "".join((*lines[:start], *reversed(lines[start : start + 3]), *lines[start + 3 :]))
    assert set(changes(IN_ORDER, listed)) == set()


def test_a_first_second_group_changes_no_other_workload() -> None:
    """Its flavor may get labels that tell it from the new group; Pods that run are as they were."""
    alone = IN_ORDER.replace("llama: {slices: ours, fallback: [theirs, spot]", "llama: {slices: ours")
    assert set(changes(alone, IN_ORDER)) == {_JOB}
    neither = alone.replace("chat: {slices: ours, fallback: [theirs, spot]", "chat: {slices: ours")
    assert {item for item in changes(neither, alone) if item[2]} == {_SERVER}


OPERATORS = "      operators: {jobset: {}, kueue: {version: 0.19.1}}\n"
WITH_OPERATORS = PLAN.replace("      workloads:\n", f"{OPERATORS}      workloads:\n")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PLAN, WITH_OPERATORS, [("create", "Operator/JobSet", False), ("create", "Operator/Kueue", False)]),
        (WITH_OPERATORS, WITH_OPERATORS.replace("0.19.1", "0.19.2"), [("update", "Operator/Kueue", False)]),
        (
            WITH_OPERATORS,
            WITH_OPERATORS.replace("0.19.1", "0.19.1, retention: {finished: 7d}"),
            [("update", "Operator/Kueue", False)],
        ),
        (WITH_OPERATORS, WITH_OPERATORS.replace("jobset: {}, ", ""), [("delete", "Operator/JobSet", True)]),
        (WITH_OPERATORS, WITH_OPERATORS.replace("jobset: {}", "jobset: {version: 0.12.0}"), []),
    ],
    ids=["new", "release", "configuration", "removed", "the default written"],
)
def test_changes_of_operators(before: str, after: str, expected: list[tuple[str, str, bool]]) -> None:
    assert changes(before, after) == expected


@pytest.mark.parametrize(
    ("was", "will", "expected"),
    [
        ("cohort: all", "cohort: all, weight: 2", [("update", "ClusterQueue/team", False)]),
        ("cohort: all", "cohort: all, lend: {serve: 0}", [("update", "ClusterQueue/team", False)]),
        ("all: {}", "all: {parent: top, chips: {serve: 4}}", [("update", "Cohort/all", False)]),
        (", top: {}", "", [("delete", "Cohort/top", False)]),
        (
            "[research]",
            "[research, papers]",
            [
                ("create", "Namespace/papers", False),
                ("update", "ClusterQueue/team", False),
                ("create", "LocalQueue/papers/team", False),
            ],
        ),
    ],
)
def test_what_queues_share_changes_in_place(was: str, will: str, expected: list[tuple[str, str, bool]]) -> None:
    before = PLAN + QUEUES
    assert was in before
    found = changes(before, before.replace(was, will))
    assert sorted(found) == sorted(expected)


SCALED = "port: 80, autoscale: {min: 1, max: 2, metric: queue, target: 10}, disruption_budget: {max_unavailable: 1}}"


@pytest.mark.parametrize(
    ("was", "will", "expected"),
    [
        ("max: 2", "max: 1", [("update", "HorizontalPodAutoscaler/research/chat", False)]),
        ("target: 10", "target: 20", [("update", "HorizontalPodAutoscaler/research/chat", False)]),
        (
            ", disruption_budget: {max_unavailable: 1}",
            "",
            [("delete", "PodDisruptionBudget/research/chat", False)],
        ),
        (
            "max_unavailable: 1",
            "max_unavailable: 2",
            [("update", "PodDisruptionBudget/research/chat", False)],
        ),
    ],
)
def test_autoscaling_and_budgets_stop_no_pods(was: str, will: str, expected: list[tuple[str, str, bool]]) -> None:
    before = PLAN.replace("port: 80}", SCALED)
    assert changes(before, before.replace(was, will)) == expected


RUN = "{slices: serve, image: us-docker.pkg.dev/acme-ml/t/run:1, service_account: runner, queue: team"
ACCOUNTS = """\
      service_accounts: {runner: {}}
      namespaces: {research: {chips: 64, editors: [group:a@example.com]}, papers: {editors: [group:b@example.com]}}
"""


def in_namespaces(namespaces: str, workloads: dict[str, str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The names of the resources of queues, service accounts and users, with the names that each could have had."""
    runs = "".join(f"        {name}: {RUN}, namespace: {place}}}\n" for name, place in workloads.items())
    text = PLAN.replace("      workloads:\n", f"      workloads:\n{runs}")
    text += QUEUES.replace("[research]", namespaces) + ACCOUNTS
    found = list(tpu_workloads(fleet(text).clusters[0], CATALOG, "train"))
    assert len(found) == len({(item.type, item.name) for item in found})
    named = [item for item in found if item.type.endswith((":LocalQueue", ":ServiceAccount"))]
    named += [item for item in found if item.name.endswith("/editors")]
    return {
        (item.type.rpartition(":")[2], item.name): tuple(str(alias.name) for alias in item.options.aliases)
        for item in named
    }


def test_objects_with_one_name_in_several_namespaces_are_different_resources() -> None:
    """Pulumi refuses two resources of one type and name."""
    found = in_namespaces("[research, papers]", {"one": "research", "two": "papers"})
    assert found == {
        ("ServiceAccount", "train/research/runner"): ("train/runner",),
        ("ServiceAccount", "train/papers/runner"): (),
        ("LocalQueue", "train/research/team"): ("train/team",),
        ("LocalQueue", "train/papers/team"): (),
        ("RoleBinding", "train/research/editors"): (),
        ("RoleBinding", "train/papers/editors"): (),
    }


def test_another_order_of_namespaces_and_workloads_keeps_every_resource() -> None:
    """Otherwise Pulumi creates an object in the one namespace and deletes it there as that of the other resource."""
    found = in_namespaces("[research, papers]", {"one": "research", "two": "papers"})
    assert in_namespaces("[papers, research]", {"two": "papers", "one": "research"}) == found


def test_an_object_keeps_its_resource_when_it_gets_and_loses_other_namespaces() -> None:
    """Its former name is an alias, with and without the namespace."""
    several = in_namespaces("[research, papers]", {"one": "research"})
    one = in_namespaces("[research]", {"one": "research"})
    assert several["LocalQueue", "train/research/team"] == ("train/team",)
    assert one["LocalQueue", "train/team"] == ("train/research/team",)
    assert one["ServiceAccount", "train/runner"] == ("train/research/runner",)


def test_the_report_names_a_way_for_objects_of_another_version() -> None:
    assert notes_of([], [], ()) == ()
    found = tuple(object_changes("plan.yaml", fleet(PLAN), fleet(PLAN.replace("eval:1", "eval:2")), CATALOG))
    (note,) = notes_of([], [], found)
    assert "`gke-tpu manifests --check DIR`" in note
    assert "`pulumi preview`" in note


def test_a_slice_group_that_joins_a_budget_leaves_admitted_workloads_uncounted() -> None:
    reserved = PLAN.replace("count: 2}", "count: 2, capacity: {reservation: ours}}") + QUEUES
    joined = reserved.replace("clusters:", "budgets: {all: {chips: 8, reservation: ours}}\nclusters:", 1).replace(
        "chips: {serve", "chips: {all"
    )
    for before, after, left in ((reserved, joined, "tpu-serve"), (joined, reserved, "budget-all")):
        found = {item.object: item for item in object_changes("plan.yaml", fleet(before), fleet(after), CATALOG)}
        change = found[f"ResourceFlavor/{left}"]
        assert (change.operation, change.disruptive) == ("delete", True)
        assert "no queue counts their chips any more" in change.means
        assert found["ClusterQueue/team"].operation == "update"
        assert not any("chat" in name for name in found)  # it is in no queue


@pytest.mark.parametrize(
    ("was", "commands"),
    [
        (LLAMA, ["`kubectl delete jobset/llama --namespace research`"]),
        ("      priority_classes: {urgent: {value: 1000}}\n", ["`kubectl delete priorityclass/urgent`"]),
        (
            QUEUES,
            [
                "`kubectl delete localqueue/team --namespace research`",
                "`kubectl delete clusterqueue/team`",
                "`kubectl delete cohort/top` and 4 more",
            ],
        ),
        ("      namespace: research\n", ["--namespace research`"]),
    ],
)
def test_objects_that_leave_the_plan_are_deleted_by_commands(was: str, commands: list[str]) -> None:
    """Workloads first: they hold chips. A namespace has no command, because its deletion deletes data."""
    before = PLAN + QUEUES
    found = [*object_changes("plan.yaml", fleet(before), fleet(before.replace(was, "")), CATALOG)]
    (note,) = [item for item in notes_of((), (), found) if item.startswith("`kubectl apply` keeps objects")]
    assert all(command in note for command in commands)
    assert "namespace/research" not in note


def test_commands_for_several_clusters_name_them() -> None:
    clusters = (("f", "PriorityClass/urgent"), ("e", "PriorityClass/urgent"), ("f", "Cohort/top"))
    found = [
        ObjectChange("plan.yaml", cluster, name, "delete", disruptive=False, means="") for cluster, name in clusters
    ]
    (note,) = [item for item in notes_of((), (), found) if item.startswith("`kubectl apply` keeps objects")]
    expected = "Run `kubectl delete cohort/top` (in `f`) and `kubectl delete priorityclass/urgent` (in `e` and `f`)."
    assert note.endswith(expected)


def test_other_changes_need_no_deletion() -> None:
    found = [*object_changes("plan.yaml", fleet(PLAN), fleet(PLAN.replace("llama:1", "llama:2") + QUEUES), CATALOG)]
    assert not [item for item in notes_of((), (), found) if "kubectl delete" in item]

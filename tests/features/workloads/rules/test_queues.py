"""Rules about queues and priority classes of a plan."""

import datetime

import pytest
from support.kubernetes_plans import findings, kubernetes, told, workload

from pulumi_gke_tpu.core.catalog import Catalog

TODAY = datetime.date(2026, 11, 20)

RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{priority_classes: {system-a: {value: 1}}}", ["TPU707 kubernetes.priority_classes.system-a"]),
        ("{priority_classes: {a: {value: 1000000001}}}", ["TPU707 kubernetes.priority_classes.a.value"]),
        ("{priority_classes: {a: {value: 1000000000}}}", []),
        ("{priority_classes: {a: {value: -2147483648}}}", []),
        ("{priority_classes: {a: {value: -2147483649}}}", ["TPU707 kubernetes.priority_classes.a.value"]),
        ("{queues: {q: {borrow: {serve: 4}}}}", ["TPU706 kubernetes.queues.q.borrow"]),
        ("{queues: {q: {cohort: tpu, borrow: {serve: 4}}}}", []),
    ],
    ids=str,
)
def test_names_and_references(text: str, expected: list[str], catalog: Catalog) -> None:
    assert sorted(told(kubernetes(text), catalog)) == sorted(expected)


@pytest.mark.parametrize(
    ("queues", "expected"),
    [
        ("{q: {}}", []),
        ("{q: {}, r: {}}", ["TPU704 kubernetes.queues.r", "TPU704 kubernetes.queues.r"]),
        ("{q: {chips: {serve: 8}}, r: {chips: {serve: 8}}}", []),
        ("{q: {chips: {serve: 8}}, r: {chips: {serve: 9}}}", ["TPU704 kubernetes.queues.r.chips.serve"]),
        ("{q: {chips: {serve: 17}}}", ["TPU704 kubernetes.queues.q.chips.serve"]),
    ],
    ids=str,
)
def test_quotas_of_several_queues_fit_the_slice_group(queues: str, expected: list[str], catalog: Catalog) -> None:
    assert told(kubernetes(f"{{queues: {queues}}}"), catalog) == expected


@pytest.mark.parametrize(
    ("queues", "fits"),
    [
        ("{q: {}}", True),
        ("{q: {chips: {pretrain: 32}}}", True),
        ("{q: {chips: {pretrain: 31}}}", False),
        ("{q: {chips: {serve: 8}}}", False),
        ("{q: {chips: {pretrain: 16}, cohort: a}, r: {chips: {pretrain: 16}, cohort: a}}", True),
        ("{q: {chips: {pretrain: 16}, cohort: a}, r: {chips: {pretrain: 16}, cohort: b}}", False),
        (
            "{q: {chips: {pretrain: 16}, cohort: a, borrow: {pretrain: 8}}, r: {chips: {pretrain: 16}, cohort: a}}",
            False,
        ),
        (
            "{q: {chips: {pretrain: 16}, cohort: a, borrow: {pretrain: 16}}, r: {chips: {pretrain: 16}, cohort: a}}",
            True,
        ),
    ],
    ids=str,
)
def test_the_quota_of_a_queue_admits_its_largest_workload(queues: str, fits: bool, catalog: Catalog) -> None:
    text = f"{{queues: {queues}, workloads: {{run: {{slices: pretrain, image: a, count: 2, queue: q}}}}}}"
    assert told(kubernetes(text), catalog) == ([] if fits else [f"TPU705 {RUN}.queue"])


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("count: 2", "pretrain", []),
        ("count: 3", "pretrain", ["TPU703 count"]),
        ("cpu: 500m, memory: 16Gi", "pretrain", []),
        ("cpu: 0.5, memory: 1e9", "pretrain", []),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("queue", "other", "expected"),
    [
        ("{}", "{}", ""),
        ("{preemption: lower_priority}", "{}", "`preemption: lower_priority`"),
        ("{preemption: lower_or_newer_equal_priority}", "{}", "`preemption: lower_or_newer_equal_priority`"),
        ("{cohort: a}", "{cohort: a}", "`reclaim: any`"),
        ("{cohort: a}", "{cohort: b}", ""),
        ("{cohort: a}", "{}", ""),
        ("{cohort: a, reclaim: never}", "{cohort: a}", ""),
        ("{cohort: a, preemption: lower_priority}", "{cohort: a}", "`preemption: lower_priority` and `reclaim: any`"),
    ],
    ids=str,
)
@pytest.mark.parametrize("named", [True, False], ids=["queue", "default queue"])
def test_the_queue_decides_about_preemption_and_not_the_class(
    queue: str, other: str, expected: str, named: bool, catalog: Catalog
) -> None:
    """Kueue compares policies of queues and values of classes, also for a workload that joins the default queue."""
    name = "team" if named else "default"
    joins = f", queue: {name}" if named else ""
    for preemption in ("never", "lower_priority"):
        text = kubernetes(
            f"{{queues: {{{name}: {queue}, other: {other}}}, "
            f"priority_classes: {{c: {{value: 1, preemption: {preemption}}}}}, "
            f"workloads: {{run: {{slices: pretrain, image: a, priority: c{joins}}}}}}}"
        )
        found = findings(text, catalog, rules=("TPU327",))
        assert len(found) == (1 if expected and preemption == "never" else 0)
        assert all(expected in one.message and one.path[-1] == "priority" for one in found)


def test_a_class_decides_outside_of_queues(catalog: Catalog) -> None:
    text = kubernetes(
        "{queues: {team: {preemption: lower_priority}}, priority_classes: {c: {value: 1, preemption: never}}, "
        "workloads: {run: {slices: pretrain, image: a, priority: c}}}"
    )
    assert findings(text, catalog, rules=("TPU327",)) == []

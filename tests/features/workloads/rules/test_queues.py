"""Rules about queues and priority classes of a plan, and about what queues share."""

import datetime

import pytest
from support.kubernetes_plans import findings, kubernetes, told, workload

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import format_path

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


RULES = ("TPU319", "TPU320", "TPU330", "TPU700", "TPU701", "TPU704", "TPU705", "TPU706")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{queues: {q: {lend: {serve: 4}}}}", ["TPU706 queues.q.lend"]),
        ("{queues: {q: {lend: {serve: 4}, cohort: a}}}", []),
        ("{queues: {q: {lend: {serve: 16}, cohort: a}}}", []),
        ("{queues: {q: {lend: {serve: 17}, cohort: a}}}", ["TPU320 queues.q.lend.serve"]),
        ("{queues: {q: {chips: {serve: 4}, lend: {serve: 5}, cohort: a}}}", ["TPU320 queues.q.lend.serve"]),
        ("{queues: {q: {chips: {serve: 4}, lend: {pretrain: 1}, cohort: a}}}", ["TPU320 queues.q.lend.pretrain"]),
        ("{queues: {q: {lend: {serv: 4}, cohort: a}}}", ["TPU700 queues.q.lend.serv"]),
        ("{cohorts: {a: {borrow: {serve: 1}}}}", ["TPU706 cohorts.a.borrow"]),
        ("{cohorts: {a: {lend: {serve: 1}}}}", ["TPU706 cohorts.a.lend"]),
        ("{cohorts: {a: {parent: b, lend: {serve: 99}, borrow: {serve: 1}}, b: {}}}", []),
        ("{cohorts: {a: {chips: {serv: 1}}}}", ["TPU700 cohorts.a.chips.serv"]),
        ("{cohorts: {a: {parent: b}}}", ["TPU700 cohorts.a.parent"]),
        ("{queues: {q: {cohort: b}}}", []),
        ("{queues: {q: {cohort: b}}, cohorts: {a: {}}}", ["TPU700 queues.q.cohort"]),
        ("{queues: {q: {cohort: a}}, cohorts: {a: {}}}", []),
        ("{cohorts: {a: {parent: a}}}", ["TPU330 cohorts.a.parent"]),
        ("{cohorts: {a: {parent: b}, b: {parent: c}, c: {parent: a}, d: {parent: c}}}", ["TPU330 cohorts.a.parent"]),
        ("{cohorts: {d: {parent: c}, c: {parent: b}, b: {parent: c}}}", ["TPU330 cohorts.c.parent"]),
        ("{cohorts: {A: {}}}", ["TPU701 cohorts.A"]),
        ("{queues: {q: {namespaces: [a, B]}}}", ["TPU701 queues.q.namespaces[1]"]),
    ],
    ids=str,
)
def test_limits_trees_and_names(text: str, expected: list[str], catalog: Catalog) -> None:
    found = findings(kubernetes(text), catalog, rules=RULES)
    assert [f"{item.rule} {format_path(item.path[3:])}" for item in found] == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("cohorts: {a: {chips: {serve: 16}}}", []),
        ("cohorts: {a: {chips: {serve: 17}}}", ["cohorts.a.chips.serve"]),
        ("queues: {q: {chips: {serve: 12}}}, cohorts: {a: {chips: {serve: 4}}}", []),
        ("queues: {q: {chips: {serve: 12}}}, cohorts: {a: {chips: {serve: 5}}}", ["cohorts.a.chips.serve"]),
        ("queues: {q: {chips: {serve: 16}}}, cohorts: {a: {parent: b, borrow: {serve: 5}}, b: {}}", []),
    ],
    ids=str,
)
def test_the_quota_of_a_cohort_is_in_addition_to_that_of_its_queues(
    keys: str, expected: list[str], catalog: Catalog
) -> None:
    found = findings(kubernetes(f"{{{keys}}}"), catalog, rules=("TPU704",))
    assert [format_path(item.path[3:]) for item in found] == expected


@pytest.mark.parametrize(
    ("queue", "place", "expected"),
    [
        ("{}", "", []),
        ("{}", "default", []),
        ("{}", "research", ["TPU319"]),
        ("{namespace: a}", "", []),
        ("{namespace: a}", "default", ["TPU319"]),
        ("{namespaces: [a, b]}", "b", []),
        ("{namespaces: [a, b]}", "c", ["TPU319"]),
        ("{namespace: c, namespaces: [a, b]}", "c", []),
    ],
    ids=str,
)
def test_a_workload_is_in_a_namespace_of_its_queue(
    queue: str, place: str, expected: list[str], catalog: Catalog
) -> None:
    where = f", namespace: {place}" if place else ""
    text = f"{{queues: {{q: {queue}}}, workloads: {{run: {{slices: serve, image: a, queue: q{where}}}}}}}"
    found = findings(kubernetes(text), catalog, rules=RULES)
    assert [item.rule for item in found] == expected
    assert {format_path(item.path[3:]) for item in found} <= {"workloads.run.namespace"}


@pytest.mark.parametrize("parent", ["all", "team"])
def test_circular_cohorts_leave_a_queue_its_own_quota(parent: str, catalog: Catalog) -> None:
    cohorts = f"{{all: {{parent: team}}, team: {{parent: {parent}}}}}"
    run = "{slices: serve, image: a, count: 2, queue: q}"
    text = f"{{queues: {{q: {{chips: {{serve: 4}}, cohort: team}}}}, cohorts: {cohorts}, workloads: {{run: {run}}}}}"
    assert {item.rule for item in findings(kubernetes(text), catalog, rules=RULES)} == {"TPU330", "TPU705"}

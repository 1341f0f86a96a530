"""Rules about what queues share, and about the namespaces that they admit."""

import pytest
from support.kubernetes_plans import findings, kubernetes

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import format_path

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

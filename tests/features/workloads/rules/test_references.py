"""Rules about names in Kubernetes objects of a plan."""

import datetime

import pytest
from support.kubernetes_plans import findings, kubernetes, told, workload

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Severity

TODAY = datetime.date(2026, 11, 20)

RUN = "kubernetes.workloads.run"

LONG = "a" * 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{workloads: {run: {slices: serv, image: a}}}", [f"TPU700 {RUN}.slices"]),
        ("{workloads: {run: {slices: serve, image: a, queue: q}}}", [f"TPU700 {RUN}.queue"]),
        ("{workloads: {run: {slices: serve, image: a, priority: p}}}", [f"TPU700 {RUN}.priority"]),
        ("{queues: {q: {chips: {serv: 1}}}}", ["TPU700 kubernetes.queues.q.chips.serv"]),
        ("{queues: {q: {cohort: c, borrow: {serv: 1}}}}", ["TPU700 kubernetes.queues.q.borrow.serv"]),
        ("{namespace: Team_A}", ["TPU701 kubernetes.namespace"]),
        ("{queues: {Q: {}}}", ["TPU701 kubernetes.queues.Q"]),
        (
            "{queues: {q: {namespace: -q, cohort: c_c}}}",
            ["TPU701 kubernetes.queues.q.cohort", "TPU701 kubernetes.queues.q.namespace"],
        ),
        ("{priority_classes: {a.b: {value: 1}}}", ['TPU701 kubernetes.priority_classes["a.b"]']),
        (f"{{workloads: {{{LONG}: {{slices: serve, image: a, kind: deployment}}}}}}", []),
        (
            f"{{workloads: {{{LONG}: {{slices: serve, image: a, kind: jobset}}}}}}",
            [f"TPU701 kubernetes.workloads.{LONG}"],
        ),
        (
            f"{{workloads: {{{LONG}aaaaaaaaaaaaaa: {{slices: serve, image: a, kind: deployment}}}}}}",
            [f"TPU701 kubernetes.workloads.{LONG}aaaaaaaaaaaaaa"],
        ),
        (
            "{workloads: {run: {slices: serve, image: a, volumes: {d: {mount: /d, claim: A}}}}}",
            [f"TPU701 {RUN}.volumes.d.claim"],
        ),
        ("{workloads: {run: {slices: serve, image: a, volumes: {d: {mount: /d, claim: a.b}}}}}", []),
    ],
    ids=str,
)
def test_names_and_references(text: str, expected: list[str], catalog: Catalog) -> None:
    assert sorted(told(kubernetes(text), catalog)) == sorted(expected)


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("cpu: lots", "pretrain", ["TPU702 cpu"]),
        ("memory: 16 GB", "pretrain", ["TPU702 memory"]),
        ("cpu: -1", "pretrain", ["TPU702 cpu"]),
        ("kind: leaderworkerset, head: {cpu: 1 2}", "pretrain", ["TPU702 head.cpu"]),
        ("grace_period: 30s", "pretrain", []),
        (
            "env: {TPU_WORKER_HOSTNAMES: a, MEGASCALE_NUM_SLICES: '2', RUN: a}",
            "pretrain",
            ["TPU719 env.MEGASCALE_NUM_SLICES", "TPU719 env.TPU_WORKER_HOSTNAMES"],
        ),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        ("trainr", "service_account: trainer"),  # misspelt
        ("trainer", None),
        ("node-reader", None),  # exists in the cluster
        ("default", None),
    ],
)
def test_only_a_name_like_that_of_a_defined_service_account_is_reported(
    account: str, expected: str | None, catalog: Catalog
) -> None:
    run = f"workloads: {{run: {{slices: serve, image: a, service_account: {account}}}}}"
    text = kubernetes(f"{{service_accounts: {{trainer: {{}}, loader: {{google: create}}}}, {run}}}")
    found = findings(text, catalog, rules=("TPU847",))
    assert [(item.severity, item.fix) for item in found] == ([(Severity.WARNING, expected)] if expected else [])


GROUP = "slices: {{g: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {}}}}}"


@pytest.mark.parametrize(
    ("kind", "slices", "longest"),
    [
        ("jobset", "pretrain", 63 - len("-slice-0-3-abcde")),  # the webhook of JobSet adds such a suffix
        ("job", "pretrain", 63 - len("-slice-0-3-abcde")),  # a JobSet: two node pools can serve it
        ("job", "serve", 63 - len("-0")),
    ],
)
def test_generated_names_are_short_enough(kind: str, slices: str, longest: int, catalog: Catalog) -> None:
    def rules(length: int) -> set[str]:
        text = f"{{workloads: {{{'a' * length}: {{slices: {slices}, image: a, kind: {kind}}}}}}}"
        return {item.rule for item in findings(kubernetes(text), catalog)}

    assert "TPU701" not in rules(longest)
    assert "TPU701" in rules(longest + 1)


def test_the_number_of_the_last_slice_is_part_of_the_names_of_pods(catalog: Catalog) -> None:
    """Slices count from zero: the last one of ten has one digit."""

    def rules(count: int, length: int) -> set[str]:
        run = f"{{slices: g, image: a, kind: jobset, count: {count}}}"
        text = f"{GROUP.format(f'count: {count}')}\nkubernetes: {{workloads: {{{'a' * length}: {run}}}}}"
        return {item.rule for item in findings(text, catalog)}

    longest = 63 - len("-slice-9-3-abcde")
    assert "TPU701" not in rules(10, longest)
    assert "TPU701" in rules(11, longest)
    assert "TPU701" not in rules(11, longest - 1)


def test_a_plan_without_these_keys_runs_none_of_these_rules(catalog: Catalog) -> None:
    assert told(GROUP.format("count: 1"), catalog) == []

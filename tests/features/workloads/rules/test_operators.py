"""Rules about the operators of a plan: TPU660 to TPU666, and TPU715 beside them."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity

CATALOG = read_catalog()
SLICES = (
    "{train: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}, one: {tpu: v6e, topology: 2x2, zone: us-east5-b}}"
)


def found(
    operators: str | None, kind: str = "job", *, more: str = "", group: str = "train", keys: str = ""
) -> list[Finding]:
    """The findings of these rules in a plan with one workload."""
    written = "" if operators is None else f"operators: {{{operators}}}, "
    text = (
        f"version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    {more}\n"
        f"    slices: {SLICES}\n"
        f"    kubernetes: {{{written}{keys}workloads: {{w: {{slices: {group}, image: train, kind: {kind}}}}}}}\n"
    )
    every = check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG).findings
    return [item for item in every if "TPU660" <= item.rule <= "TPU666" or item.rule in ("TPU001", "TPU715")]


def missing(*arguments: Any, **more: Any) -> list[str]:
    return [item.message for item in found(*arguments, **more) if item.rule == "TPU660"]


@pytest.mark.parametrize(
    ("kind", "group", "operator"),
    [
        ("job", "train", "JobSet"),
        ("jobset", "one", "JobSet"),
        ("pathways", "train", "JobSet"),
        ("leaderworkerset", "train", "LeaderWorkerSet"),
        ("raycluster", "train", "KubeRay"),
        ("rayjob", "one", "KubeRay"),
    ],
)
def test_the_operator_of_a_kind_is_missing(kind: str, group: str, operator: str) -> None:
    assert missing("", kind, group=group) == [f"missing operator {operator}: workload `w` needs it"]
    key = operator.lower()
    assert missing(f"{key}: {{}}, cert_manager: {{}}", kind, group=group) == []
    assert missing(None, kind, group=group) == []


@pytest.mark.parametrize("kind", ["job", "deployment"])
def test_kinds_of_kubernetes_need_no_operator(kind: str) -> None:
    assert missing("", kind, group="one") == []


def test_queues_need_kueue() -> None:
    assert missing("", "deployment", group="one", keys="queues: {q: {}}, ") == [
        "missing operator Kueue: queue `q` needs it"
    ]
    assert missing("kueue: {}", "deployment", group="one", keys="queues: {q: {}}, ") == []


def test_the_webhook_needs_cert_manager() -> None:
    (message,) = missing("kuberay: {}", "deployment", group="one")
    assert message == "missing operator cert-manager: the TPU webhook for KubeRay needs it"


def test_the_add_on_installs_kuberay() -> None:
    assert missing("", "raycluster", more="addons: [ray_operator]") == []
    (second,) = found("kuberay: {}, cert_manager: {}", "raycluster", more="addons: [ray_operator]")
    assert (second.rule, second.severity) == ("TPU661", Severity.ERROR)


def test_ray_without_an_operator_is_reported_once() -> None:
    assert [item.rule for item in found(None, "raycluster")] == ["TPU715"]
    assert [item.rule for item in found("", "raycluster")] == ["TPU660"]
    assert found("kuberay: {}, cert_manager: {}", "raycluster") == []


@pytest.mark.parametrize(
    ("version", "rules"),
    [
        ("0.19.2", []),
        ("0.17.8", []),
        ("0.18.3", ["TPU664"]),
        ("0.16.9", ["TPU663"]),
        ("0.20.0", ["TPU663"]),
        ("0.16.1", ["TPU663", "TPU664"]),
        ("v0.19.2", ["TPU662"]),
        ("latest", ["TPU662"]),
        ("0.19", ["TPU662"]),
        ("0.19.2-rc.0", ["TPU662"]),
        ("٠.١٩.٢", ["TPU662"]),
    ],
)
def test_releases_of_kueue(version: str, rules: list[str]) -> None:
    assert [item.rule for item in found(f'kueue: {{version: "{version}"}}, jobset: {{}}')] == rules


@pytest.mark.parametrize(("key", "version"), [("jobset", "0.9.1"), ("leaderworkerset", "0.8.0"), ("kuberay", "1.4.0")])
def test_releases_of_the_others(key: str, version: str) -> None:
    operators = f"jobset: {{}}, {key}: {{version: {version}}}, cert_manager: {{}}"
    if key == "jobset":
        operators = f"jobset: {{version: {version}}}"
    assert [item.rule for item in found(operators)] == ["TPU663", *(["TPU664"] if key == "jobset" else [])]


def test_the_pinned_releases_have_no_finding() -> None:
    pinned = {key: item.version for key, item in CATALOG.kubernetes.operators.installations.items() if not item.part_of}
    assert found(", ".join(f"{key}: {{version: {version}}}" for key, version in pinned.items())) == []


def test_a_release_of_the_webhook_is_checked() -> None:
    (finding,) = found("jobset: {}, cert_manager: {}, kuberay: {tpu_webhook: v0.3.1}")
    assert (finding.rule, finding.path[-1]) == ("TPU662", "tpu_webhook")


def test_every_framework_of_kueue_is_known() -> None:
    facts = CATALOG.kubernetes.operators.kueue_configuration
    names = ", ".join((*facts.frameworks, *facts.other_frameworks))
    assert found(f"jobset: {{}}, kueue: {{frameworks: [{names}]}}") == []
    (finding,) = found("jobset: {}, kueue: {frameworks: [pod, jobset]}")
    assert (finding.rule, finding.path[-1], finding.severity) == ("TPU665", 1, Severity.ERROR)


@pytest.mark.parametrize(
    ("pool", "exceeds"),
    [
        ("system_pool: {machine_type: n2-standard-2, max_nodes: 1}", True),
        ("system_pool: {machine_type: n2-standard-2, max_nodes: 2}", False),
        ("system_pool: {machine_type: n2-standard-4, max_nodes: 1}", False),
        ("system_pool: {machine_type: e2-medium, max_nodes: 1}", False),
        ("", False),
        (
            "system_pool: {machine_type: n2-standard-2, max_nodes: 1}\n    "
            "cpu_pools: {more: {machine_type: n2-standard-2, max_nodes: 1}}",
            False,
        ),
    ],
    ids=["too small", "enough nodes", "enough vCPUs", "unknown size", "default", "another pool"],
)
def test_the_system_pool_has_to_hold_the_operators(pool: str, exceeds: bool) -> None:
    rules = [item.rule for item in found("jobset: {}, leaderworkerset: {}, kueue: {}", more=pool)]
    assert rules == (["TPU666"] if exceeds else [])

"""Rules about taints."""

import pytest
from support.fixtures.checks import Check, weights
from support.rule_plans import on_family

N2 = "machine_type: n2-standard-64"

OWN = "{key: components.gke.io/gke-managed-components, effect: NoSchedule}"

OTHER = "{key: dedicated, effect: NoSchedule}"


@pytest.mark.parametrize(
    ("system", "more", "expected"),
    [
        ("node_labels: {role: system}", "", []),
        ("node_labels: {role: the system}", "", ["TPU532 error"]),
        (f"taints: [{OTHER}]", "", ["TPU541 warning"]),
        ("taints: [{key: dedicated, effect: PreferNoSchedule}]", "", []),
        ("taints: [{key: dedicated, effect: NoExecute}]", "", ["TPU541 warning"]),
        (f"taints: [{OWN}]", "", ["TPU541 warning"]),
        (f"taints: [{OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1}}}}", []),
        (f"taints: [{OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1, taints: [{OTHER}]}}}}", ["TPU541 warning"]),
        (f"taints: [{OTHER}]", "autoprovisioning: {cpu: 999, memory_gib: 9999, tpu: {v6e: 64}}", []),
        ("taints: [{key: google.com/tpu, effect: PreferNoSchedule}]", "", ["TPU540 warning"]),
        (f"taints: [{OTHER}, {OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1}}}}", ["TPU537 error"]),
    ],
)
def test_labels_and_taints_of_the_system_pool_are_checked(
    system: str, more: str, expected: list[str], check: Check
) -> None:
    assert weights(check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{{system}}}\n{more}\n")) == expected


@pytest.mark.parametrize(("taint", "system"), [(OWN, False), (OTHER, True)])
def test_pods_that_gke_manages_tolerate_one_taint(taint: str, system: bool, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{taints: [{taint}]}}\n")
    assert ("system Pods" in finding.message) == system


@pytest.mark.parametrize(
    ("taints", "expected"),
    [
        ("{key: team, effect: NO_SCHEDULE}", []),
        ("{key: example.com/team, value: research, effect: NO_EXECUTE}", []),
        ("{key: google.com/tpu, value: present, effect: NO_SCHEDULE}", ["TPU535 warning"]),
        ("{key: google.com/tpu, effect: NO_EXECUTE}", ["TPU535 warning"]),
        ("{key: google.com/tpu-team, effect: NO_EXECUTE}", []),
        ("{key: a b, effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: '', effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: team, value: a b, effect: NO_SCHEDULE}", ["TPU536 error"]),
        ("{key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_EXECUTE}", []),
        ("{key: a, effect: NO_SCHEDULE}, {key: a, value: b, effect: NO_SCHEDULE}", ["TPU537 error"]),
        (
            "{key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_SCHEDULE}, {key: a, effect: NO_SCHEDULE}",
            ["TPU537 error"] * 2,
        ),
    ],
)
def test_taints(taints: str, expected: list[str], check: Check) -> None:
    assert weights(check(on_family(f"taints: [{taints}]"))) == expected


def test_a_duplicate_taint_names_the_entry_that_defines_it(check: Check) -> None:
    taints = "{key: b, effect: NO_EXECUTE}, {key: a, effect: NO_SCHEDULE}, {key: a, value: b, effect: NO_SCHEDULE}"
    (finding,) = check(on_family(f"taints: [{taints}]"))
    assert finding.message == "duplicate taint `a:NoSchedule`: entry 2 of the list already defines this taint"


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("kubernetes.io/team", "key: team"),
        ("node.kubernetes.io/out-of-service", "key: out-of-service"),
        ("node-restriction.kubernetes.io/team", "key: team"),
        ("kubernetes.io.example.com/team", None),
        ("my-kubernetes.io/team", None),
        ("example.com/kubernetes.io", None),
        ("kubernetes.io", None),
    ],
)
def test_taints_of_kubernetes(key: str, fix: str | None, check: Check) -> None:
    findings = check(on_family(f"taints: [{{key: {key}, effect: NO_SCHEDULE}}]"))
    assert weights(findings) == ([] if fix is None else ["TPU539 warning"])
    assert [finding.fix for finding in findings] == ([] if fix is None else [fix])

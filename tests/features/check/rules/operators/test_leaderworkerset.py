"""Rules about groups of a LeaderWorkerSet, each of which is one slice."""

import pytest
from support.manifest_texts import finding_of, plan_with
from support.manifests import broken, findings_in
from support.slice_texts import CONTAINERS, LEADER, selector

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed
from pulumi_gke_tpu.features.check.rules.operators.leaderworkerset import leader_outside_slice, leaderworkerset_size

SET = leaderworkerset_size.passing

WITH_LEADER = leader_outside_slice.failing


def test_a_missing_size_is_one() -> None:
    finding = finding_of(changed(SET, ("    size: 4\n", "")), "TPU769")
    assert finding.message == "LeaderWorkerSet `serve` has groups of 1 Pod, but a slice 4x4 has 4 hosts"
    assert finding.fix == "size: 4"


def test_a_leader_with_open_chips_leaves_the_size_unknown() -> None:
    assert "TPU769" not in broken(
        changed(
            WITH_LEADER,
            ("requests: {cpu: 4, memory: 16Gi}", 'limits: {google.com/tpu: "${CHIPS}"}'),
            ("size: 5", "size: 4"),
        )
    )


@pytest.mark.parametrize(("size", "expected"), [(5, []), (4, ["TPU769"]), (6, ["TPU769"])])
def test_a_leader_without_chips_is_one_pod_more(size: int, expected: list[str]) -> None:
    text = changed(
        WITH_LEADER,
        ("  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}\n", ""),
        ("nodeSelector: {", "nodeSelector: {cloud.google.com/gke-nodepool: chat-0, "),
        ("size: 5", f"size: {size}"),
        ("replicas: 2", "replicas: 1"),
    )
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("policy", "severity"), [("None", Severity.WARNING), ("Default", Severity.WARNING), ("Never", Severity.ERROR)]
)
def test_how_sure_a_wrong_restart_policy_is(policy: str, severity: Severity) -> None:
    finding = finding_of(changed(SET, ("size: 4", f"size: 4\n    restartPolicy: {policy}")), "TPU771")
    assert (finding.severity, finding.fix) == (severity, "restartPolicy: RecreateGroupOnPodRestart")
    assert ("deprecated" in finding.message) is (policy == "Default")


def test_single_hosts_can_restart_one_by_one() -> None:
    text = changed(SET, ("size: 4", "size: 1\n    restartPolicy: None"), ("topology: 4x4", "topology: 2x2"))
    assert broken(text) == []


@pytest.mark.parametrize(("topology", "expected"), [("4x4", []), ("4x8", ["TPU769"])])
def test_a_leader_with_chips_is_on_the_slice_of_its_workers(topology: str, expected: list[str]) -> None:
    text = LEADER.replace("LEADER", selector(topology)).replace("WORKERS", selector("4x4"))
    assert broken(text.replace("CONTAINERS", CONTAINERS)) == expected


ON_POOL = ("      spec:\n        containers:\n          - name: head", "      spec:\n        nodeSelector: "
           "{cloud.google.com/gke-nodepool: heads}\n        containers:\n          - name: head")  # fmt: skip
TOLERATED = ("gke-nodepool: heads}\n", "gke-nodepool: heads}\n        tolerations: [{key: google.com/tpu, operator: "
             "Exists}]\n")  # fmt: skip
CPU_POOL = "    cpu_pools: {heads: {machine_type: n2-standard-16, min_nodes: 0, max_nodes: 2}}\n"


def test_workers_do_not_follow_a_leader_into_a_node_pool_without_tpus() -> None:
    """A leader without chips cannot be on a TPU node without a toleration; with one, the name of the pool decides."""
    on_pool = changed(WITH_LEADER, ON_POOL)
    tolerating = changed(on_pool, TOLERATED)
    assert broken(on_pool) == ["TPU770"]
    assert broken(tolerating) == []
    of = plan_with("tpu: v6e, topology: 4x4, count: 2", more=CPU_POOL)
    assert "TPU770" in broken(tolerating, plan=of)
    same_pool = changed(tolerating, ("nodeSelector: {cloud.google.com/gke-tpu-a", "nodeSelector: {cloud.google.com/"
                                     "gke-nodepool: heads, cloud.google.com/gke-tpu-a"))  # fmt: skip
    assert "TPU770" not in broken(same_pool)


EXCLUSIVE = "leaderworkerset.sigs.k8s.io/exclusive-topology"
IN_SUBGROUPS = changed(WITH_LEADER, (EXCLUSIVE, EXCLUSIVE.replace("/", "/subgroup-")))


@pytest.mark.parametrize(
    ("policy", "reported"),
    [
        ("{subGroupSize: 2}", True),
        ("{subGroupSize: 2, subGroupPolicyType: LeaderWorker}", True),
        ("{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}", False),
        ("{subGroupSize: 2, subGroupPolicyType: $TYPE}", False),
    ],
)
def test_a_leader_without_chips_is_in_no_subgroup_of_workers(policy: str, reported: bool) -> None:
    text = changed(IN_SUBGROUPS, ("    workerTemplate:", f"    subGroupPolicy: {policy}\n    workerTemplate:"))
    found = [item for item in findings_in(text) if item.rule == "TPU770"]
    assert [item.fix for item in found] == (["subGroupPolicyType: LeaderExcluded"] if reported else [])


def test_a_leader_outside_of_subgroups_needs_the_annotation_of_subgroups() -> None:
    policy = "    subGroupPolicy: {subGroupSize: 4, subGroupPolicyType: LeaderExcluded}\n"
    text = changed(WITH_LEADER, ("    workerTemplate:", f"{policy}    workerTemplate:"))
    found = finding_of(text, "TPU770")
    assert found.fix == f"{EXCLUSIVE.replace('/', '/subgroup-')}:"
    assert broken(changed(text, (EXCLUSIVE, EXCLUSIVE.replace("/", "/subgroup-")))) == []

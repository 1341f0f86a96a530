"""Rules about the chips that pods request, and the hosts of a slice."""

import pytest
from support.manifest_texts import ON_TPU7X, assert_found, chips, only, with_replicas
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

FOUND = {
    # chips
    "a limit that differs": (
        tpu_pod().replace("limits: {google.com/tpu: 4}", "limits: {google.com/tpu: 8}").replace("2x2", "2x2"),
        "TPU724",
        E,
        "requests `4` of google.com/tpu, and its limit is `8`",
    ),
    "a negative number": (chips("-4"), "TPU725", E, "invalid number of chips `-4`"),
    "a word": (chips("four"), "TPU725", E, "`four`"),
    "half a chip": (chips("'0.5'"), "TPU725", E, "`0.5`"),
    "half a host": (chips("2"), "TPU726", E, "requests 2 chips, and hosts of v6e 2x2 have 4"),
    "chips of a whole slice": (tpu_pod(topology="4x4", chips=16), "TPU726", E, "hosts of v6e 4x4 have 4"),
    "chips that no machine of the family has": (
        tpu_pod(chips=2).replace("    cloud.google.com/gke-tpu-topology: 2x2\n", ""),
        "TPU726",
        E,
        "hosts of v6e have 1, 4 or 8",
    ),
    "chips that no TPU has": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        "spec: {containers: [{name: a, image: a, resources: {limits: {google.com/tpu: 16}}}]}",
        "TPU726",
        E,
        "hosts of all TPUs have 1, 4 or 8",
    ),
    "containers that do not add up": (
        f"{ON_TPU7X}  containers: [{{name: a, image: a, resources: {{limits: {{google.com/tpu: 2}}}}}}]",
        "TPU726",
        E,
        "requests 2 chips",
    ),
    # hosts
    "one pod per slice instead of host": (
        tpu_job(job="completionMode: Indexed\nparallelism: 1\ncompletions: 1"),
        "TPU728",
        E,
        "`parallelism` is 1, and a slice of v6e 4x4 has 4 hosts of 4 chips",
    ),
    "more completions than pods": (
        tpu_job(job="completionMode: Indexed\nparallelism: 4\ncompletions: 8"),
        "TPU728",
        E,
        "`completions` is 8",
    ),
    "a StatefulSet with too few replicas": (with_replicas("StatefulSet", 3), "TPU728", E, "3 replicas"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


def test_the_chips_choose_the_form_of_2x4_and_the_mode_excludes_one() -> None:
    hosts = tpu_pod(topology="2x4", chips=4)
    assert broken(tpu_pod(topology="2x4", chips=8), mode="autopilot") == []
    assert broken(hosts, mode="autopilot") == ["TPU726"]
    assert "on Autopilot have 8" in only(hosts, mode="autopilot").message


def test_chips_that_no_host_has_are_a_value_to_paste_where_one_container_has_them() -> None:
    one = "{name: a, image: a, resources: {limits: {google.com/tpu: %d}}}"
    pod = f"{tpu_pod().partition('  containers:')[0]}  containers: [{one % 2}, {one % 1}]\n"
    found = {finding.rule: finding for finding in findings_in(pod)}
    assert found.keys() >= {"TPU726", "TPU729"}
    assert (found["TPU726"].fix, found["TPU726"].advice) == ("", "Request the chips of one host of the slice.")
    assert only(chips("2")).fix == "google.com/tpu: 4      # in limits and requests"


def test_a_pod_without_chips_tolerates_or_is_reported() -> None:
    text = tpu_pod().replace("\n      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}", "")
    assert broken(text) == ["TPU727"]
    tolerating = text.replace("spec:\n", "spec:\n  tolerations: [{key: google.com/tpu, operator: Exists}]\n")
    assert broken(tolerating) == ["TPU315"]
    small = "image: trainer\n      resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}"
    assert broken(tolerating.replace("image: trainer", small)) == []
    other = "spec:\n  tolerations: [{key: google.com/tpu, effect: NoExecute}]\n"
    assert broken(text.replace("spec:\n", other)) == ["TPU727"]


def test_a_requested_no_chips_is_a_whole_number() -> None:
    assert broken(chips("0")) == ["TPU727"]


@pytest.mark.parametrize("replicas", [4, 8])
def test_a_stateful_set_of_whole_slices_matches_its_hosts(replicas: int) -> None:
    assert broken(with_replicas("StatefulSet", replicas)) == []


def test_a_suspended_job_or_one_without_replicas_is_not_reported() -> None:
    assert broken(tpu_job(job="completionMode: Indexed\nparallelism: 0\ncompletions: 4")) == []
    assert broken(with_replicas("StatefulSet", 0)) == []


ON_CLASS = tpu_job().replace(
    "        cloud.google.com/gke-nodepool: pretrain\n"
    "        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
    "        cloud.google.com/gke-tpu-topology: 4x4\n",
    "        cloud.google.com/compute-class: v6e\n",
)


def test_pods_of_a_class_are_checked_by_its_slices() -> None:
    text = ON_CLASS + "---" + compute_class()
    assert broken(text) == []
    assert broken(text.replace("parallelism: 4", "parallelism: 2").replace("completions: 4", "completions: 2")) == [
        "TPU728"
    ]
    assert broken(text.replace("google.com/tpu: 4", "google.com/tpu: 8")) == ["TPU726"]


def test_the_slices_of_a_class_with_several_topologies_are_unknown() -> None:
    other = compute_class("", "spot: true").replace("topology: 4x4", "topology: 2x2", 1)
    assert broken(ON_CLASS.replace("parallelism: 4", "parallelism: 2") + "---" + other) == []


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        (4, ""),
        (8, "the 8 Pods of Job `trainer` are 2 slices, which a Job cannot hold apart"),
        (16, "the 16 Pods of Job `trainer` are 4 slices, which a Job cannot hold apart"),
        (6, "`parallelism` is 6"),
    ],
)
def test_a_job_holds_one_slice(pods: int, message: str) -> None:
    job = f"completionMode: Indexed\nparallelism: {pods}\ncompletions: {pods}"
    text = tpu_job(job=job).replace("        cloud.google.com/gke-nodepool: pretrain\n", "")
    found = [item for item in findings_in(text) if item.rule == "TPU728"]
    assert [item.severity for item in found] == ([] if not message else [E if pods % 4 else W])
    assert all(message in item.message for item in found)


@pytest.mark.parametrize(
    ("counts", "severities"),
    [((2,), [E]), ((2, 2), [W, W]), ((1, 3), [W, W]), ((2, 1), [E, E]), ((2, 2, 4), [W, W]), ((4, 4), [])],
)
@pytest.mark.parametrize("kind", ["StatefulSet", "Job"])
def test_objects_that_fill_a_slice_together_are_a_warning(
    kind: str, counts: tuple[int, ...], severities: list[Severity]
) -> None:
    """So are the Jobs of a JobSet."""
    pools = "        cloud.google.com/gke-nodepool: pretrain\n"
    texts = []
    for number, pods in enumerate(counts):
        job = f"completionMode: Indexed\nparallelism: {pods}\ncompletions: {pods}"
        text = tpu_job(job=job) if kind == "Job" else with_replicas(kind, pods)
        texts.append(text.replace(pools, "").replace("{name: trainer}", f"{{name: trainer-{number}}}", 1))
    found = [item for item in findings_in("---".join(texts)) if item.rule == "TPU728"]
    assert [item.severity for item in found] == severities


@pytest.mark.parametrize(
    ("requested", "limit", "fix"),
    [
        (4, 8, "limits: {google.com/tpu: 4}"),
        (8, 4, "google.com/tpu: 4"),
        (8, 16, ""),
    ],
)
def test_of_two_amounts_the_one_that_a_host_has_is_right(requested: int, limit: int, fix: str) -> None:
    amounts = "requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}"
    assert amounts in tpu_pod()
    other = f"requests: {{google.com/tpu: {requested}}}, limits: {{google.com/tpu: {limit}}}"
    (found,) = (each for each in findings_in(tpu_pod().replace(amounts, other)) if each.rule == "TPU724")
    assert (found.fix, bool(found.advice)) == (fix, not fix)

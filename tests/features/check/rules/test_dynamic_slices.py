"""Pods on slices that the slice controller forms, and Pods with claims of devices, alone and against a plan."""

import math

import pytest
import yaml
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import plan_of
from pulumi_gke_tpu.core.text.findings import Severity

SELECTOR = {"cloud.google.com/gke-tpu-accelerator": "tpu7x", "cloud.google.com/gke-tpu-topology": "4x4x4"}
ANNOTATION = "cloud.google.com/gke-tpu-slice-topology"


def job_set(topology: str, hosts: int, slices: int = 1) -> str:
    chips = {"google.com/tpu": 4}
    pod = {
        "metadata": {"annotations": {ANNOTATION: topology}},
        "spec": {
            "restartPolicy": "Never",
            "nodeSelector": SELECTOR,
            "containers": [{"name": "jax", "image": "trainer", "resources": {"limits": chips, "requests": chips}}],
        },
    }
    policy = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    counts = {"parallelism": hosts, "completions": hosts, "backoffLimit": 0}
    spec = {**counts, "podFailurePolicy": policy, "template": pod}
    job = {"name": "slice", "replicas": slices, "template": {"spec": spec}}
    metadata = {
        "name": "train",
        "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-tpu-slice"},
    }
    spec_of_set = {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": [job]}
    found = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec_of_set}
    return yaml.safe_dump(found)


def plan(*counts: int, slicing: str = "slicing: dynamic") -> str:
    """A group of cubes in each of some blocks."""
    keys = f"tpu: tpu7x, {slicing}, zone: us-central1-c"
    groups = (
        f"g{index}: {{{keys}, count: {count}, capacity: {{reservation: {{name: r, block: b{index}}}}}}}"
        for index, count in enumerate(counts)
    )
    found = yaml.safe_load(plan_of(*groups))
    (cluster,) = found["clusters"].values()
    cluster |= {"location": "us-central1", "release_channel": "rapid", "addons": ["slice_controller"]}
    return yaml.safe_dump(found)


def errors(text: str, plan_text: str) -> list[str]:
    return [f"{item.rule}: {item.message}" for item in findings_in(text, plan=plan_text) if item.rule.startswith("TPU7")
            or item.rule.startswith("TPU38")]  # fmt: skip


@pytest.mark.parametrize(("topology", "hosts"), [("4x4x4", 16), ("4x4x8", 32), ("2x2x4", 4), ("2x2x1", 1)])
def test_a_slice_has_a_pod_on_each_host(topology: str, hosts: int) -> None:
    assert broken(job_set(topology, hosts)) == []
    assert broken(job_set(topology, hosts + 1)) == ([] if hosts == 1 else ["TPU760"])


@pytest.mark.parametrize(
    ("topology", "hosts", "slices", "cubes", "fits"),
    [
        ("4x4x8", 32, 2, (4,), True),
        ("4x4x8", 32, 2, (3,), False),
        ("4x4x8", 32, 2, (3, 1), False),
        ("4x4x8", 32, 2, (1, 4), True),
        ("2x2x4", 4, 4, (1,), True),
        ("2x2x4", 4, 5, (1,), False),
        ("4x4x4", 16, 1, (1,), True),
    ],
)
def test_slices_take_cubes_of_the_plan(
    topology: str, hosts: int, slices: int, cubes: tuple[int, ...], fits: bool
) -> None:
    found = errors(job_set(topology, hosts, slices), plan(*cubes))
    assert [item.partition(":")[0] for item in found] == ([] if fits else ["TPU382"]), found


@pytest.mark.parametrize(
    ("sets", "cubes", "told"),
    [
        (3, 3, ""),
        (3, 2, "needs 3 cubes up to `c2`, those of each set of Pods in one block, and `train/g0` has 2"),
        (6, 2, "`train/g0` has 2; 3 more sets of Pods follow"),
        (12, 11, "needs 12 cubes up to `c11`, those of each set of Pods in one block, and `train/g0` has 11"),
        (12, 12, ""),
    ],
)
def test_all_sets_of_pods_count_against_the_cubes(sets: int, cubes: int, told: str) -> None:
    """Also those after the first ones, which are distributed over the blocks."""
    found = yaml.safe_load(job_set("4x4x4", 16))
    (job,) = found["spec"]["replicatedJobs"]
    found["spec"]["replicatedJobs"] = [{**job, "name": f"c{index}"} for index in range(sets)]
    messages = errors(yaml.safe_dump(found), plan(cubes))
    assert [told in item for item in messages] == [True] * bool(told), messages


def test_static_slices_form_no_dynamic_slices() -> None:
    (message,) = errors(job_set("4x4x8", 32), plan(4, slicing="topology: 4x4x4"))
    assert message.startswith("TPU790: no slice group of the plan serves")
    assert message.endswith("does not have slicing dynamic")


SLICE = """
apiVersion: accelerator.gke.io/v1beta1
kind: Slice
metadata: {name: research}
spec: {type: tpu7x, topology: 4x4x8, partitionIds: [p-1, p-2]}
"""


def static_job(topology: str, *, queued: bool = False) -> str:
    """A JobSet for the node pools of a static slice group."""
    hosts = math.prod(map(int, topology.split("x"))) // 4
    found = yaml.safe_load(job_set(topology, hosts))
    found["metadata"]["annotations"] = {}
    found["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "research"} if queued else {}
    pod = found["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["metadata"] = {}
    pod["spec"]["nodeSelector"] = {**SELECTOR, "cloud.google.com/gke-tpu-topology": topology}
    return yaml.safe_dump(found)


@pytest.mark.parametrize("queued", [True, False])
@pytest.mark.parametrize("topology", ["2x2x1", "4x4x4", "4x4x8"])
def test_workloads_of_static_slices_find_no_nodes_once_the_plan_has_cubes_only(topology: str, queued: bool) -> None:
    """Without a queue, a Slice that is not in the files can have the topology."""
    text = static_job(topology, queued=queued)
    found = [item for item in findings_in(text, plan=plan(4)) if item.rule == "TPU790"]
    assert [(item.severity, item.message.rpartition(": ")[2]) for item in found] == [
        (Severity.ERROR if queued else Severity.WARNING, "`train/g0` has slicing dynamic, not static")
    ]
    assert "TPU790" not in broken(text, plan=plan(4, slicing=f"topology: {topology}"))


@pytest.mark.parametrize(("formed", "found"), [("4x4x8", []), ("TOPOLOGY", []), ("4x4x4", ["TPU790"])])
def test_a_slice_in_the_files_serves_pods_that_select_its_topology(formed: str, found: list[str]) -> None:
    written = SLICE.replace("4x4x8", "{{ .topology }}" if formed == "TOPOLOGY" else formed)
    text = f"{static_job('4x4x8')}---\n{written}"
    assert [rule for rule in broken(text, plan=plan(4)) if rule == "TPU790"] == found


def test_a_slice_of_the_plan_serves_pods_that_select_its_topology() -> None:
    of = yaml.safe_load(plan(4))
    (cluster,) = of["clusters"].values()
    formed = {"slices": "g0", "topology": "4x4x8", "image": "trainer", "partitions": [["p-1", "p-2"]]}
    cluster["kubernetes"] = {"workloads": {"train": formed}}
    assert "TPU790" not in broken(static_job("4x4x8"), plan=yaml.safe_dump(of))


CLAIM = """
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  resourceClaims: [{name: chips, resourceClaimTemplateName: chips}]
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: TOPOLOGY}
  tolerations: [{key: google.com/tpu, operator: Exists}]
  containers: [{name: jax, image: trainer, resources: {claims: [{name: chips}]}}]
"""


@pytest.mark.parametrize(("topology", "found"), [("2x2x1", []), ("2x2x2", ["TPU790"])])
def test_pods_that_claim_their_chips_are_compared_by_their_labels(topology: str, found: list[str]) -> None:
    group = "g: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c, driver_mode: dynamic_resource_allocation}"
    text = CLAIM.replace("TOPOLOGY", topology)
    assert [rule for rule in broken(text, plan=plan_of(group)) if rule.startswith("TPU79")] == found


@pytest.mark.parametrize("topology", ["4x4", "8x8"])
def test_a_part_of_a_v6e_slice_is_not_a_dynamic_slice(topology: str) -> None:
    """XPK gives the Pods of its sub-slices this annotation."""
    hosts = 4 if topology == "4x4" else 16
    text = job_set(topology, hosts).replace("tpu7x", "tpu-v6e-slice").replace("4x4x4", "16x16")
    assert broken(text) == []


def test_a_limit_of_failures_is_a_note_for_dynamic_slices() -> None:
    """Samples of Google have one."""
    text = job_set("4x4x8", 32).replace("backoffLimit: 0", "backoffLimit: 10")
    (finding,) = findings_in(text)
    assert (finding.rule, finding.severity) == ("TPU767", Severity.NOTE)


@pytest.mark.parametrize(
    ("annotated", "selected", "expected"),
    [
        ("4x4x4", "4x4x4", {"TPU340", "TPU723"}),
        ("4x4x4", "4x4", {"TPU340"}),
        ("7x7", "4x4", {"TPU340"}),
        ("2x4", "7x7", {"TPU723"}),
        ("2x4", "4x4", set()),
    ],
)
def test_a_part_of_a_flat_slice_is_a_topology_of_the_generation(
    annotated: str, selected: str, expected: set[str]
) -> None:
    """The slice controller forms no slices of v6e; XPK uses its annotation for parts of them."""
    text = job_set(annotated, 2).replace("gke-tpu-accelerator: tpu7x", "gke-tpu-accelerator: tpu-v6e-slice")
    text = text.replace("gke-tpu-topology: 4x4x4", f"gke-tpu-topology: {selected}")
    assert set(broken(text)) & {"TPU340", "TPU723"} == expected

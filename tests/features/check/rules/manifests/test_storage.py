"""Rules about the disks of pods on TPU nodes."""

import pytest
from support.manifest_texts import only, with_replicas
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CLAIM = """
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data%s}
spec: {%s}
"""

CLASS = """
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast%s}
provisioner: %s
volumeBindingMode: WaitForFirstConsumer
parameters: {type: %s}
"""

USING = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"

FAST = "storageClassName: fast, accessModes: [ReadWriteOnce]"

DRIVER = "pd.csi.storage.gke.io"


def with_claim(spec: str, *more: str, label: str = "tpu-v6e-slice") -> str:
    return tpu_pod(spec=USING).replace("tpu-v6e-slice", label) + CLAIM % ("", spec) + "".join(more)


DISKS = {
    "a class of GKE": (with_claim("storageClassName: standard-rwo"), "TPU741", E),
    "no class": (with_claim("accessModes: [ReadWriteOnce]"), "TPU741", W),
    "a type without its class": (with_claim(FAST, CLASS % ("", DRIVER, "pd-ssd")), "TPU741", E),
    "a Hyperdisk type that v6e lacks": (with_claim(FAST, CLASS % ("", DRIVER, "hyperdisk-throughput")), "TPU741", E),
    "a claim of its own": (
        tpu_pod(spec="volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: premium-rwo}}}}]"),
        "TPU741",
        E,
    ),
    "a template of claims": (
        with_replicas("StatefulSet", 4).replace(
            "  template:\n",
            "  volumeClaimTemplates: [{metadata: {name: a}, spec: {storageClassName: standard}}]\n  template:\n",
            1,
        ),
        "TPU741",
        E,
    ),
    "one disk for all hosts": (
        tpu_job(pod=f"subdomain: trainer\n{USING}") + CLAIM % ("", FAST) + CLASS % ("", DRIVER, "hyperdisk-balanced"),
        "TPU742",
        E,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DISKS)
def test_a_disk_that_does_not_fit_is_found(name: str) -> None:
    text, rule, severity = DISKS[name]
    finding = only(text)
    assert (finding.rule, finding.severity) == (rule, severity)
    assert finding.position is not None


HEAD_AND_WORKERS = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: sweep}
spec:
  headGroupSpec:
    rayStartParams: {}
    template: {spec: {TOLERATIONS containers: [{name: ray-head, image: ray}], VOLUMES}}
  workerGroupSpecs:
    - groupName: tpu
      replicas: REPLICAS
      minReplicas: 0
      maxReplicas: 4
      numOfHosts: 1
      rayStartParams: {}
      template:
        spec:
          nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
          tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
          containers:
            - {name: tpu, image: ray, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
          VOLUMES
"""
EVERYWHERE = "tolerations: [{operator: Exists}], "


@pytest.mark.parametrize(
    ("tolerations", "replicas", "modes", "expected"),
    [
        ("", 1, "ReadWriteOnce", ["1 pod (head) and 1 pod (tpu) of RayCluster `sweep` share the claim `data`"]),
        ("", 2, "ReadWriteOnce", ["1 pod (head) and 2 pods (tpu) of RayCluster `sweep` share the claim `data`"]),
        (EVERYWHERE, 2, "ReadWriteOncePod", ["2 pods (tpu) of RayCluster `sweep` share the claim `data`"]),
        (EVERYWHERE, 1, "ReadWriteOnce", []),
        ("", 0, "ReadWriteOnce", []),
        ("", 2, "ReadWriteMany", []),
        ("", 2, "ReadWriteOnce, ReadOnlyMany", []),
    ],
    ids=str,
)
def test_pods_of_one_object_on_several_nodes_share_no_disk_of_one_node(
    tolerations: str, replicas: int, modes: str, expected: list[str]
) -> None:
    text = (
        HEAD_AND_WORKERS.replace("TOLERATIONS", tolerations)
        .replace("REPLICAS", str(replicas))
        .replace("VOLUMES", USING)
    )
    claim = CLAIM % ("", FAST.replace("[ReadWriteOnce]", f"[{modes}]")) + CLASS % ("", DRIVER, "hyperdisk-ml")
    found = [one.message for one in findings_in(text + claim) if one.rule == "TPU742"]
    assert len(found) == len(expected)
    assert all(message.startswith(part) for message, part in zip(found, expected, strict=True)), found


def test_replicas_with_chips_are_on_nodes_of_their_own() -> None:
    text = (
        with_replicas("Deployment", 4)
        .replace("4x4", "2x2")
        .replace("      containers:", f"      {USING}\n      containers:", 1)
    )
    claim = CLAIM % ("", FAST) + CLASS % ("", DRIVER, "hyperdisk-balanced")
    assert "TPU742" in broken(text + claim)
    assert "TPU742" not in broken(text.replace("replicas: 4", "replicas: 1") + claim)


FITTING = {
    "hyperdisk": with_claim(FAST, CLASS % ("", DRIVER, "hyperdisk-balanced")),
    "a dynamic type": with_claim(FAST, CLASS % ("", DRIVER, "dynamic")),
    "an open type": with_claim(FAST, CLASS % ("", DRIVER, "'{{ type }}'")),
    "another driver": with_claim(FAST, CLASS % ("", "filestore.csi.storage.gke.io", "enterprise")),
    "a class that is elsewhere": with_claim("storageClassName: own"),
    "a volume that exists": with_claim("volumeName: data, storageClassName: ''"),
    "no class where the files have a default": with_claim(
        "accessModes: [ReadWriteOnce]",
        CLASS % (", annotations: {storageclass.kubernetes.io/is-default-class: 'true'}", DRIVER, "hyperdisk-balanced"),
    ),
    "a claim of another namespace": tpu_pod(spec=USING) + CLAIM % (", namespace: other", "storageClassName: standard"),
    "a claim that is elsewhere": tpu_pod(spec=USING),
    "Persistent Disk on v5e": with_claim(
        "storageClassName: standard-rwo", label="tpu-v5-lite-podslice"
    ),
    "a disk of one host": with_claim(FAST, CLASS % ("", DRIVER, "hyperdisk-balanced")),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_a_disk_that_fits_or_is_unknown_is_not_reported(name: str) -> None:
    assert [f"{item.rule}: {item.message}" for item in findings_in(FITTING[name])] == []


def test_a_topology_of_the_other_mode_names_the_mode() -> None:
    text = tpu_pod(topology="1x1x1", chips=1).replace("tpu-v6e-slice", "tpu7x")
    assert broken(text, mode="standard") == []
    assert only(text, mode="autopilot").message == "unknown topology `1x1x1`: tpu7x does not have it on Autopilot"


@pytest.mark.parametrize(
    ("claim", "storage_class", "near"),
    [
        ("data", "fast", None),
        ("dta", "fast", "data"),
        ("checkpoints", "fast", None),
        ("data", "fats", "fast"),
        ("data", "premium-wro", "premium-rwo"),
        ("data", "other", None),
        ("'{{ .Values.claim }}'", "'{{ .Values.class }}'", None),
    ],
)
def test_names_are_unknown_only_beside_a_similar_one(claim: str, storage_class: str, near: str | None) -> None:
    """Other claims and classes can be in the cluster."""
    using = USING.replace("claimName: data", f"claimName: {claim}")
    of_claim = CLAIM % ("", f"accessModes: [ReadWriteOnce], storageClassName: {storage_class}")
    text = tpu_pod(spec=using) + of_claim + CLASS % ("", "pd.csi.storage.gke.io", "hyperdisk-balanced")
    found = [item for item in findings_in(text) if item.rule == "TPU869"]
    assert [item.fix for item in found] == ([near] if near else [])

"""Rules about pods in manifests, beyond their examples: every form of each mistake, where it is, and how sure it is."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Finding, Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE


def only(text: str, **more: object) -> Finding:
    (finding,) = findings_in(text, **more)  # type: ignore[arg-type]
    return finding


def chips(amount: str) -> str:
    return tpu_pod().replace("google.com/tpu: 4", f"google.com/tpu: {amount}")


def job_set(spec: str, *, selector: str = "", annotations: str = "", env: str = "", replicas: int = 2) -> str:
    return f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool{annotations}}}
spec:
  failurePolicy: {{maxRestarts: 10}}
  replicatedJobs:
    - name: slice
      replicas: {replicas}
      template:
        spec:
          {spec}
          backoffLimit: 0
          podFailurePolicy: {{rules: [{{action: FailJob, onPodConditions: [{{type: DisruptionTarget}}]}}]}}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                {selector}
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers:
                - name: jax
                  image: train
                  {env}
                  resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""


COUNTS = "parallelism: 4\n          completions: 4"


def with_replicas(kind: str, replicas: int) -> str:
    text = tpu_job(job=f"replicas: {replicas}\nselector: {{matchLabels: {{app: trainer}}}}")
    text = text.replace("batch/v1", "apps/v1").replace("kind: Job", f"kind: {kind}").replace("  backoffLimit: 0\n", "")
    text = text.replace("      restartPolicy: Never\n", "").replace("      subdomain: trainer\n", "")
    text = text.replace("  replicas:", "  serviceName: trainer\n  replicas:") if kind == "StatefulSet" else text
    return text.replace("    spec:\n", "    metadata: {labels: {app: trainer}}\n    spec:\n", 1)


ON_TPU7X = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
    "  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: 2x2x1}\n"
)
FOUND = {
    # accelerator and topology
    "a machine type as a label": (tpu_pod().replace("tpu-v6e-slice", "ct6e-standard-4t"), "TPU722", E, "`ct6e-"),
    "a generation as a label": (tpu_pod().replace("tpu-v6e-slice", "v6e"), "TPU722", E, "`v6e`"),
    "an announced generation": (tpu_pod().replace("tpu-v6e-slice", "tpu8t"), "TPU722", W, "Google announced TPU 8t"),
    "no TPU at all": (tpu_pod().replace("tpu-v6e-slice", "nvidia-l4"), "TPU722", E, "nvidia-l4"),
    "a topology of another generation": (tpu_pod(topology="2x2x1"), "TPU723", E, "v6e does not have it"),
    "a topology that is text": (tpu_pod(topology="four"), "TPU723", E, "`four`"),
    "a topology in an affinity": (
        tpu_pod().replace(
            "  nodeSelector:\n    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
            "    cloud.google.com/gke-tpu-topology: 2x2\n",
            "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [tpu-v6e-slice]}, "
            "{key: cloud.google.com/gke-tpu-topology, operator: In, values: [3x3]}]}]}}}\n",
        ),
        "TPU723",
        E,
        "`3x3`",
    ),
    "a topology alone": (
        tpu_pod().replace("    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n", ""),
        "TPU743",
        W,
        "missing selector cloud.google.com/gke-tpu-accelerator",
    ),
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
    "three containers on tpu7x": (
        f"{ON_TPU7X}  containers: [{{name: a, image: a, resources: {{limits: {{google.com/tpu: 2}}}}}}, "
        "{name: b, image: a, resources: {limits: {google.com/tpu: 1}}}, "
        "{name: c, image: a, resources: {limits: {google.com/tpu: 1}}}]",
        "TPU729",
        W,
        "3 containers",
    ),
    "a GPU beside a TPU selector": (
        tpu_pod().replace("limits: {google.com/tpu: 4}", "limits: {google.com/tpu: 4, nvidia.com/gpu: 1}"),
        "TPU730",
        E,
        "TPU nodes have no GPUs",
    ),
    "a misspelt resource": (
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, resources: {limits: {google.com/tpus: 4}}}]}",
        "TPU730",
        W,
        "the resource of chips is google.com/tpu",
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
    # what holds a slice
    "a named node": (tpu_job(pod="subdomain: trainer\nnodeName: a"), "TPU744", E, "run on the node `a`"),
    "two slices in one pool": (
        job_set(COUNTS, selector="cloud.google.com/gke-nodepool: train"),
        "TPU744",
        E,
        "2 slices select 1 node pool",
    ),
    "a Deployment on several hosts": (with_replicas("Deployment", 4), "TPU745", W, "Deployment gives the pods"),
    # capacity and labels
    "Spot and a reservation": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"\ncloud.google.com/reservation-name: a'),
        "TPU732",
        E,
        "`cloud.google.com/reservation-name` conflicts with `cloud.google.com/gke-spot`",
    ),
    "a capital letter": (
        tpu_pod(selector='cloud.google.com/gke-flex-start: "True"'),
        "TPU799",
        W,
        "invalid value of `cloud.google.com/gke-flex-start` `True`",
    ),
    "a label without its domain": (tpu_pod(selector="gke-tpu-topology: 2x2"), "TPU733", W, "`gke-tpu-topology`"),
    "a label in another domain": (
        tpu_pod(selector="gke.google.com/gke-tpu-topology: 2x2"),
        "TPU733",
        W,
        "`gke.google.com/gke-tpu-topology`",
    ),
    "the documented but wrong label of a group": (
        tpu_pod(selector="cloud.google.com/gke-node-pool-group-name: a"),
        "TPU733",
        W,
        "gke-node-pool-group-name",
    ),
    "a topology beside a class": (
        tpu_pod(selector="cloud.google.com/compute-class: tpu"),
        "TPU735",
        N,
        "is selected beside the ComputeClass `tpu`",
    ),
    # variables and types
    "the number of slices by hand": (
        job_set(COUNTS, env="env: [{name: MEGASCALE_NUM_SLICES, value: '2'}]"),
        "TPU738",
        W,
        "`MEGASCALE_NUM_SLICES` has a fixed value",
    ),
    "a number as a variable": (
        tpu_pod(container="env: [{name: STEPS, value: 100}]"),
        "TPU755",
        E,
        "`value` must be text, and YAML reads `100` as a number",
    ),
    "a boolean as an annotation": (
        tpu_pod().replace("metadata: {name: trainer}", "metadata: {name: a, annotations: {gke-gcsfuse/volumes: true}}"),
        "TPU755",
        E,
        "`gke-gcsfuse/volumes` must be text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    text, rule, severity, words = FOUND[name]
    finding = only(text)
    assert (finding.rule, finding.severity) == (rule, severity)
    assert words in finding.message


def test_a_value_in_an_affinity_has_its_place() -> None:
    finding = only(FOUND["a topology in an affinity"][0])
    assert finding.path[-3:] == ("matchExpressions", 1, "values")
    assert finding.position is not None
    assert "3x3" in finding.position.text


def test_dimensions_out_of_order_have_a_fix() -> None:
    assert only(tpu_pod(topology="4x2", chips=8)).fix == "cloud.google.com/gke-tpu-topology: 2x4"


def test_the_chips_choose_the_form_of_2x4_and_the_mode_excludes_one() -> None:
    hosts = tpu_pod(topology="2x4", chips=4)
    assert broken(tpu_pod(topology="2x4", chips=8), mode="autopilot") == []
    assert broken(hosts, mode="autopilot") == ["TPU726"]
    assert "on Autopilot have 8" in only(hosts, mode="autopilot").message


@pytest.mark.parametrize("replicas", [4, 8])
def test_a_stateful_set_of_whole_slices_matches_its_hosts(replicas: int) -> None:
    assert broken(with_replicas("StatefulSet", replicas)) == []


def test_a_suspended_job_or_one_without_replicas_is_not_reported() -> None:
    assert broken(tpu_job(job="completionMode: Indexed\nparallelism: 0")) == []
    assert broken(with_replicas("StatefulSet", 0)) == []


def test_a_pool_with_one_host_per_slice_may_be_named() -> None:
    assert broken(tpu_pod(selector="cloud.google.com/gke-nodepool: a\nkubernetes.io/hostname: b")) == []


ON_AUTOPILOT = {
    "host network": ("hostNetwork: true", "`hostNetwork` is not supported with Autopilot"),
    "host processes": ("hostPID: true", "`hostPID`"),
    "a host path": ("volumes: [{name: a, hostPath: {path: /tmp}}]", "the host path `/tmp`"),
    "a log folder that is written": (
        "volumes: [{name: logs, hostPath: {path: /var/log}}]\n"
        "initContainers: [{name: a, image: a, volumeMounts: [{name: logs, mountPath: /logs}]}]",
        "the host path `/var/log`",
    ),
    "a host port": ("initContainers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 80}]}]", "`hostPort`"),
    "privileges": ("initContainers: [{name: a, image: a, securityContext: {privileged: true}}]", "`privileged`"),
}


@pytest.mark.parametrize("name", ON_AUTOPILOT)
def test_autopilot_refuses_access_to_the_host(name: str) -> None:
    spec, words = ON_AUTOPILOT[name]
    finding = only(tpu_pod(spec=spec), mode="autopilot")
    assert (finding.rule, finding.severity) == ("TPU737", E)
    assert words in finding.message
    assert broken(tpu_pod(spec=spec), mode="standard") == []
    assert broken(tpu_pod(spec=spec)) == []


@pytest.mark.parametrize(
    "spec",
    [
        "hostNetwork: false",
        "volumes: [{name: a, emptyDir: {}}]",
        "volumes: [{name: logs, hostPath: {path: /var/log/pods}}]\n"
        "initContainers: [{name: a, image: a, volumeMounts: [{name: logs, mountPath: /logs, readOnly: true}]}]",
        "initContainers: [{name: a, image: a, ports: [{containerPort: 1}], securityContext: {privileged: false}}]",
    ],
)
def test_autopilot_accepts_the_rest(spec: str) -> None:
    assert broken(tpu_pod(spec=spec), mode="autopilot") == []


def test_a_node_pool_is_reported_on_autopilot() -> None:
    finding = only(tpu_pod(selector="cloud.google.com/gke-nodepool: train"), mode="autopilot")
    assert (finding.rule, finding.severity) == ("TPU736", E)


NOT_EVICTED = 'metadata: {name: a, annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}}'
EXCLUDING = {
    "Spot": tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
    "a ComputeClass": tpu_pod(selector="cloud.google.com/compute-class: a"),
    "affinity between pods": tpu_pod(
        spec="affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}}"
    ),
}


@pytest.mark.parametrize("other", EXCLUDING)
def test_an_extended_run_excludes_others_on_autopilot_only(other: str) -> None:
    text = EXCLUDING[other].replace("metadata: {name: trainer}", NOT_EVICTED)
    (finding,) = [item for item in findings_in(text, mode="autopilot") if item.rule == "TPU740"]
    assert finding.message == f"the extended run time of a pod is not supported with {other}"
    assert finding.severity is W
    assert "TPU740" not in broken(text, mode="standard") + broken(text)


def test_exclusive_topology_counts_as_affinity() -> None:
    text = job_set(COUNTS).replace(
        "            spec:\n              restartPolicy",
        f"            {NOT_EVICTED}\n            spec:\n              restartPolicy",
    )
    assert "exclusive topology" in next(x.message for x in findings_in(text, mode="autopilot") if x.rule == "TPU740")


OLD_CLUSTER = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "{version}"
    slices:
      main: {{tpu: v5p, topology: 4x4x4, zone: us-east5-a}}
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.28.3-gke.1203000", True), ("1.29.1-gke.1425000", False), ("1.34.1-gke.3084001", False)],
)
def test_an_old_version_grants_no_grace_period(version: str, expected: bool) -> None:
    found = findings_in(tpu_pod(spec="terminationGracePeriodSeconds: 600"), plan=OLD_CLUSTER.format(version=version))
    assert any(item.rule == "TPU756" and item.severity is W for item in found) is expected


def test_a_pod_without_chips_tolerates_or_is_reported() -> None:
    text = tpu_pod().replace("\n      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}", "")
    assert broken(text) == ["TPU727"]
    assert broken(text.replace("spec:\n", "spec:\n  tolerations: [{key: google.com/tpu, operator: Exists}]\n")) == []
    other = "spec:\n  tolerations: [{key: google.com/tpu, effect: NoExecute}]\n"
    assert broken(text.replace("spec:\n", other)) == ["TPU727"]


def test_the_flavor_of_a_queue_may_bring_the_toleration() -> None:
    text = tpu_pod(selector='cloud.google.com/gke-queued: "true"')
    assert broken(text) == ["TPU734"]
    label = "metadata: {name: trainer, labels: {kueue.x-k8s.io/queue-name: research}}"
    assert broken(text.replace("metadata: {name: trainer}", label)) == []


# Storage

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


# Details of messages and fixes


def test_a_topology_of_the_other_mode_names_the_mode() -> None:
    text = tpu_pod(topology="1x1x1", chips=1).replace("tpu-v6e-slice", "tpu7x")
    assert broken(text, mode="standard") == []
    assert only(text, mode="autopilot").message == "unknown topology `1x1x1`: tpu7x does not have it on Autopilot"


def test_an_unknown_accelerator_in_a_list_does_not_hide_the_topology() -> None:
    text = FOUND["a topology in an affinity"][0]
    assert broken(text.replace("[tpu-v6e-slice]", "[tpu-v6e-slice, tpu-v6e]")) == ["TPU722", "TPU723"]
    assert broken(text.replace("[tpu-v6e-slice]", "[tpu-v6e-slice, h100]")) == ["TPU722"]


@pytest.mark.parametrize("selector", ["cloud.google.com/compute-class: a", "cloud.google.com/gke-nodepool: a"])
def test_a_class_or_a_pool_stands_for_the_topology(selector: str) -> None:
    text = tpu_pod(selector=selector).replace("    cloud.google.com/gke-tpu-topology: 2x2\n", "")
    assert "TPU743" not in broken(text)


def test_a_request_of_no_chips_is_a_whole_number() -> None:
    assert broken(chips("0")) == ["TPU727"]


def test_the_fix_of_a_label_is_a_key_or_the_key_of_an_expression() -> None:
    assert only(FOUND["a label without its domain"][0]).fix == "cloud.google.com/gke-tpu-topology:"
    term = "{key: cloud.google.com/gke-flexstart, operator: In, values: ['true']}"
    terms = f"nodeSelectorTerms: [{{matchExpressions: [{term}]}}]"
    affinity = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{{terms}}}}}}}"
    assert only(tpu_pod(spec=affinity)).fix == "key: cloud.google.com/gke-flex-start"


def test_an_unknown_topology_does_not_hide_chips_that_no_host_has() -> None:
    found = findings_in(tpu_pod(topology="4x5", chips=3))
    assert [(each.rule, each.severity) for each in found] == [("TPU723", E), ("TPU726", E)]
    assert found[1].message == "the pod requests 3 chips, and hosts of v6e have 1, 4 or 8"


def test_chips_of_some_host_have_no_finding_beside_an_unknown_topology() -> None:
    assert broken(tpu_pod(topology="4x5", chips=4)) == ["TPU723"]


def test_placeholders_of_an_object_are_one_warning_and_no_wrong_values() -> None:
    text = tpu_pod(topology="<TOPOLOGY>").replace("google.com/tpu: 4", "google.com/tpu: <CHIPS>")
    found = only(text.replace("tpu-v6e-slice", "<your-accelerator>"))
    assert (found.rule, found.severity) == ("TPU358", W)
    assert found.message == "placeholders `<your-accelerator>`, `<TOPOLOGY>` and `<CHIPS>` not filled in"


@pytest.mark.parametrize(
    "value", ["a<b>", "<1>", "< NAME>", "<html><body>", "<>", "<NAME", "'<a.b>'", "<" + "N" * 64 + ">"]
)
def test_other_text_with_brackets_has_no_warning_about_placeholders(value: str) -> None:
    assert "TPU358" not in broken(tpu_pod().replace("image: trainer", f"image: {value}"))


@pytest.mark.parametrize("key", ["args: [<file>]", "command: [<file>]"])
def test_text_for_a_program_is_not_taken_for_a_placeholder(key: str) -> None:
    assert broken(tpu_pod().replace("image: trainer", f"image: trainer\n      {key}")) == []


@pytest.mark.parametrize(
    ("selector", "severity"),
    [('cloud.google.com/gke-spot: "true"', E), ("cloud.google.com/reservation-name: pretraining", W)],
)
def test_a_selector_beside_a_class_is_an_error_unless_sources_disagree(selector: str, severity: Severity) -> None:
    text = tpu_pod(selector=f"cloud.google.com/compute-class: tpu\n{selector}")
    found = [item.severity for item in findings_in(text) if item.path[-1] == selector.partition(":")[0]]
    assert found == [severity]

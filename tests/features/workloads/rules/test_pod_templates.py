"""Rules about fields that a plan adds to Pod templates, and about what Pods request."""

import json
from typing import Any

import pytest
from support.kubernetes_plans import findings, told, workload
from support.pod_keys import KINDS
from support.workload_plans import HEADS, TRAIN, workload_plan

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity, format_path

RUN = "kubernetes.workloads.run"


def reported(addition: Any, catalog: Catalog, keys: str = "kind: deployment", mode: str = "standard") -> list[str]:
    text = workload(f"{keys}, pod_template: {json.dumps(addition)}", "serve")
    if mode == "autopilot":
        text = text.replace(", zone: us-east5-b", "")
    every = told(text, catalog, mode)
    return sorted(item.replace(f"{RUN}.pod_template.", "") for item in every if item.startswith(("TPU568", "TPU569")))


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


def container(**fields: Any) -> dict[str, Any]:
    return spec(containers=[{"name": "tpu", **fields}])


@pytest.mark.parametrize(
    "addition",
    [
        spec(dnsPolicy="Default", hostNetwork=True),
        spec(tolerations=[{"key": "team", "operator": "Exists"}]),
        spec(volumes=[{"name": "shm", "emptyDir": {"medium": "Memory"}}]),
        spec(initContainers=[{"name": "i", "image": "i:1"}]),
        container(securityContext={"privileged": True}, env=[{"name": "A", "value": "1"}], tty=True),
        container(resources={"limits": {"memory": "600Gi", "google.com/tpu": "4"}}),
        {"metadata": {"labels": {"team": "a"}, "annotations": {"a": "b"}}},
        spec(topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["job", "jobset", "deployment", "leaderworkerset"])
def test_additions_without_a_contradiction(kind: str, addition: dict[str, Any], catalog: Catalog) -> None:
    assert reported(addition, catalog, f"kind: {kind}") == []


@pytest.mark.parametrize(
    ("addition", "place"),
    [
        (spec(nodeSelector={"a": "b"}), "spec.nodeSelector"),
        (spec(affinity={}), "spec.affinity"),
        (spec(nodeName="n"), "spec.nodeName"),
        (spec(restartPolicy="Always"), "spec.restartPolicy"),
        (spec(subdomain="a"), "spec.subdomain"),
        (spec(hostname="a"), "spec.hostname"),
        (spec(activeDeadlineSeconds=60), "spec.activeDeadlineSeconds"),
        (spec(imagePullSecrets=[{"name": "a"}]), "spec.imagePullSecrets"),
        (spec(priorityClassName="a"), "spec.priorityClassName"),
        (spec(serviceAccountName="a"), "spec.serviceAccountName"),
        (spec(terminationGracePeriodSeconds=60), "spec.terminationGracePeriodSeconds"),
        (spec(tolerations=[{"operator": "Exists"}]), "spec.tolerations[0]"),
        (spec(tolerations=[{"key": "gke-tpu/slice-group", "operator": "Exists"}]), "spec.tolerations[0]"),
        (container(image="b:1"), "spec.containers[0].image"),
        (container(command=["a"]), "spec.containers[0].command"),
        (container(resources={"requests": {"cpu": "1"}}), "spec.containers[0].resources.requests.cpu"),
        (
            container(resources={"limits": {"google.com/tpu": "1"}}),
            'spec.containers[0].resources.limits["google.com/tpu"]',
        ),
        ({"metadata": {"labels": {"jobset.sigs.k8s.io/x": "a"}}}, 'metadata.labels["jobset.sigs.k8s.io/x"]'),
        (
            {"metadata": {"labels": {"alpha.jobset.sigs.k8s.io/x": "a"}}},
            'metadata.labels["alpha.jobset.sigs.k8s.io/x"]',
        ),
        ({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "a"}}}, 'metadata.labels["kueue.x-k8s.io/queue-name"]'),
        ({"metadata": {"labels": {"app.kubernetes.io/name": "a"}}}, 'metadata.labels["app.kubernetes.io/name"]'),
        ({"metadata": {"name": "a"}}, "metadata.name"),
        ({"metadata": 5}, "metadata"),
        ({"spec": []}, "spec"),
        ({"status": {}}, "status"),
    ],
    ids=str,
)
def test_what_gke_tpu_or_another_key_sets_is_an_error_at_its_place(addition: Any, place: str, catalog: Catalog) -> None:
    assert f"TPU568 {place}" in reported(addition, catalog)


@pytest.mark.parametrize(
    "entry", [{"name": "other", "image": "a:1"}, {"image": "a:1"}, {"name": 5, "image": "a:1"}], ids=str
)
def test_a_further_container_is_a_sidecar(entry: Any, catalog: Catalog) -> None:
    assert "TPU568 spec.containers[0]" in reported(spec(containers=[entry]), catalog)


def test_an_init_container_holds_no_chips(catalog: Catalog) -> None:
    entry = {"name": "i", "image": "i:1", "resources": {"limits": {"google.com/tpu": "4"}}}
    assert "TPU568 spec.initContainers[0].resources" in reported(spec(initContainers=[entry]), catalog)


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        (spec(dnsPolicie="Default"), "TPU569 spec.dnsPolicie"),
        (spec(hostNetwork="yes"), "TPU569 spec.hostNetwork"),
        (spec(dnsPolicy="Cluster"), "TPU569 spec.dnsPolicy"),
        (container(securityContext={"runAsUser": "root"}), "TPU569 spec.containers"),
    ],
    ids=str,
)
def test_fields_and_values_that_the_api_server_rejects(addition: Any, expected: str, catalog: Catalog) -> None:
    assert reported(addition, catalog) == [expected]


def test_a_finding_names_the_rule_about_manifests(catalog: Catalog) -> None:
    text = workload("kind: deployment, pod_template: {spec: {hostNetwork: 'yes'}}", "serve")
    (finding,) = (item for item in findings(text, catalog) if item.rule == "TPU569")
    assert finding.message.startswith("`hostNetwork` must be a boolean")
    assert finding.message.endswith("; see `gke-tpu rule TPU368`")


def test_a_further_container_is_reported_once_and_not_for_what_it_lacks(catalog: Catalog) -> None:
    """Its image is missing too, but nothing would be gained by adding one."""
    assert reported(spec(containers=[{"name": "helper"}]), catalog) == ["TPU568 spec.containers[0]"]


def test_autopilot_rejects_the_network_of_the_host(catalog: Catalog) -> None:
    """And privileged containers; on Standard, both are possible."""
    privileged = container(securityContext={"privileged": True})
    assert reported(spec(hostNetwork=True), catalog, mode="autopilot") == ["TPU569 spec.hostNetwork"]
    assert reported(privileged, catalog, mode="autopilot") == ["TPU569 spec.containers"]
    assert reported(privileged, catalog) == reported(spec(hostNetwork=True), catalog) == []


def test_the_nodes_of_a_head_can_be_chosen_but_not_its_restart(catalog: Catalog) -> None:
    def of_head(addition: Any) -> list[str]:
        keys = f"kind: leaderworkerset, head: {{cpu: 1, pod_template: {json.dumps(addition)}}}"
        return [item for item in told(workload(keys), catalog) if item.startswith(("TPU568", "TPU569"))]

    assert of_head(spec(nodeSelector={"pool": "a"}, tolerations=[{"key": "a", "operator": "Exists"}])) == []
    restart = f"{RUN}.head.pod_template.spec.restartPolicy"
    assert of_head(spec(restartPolicy="Never")) == [f"TPU568 {restart}", f"TPU569 {restart}"]
    assert of_head(spec(dnsPolicie="a")) == [f"TPU569 {RUN}.head.pod_template.spec.dnsPolicie"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "addition",
    [
        {"spec": 1},
        {"metadata": {"labels": 1}},
        {"spec": {"containers": 1}},
        {"spec": {"containers": [1]}},
        {"": {"": {}}},
    ],
    ids=str,
)
def test_no_form_of_an_addition_stops_the_check(kind: str, addition: Any, catalog: Catalog) -> None:
    assert reported(addition, catalog, f"kind: {kind}") != []


@pytest.mark.parametrize("kind", ["leaderworkerset", "raycluster", "rayjob", "pathways"])
@pytest.mark.parametrize(
    "addition",
    [
        {"spec": {"initContainers": 5}},
        {"spec": {"initContainers": [5, {"restartPolicy": "Always", "resources": 5}]}},
        {"spec": {"containers": [5, {"name": "x", "resources": {"requests": {"cpu": []}}}]}},
    ],
    ids=str,
)
def test_no_form_of_an_addition_to_a_head_stops_the_check(kind: str, addition: Any, catalog: Catalog) -> None:
    keys = f"kind: {kind}, head: {{pod_template: {json.dumps(addition)}}}"
    found = told(workload(keys), catalog)
    assert any(item.startswith(("TPU568", "TPU569")) for item in found)


def found(rule: str, workload: dict[str, Any], **group: Any) -> list[tuple[str, Severity, str]]:
    slices = {"train": {**TRAIN, "count": 8, **group}}
    cluster = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}, "kubernetes": {"queues": {"q": {}}}}
    plan = workload_plan(slices, {"w": {"slices": "train", **workload}}, **cluster)
    findings = check_plan(parse_plan(plan), read_catalog(), None).findings
    return [(format_path(item.path[5:]), item.severity, item.message) for item in findings if item.rule == rule]


@pytest.mark.parametrize(
    ("key", "value", "too_much"),
    [
        ("cpu", "179", False),
        ("cpu", "180", True),
        ("cpu", "180000m", True),
        ("memory", "719Gi", False),
        ("memory", "720Gi", True),
        ("memory", "1Ti", True),
    ],
)
def test_a_pod_never_gets_all_of_its_host(key: str, value: str, too_much: bool) -> None:
    assert [(path, severity) for path, severity, _ in found("TPU354", {key: value})] == (
        [(key, Severity.ERROR)] if too_much else []
    )


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({"cpu": 100, "sidecars": [79]}, []),
        ({"cpu": 100, "sidecars": [80]}, [("sidecars", "`180`")]),
        ({"cpu": 100, "sidecars": [40, 40]}, [("sidecars", "`180`")]),
        ({"sidecars": [44]}, []),
        ({"sidecars": ["45500m"]}, [("sidecars", "`180.5`")]),
        ({"cpu": 179, "sidecars": [None]}, []),
        ({"cpu": 100, "init_containers": [179, 179]}, []),
        ({"cpu": 100, "init_containers": [1, 180]}, [("init_containers[1].cpu", "`180`")]),
    ],
    ids=str,
)
def test_a_host_has_room_for_the_program_and_its_sidecars_and_for_each_init_container(
    workload: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """Without a request of the plan, the program requests 135 of 180 vCPUs. Init containers run before it."""
    keys = {key: value for key, value in workload.items() if key == "cpu"}
    for key in workload.keys() - keys:
        keys[key] = [
            {"name": f"{key[0]}{index}", "image": "a", **({"cpu": cpu} if cpu is not None else {})}
            for index, cpu in enumerate(workload[key])
        ]
    assert [(path, message.split(" ")[3].rstrip(",")) for path, _, message in found("TPU354", keys)] == expected


def test_memory_of_sidecars_counts_too() -> None:
    (found_at,) = found("TPU354", {"sidecars": [{"name": "a", "image": "a", "memory": "180Gi"}]})
    assert found_at[0] == "sidecars"
    assert found_at[2] == "a Pod requests `720Gi`, and ct6e-standard-4t has 720 GiB of memory in total"


def test_a_size_on_which_sources_disagree_only_warns() -> None:
    one_chip = {"topology": "1x1"}
    ((_, severity, message),) = found("TPU354", {"memory": "200Gi"}, **one_chip)
    assert severity is Severity.WARNING
    assert message == "a Pod requests `200Gi`, and ct6e-standard-1t has 176 GiB of memory in total"

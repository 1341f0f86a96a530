"""The gateway in front of a workload, and the endpoint picker behind it."""

from typing import Any

import pytest
import yaml
from support.gateways import EXTERNAL, INTERNAL, KINDS, SHAPES, VARIANTS, gateway_plan, rules_of
from support.workload_plans import checked, objects_of, only

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads
from pulumi_gke_tpu.core.graph.resource_types import HELM_RELEASE
from pulumi_gke_tpu.core.kubernetes.endpoint_pickers import EndpointPicker
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

MODES = pytest.mark.parametrize("mode", ["standard", "autopilot"])
SHAPED = pytest.mark.parametrize(("kind", "topology"), [(kind, shape) for kind in KINDS for shape in SHAPES[kind]])
SERVICES = {
    "deployment": ("chat", 8001),
    "leaderworkerset": ("chat-leader", 8001),
    "rayservice": ("chat-serve-svc", 8000),
}
LWS = "leaderworkerset.sigs.k8s.io"
LABELS = {
    "deployment": {"app.kubernetes.io/name": "chat"},
    "leaderworkerset": {f"{LWS}/name": "chat", f"{LWS}/worker-index": "0"},
}


def pickers(plan: dict[str, Any]) -> list[EndpointPicker]:
    return [picker for cluster in manifests_of(checked(plan)) for picker in cluster.pickers]


@MODES
@SHAPED
def test_a_gateway_leads_to_the_service_of_the_servers(kind: str, topology: str, mode: str) -> None:
    found = objects_of(gateway_plan(kind, topology, mode, "plain"), "workloads")
    gateway, route = only(found, "Gateway"), only(found, "HTTPRoute")
    assert gateway["spec"]["gatewayClassName"] == EXTERNAL
    (listener,) = gateway["spec"]["listeners"]
    assert (listener["port"], listener["protocol"]) == (80, "HTTP")
    (parent,) = route["spec"]["parentRefs"]
    assert parent["name"] == gateway["metadata"]["name"]
    assert route["metadata"]["namespace"] == gateway["metadata"]["namespace"] == "serving"
    assert "hostnames" not in route["spec"]
    service, port = SERVICES[kind]
    assert route["spec"]["rules"] == [{"backendRefs": [{"name": service, "port": port}]}]
    services = [item for item in found if item["kind"] == "Service"]
    assert [item["metadata"]["name"] for item in services] == ([service] if kind != "rayservice" else [])
    assert all(port in [entry["port"] for entry in item["spec"]["ports"]] for item in services)


@MODES
@SHAPED
def test_hosts_certificate_and_policies(kind: str, topology: str, mode: str) -> None:
    found = objects_of(gateway_plan(kind, topology, mode, "everything"), "workloads")
    (listener,) = only(found, "Gateway")["spec"]["listeners"]
    assert (listener["port"], listener["protocol"]) == (443, "HTTPS")
    assert listener["tls"] == {"mode": "Terminate", "certificateRefs": [{"name": "chat-certificate"}]}
    assert only(found, "HTTPRoute")["spec"]["hostnames"] == VARIANTS["everything"]["hosts"]
    service, port = SERVICES[kind]
    target = {"group": "", "kind": "Service", "name": service}
    config = {"type": "HTTP", "httpHealthCheck": {"requestPath": "/health", "port": port}}
    assert only(found, "HealthCheckPolicy")["spec"] == {"targetRef": target, "default": {"config": config}}
    assert only(found, "GCPBackendPolicy")["spec"] == {"targetRef": target, "default": {"timeoutSec": 600}}


@MODES
@pytest.mark.parametrize(("kind", "topology"), [(kind, shape) for kind in LABELS for shape in SHAPES[kind]])
def test_an_endpoint_picker_gets_the_labels_and_the_port_of_the_servers(kind: str, topology: str, mode: str) -> None:
    plan = gateway_plan(kind, topology, mode, "pool")
    found = objects_of(plan, "workloads")
    backend = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "chat"}
    assert only(found, "HTTPRoute")["spec"]["rules"] == [{"backendRefs": [backend]}]
    assert {item["kind"] for item in found} & {"HealthCheckPolicy", "GCPBackendPolicy"} == set()
    (picker,) = pickers(plan)
    values = picker.release["values"]
    assert values["inferencePool"]["modelServers"]["matchLabels"] == LABELS[kind]
    assert values["inferencePool"]["targetPorts"] == [{"number": 8001}]
    assert values["inferencePool"]["targetPortNumber"] == 8001, "the port of the health check of the chart"
    assert values["provider"] == {"name": "gke"}
    pods = only(found, "Service")["spec"]["selector"]
    assert pods == LABELS[kind], "the Pods that answer are those of the Service"
    (entry,) = picker.kustomization.object["helmCharts"]
    assert entry["valuesInline"] == values
    assert (entry["releaseName"], entry["namespace"]) == (picker.release["name"], picker.release["namespace"])
    assert (picker.release["name"], picker.release["namespace"]) == ("chat", "serving")
    assert entry["version"] == picker.release["version"] == "v1.0.0"
    assert picker.release["chart"] == f"{entry['repo']}/{entry['name']}"


def test_a_plan_can_name_the_release_of_the_picker() -> None:
    (picker,) = pickers(gateway_plan("deployment", "2x2", "standard", "pool", inference_pool={"version": "1.0.1"}))
    assert picker.release["version"] == "v1.0.1"


def test_pickers_tolerate_the_taints_of_the_system_pool() -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "pool")
    plan["clusters"]["c"]["system_pool"] = {"taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]}
    (picker,) = pickers(plan)
    (patch,) = picker.kustomization.object["patches"]
    assert patch["target"] == {"kind": "Deployment", "name": "chat-epp"}
    (found,) = yaml.safe_load(patch["patch"])["spec"]["template"]["spec"]["tolerations"]
    assert (found["key"], found["effect"]) == ("team", "NoSchedule")


@pytest.mark.parametrize(
    ("probe", "more", "expected"),
    [
        ({"http_path": "/ready"}, {}, ("/ready", 8001)),
        ({"http_path": "/ready", "port": 9000}, {}, ("/ready", 9000)),
        ({"http_path": "/ready", "port": 9000}, {"health_path": "/health"}, ("/health", 8001)),
        ({"period": "5s"}, {}, None),
    ],
)
def test_health_checks_ask_what_the_readiness_probe_asks(
    probe: dict[str, Any], more: dict[str, str], expected: tuple[str, int] | None
) -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "plain")
    chat = plan["clusters"]["c"]["kubernetes"]["workloads"]["chat"]
    chat["gateway"] = {"class_name": INTERNAL, **more}
    chat["probes"] = {"readiness": probe}
    found = [item for item in objects_of(plan, "workloads") if item["kind"] == "HealthCheckPolicy"]
    asked = [tuple(item["spec"]["default"]["config"]["httpHealthCheck"].values()) for item in found]
    assert asked == ([expected] if expected else [])
    assert ("TPU856" in rules_of(plan)) == (expected is None)


@MODES
@pytest.mark.parametrize("variant", VARIANTS)
@SHAPED
def test_plans_with_gateways_have_no_findings_about_them(kind: str, topology: str, variant: str, mode: str) -> None:
    found = rules_of(gateway_plan(kind, topology, mode, variant))
    assert {rule for rule in found if rule.startswith(("TPU85", "TPU713", "TPU233", "TPU56"))} == set()


def test_a_program_installs_the_picker_after_the_objects() -> None:
    fleet = checked(gateway_plan("deployment", "2x2", "standard", "pool")).fleet
    assert fleet is not None
    declared = list(tpu_workloads(fleet.clusters[0], read_catalog(), "w"))
    last = declared[-1]
    assert (last.type, last.name) == (HELM_RELEASE, "w/endpoint-pickers/chat")
    assert set(last.options.depends_on) == {
        item.key for item in declared if item.plan_path.endswith(("chat", "gateway"))
    }

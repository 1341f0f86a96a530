"""Names of ports: what ``gke-tpu check`` reports is what the API server rejects."""

from typing import Any

import pytest
import yaml
from support.control_plane.testbed import Testbed
from support.manifests import findings_in

from pulumi_gke_tpu.core.text.findings import Severity

NAMES = ("http", "Http_1", "a.b", "a--b", "-a", "8080", "1a", "", "a" * 15, "a" * 16, "a" * 63, "a" * 64)


def service(*ports: dict[str, Any]) -> dict[str, Any]:
    spec = {"selector": {"app": "serve"}, "ports": [{"port": 80 + index, **port} for index, port in enumerate(ports)]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "serve"}, "spec": spec}


def pod(*containers: dict[str, Any]) -> dict[str, Any]:
    """A Pod with chips, whose first container has further fields."""
    chips = {"google.com/tpu": 4}
    labels = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}
    first, *others = ({"name": f"c{index}", "image": "a", **item} for index, item in enumerate(containers))
    spec = {"nodeSelector": labels, "containers": [{**first, "resources": {"limits": chips}}, *others]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "serve"}, "spec": spec}


def agree(bed: Testbed, item: dict[str, Any]) -> bool:
    reported = any(finding.severity is Severity.ERROR for finding in findings_in(yaml.safe_dump(item)))
    return bool(bed.refusal(item)) == reported


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_port(bed: Testbed, name: str) -> None:
    assert agree(bed, service({"name": name}))
    assert agree(bed, pod({"ports": [{"containerPort": 80, "name": name}]})) or not name


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_to_a_port_by_its_name(bed: Testbed, name: str) -> None:
    assert agree(bed, service({"targetPort": name}))
    assert agree(bed, pod({"readinessProbe": {"httpGet": {"port": name}}}))
    assert agree(bed, pod({"lifecycle": {"preStop": {"tcpSocket": {"port": name}}}}))


def test_two_ports_with_one_name(bed: Testbed) -> None:
    assert agree(bed, service({"name": "a"}, {"name": "a"}))
    assert agree(bed, service({"name": "a"}, {"name": "b"}))
    two = [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]
    assert agree(bed, pod({"ports": two}))
    assert agree(bed, pod({"ports": two[:1]}, {"ports": two[1:]}))

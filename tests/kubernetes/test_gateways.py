"""Gateways and routes as the real server checks and stores them, and the pool that the chart creates from our values.

The chart itself is not rendered here: the pool is what its template writes. GKE's policies have no public definition.
"""

from typing import Any

import pytest
from support.control_plane.testbed import Testbed
from support.gateways import KINDS, SHAPES, VARIANTS, gateway_plan
from support.kubernetes_standin.difference import differences, pruned
from support.workload_plans import checked, objects_of, only

from pulumi_gke_tpu.features.workloads.manifests import manifests_of

pytestmark = pytest.mark.usefixtures("gateway_crds")

OF_GKE = ("HealthCheckPolicy", "GCPBackendPolicy")


def pool_of(values: dict[str, Any], name: str) -> dict[str, Any]:
    """The InferencePool of a release of the chart inferencepool 1.0.0."""
    given = values["inferencePool"]
    spec = {
        "targetPorts": given["targetPorts"],
        "selector": {"matchLabels": given["modelServers"]["matchLabels"]},
        "endpointPickerRef": {"name": f"{name}-epp", "port": {"number": 9002}},
    }
    group = "inference.networking.k8s.io/v1"
    return {"apiVersion": group, "kind": "InferencePool", "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_server_stores_each_object_as_it_is_sent(bed: Testbed, kind: str, variant: str, mode: str) -> None:
    """A field that the server changes or does not know would be a change in every run of Pulumi."""
    wrong: dict[str, object] = {}
    found = 0
    for topology in SHAPES[kind]:
        plan = gateway_plan(kind, topology, mode, variant)
        sent = [item for item in objects_of(plan, "workloads") if item["kind"] not in OF_GKE]
        found += len({item["kind"] for item in sent} & {"Gateway", "HTTPRoute"})
        pickers = [picker for cluster in manifests_of(checked(plan)) for picker in cluster.pickers]
        sent += [pool_of(picker.release["values"], picker.name) for picker in pickers]
        for item in sent:
            here = {**item, "metadata": {**item["metadata"], "namespace": bed.namespace}}
            stored = bed.client.create(here, bed.namespace, dry_run=True)
            if changed := list(differences(pruned(stored, here), here)):
                wrong[f"{topology} {item['kind']}"] = changed
    assert wrong == {}
    assert found == 2 * len(SHAPES[kind])


@pytest.mark.parametrize(
    ("host", "accepted"),
    [
        ("chat.acme.example", True),
        ("*.acme.example", True),
        ("localhost", True),
        ("Chat.acme.example", False),
        ("chat_1.acme.example", False),
        ("chat.acme.example.", False),
        ("https://chat.acme.example", False),
        ("*", False),
        ("a.*.example", False),
        ("", False),
        ("a" * 64 + ".example", None),
        (".".join(["a" * 63] * 4), False),
    ],
)
def test_host_names_are_those_that_the_server_accepts(bed: Testbed, host: str, accepted: bool | None) -> None:
    """None: the schema of the kind accepts a label that no DNS name can have, and we do not."""
    route = only(objects_of(gateway_plan("deployment", "2x2", "standard", "plain"), "workloads"), "HTTPRoute")
    route["spec"]["hostnames"] = [host]
    refusal = bed.refusal(route)
    assert (refusal == "") == (accepted is not False), refusal
    plan = gateway_plan("deployment", "2x2", "standard", "plain", hosts=[host])
    assert ("TPU853" not in _rules(plan)) == (accepted is True)


def _rules(plan: dict[str, Any]) -> set[str]:
    from support.gateways import rules_of

    return rules_of(plan)

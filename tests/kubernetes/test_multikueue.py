"""Manager clusters of MultiKueue in the real server."""

import pytest
from support.control_plane.testbed import Testbed
from support.kubernetes_standin.difference import differences, pruned
from support.multikueue import clusters_of, manager_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests

pytestmark = pytest.mark.usefixtures("crds")


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("kind", ["jobset", "raycluster", "rayjob"])
def test_the_server_stores_each_object_of_a_manager_as_it_is_sent(bed: Testbed, kind: str, mode: str) -> None:
    run = {"slices": "pretrain", "kind": kind, "command": ["run"]}
    found = [item.object for item in manifests(clusters_of(manager_plan(mode, {"run": run}))["hub"], read_catalog())]
    assert {"MultiKueueCluster", "MultiKueueConfig", "AdmissionCheck", "ClusterQueue"} <= {
        item["kind"] for item in found
    }
    wrong = {}
    for item in found:
        metadata = dict(item["metadata"])
        sent = {**item, "metadata": {**metadata, "namespace": bed.namespace} if "namespace" in metadata else metadata}
        stored = pruned(bed.client.create(sent, bed.namespace, dry_run=True), sent)
        if changed := list(differences(stored, sent)):
            wrong[f"{item['kind']} {item['metadata']['name']}"] = changed
    assert wrong == {}


@pytest.mark.parametrize("credentials", ["secrets", "fleet"])
def test_the_server_accepts_workers_with_and_without_secrets(credentials: str, bed: Testbed) -> None:
    workers = {"east": {}, "west": {}}
    plan = manager_plan(multikueue={"workers": workers, "credentials": credentials})
    for cluster in plan["clusters"].values():
        cluster["fleet"] = "acme-ml"
    hub = clusters_of(plan)["hub"]
    items = [item.object for item in manifests(hub, read_catalog()) if item.concern == "queues"]
    sources = [item["spec"]["clusterSource"] for item in items if item["kind"] == "MultiKueueCluster"]
    profiles = [{"clusterProfileRef": {"name": name}} for name in ("east-us-east5", "west-us-central1")]
    secrets = [{"kubeConfig": {"location": f"{name}-kubeconfig", "locationType": "Secret"}} for name in workers]
    assert sources == (profiles if credentials == "fleet" else secrets)
    assert [(item["kind"], words) for item in items if (words := bed.refusal(item))] == []

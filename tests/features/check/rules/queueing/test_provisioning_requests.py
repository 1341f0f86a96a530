"""Rules about ProvisioningRequests and the Pod templates that they name."""

from support.manifests import findings_in

from pulumi_gke_tpu.features.check.rules.queueing.provisioning_requests import provisioning_request


def test_gke_provisions_one_set_of_pods() -> None:
    entry = "{count: 4, podTemplateRef: {name: train}}"
    text = provisioning_request.passing.replace(f"[{entry}]", f"[{entry}, {entry}]")
    (finding,) = findings_in(text + "\n")
    assert (finding.rule, finding.path[-1]) == ("TPU385", 1)
    assert "2 sets of Pods" in finding.message

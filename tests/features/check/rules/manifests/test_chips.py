"""Rules about the chips that pods request."""

import pytest
from support.manifest_texts import ON_TPU7X, assert_found, chips, only
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

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
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


def test_the_chips_choose_the_form_of_2x4_and_the_mode_excludes_one() -> None:
    hosts = tpu_pod(topology="2x4", chips=4)
    assert broken(tpu_pod(topology="2x4", chips=8), mode="autopilot") == []
    assert broken(hosts, mode="autopilot") == ["TPU726"]
    assert "on Autopilot have 8" in only(hosts, mode="autopilot").message


def test_a_pod_without_chips_tolerates_or_is_reported() -> None:
    text = tpu_pod().replace("\n      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}", "")
    assert broken(text) == ["TPU727"]
    tolerating = text.replace("spec:\n", "spec:\n  tolerations: [{key: google.com/tpu, operator: Exists}]\n")
    assert broken(tolerating) == ["TPU315"]
    small = "image: trainer\n      resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}"
    assert broken(tolerating.replace("image: trainer", small)) == []
    other = "spec:\n  tolerations: [{key: google.com/tpu, effect: NoExecute}]\n"
    assert broken(text.replace("spec:\n", other)) == ["TPU727"]


def test_a_request_of_no_chips_is_a_whole_number() -> None:
    assert broken(chips("0")) == ["TPU727"]

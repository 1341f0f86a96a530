"""Limitations of TPUs in GKE: each is reported where a user meets it, in the plan, the preview or the manifests."""

import datetime

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.plan.preview.document import preview_markdown

TODAY = datetime.date(2026, 11, 20)
EIGHT = "tpu: v6e\ntopology: 2x4\nchips_per_host: 8\n"


def found_in(text: str) -> tuple[Finding, ...]:
    document = read_plan_content(whole_plan(text).encode(), "plan.yaml")
    return check_plan(document, read_catalog(), TODAY).findings


def extra(key: str, value: object) -> str:
    return f"{EIGHT}extra: {{node_config: {{{key}: {value}}}}}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (extra("advanced_machine_features", "{threads_per_core: 2}"), "requires 1 thread per core"),
        (extra("image_type", "UBUNTU_CONTAINERD"), "image type `UBUNTU_CONTAINERD` is not supported with TPU nodes"),
        (f"{EIGHT}max_pods_per_node: 257", "invalid number of Pods per node 257: allowed 8 to 256"),
        (
            "mode: standard\nlocation: us-east5\nmin_version: '1.28.6'\nrelease_channel: none\nslices:\n"
            "  a: {tpu: v5p, topology: 4x4x4, zone: us-east5-a, count: {max: 2}}",
            "autoscaling and auto-provisioning of v5p",
        ),
    ],
    ids=["SMT", "Ubuntu", "256 Pods", "v5p autoscaling"],
)
def test_the_plan_is_refused(text: str, words: str) -> None:
    assert [item.message for item in found_in(text) if words in item.message]


def test_a_manifest_of_the_tpu_node_architecture_is_refused() -> None:
    resources = "{limits: {cloud-tpus.google.com/v3: 8}}"
    pod = f"apiVersion: v1\nkind: Pod\nspec: {{containers: [{{name: a, resources: {resources}}}]}}\n"
    assert [item for item in findings_in(pod) if "it belonged to the TPU Node architecture" in item.message]


def test_a_class_with_ubuntu_is_refused() -> None:
    text = """
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: train}
spec:
  nodePoolConfig: {imageType: IMAGE}
  priorities: [PRIORITY]
  whenUnsatisfiable: DoNotScaleUp
"""
    tpu = "{tpu: {type: tpu-v6e-slice, count: 4, topology: 4x4}}"

    def refused(image: str, priority: str = tpu) -> bool:
        found = findings_in(text.replace("IMAGE", image).replace("PRIORITY", priority))
        return "TPU349" in {item.rule for item in found}

    assert refused("ubuntu_containerd")
    assert not refused("cos_containerd")
    assert not refused("${IMAGE_TYPE}")
    assert not refused("ubuntu_containerd", "{machineFamily: n2}")


@pytest.mark.parametrize(
    "words",
    ["GKE usage metering and cost allocation do not contain TPU usage or cost", "is not complete after 10 hours"],
    ids=["cost allocation", "10-hour scale-up"],
)
def test_the_preview_notes_it(words: str) -> None:
    document = read_plan_content(whole_plan("tpu: v6e\ntopology: 4x4\ncount: {max: 2}").encode(), "plan.yaml")
    preview = preview_checked(check_plan(document, read_catalog(), TODAY), ())
    assert words in preview_markdown(preview, resources=False)

"""Rules about containers with chips, and resources that are not those of TPUs."""

import pytest
from support.manifest_texts import ON_TPU7X, assert_found

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

FOUND = {
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
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])

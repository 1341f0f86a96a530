"""Rules about queues in manifests and the slice groups of a plan."""

import pytest
from support.manifest_texts import found_beside, plan_with
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import TWO_SLICES, plan_of

FLAVOR = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v6e}
spec: {nodeLabels: %s}
"""

V6E = "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: %s}"

QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %s}
spec:
  namespaceSelector: {}
  cohortName: all
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors: [{name: v6e, resources: [{name: google.com/tpu, nominalQuota: %s}]}]
"""

TWO = plan_of(TWO_SLICES)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (V6E % "4x4", False),
        (V6E % "8x8", True),
        ("{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice}", True),
        ("{cloud.google.com/compute-class: tpu-v6e}", True),
        ("{cloud.google.com/machine-family: n2}", False),
        (V6E % "'{{ t }}'", False),
        ("{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice, cloud.google.com/gke-tpu-topology: '{{ t }}'}", False),
    ],
)
def test_a_flavor_has_the_labels_of_a_group(labels: str, expected: bool) -> None:
    assert ("TPU793" in broken(FLAVOR % labels, plan=TWO)) is expected
    assert "TPU793" not in broken(FLAVOR % labels)


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [(("32",), False), (("33",), True), (("16", "16"), False), (("16", "17"), True), (("'{{ q }}'",), False)],
)
def test_the_quotas_of_a_flavor_add_up_to_the_chips_of_its_slices(quotas: tuple[str, ...], expected: bool) -> None:
    text = FLAVOR % (V6E % "4x4") + "".join(QUEUE % (f"q{n}", quota) for n, quota in enumerate(quotas))
    assert ("TPU794" in broken(text, plan=TWO)) is expected
    if expected:
        assert f"is {sum(map(int, quotas))} chips" in found_beside(text, TWO, "TPU794").message


def test_a_flavor_of_nodes_that_gke_makes_is_not_reported() -> None:
    of = plan_with(
        "tpu: v6e, topology: 2x2", more="    autoprovisioning: {cpu: 100, memory_gib: 400, tpu: {v6e: 64}}\n"
    )
    assert "TPU793" not in broken(FLAVOR % (V6E % "8x8"), plan=of)
    assert "TPU793" in broken(FLAVOR % "{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice}", plan=of)

"""Rules about claims in one zone, beside slices in several."""

import pytest
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import manifest_files_of
from pulumi_gke_tpu.features.check.rules.alignment.zones import claim_in_one_of_several_zones
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

MANIFESTS, _, PLAN = claim_in_one_of_several_zones.failing.partition("--- plan\n")


@pytest.mark.parametrize(
    ("change", "of_the_plan", "expected"),
    [
        (("replicas: 4", "replicas: 3"), None, True),
        (("replicas: 4", "replicas: 2"), None, False),
        (("replicas: 4", "replicas: '${COUNT}'"), None, False),
        (("gke-tpu-topology: 2x2", "gke-tpu-topology: 2x2, topology.kubernetes.io/zone: us-east5-a"), None, False),
        (("provisioner: pd", "provisioner: filestore"), None, False),
        (None, ("count: 4", "count: {max: 4}"), False),
        (None, ("count: 4", "count: 6"), True),
        (None, ("count: 4", "count: 8"), False),
    ],
    ids=str,
)
def test_a_claim_reaches_the_hosts_of_one_zone(
    change: tuple[str, str] | None, of_the_plan: tuple[str, str] | None, expected: bool
) -> None:
    text = changed(MANIFESTS, *((change,) if change else ()))
    plan = changed(PLAN, *((of_the_plan,) if of_the_plan else ()))
    files = manifest_files_of(f"{text}--- plan\n{plan}")
    assert ("TPU326" in broken(files.manifests, plan=files.plan)) is expected

"""Rules about the time that pods get to stop."""

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

OLD_CLUSTER = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "{version}"
    slices:
      main: {{tpu: v5p, topology: 4x4x4, zone: us-east5-a}}
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.28.3-gke.1203000", True), ("1.29.1-gke.1425000", False), ("1.34.1-gke.3084001", False)],
)
def test_an_old_version_grants_no_grace_period(version: str, expected: bool) -> None:
    found = findings_in(tpu_pod(spec="terminationGracePeriodSeconds: 600"), plan=OLD_CLUSTER.format(version=version))
    assert any(item.rule == "TPU756" and item.severity is W for item in found) is expected

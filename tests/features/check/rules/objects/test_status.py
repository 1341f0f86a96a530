"""Rules about what the scheduler wrote into Pods."""

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.features.check.rules.objects.status import unschedulable_pod

GIVEN = "3 Insufficient google.com/tpu."


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (GIVEN, "all chips of matching hosts are taken"),
        (
            "2 node(s) had untolerated taint {team: a}, 1 node(s) didn't match Pod's node affinity/selector.",
            "a taint and",
        ),
        ("pod has unbound immediate PersistentVolumeClaims.", "a claim has no volume yet"),
        ("1 node(s) had volume node affinity conflict.", "its disk is in another zone"),
        ("something new.", "something new."),
    ],
)
def test_the_reason_of_the_scheduler_is_explained(message: str, words: str) -> None:
    quoted = message.replace("'", "''")
    (finding,) = findings_in(unschedulable_pod.failing.replace(GIVEN, quoted))
    assert finding.rule == "TPU572"
    assert words in finding.message
    assert message in finding.given


def test_a_pod_that_runs_has_no_finding() -> None:
    assert findings_in(unschedulable_pod.failing.replace("'False'", "'True'")) == ()

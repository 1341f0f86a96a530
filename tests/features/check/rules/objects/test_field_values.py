"""Rules about values of fields: their types, their ranges, the values that exist, and missing fields."""

from pathlib import Path

import pytest
import yaml
from support.manifest_texts import PATHWAYS, findings_of
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, plan_of, tpu_pod
from pulumi_gke_tpu.features.check.rules.alignment.sizes import update_without_spare_slice
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

SERVER = update_without_spare_slice.failing.partition("--- plan\n")[0]

SURGE = "{maxSurge: 1, maxUnavailable: 0}"


def test_workers_of_a_wrong_type_are_compared_with_no_slice_group() -> None:
    wrong = changed(PATHWAYS, ("type: ct6e-standard-4t, topology: 4x4", "type: [ct6e-standard-4t], topology: {}"))
    text = f"{wrong}---\n{changed(SERVER, (SURGE, '{maxSurge: 0}'))}"
    assert set(broken(text, plan=plan_of(OTHER))) == {"TPU368", "TPU779"}


VALID = Path(__file__).parents[4] / "manifests" / "valid"


def test_a_list_instead_of_a_string_has_no_fix_and_a_number_has() -> None:
    (finding,) = findings_of(tpu_pod(container="command: [[sleep]]"), "TPU368")
    assert finding.fix == ""
    (finding,) = findings_of(tpu_pod(spec="priorityClassName: 5"), "TPU368")
    assert finding.fix == 'priorityClassName: "5"'


@pytest.mark.parametrize("processors", ["2", "0.5"])
def test_a_number_of_processors_may_have_a_fraction(processors: str) -> None:
    path = VALID / "standard" / "v6e-2x4-rayjob.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["spec"]["entrypointNumCpus"] = float(processors)
    assert findings_of(yaml.safe_dump(document), "TPU368") == []

"""Slices of cubes in other forms that work: `check` says nothing, alone and against a plan with enough cubes."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.manifests import findings_in
from support.slices_of_cubes import plan_of_cubes

from pulumi_gke_tpu.core.text.findings import Severity

HERE = Path(__file__).parent
RIGHT: dict[str, list[dict[str, Any]]] = yaml.safe_load((HERE / "right_cubes.yaml").read_text(encoding="utf-8"))
WRONG = yaml.safe_load((HERE / "broken" / "cubes.yaml").read_text(encoding="utf-8"))
BASE = list(yaml.safe_load_all((HERE / "valid" / "standard" / "tpu7x-cubes.yaml").read_text(encoding="utf-8")))
PLAN = yaml.safe_dump(plan_of_cubes({}, {"one": 32}))


def changed(name: str) -> list[Any]:
    documents = copy.deepcopy(BASE)
    for change in RIGHT[name]:
        data: Any = documents
        for step in change["at"][:-1]:
            data = data.setdefault(step, {}) if isinstance(data, dict) else data[step]
        last = change["at"][-1]
        if change.get("remove"):
            del data[last]
        elif isinstance(data, list) and last == len(data):
            data.append(change["set"])
        else:
            data[last] = change["set"]
    return documents


@pytest.mark.parametrize("name", RIGHT)
def test_a_working_variant_has_no_finding(name: str) -> None:
    documents = changed(name)
    assert documents != BASE
    text = yaml.safe_dump_all(documents, sort_keys=False)
    for plan in (None, PLAN):
        found = findings_in(text, mode="standard", plan=plan)
        assert [f"{item.rule}: {item.message}" for item in found if item.severity is not Severity.NOTE] == []


def test_there_are_37_working_variants_beside_56_wrong_ones() -> None:
    assert (len(RIGHT), len(WRONG)) == (37, 56)
    forms = [yaml.safe_dump(changed(name)) for name in RIGHT]
    assert len(set(forms)) == len(forms)

"""Rules about names of workloads by their kind."""

import pytest
from support.workload_plans import TRAIN, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan


@pytest.mark.parametrize(
    ("kind", "longest"), [("raycluster", 53), ("rayjob", 47), ("leaderworkerset", 50), ("deployment", 63)]
)
def test_each_kind_has_a_longest_name(kind: str, longest: int) -> None:
    slices = {"train": {**TRAIN, "topology": "2x2"}}
    for length in (longest, longest + 1):
        plan = workload_plan(slices, {"n" * length: {"slices": "train", "kind": kind}}, addons=["ray_operator"])
        findings = check_plan(parse_plan(plan), read_catalog(), None).findings
        rules = {item.rule for item in findings}
        assert bool(rules & {"TPU355", "TPU701"}) == (length > longest), (kind, length)


def test_a_name_begins_with_a_letter() -> None:
    plan = workload_plan({"train": TRAIN}, {"1st": {"slices": "train"}})
    (finding,) = (item for item in check_plan(parse_plan(plan), read_catalog(), None).findings if item.rule == "TPU355")
    assert (finding.message, finding.fix) == ("invalid workload name `1st`: it begins with a digit", "run-1st:")

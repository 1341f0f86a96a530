"""docs/policy-pack.md describes the policies of the pack."""

import json
import pathlib
import re
from typing import Any

import pulumi_policy
import pytest
from support.pack_in_process import LEVELS, NODE_POOL, Made, Pack

from pulumi_gke_tpu.features.policy_pack.page import policy_page

PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "policy-pack.md").read_text(encoding="utf-8")


def block(containing: str) -> str:
    found = [text for text in re.findall(r"```\w*\n(.*?)```", PAGE, re.DOTALL) if containing in text]
    assert len(found) == 1
    return str(found[0])


def test_the_list_of_policies_has_each_with_its_level() -> None:
    listed = re.findall(r"^\| (?:\[([\w-]+)\]\(.*?\)|`([\w-]+)`) \| .* \| (\w+) \|$", policy_page(), re.MULTILINE)
    levels = {linked or plain: level for linked, plain, level in listed}
    assert levels == {policy.name: LEVELS[policy.enforcementLevel] for policy in Pack().info().policies}


def test_the_program_of_a_pack_of_your_own_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    served: dict[str, Any] = {}
    monkeypatch.setattr(pulumi_policy, "PolicyPack", lambda name, policies: served.update({name: policies}))
    exec(block("PolicyPack("), {})
    assert {policy.name for policy in served["our-pack"]} == {policy.name for policy in Pack().info().policies}


def test_a_violation_looks_like_that() -> None:
    wrong = {
        "nodeConfig": {
            "machineType": "ct6e-standard-4t",
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
        },
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x3"},
    }
    (violation,) = Pack().resource(Made(NODE_POOL, wrong, name="main"))
    _, *shown = block("[mandatory]").splitlines()
    assert [line.removeprefix("  ") for line in shown] == violation.message.splitlines()


def test_the_configuration_names_policies() -> None:
    names = {policy.name for policy in Pack().info().policies}
    assert json.loads(block('"all"')).keys() - {"all"} <= names

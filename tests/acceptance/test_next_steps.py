"""The next step of a finding: text to paste after ``try:``, or an instruction after ``fix:``, for every source."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.findings_of_rules import CATALOG, WRITERS, findings_in_resources, findings_of_examples

from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.graph.keys import plan_keys
from pulumi_gke_tpu.core.output.parts import detail_lines
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.findings import Finding

PROSE = re.compile(r"(?m)^[A-Z][a-z]+,? [a-z`]|[a-z`)]\.$")
"""A sentence: a word with a capital letter and another one, or a period at the end."""

NAMED = re.compile(r"`([A-Za-z_]+(?:\.[A-Za-z_]+)*)(?:(?::| =) [^`]*)?`")
"""A property with or without its value."""
PROPERTY = re.compile(r"[A-Za-z0-9]+")

ENOUGH = 50
"""Rules that report something in every source."""


def findings_of(source: str) -> Iterator[tuple[Rule[Any], Finding]]:
    """Every finding of every rule in one source."""
    if source == "plan":
        yield from findings_of_examples()
        return
    for rule in rules_of(Scope.PLAN, Scope.POOL, Scope.STACK):
        if not rule.plans_only:
            yield from ((rule, finding) for finding in dict.fromkeys(findings_in_resources(rule, source)))


@pytest.mark.parametrize("source", ["plan", *WRITERS])
def test_a_finding_has_text_to_paste_or_an_instruction_and_never_prose_to_paste(source: str) -> None:
    found = list(findings_of(source))
    assert len({each.rule for _, each in found}) > ENOUGH
    assert {(each.rule, each.fix) for _, each in found if PROSE.search(each.fix)} == set()
    assert {(each.rule, each.advice) for _, each in found if each.fix and each.advice} == set()
    unguided = {each.rule for rule, each in found if rule.check and not (each.fix or each.advice or each.allowed)}
    assert unguided == set()
    for _, each in found:
        steps = [line.partition(":")[0] for line in detail_lines(each) if line.startswith(("try:", "fix:"))]
        assert steps == ([] if each.accepted else ["try"] if each.fix else ["fix"] if each.advice else []), each


@pytest.mark.parametrize("source", WRITERS)
def test_advice_about_resources_names_no_key_of_a_plan(source: str) -> None:
    keys = {step for key in plan_keys().keys for step in key.split(".")}
    properties = {
        step
        for resource in CATALOG.provider.resources.values()
        for path in resource.properties
        for name in PROPERTY.findall(path)
        for step in (name, snake_case(name))
        if (step == name) is (source != "terraform") or name.islower()
    }
    found = [finding for _, finding in findings_of(source)]
    named = {(each.rule, step) for each in found for name in NAMED.findall(each.advice) for step in name.split(".")}
    assert len(named) > ENOUGH
    assert sorted((rule, step) for rule, step in named if step in keys - properties) == []
    assert sorted({each.rule for each in found if "gke-tpu then" in each.advice}) == []


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        ("Set `zone`.", True),
        ("Use another zone", True),
        ("If the pool exists, replace it.", True),
        ("topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12", False),
        ("topology: 4x4\ncount: 1", False),
        ('node_locations = ["us-east5-a"]', False),
        ("pulumi stack rename train --stack Train", False),
        ("TRAIN: yes", False),
    ],
)
def test_a_sentence_is_found(text: str, is_prose: bool) -> None:
    assert bool(PROSE.search(text)) is is_prose

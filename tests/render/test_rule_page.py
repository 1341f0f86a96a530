"""Pages of rules."""

import re

import pytest

from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.render.generated.rule_page import rule_index, rule_page, rule_pages
from pulumi_gke_tpu.render.generated.rule_text import rule_text
from pulumi_gke_tpu.rules import Rule
from pulumi_gke_tpu.rules.engine.registry import RULES

ODD = Rule(
    id="TPU199",
    severity=Severity.WARNING,
    title="Odd | <rule>",
    why="pools are called NAME-<index>, see `a_b<c>`",
    fix="Write `x: y` instead.",
    source="a page",
    failing="x: |\n  ```\n  text",
    passing="x: y",
    breakable="inventory",
    today="2026-01-01",
)


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_a_page_has_every_part_in_order(rule: Rule) -> None:
    page = rule_page(rule)
    assert re.findall(r"^#+ (.*)$", re.sub(r"^(`{3,}).*?^\1$", "", page, flags=re.S | re.M), re.M) == [
        page.splitlines()[0][2:],
        "Why",
        "Example",
        "Use instead",
        "Fix",
        "Source",
    ]
    assert rule.failing in page
    assert rule.passing in page


def test_text_is_escaped_but_code_is_kept() -> None:
    page = rule_page(ODD)
    assert page.startswith("# TPU199: Odd \\| &lt;rule>\n")
    assert "NAME-&lt;index>" in page
    assert "`a_b<c>`" in page
    assert "````yaml\nx: |" in page
    assert "--inventory FILE" in page
    assert "Judged on 2026-01-01." in page


def test_the_index_links_every_page() -> None:
    index = rule_index(RULES)
    assert re.findall(r"\((TPU\d{3}\.md)\)", index) == [f"{rule.id}.md" for rule in RULES]
    assert set(rule_pages(RULES)) == {"README.md", *(f"{rule.id}.md" for rule in RULES)}


def test_the_text_fits_the_width_but_for_what_is_pasted() -> None:
    for rule in RULES:
        examples = {f"    {line}" for part in (rule.failing, rule.passing) for line in part.splitlines()}
        lines = [line for line in rule_text(rule, width=60, colour=False).splitlines() if line not in examples]
        assert [line for line in lines if len(line) > 60 and " " in line[9:].strip()] == []

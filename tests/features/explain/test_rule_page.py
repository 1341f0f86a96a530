"""Pages of rules."""

import re
from typing import Any

from support.each import by_id, each
from support.written import markdown_of, text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.rules import Rule, Scope, all_rules
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.explain.reference.rule_page import rule_page, rule_pages, rules_json, rules_page

RULES = all_rules()
CATALOG_SOURCES = read_catalog().sources
SOURCES = {
    "a-page": Source(title="A [page] of <Google>", url="https://example.com/a"),
    "a-file": Source(title="A file", url="github.com/acme/ml@0123abc:docs/tpu.md"),
    "an-answer": Source(title="An answer of the API"),
}
ODD = Rule[Any](
    "TPU199",
    "odd-rule",
    scope=Scope.INVENTORY,
    severity=Severity.WARNING,
    title="Odd | <rule>",
    why="pools are called NAME-<index>, see `a_b<c>`",
    fix="Write `x: y` instead.",
    references=["a-page", "a-file", "an-answer"],
    source="observed that it is odd",
    failing="x: |\n  ```\n  text",
    passing="x: y",
    today="2026-01-01",
)


@each("rule", RULES, by_id)
def test_a_page_has_every_part_in_order(rule: Rule[Any]) -> None:
    page = markdown_of(rule_page(rule, CATALOG_SOURCES))
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
    page = markdown_of(rule_page(ODD, SOURCES))
    assert page.startswith("# TPU199: Odd \\| &lt;rule>\n")
    assert "NAME-&lt;index>" in page
    assert "`a_b<c>`" in page
    assert "````yaml\nx: |" in page
    assert "--inventory FILE" in page
    assert "The result is that of 2026-01-01." in page


def test_a_page_links_its_references() -> None:
    page = markdown_of(rule_page(ODD, SOURCES))
    assert page.endswith(
        "## Source\n\n"
        "- [A \\[page\\] of &lt;Google>](https://example.com/a)\n"
        "- [A file](https://github.com/acme/ml/blob/0123abc/docs/tpu.md)\n"
        "- An answer of the API\n"
        "- Observed that it is odd.\n"
    )
    assert "`odd-rule`\n" in page


def test_the_text_and_the_data_of_a_rule_have_its_links() -> None:
    shown = text_of(rule_page(ODD, SOURCES))
    assert "odd-rule\n" in shown
    assert shown.endswith(
        "Source\n"
        "    - A [page] of <Google> (https://example.com/a)\n"
        "    - A file (https://github.com/acme/ml/blob/0123abc/docs/tpu.md)\n"
        "    - An answer of the API\n"
        "    - Observed that it is odd."
    )
    (data,) = rules_json([ODD], SOURCES)["rules"]
    assert data["name"] == "odd-rule"
    assert data["references"][1] == {
        "id": "a-file",
        "title": "A file",
        "url": "https://github.com/acme/ml/blob/0123abc/docs/tpu.md",
    }


def test_most_rules_have_a_link() -> None:
    linked = [rule for rule in RULES if any(CATALOG_SOURCES[name].link for name in rule.references)]
    assert len(linked) > len(RULES) / 2


def test_the_index_links_every_page() -> None:
    index = markdown_of(rules_page(RULES))
    assert re.findall(r"\((TPU\d{3}\.md)\)", index) == [f"{rule.id}.md" for rule in RULES]
    assert set(rule_pages(RULES, CATALOG_SOURCES)) == {"README.md", *(f"{rule.id}.md" for rule in RULES)}


def test_the_text_fits_the_width_but_for_what_is_pasted() -> None:
    for rule in RULES:
        examples = {f"    {line}" for part in (rule.failing, rule.passing) for line in part.splitlines()}
        lines = [line for line in text_of(rule_page(rule, CATALOG_SOURCES), 60).splitlines() if line not in examples]
        assert [line for line in lines if len(line) > 60 and " " in line.strip()] == []

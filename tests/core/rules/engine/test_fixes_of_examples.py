"""Every finding of a rule's failing example, or of one in the docs, has a next step; a printed fix removes it."""

import datetime
from typing import Any

import pytest
from support.documents import PAGES, ROOT, blocks
from support.each import by_id, each
from support.printed import Files, offers_of, wrong_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of

TODAY = "2026-11-20"
CHECKED = [rule for rule in all_rules() if rule.scope.breakable in ("plan", "inventory", "fleet")]
UNREAD = {rule.id for rule in all_rules() if rule.check is None}
"""Rules of the reader of files: their message and reason say what to change."""
IN_DOCS = {
    **{str(block): block.text for block in blocks(*PAGES) if block.language == "yaml" and "clusters:" in block.text},
    **{
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "docs").rglob("*.yaml"))
        if "\nclusters:" in path.read_text(encoding="utf-8")
    },
}


def check(files: Files, monkeypatch: pytest.MonkeyPatch) -> int:
    """Apply every fix, each to the files as they are; how many there are."""
    monkeypatch.setenv("COLUMNS", "140")
    findings = files.checked()
    unguided = [finding.rule for finding in findings if not (finding.fix or finding.allowed or finding.advice)]
    assert set(unguided) <= UNREAD
    in_json, in_text = offers_of(findings)
    assert [offer.fix for offer in in_json] == [offer.fix for offer in in_text]
    for offer in (*in_json, *in_text):
        assert not (wrong := wrong_about(offer, files, findings)), f"{offer.rule} {offer.fix!r}: {wrong}"
    return len(in_json)


@each("rule", CHECKED, by_id)
def test_the_fixes_of_a_failing_example(rule: Rule[Any], catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    found = files_of(rule.failing)
    texts = {f"plan{index}.yaml": text for index, text in enumerate(found.plans)}
    today = datetime.date.fromisoformat(rule.today or TODAY)
    if found.inventory is not None:
        texts["inventory.yaml"] = found.inventory
    if found.organization is not None:
        texts["organization.yaml"] = found.organization
    check(Files(texts, catalog, today), monkeypatch)


@each("name", IN_DOCS)
def test_the_fixes_of_an_example_in_the_docs(name: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    check(Files({"plan.yaml": IN_DOCS[name]}, catalog, datetime.date.fromisoformat(TODAY)), monkeypatch)


def test_the_docs_have_an_example_with_fixes(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    text = IN_DOCS["docs/examples/mistakes.yaml"]
    assert check(Files({"plan.yaml": text}, catalog, datetime.date.fromisoformat(TODAY)), monkeypatch) == 3

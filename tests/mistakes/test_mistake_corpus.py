"""Every fix that is printed for a mistake removes its finding, adds none, and leads to the result in the corpus."""

import json
import pathlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from support.each import each
from support.fixing import TODAY, files_of, outcome
from support.mistakes import Mistake, base_text, mistakes
from support.printed import OTHER_KINDS, Offer, offers_in_json, offers_in_text, offers_of, wrong_about
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import Catalog

ALL = mistakes()
BRACED = tuple(braced for case in ALL if (braced := case.between_braces()))
EITHER = (*ALL, *BRACED)


def name_of(case: Mistake) -> str:
    return f"{case.base}-{case.id}"


def cases(chosen: tuple[Mistake, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mistake", sample(chosen, 100, lambda case: case.kind), ids=name_of)


@cases(EITHER)
def test_a_printed_fix_removes_its_finding_and_adds_none(
    mistake: Mistake, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    files = files_of(mistake, catalog)
    findings = files.checked()
    for offers in offers_of(findings):
        assert len(offers) == sum(bool(finding.fix) for finding in findings)
        for offer in offers:
            assert not (wrong := wrong_about(offer, files, findings)), f"{offer.fix!r}: {wrong}"


@cases(ALL)
def test_fixes_produce_the_intended_plan_or_the_reason_is_named(mistake: Mistake, catalog: Catalog) -> None:
    assert outcome(mistake, catalog) == mistake.fixed
    assert bool(mistake.because) == (mistake.fixed != "as meant")


@each("mistake", lambda: sample(BRACED, 100, lambda case: case.kind), name_of)
def test_between_braces_fixes_never_lead_elsewhere(mistake: Mistake, catalog: Catalog) -> None:
    """A comma or a bracket may cut the value there, so that less can be fixed; what is fixed is the same."""
    found = outcome(mistake, catalog)
    assert found != "otherwise" or mistake.fixed in ("otherwise", "valid")


@cases(tuple(case for case in ALL if case.base not in OTHER_KINDS))
def test_the_same_fixes_are_printed_for_a_change(
    mistake: Mistake, catalog: Catalog, tmp_path: pathlib.Path, gke_tpu: Callable[..., Any]
) -> None:
    base, folder = tmp_path / "base.yaml", tmp_path / "head"
    base.write_text(base_text(mistake.base), encoding="utf-8")
    folder.mkdir()
    files = files_of(mistake, catalog)
    for name, text in files.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    findings = files.checked()
    expected = {finding.fix for finding in findings if finding.fix}
    call = ("diff", base, folder / "plan.yaml", "--today", TODAY.isoformat())
    printed = offers_in_json(json.loads(gke_tpu(*call, "--format", "json").out)["findings"])
    text = gke_tpu(*call).out
    for offers in ([*printed], [*offers_in_text(text)]):
        assert expected <= {offer.fix for offer in offers}
        for offer in (
            offer for offer in offers if offer.fix in expected and (offer.width > 1 or offer.rule != "TPU025")
        ):
            found = wrong_about(_at_plan(offer), files, findings)
            assert not found, f"{offer.fix!r}: {found}"


def _at_plan(offer: Offer) -> Offer:
    return Offer(offer.rule, "plan.yaml", offer.line, offer.column, offer.width, offer.fix)


@each("mistake", ALL, name_of)
def test_a_case_differs_from_its_base_in_one_place(mistake: Mistake) -> None:
    assert base_text(mistake.base).count(mistake.right) >= 1
    assert mistake.text != base_text(mistake.base)


@each("mistake", {case.base: case for case in ALL}.values(), name_of)
def test_every_base_is_valid(mistake: Mistake, catalog: Catalog) -> None:
    assert files_of(mistake, catalog, base_text(mistake.base)).checked() == ()


def test_the_corpus_is_large_and_its_ids_are_unique() -> None:
    assert len({case.id for case in ALL}) == len(ALL) >= 150
    assert min(Counter(case.kind for case in ALL).values()) >= 10


def test_most_mistakes_are_fixed_as_they_were_meant() -> None:
    assert sum(case.fixed == "as meant" for case in ALL) / len(ALL) > 0.65

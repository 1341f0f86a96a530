"""``gke-tpu validate --fix`` on the corpus: it fixes what has one reading, and leaves every decision to people."""

import dataclasses
import re
from collections import Counter

import pytest
import yaml
from support.fixing import TODAY, after_fix, errors_in, is_as_meant, is_unchanged
from support.mistakes import Mistake, mistakes
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.reading.meanings import meanings
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, decision, is_fixable

ALL = mistakes()
CATALOG = read_catalog()
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
ONE, SEVERAL = ([case for case in ALL if case.has_one_reading is one] for one in (True, False))


def cases(chosen: list[Mistake]) -> pytest.MarkDecorator:
    tried = sample(chosen, 100, lambda case: case.kind)
    return pytest.mark.parametrize("mistake", tried, ids=[case.id for case in tried])


def test_nine_of_ten_mistakes_with_one_reading_are_mended_as_meant() -> None:
    tried = sample(ONE, 100, lambda case: case.kind)
    meant = [case for case in tried if is_as_meant(after_fix(case, CATALOG), case)]
    assert len(meant) >= 0.9 * len(tried)
    assert len(ONE) >= 150


def test_nineteen_of_twenty_mistakes_of_new_users_are_mended_as_meant() -> None:
    every = [case for case in ONE if case.kind == "new users"]
    tried = sample(every, 60)
    others = [case.id for case in tried if not is_as_meant(after_fix(case, CATALOG), case)]
    assert len(others) <= 0.05 * len(tried), others
    assert len(every) >= 160


@cases(SEVERAL)
def test_a_mistake_with_several_readings_is_not_written(mistake: Mistake) -> None:
    assert is_unchanged(after_fix(mistake, CATALOG))


def test_the_measure_sees_what_is_not_as_meant() -> None:
    (case,) = (case for case in ONE if case.id == "autopilot-flag")
    report = after_fix(case, CATALOG)
    assert is_as_meant(report, case)
    assert not is_unchanged(report)
    assert not is_as_meant(report, dataclasses.replace(case, meant="mode: standard"))
    assert not is_as_meant(dataclasses.replace(report, after=report.before), case)


@cases([case for case in ONE if case.fixed == "as meant"])
def test_what_is_fixed_says_what_was_meant(mistake: Mistake) -> None:
    report = after_fix(mistake, CATALOG)
    if report.applied and not errors_in(report):
        assert yaml.safe_load(report.after[-1].content) == mistake.intended


@cases(SEVERAL)
def test_a_decision_is_left_to_people_and_stated(mistake: Mistake) -> None:
    left = after_fix(mistake, CATALOG).findings
    assert left
    assert all(decision(finding) and not is_fixable(finding) for finding in left)


@cases([case for case in ALL if case.base == "standard" and case.fixed == "as meant"])
def test_other_lines_line_endings_and_the_byte_order_mark_stay(mistake: Mistake) -> None:
    text = "# on top\n" + mistake.text.replace("system_pool:\n", "system_pool:   # for agents\n") + "# at the end\n"
    content = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    (after,) = Fixer(CATALOG, TODAY).fix([FixableFile("plan.yaml", content)]).after
    (plain,) = Fixer(CATALOG, TODAY).fix([FixableFile("plan.yaml", text.encode())]).after
    assert after.content == b"\xef\xbb\xbf" + plain.content.replace(b"\n", b"\r\n")
    touched = mistake.wrong.strip().splitlines()
    kept = [line for line in text.splitlines() if line.strip() not in {part.strip() for part in touched}]
    missing = [line for line in kept if line not in plain.content.decode().splitlines()]
    assert len(missing) <= 1, missing
    assert plain.content.count(b"#") >= text.count("#") - mistake.wrong.count("#")


@cases([*ALL, *(braced for case in ALL if (braced := case.between_braces()))])
def test_every_value_outside_the_mistake_is_there_afterwards(mistake: Mistake) -> None:
    """Other spellings that mean the same are equal: ``trillium`` and ``v6e``, ``Sat-Sun`` and ``SAT``, ``SUN``."""
    report = after_fix(mistake, CATALOG)
    before, after = (files[-1].content.decode() for files in (report.before, report.after))
    try:
        lost = said(before) - said(after)
    except yaml.YAMLError:
        lost = Counter(words_of(before)) - Counter(words_of(after))
    assert set(lost) <= {*words(mistake.wrong), *words_of(mistake.wrong)}


def said(text: str) -> Counter[str]:
    """What the keys and values of a file mean."""
    waiting = [yaml.load(text, LOADER)]
    found: Counter[str] = Counter()
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.update(words_of(value))
        elif value is not None:
            waiting += [*value, *value.values()] if isinstance(value, dict) else value
    return found


def words_of(text: str) -> list[str]:
    """The words and numbers of what a text means."""
    return words(" ".join(meanings(text)))


def words(text: str) -> list[str]:
    return re.findall(r"[0-9]+|[^\W\d_]+", text.casefold())

"""A file with ten times the mistakes takes ten times the work: calls are counted, not seconds."""

import cProfile
import datetime
import pstats

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.text.findings.emit import emit_lines
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, FixReport, replacements

FIXER = Fixer(read_catalog(), datetime.date(2026, 11, 20))
HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def groups(number: int) -> str:
    """A plan with one misspelled key in each slice group."""
    return f"{HEAD}    slices:\n" + "".join(
        f"      g{index}: {{tpu: v6e, topolgy: 4x4, zone: us-east5-b}}\n" for index in range(number)
    )


def unknown_keys(number: int) -> str:
    """A plan with as many unknown keys in one mapping, none of which resembles a key."""
    return HEAD + "".join(f"    qqq{index}zz: 1\n" for index in range(number))


def work(text: str) -> tuple[int, FixReport]:
    """The number of calls, and what was fixed."""
    profile = cProfile.Profile()
    report = profile.runcall(FIXER.fix, [FixableFile("plan.yaml", text.encode())])
    return pstats.Stats(profile).total_calls, report  # type: ignore[attr-defined]


def test_a_mistake_in_each_of_many_groups_is_fixed_in_linear_time() -> None:
    work(groups(2))  # what is loaded once
    few, some = work(groups(40))
    many, all_of_them = work(groups(400))
    assert (some.applied, all_of_them.applied) == (40, 400)
    assert b"topolgy" not in all_of_them.after[0].content
    assert many < 11 * few


def test_unknown_keys_take_linear_time() -> None:
    work(unknown_keys(2))
    few, _ = work(unknown_keys(100))
    many, report = work(unknown_keys(1000))
    assert report.applied == 0
    assert many < 11 * few


def test_the_replacements_of_many_mistakes_are_found_in_linear_time() -> None:
    """What SARIF and editors show: each fix is compared with the rest of the file, of all fixes together."""

    def replaced(number: int) -> tuple[int, int]:
        text = groups(number)
        findings = read_plan_content(text.encode(), "plan.yaml").findings
        profile = cProfile.Profile()
        found = profile.runcall(replacements, text, findings)
        return pstats.Stats(profile).total_calls, len(found)  # type: ignore[attr-defined]

    replaced(2)
    (few, some), (many, all_of_them) = replaced(40), replaced(400)
    assert (some, all_of_them) == (40, 400)
    assert many < 11 * few


def test_a_fix_that_was_written_once_is_written_again_with_little_work() -> None:
    """Many runs without a window have the same fix, which the text, the order and the place of a finding need.

    No other test writes these texts.
    """
    window = {"opens": ["first-saturday", "first-sunday"], "earliest": "2031-01-03T02:17:09Z", "stays": "7h13m"}

    def calls() -> int:
        profile = cProfile.Profile()
        profile.runcall(emit_lines, "seldom", window)
        return pstats.Stats(profile).total_calls  # type: ignore[attr-defined]

    first = calls()
    assert calls() < first / 2

"""People are shown a limited number of findings, the most severe ones; programs get all of them."""

from dataclasses import replace

import pytest
from support.findings_samples import ACCEPTED, ERROR, NOTE, WARNING

from pulumi_gke_tpu.core.output.github import findings_github
from pulumi_gke_tpu.core.output.json import findings_json
from pulumi_gke_tpu.core.output.sarif import findings_sarif
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, FindingsError, Position


def many(finding: Finding, count: int, first_line: int = 1) -> list[Finding]:
    return [
        replace(finding, position=Position("plan.yaml", first_line + index, 1, 2), message=f"number {index}")
        for index in range(count)
    ]


def text(findings: list[Finding], **options: int) -> str:
    return findings_text(findings, width=100, color=False, **options)


def test_text_shows_as_many_as_asked_for_and_counts_all() -> None:
    shown = text(many(ERROR, 30), most=7)
    assert shown.count("error TPU") == 7
    assert "23 more findings are not shown; --format json lists all of them" in shown
    assert shown.splitlines()[-1] == "30 errors"


@pytest.mark.parametrize(("count", "most"), [(7, 7), (30, 0), (0, 7)])
def test_there_is_no_note_if_all_are_shown(count: int, most: int) -> None:
    shown = text(many(ERROR, count), most=most)
    assert shown.count("error TPU") == count
    assert "not shown" not in shown


def test_the_most_severe_are_shown_in_order_of_place() -> None:
    findings = [*many(NOTE, 5), *many(ACCEPTED, 5, 10), *many(WARNING, 5, 20), *many(ERROR, 2, 30)]
    heads = [line for line in text(findings, most=4).splitlines() if line.startswith("plan.yaml:")]
    assert [line.split(":")[1] for line in heads] == ["20", "21", "30", "31"]


def test_github_gets_the_same_and_a_notice_about_the_rest() -> None:
    lines = findings_github(many(WARNING, 5) + many(ERROR, 2, 30), 3).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::warning", "::error", "::error", "::notice"]
    assert lines[-1] == "::notice title=gke-tpu::4 more findings are not shown; --format json lists all of them"


def test_without_an_option_there_is_a_limit_too() -> None:
    findings = many(ERROR, MOST_SHOWN + 1)
    assert text(findings).count("error TPU") == MOST_SHOWN
    assert findings_github(findings).count("::error ") == MOST_SHOWN


def test_programs_get_all() -> None:
    findings = many(ERROR, MOST_SHOWN + 50)
    assert len(findings_json(findings)["findings"]) == len(findings)
    assert len(findings_sarif(findings, version="1", rules=())["runs"][0]["results"]) == len(findings)


def test_an_exception_names_as_many_and_holds_all() -> None:
    error = FindingsError(many(ERROR, MOST_SHOWN + 5))
    assert str(error).count("TPU") == MOST_SHOWN
    assert str(error).endswith("and 5 more errors")
    assert len(error.findings) == MOST_SHOWN + 5

"""Blueprints and commands of other tools, with the whole plan and the whole table that become of them."""

import itertools
import json
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.features.adopt.command_lines import gcloud_fleet, gcluster, translation, xpk
from pulumi_gke_tpu.features.adopt.command_lines.page import problem_lines, translation_data, translation_page
from pulumi_gke_tpu.features.adopt.command_lines.plan_text import written_plan
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Problem, Translation

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "translations.yaml", block_depth=2)
CASES = RECORDED.data
READERS = {"gcloud": gcloud_fleet.plan_of, "gcluster": gcluster.plan_of, "xpk": xpk.plan_of}


def case_id(number: int) -> str:
    """The title of a case; of the others, which have something odd in them, the tool and the number."""
    return str(CASES[number].get("title") or f"{CASES[number]['tool']}-{number}")


def translated(case: dict[str, Any]) -> Translation:
    files = [("file", case["text"])]
    return READERS[case["tool"]](files, read_catalog(), case.get("project", ""), case.get("zone", ""))


def table(rows: tuple[OptionRow, ...]) -> Iterator[str]:
    """The rows of each command, by its line: the options that became keys, and then the others with their reasons."""
    for (line, command), group in itertools.groupby(rows, key=lambda row: (row.line, row.command)):
        own = [*group]
        keys = [row.option for row in own if row.key and not row.reason]
        if keys:
            yield f"{line} {command}: {' '.join(keys)}"
        for row in own:
            if row.option not in keys:
                yield f"{line} {command} {row.option}: {row.became} {row.key}".rstrip() + f" ({row.reason})"


def problem_text(problem: Problem) -> str:
    return f"{problem.line}:{problem.column} {problem.message}" + (f" -> {problem.fix}" if problem.fix else "")


def lines(found: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in found)


def has_key(plan: Any, key: str) -> bool:
    """Whether a plan has a key; ``*`` is any name, and behind it a volume, which only workloads have."""
    for part in re.sub(r"\.?\{.*", "", key).split("."):
        if part == "*":
            return True
        if not isinstance(plan, dict) or part not in plan:
            return False
        plan = plan[part]
    return True


@pytest.mark.parametrize("number", range(len(CASES)), ids=case_id)
def test_the_whole_plan_and_table(number: int) -> None:
    found = translated(CASES[number])
    RECORDED.compare(found.plan, number, "plan")
    RECORDED.compare(lines(table(found.rows)), number, "rows")
    RECORDED.compare(lines(map(problem_text, found.problems)), number, "problems")


@pytest.mark.parametrize("number", [each for each, case in enumerate(CASES) if "page" in case], ids=case_id)
def test_the_whole_page_and_the_files(number: int) -> None:
    """As a person reads it, and the plan with its lines."""
    case = CASES[number]
    options = {"project": case.get("project", ""), "zone": case.get("zone", "")}
    checked = translation.translated(case["tool"], [("file", case["text"])], read_catalog(), **options)
    found = checked.translation
    page = translation_page(found.rows, checked.findings, ["pulumi up", "gke-tpu validate"])
    written = write_text(page.in_terminal, width=200, color=False).splitlines()
    data = json.dumps(translation_data(found.rows, checked.findings), ensure_ascii=False)
    errors = [*problem_lines(found.problems), f"the plan has errors: {checked.has_errors}", data]
    text = lines(line.rstrip() for line in (*written, *errors))
    RECORDED.compare(text + written_plan(found.plan, "plan.schema.json"), number, "page")


@pytest.mark.parametrize("number", range(len(CASES)), ids=case_id)
def test_a_row_with_a_key_has_it_in_the_plan(number: int) -> None:
    found = translated(CASES[number])
    keys = [row.key for row in found.rows if row.key and not row.key.startswith("volumes.")]
    assert [key for key in keys if not has_key(found.plan, key)] == []

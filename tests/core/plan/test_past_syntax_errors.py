"""Reading goes on behind a syntax error with one fix: the rest is reported too, at its place in the file as it is."""

import functools
from collections.abc import Iterable

import pytest
from support.fixing import TODAY
from support.mistakes import Mistake, base_text, mistakes

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Position
from pulumi_gke_tpu.core.workflows.fixing import is_fixable

CATALOG = read_catalog()
PLAN = """\
version: 1
project acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    addons: [gcs_fuse}
    slices:
      a: {tpu: v6e, topologi: 4x4, zone: us-east5-b}
      b:
\ttpu: v6e
        topology: 5x5
        zone: us-east5-b
"""


def findings(text: str) -> tuple[Finding, ...]:
    return check_plan(read_plan_content(text.encode(), "plan.yaml", past_syntax=True), CATALOG, TODAY).findings


def marked(place: Position | None) -> str:
    assert place is not None
    return place.text[place.column - 1 : place.end_column - 1]


def test_all_mistakes_are_reported_in_the_order_and_at_the_places_of_the_file() -> None:
    found = findings(PLAN)
    assert [(each.rule, each.position.line, marked(each.position)) for each in found if each.position] == [
        ("TPU003", 2, "project acme-ml"),
        ("TPU003", 7, "}"),
        ("TPU020", 9, "topologi"),
        ("TPU003", 11, " "),
        ("TPU112", 12, "5x5"),
    ]
    lines = PLAN.expandtabs(1).splitlines()
    assert all(each.position and each.position.text == lines[each.position.line - 1] for each in found)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_a_byte_order_mark_move_nothing(ending: str, mark: str) -> None:
    moved = findings(mark + PLAN.replace("\n", ending))
    assert [(each.rule, each.position) for each in moved] == [(each.rule, each.position) for each in findings(PLAN)]


def test_only_the_fixes_of_syntax_errors_are_applied_without_asking() -> None:
    assert {each.rule for each in findings(PLAN) if is_fixable(each)} == {"TPU003"}


def test_other_readers_stop_at_the_syntax_error() -> None:
    document = read_plan_content(PLAN.encode(), "plan.yaml")
    assert (document.content, [each.rule for each in document.findings]) == (None, ["TPU003"])


@pytest.mark.parametrize(
    "text",
    [
        PLAN.replace("project acme-ml", "<<<<<<< HEAD"),
        PLAN.replace("[gcs_fuse}", "[gcs_fuse"),
    ],
)
def test_behind_a_syntax_error_with_several_fixes_nothing_is_guessed(text: str) -> None:
    assert {each.rule for each in findings(text)} == {"TPU003"}


def test_a_tab_below_a_value_has_several_levels() -> None:
    text = PLAN.replace("project acme-ml", "project: acme-ml").replace("fuse}", "fuse]").replace("      b:\n", "")
    assert [each.rule for each in findings(text)] == ["TPU003"]


def test_a_line_that_only_looks_like_a_key_is_one_finding() -> None:
    text = (
        PLAN.replace("project acme-ml", "project: acme-ml\nsee the wiki")
        .replace("fuse}", "fuse]")
        .replace("\t", 8 * " ")
    )
    assert [each.rule for each in findings(text)] == ["TPU003", "TPU020", "TPU112"]
    assert "see" not in [marked(each.position) for each in findings(text)]


def test_the_number_of_syntax_errors_to_read_past_is_limited() -> None:
    keys = "".join(f"      g{index}\n" for index in range(50))
    found = findings(PLAN.replace("      a:", keys + "      a:"))
    assert len(found) == 20
    assert {each.rule for each in found} == {"TPU003"}


def test_an_inventory_is_read_in_the_same_way() -> None:
    text = "version: 1\nas_of 2026-11-20\nreservations:\n  - {name: r, project: acme-ml, zone: us-east5-b, vmz: 4}\n"
    found = read_inventory_content(text.encode(), "inventory.yaml", past_syntax=True).findings
    assert [each.rule for each in found] == ["TPU003", "TPU021", "TPU020"]


def test_another_file_is_not_read_past_its_syntax_error() -> None:
    (finding,) = findings("user admin\npassword: hunter2\n")
    assert "hunter2" not in repr(finding)


@functools.cache
def broken() -> list[Mistake]:
    """The mistakes of the corpus that are one syntax error."""
    every = [case for case in mistakes() if case.base == "standard"]
    found = [case for case in every if rules(read_plan_content(case.text.encode(), "plan.yaml").findings) == ["TPU003"]]
    assert len(found) > 10
    return found


def rules(found: Iterable[Finding]) -> list[str]:
    return [finding.rule for finding in found]


def test_a_syntax_error_causes_no_other_finding() -> None:
    """The corpus: nothing is found behind the error in a plan that is right otherwise."""
    assert [mistake.id for mistake in broken() if {*rules(findings(mistake.text))} != {"TPU003"}] == []


def test_a_second_mistake_is_found_behind_a_syntax_error_with_one_fix() -> None:
    key = "release_channel: "
    assert key in base_text("standard")
    clear = [case for case in broken() if case.fixed == "as meant" and not case.wrong.startswith("\t")]
    assert len(clear) > 5
    texts = {mistake.id: mistake.text.replace(key, "releese_channel: ") for mistake in clear}
    assert [name for name, text in texts.items() if rules(findings(text)).count("TPU020") != 1] == []

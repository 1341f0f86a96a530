"""Damaged plans cause no traceback, no hang, and no control character in the terminal."""

import contextlib
import io
import json
import pathlib
import unicodedata
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.checking import validate
from support.plan_mutations import (
    INVENTORY,
    ORGANIZATION,
    OVERLAY,
    SEEDS,
    any_values,
    any_words,
    as_yaml,
    damaged_data,
    damaged_text,
    good_values,
    key_names,
    written_keys,
)

from pulumi_gke_tpu import FindingsError, load_plan
from pulumi_gke_tpu.cli import main
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import Plan, parse_plan, read_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.preview import preview_plan

TODAY = "2026-11-20"
FORMS = st.sampled_from(["text", "sarif", "github"])
PREVIEWS = st.sampled_from([("text",), ("json",), ("markdown",), ("text", "--resources"), ("json", "--resources")])

MANY_POOLS = 300
"""A plan with more node pools is checked, but not previewed: that is right and takes seconds."""


@pytest.fixture(autouse=True)
def _mistakes_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command hides its own mistakes from people; here they are what is looked for."""
    monkeypatch.setenv("GKE_TPU_TRACEBACK", "1")


@dataclass(frozen=True)
class Run:
    """What a call of the command did."""

    code: object
    out: str
    err: str


def gke_tpu(*arguments: object) -> Run:
    """Call the command in this process. What it raises besides its exit fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return Run(stop.value.code, out.getvalue(), err.getvalue())


def disturbing(text: str) -> set[str]:
    """The characters in a text that a terminal or a reader could take for something else."""
    return {
        char
        for char in set(text) - {"\n"}
        if unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp")
    }


def check(run: Run, codes: tuple[int, ...]) -> None:
    """Check the exit code and that the output is clean, for any command."""
    assert run.code in codes
    assert not disturbing(run.out)
    assert not disturbing(run.err)
    assert "Traceback" not in run.err


def check_command(plan: pathlib.Path, form: str, preview: tuple[str, ...]) -> None:
    """Validate and, where there are no errors, preview."""
    data = gke_tpu("validate", plan, "--today", TODAY, "--format", "json")
    check(data, (0, 1))
    findings = json.loads(data.out)
    assert data.code == (1 if findings["counts"]["error"] else 0)
    for finding in findings["findings"]:
        assert not disturbing("".join(map(str, finding.values())))
    run = gke_tpu("validate", plan, "--today", TODAY, "--format", form)
    check(run, (data.code,))
    if form == "sarif":
        assert len(json.loads(run.out)["runs"][0]["results"]) == len(findings["findings"])
    content = read_plan(plan).content
    if data.code == 0 and content is not None and pool_count(content) <= MANY_POOLS:
        run = gke_tpu("preview", plan, "--today", TODAY, "--format", *preview)
        check(run, (0,))
        if preview[0] == "json":
            json.loads(run.out)


def pool_count(plan: Plan) -> int:
    """How many node pools a plan without errors has."""
    return sum(len(group.pools) for _, group in derive(plan, read_catalog()).groups())


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.parent.name}-{seed.stem}")
def test_the_seeds_are_good_plans(seed: pathlib.Path) -> None:
    run = gke_tpu("validate", seed, "--inventory", INVENTORY, "--organization", ORGANIZATION, "--today", TODAY)
    assert run.code == 0, run.out


def test_the_seeds_use_every_key() -> None:
    assert (
        sorted(set(key_names()) - written_keys(SEEDS[0]) - written_keys(INVENTORY) - written_keys(ORGANIZATION)) == []
    )


@given(data=damaged_data(), flow=st.booleans(), form=FORMS, preview=PREVIEWS)
def test_any_change_to_the_data_of_a_plan(
    tmp_path: pathlib.Path, data: Any, flow: bool, form: str, preview: tuple[str, ...]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_bytes(as_yaml(data, flow))
    check_command(plan, form, preview)


@given(data=damaged_data(values=good_values()), form=FORMS, preview=PREVIEWS)
def test_words_of_good_plans_in_other_places(
    tmp_path: pathlib.Path, data: Any, form: str, preview: tuple[str, ...]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_bytes(as_yaml(data))
    check_command(plan, form, preview)


@given(content=damaged_text(), form=FORMS, preview=PREVIEWS)
def test_any_change_to_the_text_of_a_plan(
    tmp_path: pathlib.Path, content: bytes, form: str, preview: tuple[str, ...]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_bytes(content)
    check_command(plan, form, preview)


@example(content=b"9223372036854775808\n---", form="text")
@given(content=st.one_of(st.binary(max_size=200), any_values().map(as_yaml)), form=FORMS)
def test_files_that_are_not_plans(tmp_path: pathlib.Path, content: bytes, form: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_bytes(content)
    check_command(plan, form, ("text",))


@given(data=damaged_data(seeds=(INVENTORY,)), form=FORMS)
def test_any_change_to_an_inventory(tmp_path: pathlib.Path, data: Any, form: str) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_bytes(as_yaml(data))
    check(gke_tpu("validate", SEEDS[-1], "--inventory", inventory, "--today", TODAY, "--format", form), (0, 1))


@given(data=damaged_data(seeds=(ORGANIZATION,)), form=FORMS)
def test_any_change_to_an_organization_file(tmp_path: pathlib.Path, data: Any, form: str) -> None:
    standards = tmp_path / "organization.yaml"
    standards.write_bytes(as_yaml(data))
    check(gke_tpu("validate", SEEDS[-1], "--organization", standards, "--today", TODAY, "--format", form), (0, 1))


@given(content=damaged_text(seeds=(ORGANIZATION,)))
def test_any_change_to_the_text_of_an_organization_file(tmp_path: pathlib.Path, content: bytes) -> None:
    standards = tmp_path / "organization.yaml"
    standards.write_bytes(content)
    check(gke_tpu("validate", SEEDS[-1], "--organization", standards, "--today", TODAY), (0, 1))


@given(data=damaged_data().filter(lambda data: isinstance(data, dict)))
def test_arguments_of_a_program_raise_findings_or_nothing(data: dict[str, Any]) -> None:
    """Components take plain data: no file, so none of what a YAML reader refuses is refused before."""
    catalog = read_catalog()
    document = parse_plan({"version": 1, **{key: value for key, value in data.items() if key != "today"}})
    findings = document.findings
    if document.content is not None:
        findings += validate(document.content, catalog)
    if document.content is None or any(finding.severity is Severity.ERROR for finding in findings):
        with pytest.raises(FindingsError):
            preview_plan(data, catalog=catalog)  # type: ignore[arg-type]
    elif pool_count(document.content) <= MANY_POOLS:
        assert preview_plan(data, catalog=catalog).resources  # type: ignore[arg-type]


@given(content=damaged_text())
def test_a_program_reads_any_file_or_raises_findings(tmp_path: pathlib.Path, content: bytes) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_bytes(content)
    with contextlib.suppress(FindingsError):
        assert load_plan(plan)["clusters"]


@given(words=st.lists(any_words(), min_size=1, max_size=3), form=st.sampled_from(["text", "json"]))
def test_any_word_can_be_asked(words: list[str], form: str) -> None:
    check(gke_tpu("explain", "--format", form, "--today", TODAY, "--", *words), (0, 1, 2))


@given(path=st.one_of(any_words(), st.lists(any_words(), max_size=4).map("/".join)), seed=st.sampled_from(SEEDS))
def test_any_path_of_a_plan_can_be_asked(path: str, seed: pathlib.Path) -> None:
    check(gke_tpu("explain", "--today", TODAY, "--", seed, path), (0, 1, 2))


@given(data=damaged_data(seeds=(OVERLAY,)), seed=st.sampled_from(SEEDS))
def test_any_change_to_facts_of_ones_own(tmp_path: pathlib.Path, data: Any, seed: pathlib.Path) -> None:
    """An overlay is good, or refused as a whole."""
    overlay = tmp_path / "facts.yaml"
    overlay.write_bytes(as_yaml(data))
    check(gke_tpu("validate", seed, "--catalog", overlay, "--today", TODAY), (0, 1, 2))

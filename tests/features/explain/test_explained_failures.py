"""``gke-tpu explain`` with the text of a failure, and with a word that leads to a page about failures."""

import io
import json
import pathlib
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.features.explain.messages.pages import symptom_page, symptom_words
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word

QUOTA = "Quota 'TPUS_PER_TPU_FAMILY' exceeded.  Limit: 0.0 in region us-east5."
PLAN = pathlib.Path(__file__).parents[3] / "docs/examples/training-plan.yaml"


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_text_is_explained_with_cause_commands_and_way_out(gke_tpu: Any) -> None:
    run = gke_tpu("explain", QUOTA)
    assert run.code == 0
    order = ["text: ", "values: quota TPUS_PER_TPU_FAMILY, limit 0.0, region us-east5", "cause: ", "Look at:"]
    order += ["needs: PROJECT", "fix: ", "gke-tpu explain quota", "gke-tpu rule TPU811", "source: "]
    places = [run.out.find(word) for word in order]
    assert places == sorted(places)
    assert min(places) >= 0


def test_words_without_quotation_marks_are_one_text(gke_tpu: Any) -> None:
    assert gke_tpu("explain", *QUOTA.split()).out == gke_tpu("explain", " ".join(QUOTA.split())).out


@pytest.mark.parametrize("reason", ["ACTIVATING", "DEACTIVATING", "INCOMPLETE", "ACTIVE_DEGRADED"])
def test_the_reasons_of_a_slice_lead_to_the_page_about_slices(gke_tpu: Any, reason: str) -> None:
    run = gke_tpu("explain", reason)
    assert run.code == 0
    assert "A slice is lost, degraded or not formed" in run.out


@pytest.mark.parametrize("name", ["-", "pool.log", "answer.json", "-/x"])
def test_logs_are_read_from_files_and_from_standard_input(
    gke_tpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, name: str
) -> None:
    content = json.dumps({"status": "ERROR", "statusMessage": QUOTA}, indent=1).encode() + b"\xff\xfe"
    path = name
    if name == "-":
        given(monkeypatch, content)
    else:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        path = str(file)
    run = gke_tpu("explain", path)
    assert run.code == 0, run.err
    assert "2 known messages, the root cause first" in run.out


def test_a_plan_on_standard_input_is_still_a_plan(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, PLAN.read_bytes())
    run = gke_tpu("explain", "-")
    assert run.code == 0
    assert run.out.startswith(gke_tpu("explain", PLAN).out.partition("\n")[0].partition(":")[0])


@pytest.mark.parametrize(
    "text", ["npm ERR! missing script: build", "the zone us-east5-b has not enough resources to fulfill the request"]
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_an_unknown_text_is_reported_as_unknown(gke_tpu: Any, text: str, output: str) -> None:
    run = gke_tpu("explain", text, "--format", output)
    assert run.code == 2
    assert run.err.startswith("Unknown text: no message of the catalog is in it.")
    if output == "json":
        assert json.loads(run.out)["messages"] == []
    else:
        assert run.out == ""


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("pending", "pending"),
        ("Unschedulable", "pending"),
        ("FailedScheduling", "pending"),
        ("stockout", "stockout"),
        ("GCE_STOCKOUT", "stockout"),
        ("drift", "drift"),
        ("ERROR", "error"),
        ("PROVISIONING", "error"),
        ("quota", "quota"),
        ("TPUS_PER_TPU_FAMILY", "quota"),
        ("job failed", "stopped"),
        ("queue-waits", "queue-waits"),
    ],
)
def test_words_lead_to_pages(gke_tpu: Any, word: str, page: str) -> None:
    run = gke_tpu("explain", word, "--format", "json")
    assert run.code == 0
    assert json.loads(run.out)["name"] == page


def test_pages_say_what_to_print_what_it_means_and_what_to_do(catalog: Catalog, gke_tpu: Any) -> None:
    for name, symptom in catalog.symptoms.items():
        run = gke_tpu("explain", name)
        assert run.code == 0, name
        assert run.out.startswith(symptom.title), name
        for heading in ("What to run", "What it means, and what to do", "gke-tpu explain -"):
            assert heading in run.out, name


def test_words_of_pages_differ_from_other_names_and_lead_to_one_page(catalog: Catalog) -> None:
    words = symptom_words(catalog)
    assert len(set(words)) == len(words)
    assert [word for word in words if explain_word(catalog, word) is not None] == []
    assert all(symptom_page(catalog, word) for word in words)


def test_pages_refer_to_pages_that_exist(catalog: Catalog) -> None:
    texts = [sign.fix for page in catalog.symptoms.values() for sign in page.signs]
    named = [text.split("`gke-tpu explain ")[1:] for text in texts]
    words = [part.partition("`")[0] for parts in named for part in parts]
    assert words
    assert [word for word in words if word not in catalog.symptoms] == []


def test_a_misspelled_word_leads_to_the_page(gke_tpu: Any) -> None:
    run = gke_tpu("explain", "stockuot")
    assert run.code == 2
    assert "stockout" in run.err


@pytest.mark.parametrize(
    ("words", "schema"),
    [((QUOTA,), "diagnosis"), (("an unknown text of nothing",), "diagnosis"), (("quota",), "symptom")],
)
def test_json_has_its_schema(gke_tpu: Any, words: tuple[str, ...], schema: str) -> None:
    data = json.loads(gke_tpu("explain", *words, "--format", "json").out)
    validator = Draft202012Validator(all_schemas()[schema]())
    assert [error.message for error in validator.iter_errors(data)] == []


def test_only_explain_reads_the_messages(gke_tpu: Any) -> None:
    catalog = read_catalog()
    vars(catalog).pop("messages", None)
    vars(catalog).pop("symptoms", None)
    for command in (("validate", PLAN), ("explain", "v6e"), ("explain", PLAN), ("catalog", "v6e"), ("rule", "TPU112")):
        assert gke_tpu(*command).code == 0
    assert not {"messages", "symptoms"} & vars(catalog).keys()

"""The engine's preview in text, Markdown and JSON: complete, escaped, and read back unchanged."""

import dataclasses
import json
import unicodedata
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.change_samples import PLAN, REPORT
from support.change_samples import page_of as shown
from support.markdown_structure import automatic, structure, words

from pulumi_gke_tpu.features.diff.engine.model import (
    EngineDiagnostic,
    EnginePolicy,
    EngineRunSummary,
    EngineVerdict,
    EngineView,
)
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.json import change_json, change_page_from_json, change_schema
from pulumi_gke_tpu.features.diff.output.page import ChangePage

POOL_TYPE = "gcp:container/nodePool:NodePool"
SAID = "The engine sees `version` differ."
CONFIRMED = EngineVerdict(
    PLAN, "train-east/pretrain", POOL_TYPE, "pretrain-0", "confirmed", "replace", "replace", (), (), ""
)
DIFFERENT = dataclasses.replace(CONFIRMED, name="pretrain-1", verdict="different", engine_only=("version",), said=SAID)
STRAY = dataclasses.replace(CONFIRMED, plan="", item="", name="old", verdict="unexpected", said="It is deleted.")
VIEW = EngineView(
    runs=(EngineRunSummary("prod", "succeeded", False, ("rules v1.0",)),),
    verdicts=(CONFIRMED, DIFFERENT, STRAY),
    unchanged=11,
    others=3,
    diagnostics=(EngineDiagnostic("warning", "train-east", "old provider"),),
    policies=(EnginePolicy("rules v1.0", "no-spot", "advisory", "train-east/sweep", "spot is not wanted"),),
    left_out=7,
    notes=("The preview of stack `prod` was canceled before its end.",),
)


def page_of(view: EngineView) -> ChangePage:
    return shown(REPORT, engine=view)


def as_text(view: EngineView) -> str:
    return change_text(page_of(view), resources=True, width=300, color=False)


def as_markdown(view: EngineView) -> str:
    return change_markdown(page_of(view))


@pytest.mark.parametrize(
    "said",
    [
        "differs: NodePool pretrain-1: The engine sees version differ.",
        "1 other resource confirmed",
        "unexpected: NodePool old: It is deleted.",
        "preview of stack prod: succeeded",
        "checked by policy pack rules v1.0",
        "11 resources unchanged, as expected",
        "3 other resources in the stack, outside of the compared plans",
        "advisory no-spot of rules v1.0 at train-east/sweep: spot is not wanted",
        "warning at train-east: old provider",
        "and 7 more messages of the engine",
        "The preview of stack prod was canceled before its end.",
        "the engine disagrees on 2 resources",
    ],
)
def test_both_formats_contain_everything(said: str) -> None:
    assert said in " ".join(as_text(VIEW).replace("`", "").split())
    assert said in words(as_markdown(VIEW)).replace("\n", "")


def test_what_is_confirmed_is_one_word() -> None:
    view = dataclasses.replace(VIEW, verdicts=(CONFIRMED,), notes=())
    assert "engine:  confirmed\n" in as_text(view)
    assert "- **REPLACE train-east/pretrain**: confirmed\n" in as_markdown(view)
    assert "the engine agrees" in as_text(view)


def test_without_events_the_report_does_not_mention_the_engine() -> None:
    page = shown(REPORT)
    assert "engine" not in change_text(page, resources=False, width=300, color=False)
    assert "engine" not in change_markdown(page).split("<details>")[0].lower()


def test_a_preview_that_stops_at_what_is_protected_did_not_just_fail() -> None:
    run = EngineRunSummary("prod", "failed", True, ())
    assert "preview of stack `prod`: fails because of protected resources, as expected" in as_text(
        dataclasses.replace(VIEW, runs=(run,))
    )


def test_resources_with_the_same_result_are_on_one_line() -> None:
    many = tuple(dataclasses.replace(DIFFERENT, name=f"pretrain-{number}") for number in range(64))
    said = " ".join(as_text(dataclasses.replace(VIEW, verdicts=many)).replace("`", "").split())
    assert "differs: NodePool pretrain-0, NodePool pretrain-1 and 62 more: The engine sees" in said


def with_text(text: str) -> EngineView:
    """A view in which everything that can come from events is this text."""
    verdicts = [
        dataclasses.replace(item, type=text, name=text, seen=text, engine_only=(text,), ours_only=(text,), said=text)
        for item in VIEW.verdicts
    ]
    return EngineView(
        runs=(EngineRunSummary(text, "succeeded", False, (text,)),),
        verdicts=tuple(verdicts),
        unchanged=1,
        others=1,
        diagnostics=(EngineDiagnostic("error", text, text),),
        policies=(EnginePolicy(text, text, text, text, text),),
        left_out=1,
        notes=(text,),
    )


MARKUP = ["|", "`", "``", "<b>", "</details>", "@all", "#1", "https://x.io", "- ", "&lt;", "\\", "*a*", "<!-- x"]
PIECES = st.sampled_from([*MARKUP, "\u202e", "\x1b[2J", "\n", "\n\n# x", "word"]) | st.text(max_size=5)
TEXTS = st.lists(PIECES, max_size=6).map(lambda parts: f"x{''.join(parts)}")


@given(TEXTS)
def test_text_from_events_does_not_change_the_markup_around_it(text: str) -> None:
    shown = as_markdown(with_text(text))
    assert structure(shown) == structure(as_markdown(with_text("word")))
    assert automatic(shown) == automatic(as_markdown(with_text("word")))
    shown = as_text(with_text(text)).replace("\n", "")
    assert [character for character in shown if unicodedata.category(character)[0] == "C"] == []


@given(TEXTS)
def test_it_comes_back_from_json(text: str) -> None:
    page = page_of(with_text(text))
    data: Any = json.loads(json.dumps(change_json(page)))
    jsonschema.Draft202012Validator(change_schema()).validate(data)
    assert change_page_from_json(json.dumps(data).encode()) == page

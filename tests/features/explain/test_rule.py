"""``gke-tpu rule``: one page, the list, and what is unknown."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.rules import all_rules

RULES = all_rules()


@pytest.mark.parametrize("id", ["TPU112", "tpu112", " TPU112 ", "unknown-topology", "Unknown-Topology"])
def test_a_rule_is_shown_whole(gke_tpu: Any, id: str) -> None:
    run = gke_tpu("rule", id)
    assert run.code == 0
    for words in ("TPU112", "error", "Unknown topology", "topology: 4x3", "topology: 4x4", "Source"):
        assert words in run.out


def test_the_list_has_every_rule_with_its_severity(gke_tpu: Any) -> None:
    lines = gke_tpu("rule").out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("TPU")] == [
        [rule.id, "/".join(severity.word for severity in rule.severities)] for rule in RULES
    ]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_rule_states_what_its_severity_depends_on(gke_tpu: Any, form: str) -> None:
    out = " ".join(gke_tpu("rule", "TPU211", "--format", form).out.replace("**", "").split())
    assert "if the fact has less than high confidence or its sources disagree" in out
    assert "if an AI zone or a weaker source has it and the group has reserved capacity" in out


def test_the_index_names_every_severity_of_a_rule(gke_tpu: Any) -> None:
    out = gke_tpu("rule", "--format", "markdown").out
    assert "| [TPU112](TPU112.md) | unknown-topology | error |" in out
    assert "| [TPU211](TPU211.md) | generation-not-in-region | error or warning or note |" in out


def test_rules_as_data(gke_tpu: Any) -> None:
    (rule,) = json.loads(gke_tpu("rule", "TPU112", "--format", "json").out)["rules"]
    assert (rule["id"], rule["severity"], rule["breakable"]) == ("TPU112", "error", "plan")
    assert len(json.loads(gke_tpu("rule", "--format", "json").out)["rules"]) == len(RULES)


def test_rules_as_markdown(gke_tpu: Any) -> None:
    assert gke_tpu("rule", "TPU112", "--format", "markdown").out.startswith("# TPU112: Unknown topology\n")
    assert "[TPU112](TPU112.md)" in gke_tpu("rule", "--format", "markdown").out


@pytest.mark.parametrize(
    ("id", "near"),
    [
        ("TPU-112", "Did you mean TPU112 (Unknown topology)?"),
        ("112", "TPU112"),
        ("TUP0112", "TPU112"),
        ("unknown-topolgy", "unknown-topology"),
        ("", "lists all rules"),
    ],
)
def test_an_unknown_rule_exits_with_2_and_the_nearest(gke_tpu: Any, id: str, near: str) -> None:
    run = gke_tpu("rule", id)
    assert (run.code, run.out) == (2, "")
    assert near in run.err


@pytest.mark.parametrize("id", ["TPU1189", "TPU999", "TPU", "TPU0", "9" * 5000, "E501"])
def test_a_rule_with_another_number_is_not_suggested(gke_tpu: Any, id: str) -> None:
    run = gke_tpu("rule", id)
    assert (run.code, run.out) == (2, "")
    assert "Did you mean" not in run.err


@given(word=st.text(max_size=40))
def test_no_word_causes_a_traceback_or_control_characters(gke_tpu: Any, word: str) -> None:
    run = gke_tpu("rule", "--", word)
    assert run.code in (0, 2)
    assert "internal error" not in run.err
    assert not [char for char in (run.out + run.err).replace("\n", "") if unicodedata.category(char)[0] == "C"]

"""What is offered to be pasted reads back as the value that was meant, on a line of its own and between brackets."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.findings import is_visible
from pulumi_gke_tpu.core.text.findings.emit import LONGEST, emit, emit_entry
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

TEXTS = st.text(max_size=30) | st.text(alphabet="ab:,[]{}#&*!|>'\"%@` -?0123456789=<~.eExoyn\\", max_size=12)
VALUES = st.recursive(
    TEXTS | st.booleans() | st.none() | st.integers(-(2**40), 2**40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def seen(value: Any) -> bool:
    if isinstance(value, dict):
        return all(seen(key) and seen(item) for key, item in value.items())
    return all(map(seen, value)) if isinstance(value, list) else not isinstance(value, str) or is_visible(value)


@given(value=VALUES)
def test_a_value_reads_back_in_every_context(value: Any) -> None:
    text = emit(value)
    assert seen(value) or not text
    if text:
        for document, path in (
            (f"a: {text}\nb: 1\n", ("a",)),
            (f"{{a: {text}, b: 1}}\n", ("a",)),
            (f"[x, {text}, y]\n", (1,)),
            (f"- {text}\n", (0,)),
        ):
            data = parse_yaml(document.encode(), "x.yaml").data
            assert data[path[0]] == value
            assert len(data) in (1, 2, 3)
            assert yaml.safe_load(document) is not None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("us-east5-b", "us-east5-b"),
        ("10.0.0.0/20", "10.0.0.0/20"),
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        ("1.30", '"1.30"'),
        ("1.30.1-gke.1000", '"1.30.1-gke.1000"'),
        ("yes", '"yes"'),
        ("02:00", '"02:00"'),
        ("a: b", '"a: b"'),
        ("a,b", '"a,b"'),
        ("a #b", '"a #b"'),
        ("x]", '"x]"'),
        ("FREQ=WEEKLY;BYDAY=SA,SU", '"FREQ=WEEKLY;BYDAY=SA,SU"'),
        ("", '""'),
        (["SAT", "a,b"], '[SAT, "a,b"]'),
        ({"spot": True}, "{spot: true}"),
        (None, "null"),
    ],
)
def test_quotes_are_written_where_they_are_needed(value: Any, text: str) -> None:
    assert emit(value) == text


@pytest.mark.parametrize("value", ["x" * (LONGEST + 1), "a\u200bb", "a\nb", object(), ["x" * 150, "y" * 150]])
def test_what_cannot_be_shown_whole_is_not_offered(value: Any) -> None:
    assert emit(value) == ""
    assert emit_entry("key", value) == ""


def test_an_entry_has_its_key() -> None:
    assert emit_entry("a: b", "c,d") == '"a: b": "c,d"'

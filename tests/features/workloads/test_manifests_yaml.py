"""Manifests as YAML: every parser reads the text that was written."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.kinds.manifest import Concern, Manifest
from pulumi_gke_tpu.core.text.yamlfile import write
from pulumi_gke_tpu.features.workloads.text import FILE_NAMES, manifest_files, manifest_stream

TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)
AMBIGUOUS = (
    *(
        "y",
        "n",
        "Y",
        "yes",
        "no",
        "on",
        "off",
        "true",
        "False",
        "null",
        "~",
        "",
        " ",
        "1",
        "1.0",
        "1e3",
        "1_000",
        "0x10",
    ),
    *(
        "0o14",
        "014",
        "1:30",
        ".inf",
        "-.inf",
        ".nan",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "=",
        "<<",
        "- a",
        "a: b",
        "a #b",
    ),
    *(
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "{a}",
        "[a]",
        "?",
        "|",
        ">",
        "'",
        '"',
        "a\n",
        "a\n b\n",
        "\ta",
        "a\u2028b",
        "\ufeff",
    ),
)


def item(value: Any, concern: Concern = "workloads", name: str = "w") -> Manifest:
    return Manifest(concern, ("clusters", "c"), {"kind": "Pod", "metadata": {"name": name}, "spec": value})


def read(text: str) -> Any:
    (found,) = yaml.safe_load_all(text)
    return found["spec"]


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_an_ambiguous_text_stays_a_text(text: str) -> None:
    assert read(manifest_stream([item({"value": text, "list": [text]})])) == {"value": text, "list": [text]}


PLAIN = re.compile(r"^  value: (?!['\"|>])(.*)$", re.MULTILINE)


@pytest.mark.parametrize("text", [text for text in AMBIGUOUS if "\n" not in text])
def test_an_ambiguous_text_is_quoted(text: str) -> None:
    """Kubernetes reads YAML with another parser, which knows other words and numbers."""
    assert not PLAIN.search(manifest_stream([item({"value": text})])), text


@pytest.mark.parametrize(
    "text", ["4x4", "2x2x4", "500m", "16Gi", "google.com/tpu", "us-docker.pkg.dev/a/b:v1", "a-b_c.d"]
)
def test_a_usual_text_is_not_quoted(text: str) -> None:
    assert f"  value: {text}\n" in manifest_stream([item({"value": text})])


VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
)


@given(value=VALUES)
def test_what_is_read_is_what_was_written(value: Any) -> None:
    assert read(manifest_stream([item(value)])) == value


KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9./_-]{0,60}", fullmatch=True)
"""Keys of objects, labels and annotations."""
OBJECTS = st.recursive(
    TEXTS | st.integers() | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)
)


@pytest.mark.skipif(not hasattr(yaml, "CSafeDumper"), reason="PyYAML is installed without its library in C")
@given(value=OBJECTS)
def test_the_text_is_the_same_without_the_library_in_c(value: Any) -> None:
    item = {"value": value}
    assert write._dumped(item, write._Dumper) == write._dumped(item, write._PythonDumper)


def test_a_value_that_occurs_twice_is_written_twice() -> None:
    shared = {"a": [1]}
    text = manifest_stream([item({"x": shared, "y": shared})])
    assert "&" not in text
    assert "*" not in text


def test_a_script_keeps_its_lines() -> None:
    assert "  value: |\n    set -e\n    python x.py\n" in manifest_stream([item({"value": "set -e\npython x.py\n"})])


def test_a_path_cannot_break_out_of_its_comment() -> None:
    odd = Manifest("workloads", ("clusters", "c\nkind: Secret\n\x1b"), {"kind": "Pod", "metadata": {"name": "w"}})
    assert [document["kind"] for document in yaml.safe_load_all(manifest_stream([odd]))] == ["Pod"]


def test_examples_are_only_in_a_file_of_their_own() -> None:
    every = [item({}, name="w"), item({}, "examples", "agent")]
    assert "agent" not in manifest_stream(every)
    assert set(manifest_files(every)) == {"60-workloads.yaml", "examples/other-pods.yaml"}


def test_files_sort_in_the_order_of_creation() -> None:
    assert list(FILE_NAMES[:-1]) == sorted(FILE_NAMES[:-1])
    assert [name.partition("-")[2] for name in FILE_NAMES[:-1]] == [
        *(
            "namespaces.yaml",
            "access.yaml",
            "service-accounts.yaml",
            "priority-classes.yaml",
            "compute-classes.yaml",
            "storage.yaml",
            "queues.yaml",
            "workloads.yaml",
        )
    ]

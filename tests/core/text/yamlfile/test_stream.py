"""Several documents in one file, the way Kubernetes tools read them."""

import json
from typing import Any

import pytest
from support.work import function_calls

from pulumi_gke_tpu.core.text.yamlfile import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST
from pulumi_gke_tpu.core.text.yamlfile.stream import (
    DEEPEST,
    MOST_DOCUMENTS,
    StreamDocument,
    kubernetes_value,
    parse_stream,
)


def read(text: str | bytes) -> list[StreamDocument]:
    return list(parse_stream(text.encode() if isinstance(text, str) else text, "manifests.yaml"))


def data_of(text: str | bytes) -> list[Any]:
    documents = read(text)
    assert [finding.message for document in documents for finding in document.findings] == []
    return [document.file.data for document in documents]


def rules_of(text: str | bytes) -> list[str]:
    return [finding.rule for document in read(text) for finding in document.findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", [{"a": 1}]),
        ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n---\n", [{"a": 1}, {"b": 2}]),
        ("# Source: chart/templates/job.yaml\n---\n# only comments\n\n---\na: 1", [{"a": 1}]),
        ("--- {a: 1}\n--- # comment\nb: 2", [{"a": 1}, {"b": 2}]),
        ("a: 1\n...\nb: 2\n...\n", [{"a": 1}, {"b": 2}]),
        ("%YAML 1.2\n---\na: 1", [{"a": 1}]),
        ("a: |\n  ---\n  text\n", [{"a": "---\ntext\n"}]),
        ("a: 1\r\n---\r\nb: 2\r\n", [{"a": 1}, {"b": 2}]),
        ("\ufeffa: 1\n---\nb: 2", [{"a": 1}, {"b": 2}]),
        ("a: 1\n---\n\ufeffb: 2", [{"a": 1}, {"b": 2}]),
        ("- 1\n- 2", [[1, 2]]),
        ("text", ["text"]),
        ("", []),
        ("~", []),
        ("# nothing\n---\n\n", []),
    ],
)
def test_documents_are_found(text: str, expected: list[Any]) -> None:
    assert data_of(text) == expected


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}\n{"b": [2]}', '{\n\t"a": 1\n}\n\n{\n\t"b": [2]\n}\n', ' {"a": 1} {"b": [2]}'],
)
def test_json_values_one_after_another_are_documents(text: str) -> None:
    assert data_of(text) == [{"a": 1}, {"b": [2]}]


def test_json_with_tabs_is_read() -> None:
    assert data_of(json.dumps({"a": {"b": [1, "x"]}}, indent="\t")) == [{"a": {"b": [1, "x"]}}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0644", 420),
        ("yes", True),
        ("Off", False),
        ("089", "089"),
        ("1_000", "1_000"),
        ("22:30", "22:30"),
        ("1.30", 1.3),
        ("9" * 50, "9" * 50),
        ("2x4", "2x4"),
    ],
)
def test_values_are_those_of_kubernetes(text: str, value: object) -> None:
    assert kubernetes_value(text) == value
    assert data_of(f"a: {text}") == [{"a": value}]


def test_keys_are_text() -> None:
    assert data_of("80: a\ntrue: b\non: c\n1.5: d") == [{"80": "a", "true": "b", "on": "c", "1.5": "d"}]


def test_unknown_tags_and_invisible_characters_are_left_to_other_programs() -> None:
    assert data_of('a: !Ref x\nb: !!binary aGk=\nc: "\\u200b"\nd: !custom {e: 1}') == [
        {"a": "x", "b": "aGk=", "c": "\u200b", "d": {"e": 1}}
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: {{ .Values.a }}", {"a": "{{ .Values.a }}"}),
        ("a: {{ .Values.a | quote }}\nb: 1", {"a": "{{ .Values.a | quote }}", "b": 1}),
        ("a: [{{ x }}, 2]", {"a": ["{{ x }}", 2]}),
        ('a: "{{ x }}"', {"a": "{{ x }}"}),
        ("a: image:{{ tag }}", {"a": "image:{{ tag }}"}),
        ("{{ x }}: 1\nb: 2", {"b": 2}),
        ("{{ x }}", "{{ x }}"),
    ],
)
def test_a_template_expression_is_its_text(text: str, expected: object) -> None:
    assert data_of(text) == [expected]


def test_an_error_hides_no_other_document() -> None:
    documents = read("a: 1\n---\nb: [1\n---\nc: 3\n---\nd: {{- if .x }}\n---\ne: 5\n")
    assert [document.file.data for document in documents] == [{"a": 1}, None, {"c": 3}, None, {"e": 5}]
    assert [document.complete for document in documents] == [True, False, True, False, True]
    places = [finding.position for document in documents for finding in document.findings]
    assert [(place.line, place.text) for place in places if place] == [(3, "b: [1"), (7, "d: {{- if .x }}")]


def test_positions_are_those_in_the_file() -> None:
    first, second = read("# comment\na: 1\n---\n# comment\n\nb:\n  - c: x\n")
    assert (first.file.position(("a",)).line, first.file.position(("a",)).column) == (2, 4)
    place = second.file.position(("b", 0, "c"))
    assert (place.line, place.column, place.end_column, place.text) == (7, 8, 9, "  - c: x")
    assert second.file.position(()).line == 6


def test_a_message_names_the_line_in_the_file() -> None:
    (document,) = read("\n\n---\na: 1\n\na: 2\n")
    assert [finding.message for finding in document.findings] == [
        "duplicate key: `a` is already defined at line 4, column 1"
    ]
    (indented,) = read("---\n---\na: b\n    c: d\n")
    assert "the key at line 3 already has a value" in indented.findings[0].message


def test_of_two_equal_keys_the_first_counts() -> None:
    (document,) = read("a: 1\na: 2\n")
    assert document.file.data == {"a": 1}
    assert document.complete


@pytest.mark.parametrize("text", ["a: [", "a: *b", "<<: 1", "? {a: 1}\n: 2", "a: &b [*b]", "\ta: 1"])
def test_what_no_yaml_reader_can_read_is_an_error(text: str) -> None:
    assert len(rules_of(text)) == 1


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"a: 1\xff", "TPU002"),
        ("a: 1".encode("utf-16"), "TPU002"),
        (b"a: \x00", "TPU003"),
        (b"a" * (LARGEST + 1), "TPU001"),
        (b"version https://git-lfs.github.com/spec/v1\n", "TPU001"),
        (b"--- a\n" * (MOST_DOCUMENTS + 1), "TPU001"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(content: bytes, rule: str) -> None:
    with pytest.raises(YamlProblem) as problem:
        read(content)
    assert [finding.rule for finding in problem.value.findings] == [rule]


def test_depth_is_limited() -> None:
    assert rules_of("[" * DEEPEST + "]" * DEEPEST) == []
    assert rules_of("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)) == ["TPU008"]
    assert rules_of('{"a":' * 3000 + "1" + "}" * 3000) == ["TPU008"]


def test_aliases_cannot_grow_without_limit() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert rules_of("\n".join(lines)) == ["TPU007"]


def test_an_anchor_counts_in_its_document_only() -> None:
    assert rules_of("a: &x 1\n---\nb: *x\n") == ["TPU007"]


def test_work_grows_with_the_number_of_documents_only() -> None:
    def calls(documents: int) -> int:
        text = "---\nkind: Pod\nmetadata: {name: a}\n" * documents
        return function_calls(lambda: read(text))

    assert calls(400) < 2.2 * calls(200)

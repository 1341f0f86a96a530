"""Objects in files: lists, templates, and what is not a Kubernetes object."""

import pytest
from support.manifests import NAME, findings_in, objects_in
from support.work import function_calls

from pulumi_gke_tpu.core.objects import read_manifests
from pulumi_gke_tpu.core.text.findings import Severity

LIST = """
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Pod, metadata: {name: a}}
  - apiVersion: v1
    kind: List
    items:
      - {apiVersion: batch/v1, kind: Job, metadata: {name: b}}
  - {kind: Pod}
"""


def test_the_objects_of_lists_are_found_with_their_paths() -> None:
    found = read_manifests([(NAME, LIST.encode())])
    assert [(item.kind, item.name, item.base) for item in found.objects] == [
        ("Pod", "a", ("items", 0)),
        ("Job", "b", ("items", 1, "items", 0)),
    ]
    assert [(item.index, item.base) for item in found.others] == [(1, ("items", 2))]


def test_items_of_a_typed_list_have_its_kind() -> None:
    (found,) = objects_in("apiVersion: batch/v1\nkind: JobList\nitems: [{metadata: {name: a}}]")
    assert (found.api_version, found.kind, found.name) == ("batch/v1", "Job", "a")


def test_a_kind_that_ends_in_list_without_items_is_an_object() -> None:
    (found,) = objects_in("apiVersion: example.com/v1\nkind: AllowList\nspec: {}")
    assert found.kind == "AllowList"


@pytest.mark.parametrize(
    "text",
    ["a: 1", "- 1", "text", "kind: Pod", "apiVersion: v1", "apiVersion: 1\nkind: Pod", "apiVersion: v1\nkind: ''", ""],
)
def test_what_is_not_an_object_is_noted_and_stops_nothing(text: str) -> None:
    findings = findings_in(text)
    assert [(finding.rule, finding.severity) for finding in findings] == [("TPU720", Severity.NOTE)]


def test_a_plan_among_manifests_is_recognized() -> None:
    (finding,) = findings_in("version: 1\nclusters: {}\n")
    assert finding.message == "a plan, not a Kubernetes object: compare manifests with it by `--plan`"


def test_a_document_that_is_not_an_object_is_not_quoted() -> None:
    (finding,) = findings_in("password: hunter2\n")
    assert finding.position is not None
    assert "hunter2" not in repr(finding)


TEMPLATE = """
apiVersion: v1
kind: ConfigMap
{{- if .Values.a }}
metadata: {name: a}
{{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  {{- include "labels" . | nindent 4 }}
---
apiVersion: v1
kind: Pod
metadata: {name: c}
"""


def test_a_template_is_one_finding_for_its_file() -> None:
    assert [(finding.rule, finding.position and finding.position.line) for finding in findings_in(TEMPLATE)] == [
        ("TPU721", 2)
    ]
    assert [item.name for item in objects_in(TEMPLATE)] == ["c"]


@pytest.mark.parametrize(
    "text",
    [
        "a: [{{ x }}",
        "{% for x in y %}\na: b\n{% endfor %}",
        "a: b\n<% if x %>\n  c: d\n<% end %>\n",
        "spec: {replicas: ${N}}",
    ],
)
def test_other_templates_are_recognized(text: str) -> None:
    assert [finding.rule for finding in findings_in(text)] == ["TPU721"]


def test_a_syntax_error_that_is_not_a_template_is_reported_as_such() -> None:
    assert [finding.rule for finding in findings_in("apiVersion: v1\nkind: Pod\nbad\n---\na: [")] == [
        "TPU003",
        "TPU003",
    ]


SECRETS = (
    "apiVersion: v1\nkind: Secret\nstringData:\n  token: 'hunter2\n",
    "apiVersion: v1\nkind: Secret\nstringData:\n  token: @hunter2\n",
    "apiVersion: v1\nkind: Secret\nstringData:\n  token: hunter2\n  token: hunter2\n",
    '{"apiVersion": "v1", "kind": "Secret", "data": {"a": "hunter2", "a": "hunter2"}}',
    '{"apiVersion": "v1", "data": {"a": "hunter2" "b"}, "kind": "Secret"}',
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, data: {a: hunter2, a: *hunter2}}",
    "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec: {a: hunter2, a: hunter2}",
)


@pytest.mark.parametrize("text", SECRETS)
def test_the_content_of_a_secret_is_never_quoted(text: str) -> None:
    findings = findings_in(text)
    assert findings
    assert "hunter2" not in repr(findings)


def test_a_broken_document_that_is_not_an_object_is_not_quoted() -> None:
    (finding,) = findings_in("user: a\npassword: @hunter2\n")
    assert (finding.rule, finding.severity) == ("TPU720", Severity.NOTE)
    assert "hunter2" not in repr(finding)
    assert finding.message == "not a Kubernetes object, and invalid YAML; its content is not shown"


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: [1\n", "- *missing\n", "a: @b\n"])
def test_a_file_of_another_program_is_noted_and_no_error(text: str) -> None:
    (finding,) = findings_in(text)
    assert (finding.rule, finding.severity) == ("TPU720", Severity.NOTE)


def test_a_broken_document_beside_an_object_is_an_error() -> None:
    whole = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    (finding,) = findings_in(f"{whole}---\na: [1\n")
    assert (finding.rule, finding.severity) == ("TPU003", Severity.ERROR)


def test_the_key_of_a_config_map_is_quoted() -> None:
    """The check above would find the text of other objects."""
    findings = findings_in("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: visible\n  a: visible\n")
    assert "visible" in repr(findings)


def test_reading_a_list_is_linear_in_its_items() -> None:
    def calls(items: int) -> int:
        text = "apiVersion: v1\nkind: List\nitems:\n" + "- {apiVersion: v1, kind: Pod}\n" * items
        return function_calls(lambda: objects_in(text))

    assert calls(2000) < 2.2 * calls(1000)

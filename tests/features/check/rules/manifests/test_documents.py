"""Rules about documents that cannot be checked, or not as a whole."""

import pytest
from support.manifest_texts import only
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE


def test_placeholders_of_an_object_are_one_warning_and_no_wrong_values() -> None:
    text = tpu_pod(topology="<TOPOLOGY>").replace("google.com/tpu: 4", "google.com/tpu: <CHIPS>")
    found = only(text.replace("tpu-v6e-slice", "<your-accelerator>"))
    assert (found.rule, found.severity) == ("TPU358", W)
    assert found.message == "placeholders `<your-accelerator>`, `<TOPOLOGY>` and `<CHIPS>` not filled in"


@pytest.mark.parametrize(
    "value", ["a<b>", "<1>", "< NAME>", "<html><body>", "<>", "<NAME", "'<a.b>'", "<" + "N" * 64 + ">"]
)
def test_other_text_with_brackets_has_no_warning_about_placeholders(value: str) -> None:
    assert "TPU358" not in broken(tpu_pod().replace("image: trainer", f"image: {value}"))


@pytest.mark.parametrize("key", ["args: [<file>]", "command: [<file>]"])
def test_text_for_a_program_is_not_taken_for_a_placeholder(key: str) -> None:
    assert broken(tpu_pod().replace("image: trainer", f"image: trainer\n      {key}")) == []


@pytest.mark.parametrize(
    ("selector", "severity"),
    [('cloud.google.com/gke-spot: "true"', E), ("cloud.google.com/reservation-name: pretraining", W)],
)
def test_a_selector_beside_a_class_is_an_error_unless_sources_disagree(selector: str, severity: Severity) -> None:
    text = tpu_pod(selector=f"cloud.google.com/compute-class: tpu\n{selector}")
    found = [item.severity for item in findings_in(text) if item.path[-1] == selector.partition(":")[0]]
    assert found == [severity]


KUSTOMIZATION = b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"

PATCH = tpu_job().replace("      restartPolicy: Never\n", "").encode()


def rules_of(**files: bytes) -> list[tuple[str, str]]:
    named = (
        ManifestFile(name.replace("__", "/").replace("_yaml", ".yaml"), content) for name, content in files.items()
    )
    found = check_manifests(named, read_catalog(), None)
    return [(item.rule, item.position.file if item.position else "") for item in found]


@pytest.mark.parametrize(
    "entry",
    ["patches: [{path: patch.yaml}]", "patchesStrategicMerge: [./patch.yaml]", "patchesJson6902: [{path: patch.yaml}]"],
)
def test_a_patch_is_not_checked_as_an_object(entry: str) -> None:
    found = rules_of(base__kustomization_yaml=KUSTOMIZATION + entry.encode(), base__patch_yaml=PATCH)
    assert found == [("TPU720", "base/patch.yaml")]


def test_a_kustomization_names_files_relative_to_its_folder() -> None:
    entry = b"patches: [{path: ../patch.yaml}]\n"
    found = rules_of(overlays__kustomization_yaml=KUSTOMIZATION + entry, patch_yaml=PATCH, overlays__patch_yaml=PATCH)
    assert found == [("TPU375", "overlays/patch.yaml"), ("TPU720", "patch.yaml")]


@pytest.mark.parametrize(
    "content",
    [b"", b"patches: 3\n", b"patches: [1, {path: [a]}, {patch: x}]\n", b"- a\n", b"resources: [patch.yaml]\n"],
)
def test_files_that_are_not_patches_are_checked(content: bytes) -> None:
    assert ("TPU375", "patch.yaml") in rules_of(kustomization_yaml=content, patch_yaml=PATCH)


@pytest.mark.parametrize(
    ("written", "message", "fix"),
    [
        (("apiVersion: v1\n", "apiversion: v1\n"), "unknown key of a Kubernetes object `apiversion`", "apiVersion:"),
        (("kind: Pod\n", "Kind: Pod\n"), "unknown key of a Kubernetes object `Kind`", "kind:"),
        (("kind: Pod\n", ""), "missing key `kind` of a Kubernetes object", ""),
        (("apiVersion: v1\n", ""), "missing key `apiVersion` of a Kubernetes object", ""),
    ],
)
def test_an_object_without_one_of_its_two_keys_is_an_error(written: tuple[str, str], message: str, fix: str) -> None:
    found = only(tpu_pod().replace(*written))
    assert (found.rule, found.severity, found.message, found.fix) == ("TPU720", E, message, fix)


@pytest.mark.parametrize("text", ["kind: Config\nimage: trainer\n", "metadata: {name: chart}\nversion: 1\n"])
def test_a_document_of_another_program_is_a_note(text: str) -> None:
    assert only(text).severity is N


@pytest.mark.parametrize("name", ["<JOB>-svc", "svc-<JOB>", "<your-job>-svc", "a<MY_JOB>b"])
@pytest.mark.parametrize("place", ["subdomain: NAME", "hostname: NAME", "serviceAccountName: NAME"])
def test_a_placeholder_can_be_a_part_of_a_value(place: str, name: str) -> None:
    assert broken(tpu_pod(spec=place.replace("NAME", name))) == ["TPU358"]


@pytest.mark.parametrize("value", ["sort <in >out", "a<b>c", "run <JOB> now"])
def test_words_of_a_command_are_not_placeholders(value: str) -> None:
    variable = f"env: [{{name: RUN, value: '{value}'}}]"
    assert "TPU358" not in broken(tpu_pod(container=variable))

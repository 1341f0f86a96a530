"""Services that do not reach Pods, containers without an image, and patches of Kustomize, which need none."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import ManifestFile, check_manifests
from pulumi_gke_tpu.features.check.rules.objects.services import service_without_pods

SERVER, _, SERVICE = service_without_pods.passing.partition("---\n")
KUSTOMIZATION = b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
PATCH = tpu_job().replace("      restartPolicy: Never\n", "").encode()


def with_service(spec: str, name: str = "serve") -> str:
    return f"{SERVER}---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    "spec",
    [
        "{selector: {app: serve}, ports: [{port: 80, targetPort: 8000}]}",
        "{selector: {app: serve}, ports: [{port: 80, targetPort: 9000}]}",
        '{selector: {app: serve}, ports: [{port: 80, targetPort: "8000"}]}',
        "{selector: {app: serve}, ports: [{port: 80}]}",
        "{selector: {tier: front}}",
        "{selector: {job-name: serve}}",
        "{selector: {app: $APP}}",
        "{selector: {ray.io/node-type: head}}",
        "{type: ExternalName, externalName: example.org}",
        "{}",
    ],
)
def test_a_service_is_accepted_whose_pods_can_exist(spec: str) -> None:
    assert broken(with_service(spec)) == []


def test_a_service_of_another_application_is_accepted() -> None:
    assert broken(with_service("{selector: {app: router}}", name="router")) == []


def test_a_selector_with_a_wrong_value_names_the_label_of_the_pods() -> None:
    (finding,) = findings_in(with_service("{selector: {app: serv}, ports: [{port: 80}]}", name="front"))
    assert (finding.rule, finding.fix) == ("TPU395", "app: serve")


def test_a_service_with_the_name_of_a_server_must_select_it() -> None:
    assert broken(with_service("{selector: {app: router}}")) == ["TPU395"]


def test_a_target_port_by_name_must_be_a_port_of_a_container() -> None:
    (finding,) = findings_in(with_service("{selector: {app: serve}, ports: [{port: 80, targetPort: htp}]}"))
    assert (finding.rule, finding.fix) == ("TPU395", "targetPort: http")


def test_a_service_in_another_namespace_selects_other_pods() -> None:
    text = with_service("{selector: {app: router}}").replace(
        "{name: serve}\nspec: {sel", "{name: serve, namespace: b}\nspec: {sel"
    )
    assert (
        broken(text.replace("metadata: {name: serve}\nspec:\n", "metadata: {name: serve, namespace: a}\nspec:\n")) == []
    )


def test_labels_that_are_not_text_are_reported_by_another_rule() -> None:
    text = with_service("{selector: {app: server}}").replace("labels: {app: serve}", "labels: {app: [serve]}")
    assert "TPU395" not in broken(text)


# Images


def test_a_second_container_without_an_image_is_an_error() -> None:
    (finding,) = findings_in(tpu_pod().replace("  containers:\n", "  containers:\n    - {name: agent}\n"))
    assert (finding.rule, finding.severity) == ("TPU394", Severity.ERROR)


def test_an_image_that_a_template_fills_in_is_accepted() -> None:
    assert broken(tpu_pod().replace("image: trainer", "image: ${IMAGE}")) == []


def test_an_object_that_misses_more_than_images_is_a_patch() -> None:
    job = tpu_job().replace("image: trainer", "").replace("restartPolicy: Never", "")
    assert broken(job) == []


def test_a_whole_job_without_an_image_is_a_warning() -> None:
    (finding,) = findings_in(tpu_job().replace("          image: trainer\n", ""))
    assert (finding.rule, finding.severity) == ("TPU394", Severity.WARNING)


# Kustomize


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

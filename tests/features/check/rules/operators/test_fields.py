"""Rules about fields, API versions and names of custom resources."""

import pytest
from support.manifest_texts import finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues, ray_cluster


@pytest.mark.parametrize(
    ("version", "severity"), [("v1beta1", Severity.WARNING), ("v1", Severity.ERROR), ("v1alpha1", Severity.ERROR)]
)
def test_a_deprecated_version_warns_and_an_unknown_one_is_an_error(version: str, severity: Severity) -> None:
    text = changed(
        queues(), ("kueue.x-k8s.io/v1beta2\nkind: LocalQueue", f"kueue.x-k8s.io/{version}\nkind: LocalQueue")
    )
    finding = finding_of(text, "TPU747")
    assert (finding.severity, finding.fix) == (severity, "apiVersion: kueue.x-k8s.io/v1beta2")


def test_a_deprecated_version_is_one_warning_per_file_and_version() -> None:
    text = queues().replace("v1beta2", "v1beta1")
    assert text.count("v1beta1") == 3
    finding = finding_of(text, "TPU747")
    assert finding.message == (
        "Kueue has deprecated version v1beta1 of ResourceFlavor; this file has 2 more objects of this version"
    )
    assert finding.position is not None
    assert finding.position.line == text.splitlines().index("apiVersion: kueue.x-k8s.io/v1beta1") + 1


def test_kinds_of_other_groups_have_other_versions_and_fields() -> None:
    assert broken("apiVersion: example.com/v7\nkind: JobSet\nmetadata: {name: a}\nspec: {anything: 1}") == []


@pytest.mark.parametrize(("field", "fix"), [("cohort: research", "cohortName:"), ("admissionChecks: [queued]", "")])
def test_a_former_field_is_renamed_if_its_form_is_the_same(field: str, fix: str) -> None:
    assert finding_of(changed(queues(), ("  namespaceS", f"  {field}\n  namespaceS")), "TPU748").fix == fix


@pytest.mark.parametrize(
    ("field", "severity", "fix"),
    [("maxRestart: 1", Severity.ERROR, "maxRestarts:"), ("shade: 1", Severity.WARNING, "")],
)
def test_a_field_without_a_similar_name_warns(field: str, severity: Severity, fix: str) -> None:
    finding = finding_of(changed(job_set(), ("{maxRestarts: 3}", f"{{{field}}}")), "TPU768")
    assert (finding.severity, finding.fix) == (severity, fix)


def test_a_misspelled_specification_is_reported_although_no_pods_are_found() -> None:
    text = tpu_job().replace("\nspec:", "\nsepc:")
    finding = finding_of(text, "TPU768")
    assert (finding.severity, finding.fix, broken(text)) == (Severity.ERROR, "spec:", ["TPU768"])


def test_metadata_has_the_fields_of_every_kind() -> None:
    text = changed(tpu_job(), ("metadata: {", "metadata: {creationTimestamp: null, uid: a, "))
    assert broken(text) == []
    assert finding_of(changed(text, ("uid: a", "annotation: {}")), "TPU768").fix == "annotations:"


def test_the_pod_template_of_a_job_set_has_fewer_fields_in_its_metadata() -> None:
    """The definition of the kind knows five of them, and the API server rejects the others."""
    template = changed(
        job_set(), ("          template:\n", "          template:\n            metadata: {creationTimestamp: null}\n")
    )
    assert broken(template) == ["TPU768"]


def test_a_field_named_like_a_former_one_of_another_kind_is_unknown() -> None:
    assert broken(changed(job_set(), ("  failurePolicy", "  cohort: a\n  failurePolicy"))) == ["TPU768"]


@pytest.mark.parametrize(("length", "expected"), [(47, []), (48, ["TPU798"])])
def test_the_pods_of_a_job_set_have_names_of_63_characters_at_most(length: int, expected: list[str]) -> None:
    """The name of the last Pod ends with ``-slice-0-3-abcde``, which has 16 characters."""
    text = changed(job_set(), ("name: train\n  ann", f"name: {'a' * length}\n  ann"))
    assert broken(text) == expected


@pytest.mark.parametrize(("replicas", "reported"), [(10, False), (11, True), (0, False), (-10, False)])
def test_only_a_job_that_makes_pods_has_names(replicas: int, reported: bool) -> None:
    """The last one of eleven Jobs has two digits; another rule reports a negative number."""
    replaced = ("name: train\n  ann", f"name: {'a' * 47}\n  ann"), ("replicas: 1", f"replicas: {replicas}")
    assert ("TPU798" in broken(changed(job_set(), *replaced))) is reported


@pytest.mark.parametrize(("length", "subdomain", "expected"), [(26, "", []), (27, "", ["TPU798"]), (40, "hosts", [])])
def test_the_label_of_a_coordinator_has_63_characters_at_most(length: int, subdomain: str, expected: list[str]) -> None:
    network = f"  network: {{subdomain: {subdomain}}}\n" if subdomain else ""
    text = changed(
        job_set(),
        ("name: train\n  ann", f"name: {'a' * length}\n  ann"),
        ("  failurePolicy", f"{network}  coordinator: {{replicatedJob: slice}}\n  failurePolicy"),
    )
    assert broken(text) == expected


@pytest.mark.parametrize(("length", "expected"), [(53, []), (54, ["TPU798"])])
def test_the_name_of_a_ray_cluster_has_53_characters_at_most(length: int, expected: list[str]) -> None:
    assert broken(changed(ray_cluster(), ("name: tune", f"name: {'a' * length}"))) == expected


MINIMAL = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: sample}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: sample, onFlavors: [default-flavor]}]}
"""


def test_a_queue_without_flavors_is_a_part_of_a_queue() -> None:
    assert findings_in(MINIMAL) == ()

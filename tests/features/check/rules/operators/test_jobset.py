"""Rules about the Jobs of a JobSet, each of which is one slice."""

import pytest
from support.manifest_texts import ON_POOL, finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set


def test_the_message_names_the_job_and_its_job_set() -> None:
    finding = finding_of(changed(job_set(), ("parallelism: 4", "parallelism: 3")), "TPU760")
    assert finding.message == (
        "Job `slice` of JobSet `train` has `parallelism: 3`, but a v6e slice 4x4 with 4 chips per host has 4 hosts"
    )
    assert finding.fix == "parallelism: 4"


def test_a_plain_job_is_named_alone() -> None:
    text = changed(job_set(), (ON_POOL, "")).replace("jobset.x-k8s.io/v1alpha2", "batch/v1")
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: alone}\nspec:\n" + text.partition("        spec:\n")[2]
    job = job.replace("          parallelism", "  parallelism").replace("\n        ", "\n")
    assert finding_of(job, "TPU762").message == "missing key `completionMode` in Job `alone`: the slice 4x4 has 4 hosts"


def test_a_job_set_without_index_needs_no_completions() -> None:
    text = changed(job_set(), ("completions: 4", "completionMode: NonIndexed"))
    assert broken(text) == ["TPU762"]


@pytest.mark.parametrize(
    "policy", ['"{{ .Values.policy }}"', "{rules: [{action: Ignore, onPodConditions: [{type: $T}]}]}"]
)
def test_an_open_pod_failure_policy_is_unknown(policy: str) -> None:
    before = "podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}"
    assert broken(changed(job_set(), (before, f"podFailurePolicy: {policy}"))) == []


def test_pods_that_restart_in_place_need_no_restart_of_the_job() -> None:
    before = "podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}"
    text = changed(
        job_set(), (before, "completionMode: Indexed"), ("Never", "OnFailure"), ("backoffLimit: 0", "backoffLimit: 16")
    )
    assert broken(text) == []


def test_single_hosts_can_have_any_exclusive_topology() -> None:
    text = changed(
        job_set(),
        ("topology: cloud.google.com/gke-nodepool", "topology: kubernetes.io/hostname"),
        ("topology: 4x4", "topology: 2x2"),
        ("parallelism: 4", "parallelism: 1"),
        ("completions: 4", "completions: 1"),
    )
    assert broken(text) == []


@pytest.mark.parametrize(("jobs", "severity"), [(4, Severity.WARNING), (8, Severity.WARNING), (3, Severity.ERROR)])
def test_jobs_with_one_pod_for_each_host_of_whole_slices_are_a_warning(jobs: int, severity: Severity) -> None:
    text = changed(
        job_set(),
        ("parallelism: 4", "parallelism: 1"),
        ("completions: 4", "completions: 1"),
        ("replicas: 1", f"replicas: {jobs}"),
    )
    assert {(item.rule, item.severity) for item in findings_in(text)} == {("TPU760", severity)}


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("exit-code", "exit_code"),
        ("host.lost", "host_lost"),
        ("code_", None),
        ("a,b:c", None),
        ("2nd", ""),
        ("ends:", "ends"),
        ("r" * 129, ""),
        ("{{ name }}", None),
    ],
)
def test_the_name_of_a_failure_policy_rule_has_the_form_of_the_webhook(name: str, fix: str | None) -> None:
    text = changed(
        job_set(), ("{maxRestarts: 3}", f'{{maxRestarts: 3, rules: [{{name: "{name}", action: FailJobSet}}]}}')
    )
    assert [item.fix for item in findings_in(text) if item.rule == "TPU766"] == ([] if fix is None else [fix])


def test_two_rules_of_a_failure_policy_with_one_name_are_duplicates() -> None:
    rules = "[{name: end, action: FailJobSet}, {name: end, action: RestartJobSet}]"
    text = changed(job_set(), ("{maxRestarts: 3}", f"{{maxRestarts: 3, rules: {rules}}}"))
    assert finding_of(text, "TPU373").message.startswith("duplicate name in `rules` `end`")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("completionMode: Indexed", ["TPU866"]), ("suspend: false", ["TPU760"]), ("completions: 4", [])],
)
def test_missing_completions_are_reported_once(keys: str, expected: list[str]) -> None:
    assert broken(changed(job_set(), ("completions: 4", keys))) == expected

"""Rules about queues and flavors of Kueue by themselves."""

import pytest
from support.manifest_texts import finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues
from pulumi_gke_tpu.features.check.rules.operators.queued_provisioning import queued_provisioning


def test_resources_in_another_order_are_reported_as_such() -> None:
    two = ("resources: [{name", "resources: [{name: cpu, nominalQuota: 8}, {name")
    wrong = finding_of(changed(queues(), ("[google.com/tpu]", "[google.com/tpu, cpu]"), two), "TPU749")
    assert wrong.message == "flavor `v6e` has the resources of `coveredResources` in another order"
    missing = finding_of(changed(queues(), ("[google.com/tpu]", "[google.com/tpu, cpu]")), "TPU749")
    assert missing.message == "`coveredResources` are `google.com/tpu` and `cpu`, but flavor `v6e` has `google.com/tpu`"


@pytest.mark.parametrize(("limit", "expected"), [(32, []), (33, ["TPU753"])])
def test_a_queue_lends_at_most_its_quota(limit: int, expected: list[str]) -> None:
    text = changed(queues(), ("  namespaceS", "  cohortName: a\n  namespaceS"), ("32}", f"32, lendingLimit: {limit}}}"))
    assert broken(text) == expected


@pytest.mark.parametrize(("chips", "expected"), [("'4'", []), ("'8'", ["TPU752"]), ("'${CHIPS}'", [])])
def test_a_flavor_can_select_the_chips_of_a_host(chips: str, expected: list[str]) -> None:
    label = f"topology: 4x4, cloud.google.com/gke-accelerator-count: {chips}"
    assert [rule for rule in broken(changed(queues(), ("topology: 4x4", label))) if rule != "TPU755"] == expected


def test_an_empty_namespace_selector_is_reported_at_its_key() -> None:
    finding = finding_of(changed(queues(), ("namespaceSelector: {}", "namespaceSelector:")), "TPU750")
    assert finding.path == ("spec", "namespaceSelector")


@pytest.mark.parametrize(("labels", "expected"), [(8, []), (9, ["TPU752"])])
def test_a_flavor_has_at_most_eight_labels(labels: int, expected: list[str]) -> None:
    names = ", ".join(f"label-{index}: x" for index in range(labels))
    flavor = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: a}\n"
    assert broken(flavor + f"spec: {{nodeLabels: {{{names}}}}}") == expected


def test_parameters_of_other_admission_checks_are_unknown() -> None:
    text = (
        queued_provisioning.passing
        + "\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: a}\n"
        + "spec: {controllerName: kueue.x-k8s.io/multikueue, parameters: {apiGroup: kueue.x-k8s.io, "
        "kind: MultiKueueConfig, name: remote}}\n"
    )
    assert broken(text) == []


WORKLOAD = queues() + "---" + job_set("training")


@pytest.mark.parametrize(
    ("before", "kind"),
    [("namespaceSelector: {}", "ClusterQueue"), ("spec: {clusterQueue: training}", "LocalQueue")],
)
@pytest.mark.parametrize(("policy", "held"), [("Hold", True), ("HoldAndDrain", True), ("None", False)])
def test_a_queue_on_hold_admits_no_workload(before: str, kind: str, policy: str, held: bool) -> None:
    after = f"{before}\n  stopPolicy: {policy}"
    if kind == "LocalQueue":
        after = f"spec: {{clusterQueue: training, stopPolicy: {policy}}}"
    found = findings_in(changed(WORKLOAD, (before, after)))
    assert [item.rule for item in found] == ["TPU868"] * held
    assert all(item.message.startswith(f"{kind} `training` admits no workload") for item in found)


def test_a_queue_on_hold_without_a_workload_is_valid() -> None:
    assert broken(changed(queues(), ("namespaceSelector: {}", "namespaceSelector: {}\n  stopPolicy: Hold"))) == []


NAME = "kubernetes.io/metadata.name"


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("{}", True),
        (f"{{matchLabels: {{{NAME}: research}}}}", True),
        (f"{{matchLabels: {{{NAME}: serving}}}}", False),
        ("{matchLabels: {team: serving}}", True),
        (f"{{matchLabels: {{{NAME}: '${{NAMESPACE}}'}}}}", True),
        (f"{{matchExpressions: [{{key: {NAME}, operator: In, values: [serving, research]}}]}}", True),
        (f"{{matchExpressions: [{{key: {NAME}, operator: In, values: [serving]}}]}}", False),
        (f"{{matchExpressions: [{{key: {NAME}, operator: NotIn, values: [research]}}]}}", False),
        (f"{{matchExpressions: [{{key: {NAME}, operator: NotIn, values: [serving]}}]}}", True),
        (f"{{matchExpressions: [{{key: {NAME}, operator: Exists}}]}}", True),
    ],
)
def test_a_queue_admits_the_namespaces_of_its_local_queues(selector: str, matches: bool) -> None:
    local = "kind: LocalQueue\nmetadata: {name: training"
    text = changed(queues(), ("namespaceSelector: {}", f"namespaceSelector: {selector}"))
    assert broken(text) == []
    assert broken(changed(text, (local, f"{local}, namespace: research"))) == ([] if matches else ["TPU750"])

"""Rules about labels."""

import pytest
from support.checking import validate
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import on_family

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan

DRA = "cloud.google.com/gke-tpu-dra-driver"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("team: research", []),
        ("example.com/team: research", []),
        ("a.b-c.example/Team_1.x: 'Value_1.x'", []),
        ("team: ''", []),
        (f"{'k' * 63}: {'v' * 63}", []),
        (f"{'k' * 64}: v", ["TPU532"]),
        (f"k: {'v' * 64}", ["TPU532"]),
        (f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 61}/k: v", []),
        (f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 62}/k: v", ["TPU532"]),
        ("Example.com/team: research", ["TPU532"]),
        ("a/b/c: v", ["TPU532"]),
        ("/team: v", ["TPU532"]),
        ("team/: v", ["TPU532"]),
        ("-team: v", ["TPU532"]),
        ("team: -v", ["TPU532"]),
        ("'': v", ["TPU532"]),
        ("team: research lab", ["TPU532"]),
        ("tëam: v", ["TPU532"]),
        # GKE's own
        ("cloud.google.com/gke-spot: 'true'", ["TPU531"]),
        ("cloud.google.com/gke-nodepool: main", ["TPU531"]),
        ("sandbox.gke.io/runtime: gvisor", ["TPU531"]),
        ("cloud.google.com/gke-tpu-topology: 4x4", ["TPU531"]),  # the group has 2x2
        # of Kubernetes
        ("kubernetes.io/os: linux", ["TPU531"]),
        ("node-role.kubernetes.io/tpu: ''", ["TPU531"]),
        ("app.kubernetes.io/name: trainer", ["TPU531"]),
        ("k8s.io/team: research", ["TPU531"]),
        ("jobset.sigs.k8s.io/team: research", ["TPU531"]),
        ("node.kubernetes.io/team: research", []),
        ("kubelet.kubernetes.io/team: research", []),
        ("kueue.x-k8s.io/team: research", []),
        ("mykubernetes.io/team: research", []),
        ("cloud.google.com/compute-class: training", []),
        ("cloud.google.com/gke-kdump-enabled: 'true'", []),
        ("cloud.google.com/gke-workload-type: HIGH_AVAILABILITY", []),
        ("node-restriction.kubernetes.io/team: research", []),
        ("my-cloud.google.com/team: research", []),
    ],
)
def test_node_labels(labels: str, expected: list[str], check: Check) -> None:
    findings = check(on_family(f"node_labels: {{{labels}}}"))
    assert [finding.rule for finding in findings] == expected
    assert all(finding.severity.word == "error" for finding in findings)


@pytest.mark.parametrize(
    "labels",
    [
        "cloud.google.com/gke-smt-disabled: 'true'",
        "cloud.google.com/team: research",
        "autoscaling.gke.io/team: research",
        # what a published command for a node pool of this group writes
        "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology: 2x2",
        "cloud.google.com/gke-accelerator-count: '4'",
    ],
)
def test_a_label_that_gke_may_accept_is_not_refused(labels: str, check: Check) -> None:
    assert weights(check(on_family(f"node_labels: {{{labels}}}"))) == ["TPU531 warning"]


@pytest.mark.parametrize(
    ("keys", "fix"),
    [
        ("node_labels: {cloud.google.com/team: 'true'}", 'team: "true"'),
        ("node_labels: {node-role.kubernetes.io/tpu: ''}", 'tpu: ""'),
        ("node_labels: {kubernetes.io/os: linux}", "os: linux"),
        ("node_labels: {kubernetes.io/version: '1.30'}", 'version: "1.30"'),
        ("resource_labels: {Team: research}", "team: research"),
        ("resource_labels: {Stage: '1'}", 'stage: "1"'),
        ("resource_labels: {stage: 'TRUE'}", 'stage: "true"'),
        ("resource_labels: {'On': call}", '"on": call'),
    ],
)
def test_a_label_can_be_pasted_in_its_new_form(keys: str, fix: str, check: Check, broken: Broken) -> None:
    (finding,) = check(on_family(keys))
    assert finding.fix == fix
    assert broken(on_family(f"{keys.partition(':')[0]}: {{{fix}}}")) == []


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("collection: {name: chat}, node_labels: {cloud.google.com/gke-workload-type: HIGH_THROUGHPUT}", ["TPU538"]),
        ("collection: {name: chat}, node_labels: {cloud.google.com/gke-workload-type: HIGH_AVAILABILITY}", []),
        ("network_profile: auto, node_labels: {cloud.google.com/gke-networking-dra-driver: 'false'}", ["TPU538"]),
        ("network_profile: auto, node_labels: {cloud.google.com/gke-networking-dra-driver: 'true'}", []),
        ("capacity: {flex_start: {queued: true}}, node_labels: {cloud.google.com/gke-queued: 'false'}", ["TPU538"]),
        ("capacity: {flex_start: {queued: true}}, node_labels: {cloud.google.com/gke-queued: 'true'}", []),
        (f"driver_mode: dynamic_resource_allocation, node_labels: {{{DRA}: 'false'}}", ["TPU538"]),
        (f"driver_mode: dynamic_resource_allocation, node_labels: {{{DRA}: 'true'}}", []),
        (f"driver_mode: device_plugin, node_labels: {{{DRA}: 'true'}}", []),
        (f"node_labels: {{{DRA}: 'true'}}", []),
        ("node_labels: {cloud.google.com/gke-networking-dra-driver: 'true'}", []),
        ("node_labels: {cloud.google.com/gke-queued: 'true'}", ["TPU531"]),
    ],
)
def test_labels_that_other_keys_set(keys: str, expected: list[str], broken: Broken) -> None:
    assert broken(on_family(keys)) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("team: research", []),
        ("team: ''", []),
        ("team_1-x: a_1-x", []),
        ("équipe: recherche_été", []),
        (f"{'k' * 63}: {'v' * 63}", []),
        (f"{'k' * 64}: v", ["TPU533 error"]),
        (f"k: {'v' * 64}", ["TPU533 error"]),
        ("Team: research", ["TPU533 error"]),
        ("team: Research", ["TPU533 error"]),
        ("1team: research", ["TPU533 error"]),
        ("_team: research", ["TPU533 error"]),
        ("example.com/team: research", ["TPU533 error"]),
        ("team: research lab", ["TPU533 error"]),
        ("'': v", ["TPU533 error"]),
        ("goog-team: research", ["TPU533 warning"]),
    ],
)
def test_google_cloud_labels(labels: str, expected: list[str], check: Check) -> None:
    assert weights(check(on_family(f"resource_labels: {{{labels}}}"))) == expected
    for text in (
        f"mode: autopilot\nlocation: us-east5\nresource_labels: {{{labels}}}\n",
        f"version: 1\nproject: acme-ml\nresource_labels: {{{labels}}}\n"
        "clusters: {train: {mode: standard, location: us-east5}}\n",
    ):
        assert weights(check(text)) == expected


def test_the_fix_for_an_upper_case_label_is_lower_case(check: Check) -> None:
    (finding,) = check(on_family("resource_labels: {Team: Research}"))
    assert finding.fix == "team: research"
    (finding,) = check(on_family("resource_labels: {Team: Research Lab}"))
    assert finding.fix == ""


def many(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"{prefix}{number}: x" for number in range(count)) + "}"


@pytest.mark.parametrize(
    ("plan", "cluster", "members", "expected"),
    [
        (20, 20, 24, []),
        (20, 20, 25, ["group"]),
        (20, 45, 1, ["cluster"]),
        (65, 1, 1, ["plan"]),
        (65, 0, 0, ["plan"]),
    ],
)
def test_labels_are_counted_together(plan: int, cluster: int, members: int, expected: list[str], check: Check) -> None:
    text = (
        f"version: 1\nproject: acme-ml\nresource_labels: {many('p', plan)}\n"
        f"clusters:\n  train:\n    mode: standard\n    location: us-east5\n    resource_labels: {many('c', cluster)}\n"
        "    slices:\n      main:\n        tpu: v6e\n        topology: 2x2\n        zone: us-east5-b\n"
        f"        resource_labels: {many('g', members)}\n"
    )
    depths = {1: "plan", 3: "cluster", 5: "group"}
    findings = check(text)
    assert {finding.rule for finding in findings} <= {"TPU534"}
    assert [depths[len(finding.path)] for finding in findings] == expected


def test_values_known_later_are_passed_over(catalog: Catalog) -> None:
    members = {
        "tpu": "tpu7x",
        "topology": "2x2x2",
        "zone": "us-central1-c",
        "node_labels": {"team": Unknown(output=object()), "cloud.google.com/compute-class": Unknown(output=object())},
        "resource_labels": {"team": Unknown(output=object())},
        "placement": {"workload_policy": Unknown(output=object())},
        "extra": {"node_config": {"image_type": Unknown(output=object()), "tags": Unknown(output=object())}},
    }
    clusters = {"train": {"mode": "standard", "location": "us-central1", "slices": {"main": members}}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": clusters})
    assert document.content is not None
    assert validate(document.content, catalog) == ()

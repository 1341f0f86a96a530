"""Rules about the capacity that pods select, and labels that no node has."""

import pytest
from support.manifest_texts import assert_found, findings_of, only

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

FOUND = {
    # capacity and labels
    "Spot and a reservation": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"\ncloud.google.com/reservation-name: a'),
        "TPU732",
        E,
        "`cloud.google.com/reservation-name` conflicts with `cloud.google.com/gke-spot`",
    ),
    "a capital letter": (
        tpu_pod(selector='cloud.google.com/gke-flex-start: "True"'),
        "TPU799",
        W,
        "invalid value of `cloud.google.com/gke-flex-start` `True`",
    ),
    "a label without its domain": (tpu_pod(selector="gke-tpu-topology: 2x2"), "TPU733", W, "`gke-tpu-topology`"),
    "a label in another domain": (
        tpu_pod(selector="gke.google.com/gke-tpu-topology: 2x2"),
        "TPU733",
        W,
        "`gke.google.com/gke-tpu-topology`",
    ),
    "the documented but wrong label of a group": (
        tpu_pod(selector="cloud.google.com/gke-node-pool-group-name: a"),
        "TPU733",
        W,
        "gke-node-pool-group-name",
    ),
    "a topology beside a class": (
        tpu_pod(selector="cloud.google.com/compute-class: tpu"),
        "TPU735",
        N,
        "is selected beside the ComputeClass `tpu`",
    ),
    "another topology than that of the class": (
        tpu_pod(selector="cloud.google.com/compute-class: v6e") + "---" + compute_class(),
        "TPU735",
        W,
        "no priority of the ComputeClass `v6e` has the `cloud.google.com/gke-tpu-topology`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


def test_the_fix_of_a_label_is_a_key_or_the_key_of_an_expression() -> None:
    assert only(FOUND["a label without its domain"][0]).fix == "cloud.google.com/gke-tpu-topology:"
    term = "{key: cloud.google.com/gke-flexstart, operator: In, values: ['true']}"
    terms = f"nodeSelectorTerms: [{{matchExpressions: [{term}]}}]"
    affinity = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{{terms}}}}}}}"
    assert only(tpu_pod(spec=affinity)).fix == "key: cloud.google.com/gke-flex-start"


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("cloud.google.com/gke-node-pool", "cloud.google.com/gke-nodepool"),
        ("kubernetes.io/hostnam", "kubernetes.io/hostname"),
        ("topology.kubernetes.io/zones", "topology.kubernetes.io/zone"),
        ("cloud.google.com/gke-nodepool", None),
        ("acme.example/rack", None),
        ("zone", None),
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
        "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
        "[{weight: 1, podAffinityTerm: TERM}]}}",
        "topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: KEY}]",
    ],
)
def test_a_topology_is_the_key_of_a_label(place: str, key: str, near: str | None) -> None:
    term = "{topologyKey: KEY, labelSelector: {matchLabels: {app: a}}}"
    found = findings_of(tpu_pod(spec=place.replace("TERM", term).replace("KEY", key)), "TPU733")
    assert [item.allowed for item in found] == ([(near,)] if near else [])

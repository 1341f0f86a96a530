"""What the commands print about adopted clusters: unknown is unknown, and nothing that exists is created."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.each import each
from support.fleets import adoptions, fleets
from support.plan_edits import TODAY, catalog, document, preview

from pulumi_gke_tpu.core.estimate.headroom import headroom
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.adopt.files import plan_text
from pulumi_gke_tpu.features.explain.values.cluster import cluster_steps
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item, Surroundings
from pulumi_gke_tpu.features.plan.preview.document import Parts, preview_markdown, preview_text
from pulumi_gke_tpu.features.plan.preview.json import preview_json

OF_NEW_CLUSTERS = re.compile(r"creates|default network|public addresses|or later|IP endpoint|external IP")
ADOPTED = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    adopted: true
    version: "1.34.4-gke.1047000"
    {cluster}
    slices:
      old: {{tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: true}}
      {group}
"""


@dataclass(frozen=True)
class Taken:
    """A fleet as its plan takes it over."""

    name: str
    plan: CheckedPlan = field(repr=False)

    def __str__(self) -> str:
        return self.name


def taken() -> Iterator[Taken]:
    for fleet in fleets():
        for adoption in adoptions(fleet):
            clusters = adoption.plan.get("clusters", {}).values()
            if clusters and all(cluster.get("adopted") for cluster in clusters):
                written = read_plan_content(plan_text(adoption).encode(), "plan.yaml")
                yield Taken(fleet.name, check_plan(written, catalog(), TODAY))


def text_of(shown: PlanPreview) -> str:
    return " ".join(preview_text(shown, Parts(), width=100, color=False).split())


@each("one", taken)
def test_a_preview_creates_nothing_and_guesses_nothing(one: Taken) -> None:
    shown = preview_checked(one.plan, ())
    for text in (text_of(shown), preview_markdown(shown, resources=False)):
        found = OF_NEW_CLUSTERS.findall(text)
        if any(cluster.plan.private_nodes is False for cluster in shown.fleet.clusters):
            found = [word for word in found if word != "external IP"]
        if any(cluster.plan.written("control_plane") for cluster in shown.fleet.clusters):
            found = [word for word in found if word != "IP endpoint"]
        assert not found, found
        assert "dopts" in text


@each("one", taken)
def test_an_explanation_does_not_guess_what_the_plan_leaves_out(one: Taken) -> None:
    assert one.plan.fleet is not None
    for cluster in one.plan.fleet.clusters:
        around = Surroundings.of(one.plan.plan, one.plan.fleet, catalog())
        values = {step.name: step.value for step in cluster_steps(catalog(), cluster, around)}
        keys = {"network", "control_plane", "resource_labels", *(["security"] if cluster.mode == "standard" else [])}
        unset = {key: values[key] for key in keys if not cluster.plan.written(key)}
        assert unset == dict.fromkeys(unset, "unknown")


@each("one", taken)
def test_the_explanation_of_adopted_node_pools_does_not_guess_either(one: Taken) -> None:
    assert one.plan.fleet is not None
    for _, group in one.plan.fleet.groups():
        steps = explain_item(one.plan.plan, one.plan.fleet, catalog(), Item(*group.key.split("/"))).steps
        values = {step.name: step.value for step in steps}
        unset = {key for key in ("boot_disk", "max_pods_per_node") if not group.plan.written(key)}
        assert {values[key] for key in unset} <= {"unknown"}


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("", "adopts 2 resources: 1 cluster, 1 node pool"),
        (
            "new: {tpu: v6e, topology: 4x4, zone: us-east5-b}",
            "adopts 2 resources: 1 cluster, 1 node pool creates 1 resource: 1 node pool",
        ),
        (
            "new: {tpu: v6e, topology: 4x4, zone: us-east5-b, node_service_account: create}",
            "creates 4 resources: 1 node pool, 1 service account, 2 IAM grants",
        ),
    ],
)
def test_what_is_new_in_an_adopted_cluster_is_created(group: str, said: str) -> None:
    assert said in text_of(preview(ADOPTED.format(cluster="", group=group)))


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("control_plane: {dns_endpoint: true}", "DNS endpoint"),
        ('control_plane: {authorized_networks: {office: "203.0.113.0/24"}}', "IP endpoint for 203.0.113.0/24"),
        ("private_nodes: true", "private nodes"),
        ("network: {network: ml, subnetwork: ml}", "network ml, subnetwork ml"),
    ],
)
def test_what_the_plan_states_is_shown(stated: str, said: str) -> None:
    assert said in text_of(preview(ADOPTED.format(cluster=stated, group="")))


def test_json_tells_what_was_adopted() -> None:
    new = "new: {tpu: v6e, topology: 4x4, zone: us-east5-b}"
    data: Any = preview_json(preview(ADOPTED.format(cluster="", group=new)), resources=False)
    (cluster,) = data["clusters"]
    assert cluster["adopted"] is True
    assert {group["key"]: group["adopted"] for group in cluster["slices"]} == {"train/old": True, "train/new": False}


@pytest.mark.parametrize(
    ("group", "requests"),
    [
        ("", 0),
        ("new: {tpu: v6e, topology: 4x4, zone: us-east5-b}", 1),
        ("more: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {min: 0, max: 1}, adopted: true}", 1),
    ],
)
def test_the_quota_of_what_exists_is_not_requested(group: str, requests: int) -> None:
    plan = check_plan(document(ADOPTED.format(cluster="", group=group)), catalog(), TODAY)
    assert len(headroom([plan], None, catalog()).requests) == requests

"""The keys of Kubernetes objects: a model that is imported only for plans that have them."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.keys import documented_keys, inner_type, type_at
from pulumi_gke_tpu.core.plan.kubernetes import Kubernetes, WorkloadSpec
from pulumi_gke_tpu.core.plan.schema import plan_data

WORKLOAD = {"slices": "pretrain", "image": "train:v1"}


def parsed(kubernetes: object) -> Document[Plan]:
    cluster = {"mode": "standard", "location": "us-east5", "kubernetes": kubernetes}
    return parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})


def workload(**keys: Any) -> Document[Plan]:
    return parsed({"workloads": {"run": WORKLOAD | keys}})


def read(document: Document[Plan]) -> WorkloadSpec:
    assert document.content is not None, document.findings
    kubernetes = document.content.clusters["train"].kubernetes
    assert kubernetes is not None
    return kubernetes.workloads["run"]


def test_the_shortest_workload_names_slices_and_an_image() -> None:
    found = read(parsed({"workloads": {"run": WORKLOAD}}))
    assert (found.kind, found.count, found.containers, found.queue, found.volumes) == ("job", 1, 1, None, {})


@pytest.mark.parametrize(("given", "read_as"), [(8, "8"), (0.5, "0.5"), ("500m", "500m"), ("16Gi", "16Gi")], ids=str)
def test_a_quantity_can_be_a_number(given: object, read_as: str) -> None:
    assert read(workload(cpu=given, memory=given)).cpu == read_as


def test_the_canonical_form_keeps_every_key_and_reads_the_same() -> None:
    document = parsed(
        {
            "queues": {"research": {"chips": {"pretrain": 8}}},
            "priority_classes": {"urgent": {"value": 10}},
            "workloads": {"run": WORKLOAD | {"cpu": 8, "grace_period": "10m", "volumes": {"a": {"mount": "/a"}}}},
        }
    )
    assert document.content is not None
    data = plan_data(document.content)
    assert data["clusters"]["train"]["kubernetes"]["workloads"]["run"] == {
        **WORKLOAD,
        "cpu": "8",
        "grace_period": "600s",
        "volumes": {"a": {"mount": "/a"}},
    }
    assert parse_plan(data).content == document.content


@pytest.mark.parametrize(
    ("kubernetes", "path", "rule"),
    [
        ({"workloads": {"run": {"image": "a"}}}, ("workloads", "run"), "TPU021"),
        ({"workloads": {"run": WORKLOAD | {"volume": {}}}}, ("workloads", "run", "volume"), "TPU020"),
        ({"workloads": {"run": WORKLOAD | {"cpu": True}}}, ("workloads", "run", "cpu"), "TPU022"),
        ({"workloads": {"run": WORKLOAD | {"count": 0}}}, ("workloads", "run", "count"), "TPU023"),
        ({"queues": {"q": {"chips": {"g": -1}}}}, ("queues", "q", "chips", "g"), "TPU023"),
        ({"queues": []}, ("queues",), "TPU022"),
        (3, (), "TPU023"),
    ],
    ids=str,
)
def test_errors_of_form_name_the_whole_path(kubernetes: object, path: tuple[str, ...], rule: str) -> None:
    (found,) = parsed(kubernetes).findings
    assert (found.path, found.rule) == (("clusters", "train", "kubernetes", *path), rule)


def test_the_model_is_found_by_all_that_walk_the_keys() -> None:
    field = ClusterSpec.model_fields["kubernetes"]
    assert inner_type(field.annotation) is Kubernetes
    assert type_at(Plan, ("clusters", "train", "kubernetes", "workloads", "run")) is WorkloadSpec
    below = {path for path, _, _ in documented_keys(Plan) if path.startswith("clusters.*.kubernetes.")}
    assert {"clusters.*.kubernetes.workloads.*.volumes.*.disk.type", "clusters.*.kubernetes.queues.*.cohort"} <= below

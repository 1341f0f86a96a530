"""``TpuWorkloads`` in the real engine, with a stand-in for the provider of Kubernetes."""

import copy
import importlib.metadata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.kubernetes_standin import Objects, Provider
from support.engine.stack_run import EngineStack, Run
from support.provider_service import serving
from support.workload_plans import TRAIN, workload_plan

from pulumi_gke_tpu.components.plugin_version import plugin_version

VERSION = "4.34.2"


@dataclass(frozen=True)
class Cluster:
    """A stack whose provider of Kubernetes has these objects."""

    stack: EngineStack
    objects: Objects

    def up(self, plan: dict[str, Any]) -> Run:
        self.objects.log.clear()
        return self.stack.up(program(plan))


@pytest.fixture
def cluster(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    found = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: VERSION if name == "pulumi-kubernetes" else found(name)
    )
    plugin_version.cache_clear()
    objects = Objects()
    with serving(Provider(objects, VERSION)) as port:
        stack = engine.stack("prod")
        stack.attach("kubernetes", port)
        yield Cluster(stack, objects)
    plugin_version.cache_clear()


def plan(**workloads: Any) -> dict[str, Any]:
    slices = {"train": {**TRAIN, "count": 2}, "serve": {**TRAIN, "topology": "2x2", "count": 2}}
    every = {
        "pretrain": {"slices": "train", "kind": "jobset", "queue": "team", "priority": "high"},
        "chat": {"slices": "serve", "kind": "deployment", "port": 8000},
        **workloads,
    }
    kubernetes = {"namespace": "research", "queues": {"team": {}}, "priority_classes": {"high": {"value": 10}}}
    content = workload_plan(slices, every, kubernetes=kubernetes)
    return {key: value for key, value in content.items() if key != "version"}


def program(args: dict[str, Any]) -> Callable[[], None]:
    def run() -> None:
        from pulumi_gke_tpu import TpuWorkloads

        TpuWorkloads("c", copy.deepcopy(args))  # type: ignore[arg-type]

    return run


def changed(name: str, **keys: Any) -> dict[str, Any]:
    """The plan with other keys of a workload."""
    args = plan()
    args["clusters"]["c"]["kubernetes"]["workloads"][name] |= keys
    return args


def test_the_objects_are_created_in_their_order_and_stay_as_they_are(cluster: Cluster) -> None:
    assert cluster.up(plan()).error == ""
    kinds = [name.partition("/")[0] for name in cluster.objects.did("create")]
    order = ("Namespace", "PriorityClass", "ResourceFlavor", "JobSet")
    assert [kinds.index(kind) for kind in order] == sorted(kinds.index(kind) for kind in order)
    assert {"ClusterQueue", "LocalQueue", "Deployment", "Service", "WorkloadPriorityClass"} <= set(kinds)
    last_of_queues = max(index for index, kind in enumerate(kinds) if kind.endswith(("Queue", "Flavor")))
    assert last_of_queues < kinds.index("JobSet")
    again = cluster.up(plan())
    assert (again.error, cluster.objects.log) == ("", [])


def test_a_changed_jobset_is_deleted_and_created_again(cluster: Cluster) -> None:
    cluster.up(plan())
    assert cluster.up(changed("pretrain", args=["--steps=2"])).error == ""
    assert cluster.objects.log == [("delete", "JobSet/pretrain"), ("create", "JobSet/pretrain")]


def test_a_changed_deployment_is_updated(cluster: Cluster) -> None:
    cluster.up(plan())
    assert cluster.up(changed("chat", args=["--verbose"])).error == ""
    assert cluster.objects.log == [("update", "Deployment/chat")]


def test_other_labels_of_a_jobset_do_not_replace_it(cluster: Cluster) -> None:
    cluster.up(plan())
    args = plan()
    args["clusters"]["c"]["kubernetes"]["queues"]["other"] = {}
    args["clusters"]["c"]["kubernetes"]["workloads"]["pretrain"]["queue"] = "other"
    assert cluster.up(args).error == ""
    assert ("update", "JobSet/pretrain") in cluster.objects.log
    assert ("delete", "JobSet/pretrain") not in cluster.objects.log


def test_a_workload_that_leaves_the_plan_is_deleted(cluster: Cluster) -> None:
    cluster.up(plan(extra={"slices": "serve", "kind": "job"}))
    assert cluster.up(plan()).error == ""
    assert cluster.objects.log == [("delete", "Job/extra")]


def test_a_stack_without_the_component_deletes_everything_namespaces_last(cluster: Cluster) -> None:
    cluster.up(plan())
    cluster.objects.log.clear()
    assert cluster.stack.up(lambda: None).error == ""
    assert cluster.objects.stored == {}
    deleted = cluster.objects.did("delete")
    assert deleted[-1] == "Namespace/research"
    assert deleted.index("JobSet/pretrain") < deleted.index("LocalQueue/team")

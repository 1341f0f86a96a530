"""``TpuWorkloads`` in the real engine, with a stand-in for the provider of Kubernetes."""

import copy
import importlib.metadata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pulumi
import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import EngineStack, Run
from support.kubernetes_standin.provider import Provider
from support.kubernetes_standin.server import Objects
from support.provider_protocol.service import serving
from support.workload_plans import TRAIN, checked, every_option, workload_plan

from pulumi_gke_tpu.components.plugin_version import plugin_version
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.effects.objects import object_changes

VERSION = "4.34.2"


@dataclass(frozen=True)
class Cluster:
    """A stack whose provider of Kubernetes has these objects."""

    stack: EngineStack
    objects: Objects

    def up(self, plan: dict[str, Any]) -> Run:
        self.objects.log.clear()
        return self.stack.up(program(plan))

    def uids(self) -> dict[tuple[str, str], str]:
        """(kind, name) -> the identity that an object keeps as long as it is not deleted."""
        metadata = ((item["kind"], item["metadata"]) for item in self.objects.stored.values())
        return {(kind, found["name"]): found["uid"] for kind, found in metadata}


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


def program(args: dict[str, Any], options: pulumi.ResourceOptions | None = None) -> Callable[[], None]:
    def run() -> None:
        from pulumi_gke_tpu import TpuWorkloads

        TpuWorkloads("c", copy.deepcopy(args), options)  # type: ignore[arg-type]

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


def test_operators_are_installed_in_their_order_before_all_objects(cluster: Cluster) -> None:
    args = plan()
    args["clusters"]["c"]["kubernetes"]["operators"] = {"kueue": {}, "jobset": {}}
    assert cluster.up(args).error == ""
    created = cluster.objects.did("create")
    assert created[:2] == ["HelmRelease/jobset", "HelmRelease/kueue"]
    assert created[2] == "Namespace/research"
    assert (cluster.up(args).error, cluster.objects.log) == ("", [])
    args["clusters"]["c"]["kubernetes"]["operators"]["kueue"] = {"retention": {"finished": "7d"}}
    assert cluster.up(args).error == ""
    assert cluster.objects.log == [("update", "HelmRelease/kueue")]
    del args["clusters"]["c"]["kubernetes"]["operators"]
    assert cluster.up(args).error == ""
    assert cluster.objects.did("delete") == ["HelmRelease/kueue", "HelmRelease/jobset"]


def test_a_changed_jobset_is_deleted_and_created_again(cluster: Cluster) -> None:
    cluster.up(plan())
    assert cluster.up(changed("pretrain", args=["--steps=2"])).error == ""
    assert cluster.objects.log == [("delete", "JobSet/pretrain"), ("create", "JobSet/pretrain")]


def test_a_changed_deployment_is_updated(cluster: Cluster) -> None:
    cluster.up(plan())
    assert cluster.up(changed("chat", args=["--verbose"])).error == ""
    assert cluster.objects.log == [("update", "Deployment/chat")]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_an_unchanged_program_changes_nothing_whatever_its_objects_are(cluster: Cluster, mode: str) -> None:
    """The server stores objects in a form of its own: what differs from what was sent would change at every run."""
    args = {key: value for key, value in every_option(mode).items() if key != "version"}
    assert cluster.up(args).error == ""
    uids = cluster.uids()
    assert {kind for kind, _ in uids} == OF_EVERY_OPTION
    preview = cluster.stack.preview(program(args))
    assert (preview.error, {step.op for step in preview}) == ("", {"same"})
    assert (cluster.up(args).error, cluster.objects.log) == ("", [])
    assert cluster.stack.refresh().error == ""
    assert (cluster.up(args).error, cluster.objects.log) == ("", [])
    assert cluster.uids() == uids


OF_EVERY_OPTION = {
    *("Namespace", "PriorityClass", "WorkloadPriorityClass", "ComputeClass", "StorageClass", "PersistentVolumeClaim"),
    *("AdmissionCheck", "ProvisioningRequestConfig", "ResourceFlavor", "ClusterQueue", "Cohort", "LocalQueue"),
    *("Job", "JobSet", "LeaderWorkerSet", "Deployment", "RayCluster", "RayJob", "Service"),
    *("RayService", "HorizontalPodAutoscaler", "PodDisruptionBudget", "ResourceQuota", "RoleBinding"),
}


@pytest.mark.parametrize(
    ("word", "kind"), [("deployment", "Deployment"), ("leaderworkerset", "LeaderWorkerSet")], ids=["pods", "groups"]
)
def test_the_number_of_slices_is_left_to_the_autoscaler(cluster: Cluster, word: str, kind: str) -> None:
    """The stand-in has no field managers: `tests/kubernetes/test_serving.py` applies objects on the real server."""
    scale = {"min": 1, "max": 2, "metric": "queue", "target": 10}
    args = plan(scaled={"slices": "serve", "kind": word, "autoscale": scale})
    assert cluster.up(args).error == ""
    every = cluster.objects.stored.values()
    (served,) = (item for item in every if (item["kind"], item["metadata"]["name"]) == (kind, "scaled"))
    served["spec"]["replicas"] = 2
    assert (cluster.up(args).error, cluster.objects.log) == ("", [])
    assert cluster.stack.refresh().error == ""
    assert (cluster.up(args).error, cluster.objects.log) == ("", [])
    assert served["spec"]["replicas"] == 2


QUEUED = {"slices": "train", "kind": "jobset", "queue": "team"}
RAY = {"slices": "train", "kind": "rayjob", "command": ["python", "run.py"]}


def test_ignored_changes_keep_runs_until_they_end(cluster: Cluster) -> None:
    """A RayJob, and Jobs and JobSets of a queue, which a change of the image would replace."""

    def args(image: str) -> dict[str, Any]:
        more = {"sweep": RAY, "queued": QUEUED, "batch": {"slices": "serve", "kind": "job", "queue": "team"}}
        found = plan(**{name: {**workload, "image": image} for name, workload in more.items()})
        found["clusters"]["c"]["addons"] = ["ray_operator"]
        return found

    assert cluster.up(args("image:1")).error == ""
    cluster.objects.log.clear()
    assert cluster.stack.up(program(args("image:2"), pulumi.ResourceOptions(transforms=[keep_runs]))).error == ""
    assert cluster.objects.log == []
    assert cluster.up(args("image:2")).error == ""
    replaced = {"RayJob/sweep", "JobSet/queued", "Job/batch"}
    assert {name for action, name in cluster.objects.log if action == "delete"} == replaced


def keep_runs(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """The transform of docs/workloads.md."""
    if not args.type_.endswith((":Job", ":JobSet", ":RayJob")):
        return None
    keep = pulumi.ResourceOptions(ignore_changes=["metadata", "spec"])
    return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, keep))


# Replacements


@pytest.mark.parametrize("more", [{}, {"slices": "alone"}], ids=["single-host", "multi-host"])
def test_a_changed_job_is_replaced_while_its_pods_end(cluster: Cluster, more: dict[str, Any]) -> None:
    """The provider does not wait for the deletion of a Job, and a deleted one can stay until its Pods have ended."""
    for image in ("image:1", "image:2"):
        args = plan(small={"slices": "serve", "image": image, **more})
        args["clusters"]["c"]["slices"]["alone"] = {**TRAIN, "count": 1}
        assert cluster.up(args).error == ""
    assert cluster.objects.log == [("delete", "Job/small"), ("create", "Job/small")]


def test_a_changed_jobset_is_replaced_if_its_pods_take_long_to_end(cluster: Cluster) -> None:
    """The provider waits until they have ended, and by default at most ten minutes."""
    for image in ("image:1", "image:2"):
        args = plan(long={"slices": "train", "kind": "jobset", "grace_period": "1h", "image": image})
        assert cluster.up(args).error == ""
    assert cluster.objects.log == [("delete", "JobSet/long"), ("create", "JobSet/long")]


EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "image": lambda plan: [item.update(image="other:2") for item in plan["workloads"].values()],
    "restarts": lambda plan: [plan["workloads"][name].update(max_restarts=5) for name in ("small", "jobset", "rayjob")],
    "quota": lambda plan: plan["queues"]["team"].update(chips={"train": 64, "alone": 16}),
    "priority": lambda plan: plan["priority_classes"]["high"].update(value=11),
    "preemption": lambda plan: plan["priority_classes"]["low"].update(preemption="lower_priority"),
    "queue": lambda plan: plan["workloads"]["rayjob"].pop("queue"),
    "port": lambda plan: plan["workloads"]["chat"].update(port=9000),
    "disk": lambda plan: plan["workloads"]["small"]["volumes"]["data"]["disk"].update(size_gib=4096),
    "namespace": lambda plan: plan.update(namespace="product"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_change_does_to_each_object_what_diff_says(cluster: Cluster, edit: str) -> None:
    before, after = every_option("autopilot"), every_option("autopilot")
    EDITS[edit](after["clusters"]["c"]["kubernetes"])
    fleets = [checked(each).fleet for each in (before, after)]
    assert fleets[0] is not None
    assert fleets[1] is not None
    changes = object_changes("plan.yaml", fleets[0], fleets[1], read_catalog())
    expected = done((item.operation, "/".join(item.object.split("/")[:: item.object.count("/")])) for item in changes)
    for each in (before, after):
        assert cluster.up({key: value for key, value in each.items() if key != "version"}).error == ""
    assert done(cluster.objects.log) == expected
    assert expected


def done(changes: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Kind/name -> what is done to the object; replaced also if it moves to another namespace."""
    found: dict[str, set[str]] = {}
    for action, name in changes:
        found.setdefault(name, set()).add(action)
    assert all(actions == {"create", "delete"} or len(actions) == 1 for actions in found.values())
    return {name: actions.pop() if len(actions) == 1 else "replace" for name, actions in found.items()}


def test_another_queue_replaces_a_jobset(cluster: Cluster) -> None:
    """Kueue rejects it as long as the JobSet runs."""
    cluster.up(plan())
    args = plan()
    args["clusters"]["c"]["kubernetes"]["queues"]["other"] = {}
    args["clusters"]["c"]["kubernetes"]["workloads"]["pretrain"]["queue"] = "other"
    assert cluster.up(args).error == ""
    assert ("update", "JobSet/pretrain") not in cluster.objects.log
    assert ("delete", "JobSet/pretrain") in cluster.objects.log


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

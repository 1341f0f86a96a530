"""``TpuWorkloads``: the objects of ``gke-tpu manifests`` as resources, each after those that it needs."""

import importlib.metadata
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
import yaml
from support import wire
from support.former_urns import lost, unlisted
from support.recording import Recording, record
from support.wire import differences
from support.workload_plans import HEADS, TRAIN, checked, workload_plan

from pulumi_gke_tpu import FindingsError, TpuFleet, TpuWorkloads
from pulumi_gke_tpu.components.plugin_version import plugin_version
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.graph.registered import registered
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

VERSION = "4.34.2"
CORE = "kubernetes:core/v1:"


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """pulumi-kubernetes counts as installed: only its version is used."""
    found = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: VERSION if name == "pulumi-kubernetes" else found(name)
    )
    plugin_version.cache_clear()
    yield
    plugin_version.cache_clear()


def plan() -> dict[str, Any]:
    """A plan with an object of every concern."""
    group = {**TRAIN, "count": 2}
    disk = {"mount": "/data", "disk": {"type": "hyperdisk-balanced", "size_gib": 10}}
    kinds = ("job", "jobset", "leaderworkerset", "raycluster", "rayjob", "pathways")
    workloads: dict[str, Any] = {kind: {"slices": "train", "kind": kind} for kind in kinds}
    workloads["jobset"] |= {"queue": "team", "priority": "high"}
    workloads["notebook"] = {"slices": "single", "volumes": {"data": disk}}
    kubernetes = {"namespace": "research", "queues": {"team": {}}, "priority_classes": {"high": {"value": 10}}}
    slices = {
        "train": group,
        "single": {**TRAIN, "topology": "2x2"},
        "flexible": {**TRAIN, "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 1}},
    }
    more = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}}
    content = workload_plan(slices, workloads, kubernetes=kubernetes, **more)
    return {key: value for key, value in content.items() if key != "version"}


def run(args: dict[str, Any], **more: Any) -> Recording:
    return record(lambda: TpuWorkloads("c", args, **more) and None, hooks=True)


def declared(args: dict[str, Any]) -> Declarations:
    fleet = checked({"version": 1, **args}).fleet
    assert fleet is not None
    return Declarations(tpu_workloads(fleet.clusters[0], read_catalog(), "c"))


def test_the_graph_is_what_the_sdk_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "VERSION", VERSION)
    declarations = declared(plan())
    graph = registered(declarations, project="gke-tpu", stack="preview")
    assert differences(declarations, graph, run(plan()), hook="") == []


def test_the_objects_are_those_of_the_manifests() -> None:
    (cluster,) = manifests_of(checked({"version": 1, **plan()}))
    expected = [item for item in cluster.manifests if item.concern != "examples"]
    component, *sent = declared(plan())
    assert len(sent) == len(expected) == len((component.outputs or {})["objects"])
    for item, resource in zip(expected, sent, strict=True):
        metadata = dict(resource.properties["metadata"])
        annotations = dict(metadata.pop("annotations", {}))
        waits = annotations.pop("pulumi.com/skipAwait", None)
        assert (waits == "true") == (item.concern in ("storage", "workloads"))
        policy = annotations.pop("pulumi.com/deletionPropagationPolicy", None)
        assert (policy == "background") == (item.kind in ("Deployment", "Job"))
        force = annotations.pop("pulumi.com/patchForce", None)
        queued = "kueue.x-k8s.io/queue-name" in metadata["labels"]
        assert (force == "true") == (item.kind in ("RayJob", "RayService") or (item.kind == "RayCluster" and queued))
        rebuilt = {
            **resource.properties,
            "metadata": {**metadata, **({"annotations": annotations} if annotations else {})},
        }
        assert rebuilt == item.object


def with_operators() -> dict[str, Any]:
    """The same plan, which also installs operators."""
    args = plan()
    args["clusters"]["c"]["kubernetes"]["operators"] = {"kueue": {}, "leaderworkerset": {}, "jobset": {}}
    return args


def test_each_operator_is_a_helm_release_on_which_everything_else_depends() -> None:
    component, *every = declared(with_operators())
    assert (component.outputs or {})["objects"] == (declared(plan()).outermost.outputs or {})["objects"]
    releases, objects = every[:3], every[3:]
    assert {release.type for release in releases} == {"kubernetes:helm.sh/v3:Release"}
    assert [release.name for release in releases] == [
        f"c/operators/{n}" for n in ("jobset", "leaderworkerset", "kueue")
    ]
    waited = [set(release.options.depends_on) for release in releases]
    keys = [release.key for release in releases]
    assert waited == [set(), set(keys[:1]), set(keys[:2])]
    before = {resource.key: set(resource.options.depends_on) for resource in objects}
    for resource in objects:
        reached, todo = set(), [resource.key]
        while todo:
            todo += (found := before.get(todo.pop(), set()) - reached)
            reached |= found
        assert reached >= set(keys), resource.name


def test_operators_change_no_object() -> None:
    _, *without = declared(plan())
    _, *every = declared(with_operators())
    assert [item.properties for item in every[3:]] == [item.properties for item in without]


def test_the_graph_with_operators_is_what_the_sdk_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "VERSION", VERSION)
    graph = registered(declared(with_operators()), project="gke-tpu", stack="preview")
    assert differences(declared(with_operators()), graph, run(with_operators()), hook="") == []


def test_types_are_those_of_the_kubernetes_provider() -> None:
    types = {resource.type for resource in declared(plan()) if resource.custom}
    assert {
        f"{CORE}Namespace",
        f"{CORE}PersistentVolumeClaim",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",
        "kubernetes:storage.k8s.io/v1:StorageClass",
        "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
        "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue",
        "kubernetes:cloud.google.com/v1:ComputeClass",
    } <= types
    assert all(kind.startswith("kubernetes:") for kind in types)


def test_the_typed_classes_of_the_provider_have_the_same_types() -> None:
    classes = pytest.importorskip("pulumi_kubernetes", reason="the extra kubernetes is not installed")
    registered_types = {name for module in json.loads(_resource_modules(classes)) for name in module["classes"]}
    own = {resource.type for resource in declared(plan()) if resource.custom}
    of_kubernetes = {kind for kind in own if kind.split(":")[1] in GROUPS_OF_KUBERNETES}
    assert {kind.rpartition(":")[2] for kind in of_kubernetes} >= {"Namespace", "PriorityClass", "StorageClass"}
    assert of_kubernetes <= registered_types


GROUPS_OF_KUBERNETES = ("core/v1", "apps/v1", "batch/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1")


def _resource_modules(package: Any) -> str:
    """The list of types with which the package registers its classes."""
    source = pathlib.Path(package.__file__).read_text(encoding="utf-8")
    return source.partition('resource_modules="""')[2].partition('"""')[0]


def test_each_concern_waits_for_the_one_before() -> None:
    order = ["Namespace", "PriorityClass", "ComputeClass", "PersistentVolumeClaim", "ClusterQueue", "JobSet"]
    by_kind = {resource.type.rpartition(":")[2]: resource for resource in declared(plan())}
    every = {resource.key: resource for resource in declared(plan())}

    def first(resource: Any) -> set[str]:
        """The kinds of everything that has to exist before."""
        before = [every[key] for key in resource.options.depends_on]
        return {item.type.rpartition(":")[2] for item in before}.union(*map(first, before))

    for position, kind in enumerate(order):
        assert set(order[:position]) <= first(by_kind[kind]), kind


def test_a_fixed_specification_replaces_the_object() -> None:
    objects = [resource for resource in declared(plan()) if resource.custom]
    fixed = [item.type.rpartition(":")[2] for item in objects if "spec" in item.options.replace_on_changes]
    assert sorted(fixed) == ["JobSet", "JobSet", "JobSet", "RayJob"]
    assert [item.key for item in objects if not item.options.delete_before_replace] == []


@pytest.mark.parametrize(("written", "timeout"), [("1h", "70m"), ("90s", "12m"), (None, "")])
def test_deletions_wait_until_the_pods_have_ended(written: str | None, timeout: str) -> None:
    args = plan()
    args["clusters"]["c"]["kubernetes"]["workloads"]["notebook"]["grace_period"] = written
    found = {dict(resource.options.custom_timeouts).get("delete", "") for resource in declared(args) if resource.custom}
    assert found == {timeout}


def test_a_plan_with_one_cluster_needs_no_name_of_it() -> None:
    assert any("JobSet" in urn for urn in run(plan()).urns)


def test_a_plan_with_several_clusters_needs_the_name_of_one() -> None:
    args = plan()
    args["clusters"]["d"] = {**args["clusters"]["c"], "name": "other"}
    with pytest.raises(
        FindingsError, match=r"TPU021 cluster: missing key `cluster`: the plan has 2 clusters"
    ) as missing:
        run(args)
    assert "allowed: c, d" in str(missing.value)
    with pytest.raises(FindingsError, match="TPU023 cluster: unknown cluster `e` of the plan"):
        run(args, cluster="e")
    assert len(run(args, cluster="d").urns) == len(run(plan()).urns)
    assert run({**args, "cluster": "d"}).urns == run(args, cluster="d").urns


def test_a_wrong_plan_registers_nothing() -> None:
    args = plan()
    args["clusters"]["c"]["slices"]["train"]["topology"] = "4x5"
    with pytest.raises(FindingsError, match="TPU112"):
        run(args)


def test_an_output_can_be_the_image_of_a_workload() -> None:
    def program() -> None:
        args = plan()
        args["clusters"]["c"]["kubernetes"]["workloads"]["jobset"]["image"] = pulumi.Output.from_input("built:1")
        TpuWorkloads("c", args)  # type: ignore[arg-type]

    (sent,) = (item for item in record(program) if item.urn.endswith("JobSet::c/jobset"))
    assert "built:1" in str(sent.request.object)


URNS = pathlib.Path(__file__).parents[1] / "acceptance" / "data" / "workload_urns.yaml"


def test_every_released_urn_of_the_objects_is_found() -> None:
    """Add new URNs to the file; keep the old lines, so that an alias cannot be dropped later."""
    released: list[str] = yaml.safe_load(URNS.read_text(encoding="utf-8"))
    recording = run(plan())
    assert lost(released, recording) == []
    assert unlisted(released, recording) == []
    assert released == sorted(set(released))


def test_each_warning_is_logged_once_by_the_component_that_it_concerns() -> None:
    args = plan()
    cluster = args["clusters"]["c"]
    cluster["control_plane"] = {"authorized_networks": {"all": "0.0.0.0/0"}}
    cluster["kubernetes"]["workloads"]["jobset"]["grace_period"] = "2h"
    args["clusters"]["d"] = {**cluster, "name": "other", "control_plane": {}}

    def program() -> None:
        TpuFleet("prod", args)  # type: ignore[arg-type]
        TpuWorkloads("c", args, cluster="c")  # type: ignore[arg-type]
        TpuWorkloads("d", args, cluster="d")  # type: ignore[arg-type]

    logged = [message.partition(": ")[0] for message in record(program).messages]
    path = "kubernetes.workloads.jobset.grace_period of TpuWorkloads"
    assert sorted(logged) == [
        "TPU271 clusters.c.control_plane.authorized_networks.all of TpuFleet `prod`",
        f"TPU708 clusters.c.{path} `c`",
        f"TPU708 clusters.d.{path} `d`",
    ]

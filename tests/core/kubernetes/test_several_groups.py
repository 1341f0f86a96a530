"""What the objects of a workload on several slice groups say; the model of Kueue shows where its Pods then are."""

from typing import Any

import pytest
from support.rendered import named, values_of
from support.workload_plans import HEADS, checked, objects_of, only, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.scheduling import flavor_labels

CATALOG = read_catalog()
SLICE: dict[str, Any] = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
HOST: dict[str, Any] = {**SLICE, "topology": "2x2"}
QUEUED = {"flex_start": {"queued": True, "max_run_duration": "2d"}}


def groups(place: dict[str, Any] = SLICE) -> dict[str, dict[str, Any]]:
    """Four groups of one shape, of which the plan lists the last one first."""
    return {
        "spot": {**place, "capacity": "spot", "count": {"max": 2}},
        "later": {**place, "capacity": QUEUED, "count": {"max": 2}},
        "other": {**place, "capacity": {"reservation": "b"}, "count": 2, "node_labels": {"pool": "b"}},
        "ours": {
            **place,
            "capacity": {"reservation": "a"},
            "count": 2,
            "node_labels": {"pool": "a"},
            "taints": [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}],
        },
    }


def rendered(order: str, place: dict[str, Any] = SLICE, mode: str = "standard", **keys: Any) -> list[dict[str, Any]]:
    first, *others = order.split()
    run = {"slices": first, "fallback": others, "queue": "team", "kind": "jobset", **keys}
    slices = groups(place)
    if mode == "autopilot":
        hidden = ("node_labels", "taints", "zone")
        slices = {name: {key: item[key] for key in item if key not in hidden} for name, item in slices.items()}
    more = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    return objects_of(workload_plan(slices, {"run": run}, mode=mode, kubernetes={"queues": {"team": {}}}, **more))


def flavors_of(objects: list[dict[str, Any]]) -> list[str]:
    """The flavors of the queue in order."""
    (group,) = only(objects, "ClusterQueue")["spec"]["resourceGroups"]
    return [flavor["name"] for flavor in group["flavors"]]


def selected(item: dict[str, Any]) -> dict[str, str]:
    """The labels that Pods select by affinity, which Kueue does not change."""
    (affinity,) = values_of([item], "nodeAffinity")
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert all(one["operator"] == "In" and len(one["values"]) == 1 for one in term["matchExpressions"])
    return {one["key"]: one["values"][0] for one in term["matchExpressions"]}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("kind", "place"), [("job", HOST), ("job", SLICE), ("jobset", SLICE), ("jobset", HOST), ("pathways", SLICE)]
)
def test_kueue_alone_sets_the_node_selectors_that_it_changes(kind: str, place: dict[str, Any], mode: str) -> None:
    """Applying a node selector again would be a conflict with Kueue, which has added the labels of a flavor."""
    objects = rendered("ours spot", place, mode, kind=kind, **({"scratch": "gs://b/t"} if kind == "pathways" else {}))
    (item,) = (one for one in objects if "kueue.x-k8s.io/queue-name" in one["metadata"]["labels"])
    tpu = "cloud.google.com/gke-tpu-accelerator"
    assert selected(item)[tpu] == "tpu-v6e-slice"
    assert not any(tpu in one for one in values_of([item], "nodeSelector"))


@pytest.mark.parametrize(("kind", "place"), [("leaderworkerset", SLICE), ("deployment", HOST), ("raycluster", SLICE)])
def test_other_kinds_select_labels_themselves(kind: str, place: dict[str, Any]) -> None:
    """Kueue changes their Pods and not the object; the webhook for Ray reads the node selectors of workers."""
    objects = rendered("ours spot", place, kind=kind)
    (item,) = (one for one in objects if "kueue.x-k8s.io/queue-name" in one["metadata"]["labels"])
    assert any("cloud.google.com/gke-tpu-topology" in one for one in values_of([item], "nodeSelector"))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("spot", "spot later other ours"),
        ("ours spot", "later other ours spot"),
        ("other later", "spot other later ours"),
        ("ours other later spot", "ours other later spot"),
    ],
)
def test_the_flavors_have_the_order_of_the_workload_and_else_that_of_the_plan(order: str, expected: str) -> None:
    assert flavors_of(rendered(order)) == ["cpu", *(f"tpu-{name}" for name in expected.split())]


def test_the_orders_of_two_workloads_are_joined() -> None:
    runs = {
        "a": {"slices": "ours", "fallback": ["other"], "queue": "team", "kind": "jobset"},
        "b": {"slices": "other", "fallback": ["spot"], "queue": "team", "kind": "jobset"},
    }
    objects = objects_of(
        workload_plan(groups(), runs, kubernetes={"queues": {"team": {}, "idle": {"chips": {"ours": 0}}}})
    )
    queue = named(objects, "ClusterQueue")["team"]["spec"]["resourceGroups"][0]["flavors"]
    assert [flavor["name"] for flavor in queue] == ["cpu", "tpu-later", "tpu-ours", "tpu-other", "tpu-spot"]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("order", ["ours spot", "other spot", "ours later", "ours other later spot"])
def test_pods_tolerate_the_taints_of_exactly_their_groups(order: str, mode: str) -> None:
    (tolerations,) = values_of([only(rendered(order, mode=mode), "JobSet")], "tolerations")
    names = order.split()
    keys = {item["key"] for item in tolerations}
    assert {item["value"] for item in tolerations if item["key"] == "gke-tpu/slice-group"} == set(names)
    assert ("cloud.google.com/gke-queued" in keys) is ("later" in names)
    assert ("team" in keys) is ("ours" in names and mode == "standard")
    assert keys <= {"google.com/tpu", "gke-tpu/slice-group", "cloud.google.com/gke-queued", "team"}


def test_the_pods_do_not_depend_on_the_order() -> None:
    def pods(order: str) -> dict[str, Any]:
        return only(rendered(order), "JobSet")

    assert pods("ours other spot") == pods("spot ours other") == pods("other spot ours")


def test_pods_select_what_all_groups_have_and_flavors_the_rest() -> None:
    objects = rendered("ours later spot")
    shape = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"}
    assert selected(only(objects, "JobSet")) == shape
    labels = {name: item["spec"].get("nodeLabels") for name, item in named(objects, "ResourceFlavor").items()}
    assert labels["tpu-ours"] == {**shape, "pool": "a"}
    assert labels["tpu-later"] == {
        **shape,
        "cloud.google.com/gke-queued": "true",
        "cloud.google.com/gke-flex-start": "true",
    }
    assert labels["tpu-spot"] == {**shape, "cloud.google.com/gke-spot": "true"}


@pytest.mark.parametrize(
    ("order", "duration"), [("ours later", "172800"), ("later ours", "172800"), ("ours spot", None)]
)
def test_the_run_duration_is_that_of_the_group_with_queued_capacity(order: str, duration: str | None) -> None:
    annotations = only(rendered(order), "JobSet")["metadata"].get("annotations", {})
    assert annotations.get("provreq.kueue.x-k8s.io/maxRunDurationSeconds") == duration


def test_a_job_of_one_host_is_a_job_and_of_several_a_jobset() -> None:
    single, several = rendered("ours spot", HOST, kind="job"), rendered("ours spot", kind="job")
    assert only(single, "Job")["metadata"]["name"] == "run"
    assert only(several, "JobSet")["metadata"]["name"] == "run"
    assert "cloud.google.com/gke-nodepool" not in str(values_of(single + several, "nodeSelector"))


def test_extended_run_needs_each_group_without_spot() -> None:
    def annotated(order: str) -> bool:
        objects = rendered(order, HOST, "autopilot", kind="job", extended_run=True)
        return "autopilot.gke.io" in str(values_of(objects, "template")) or "safe-to-evict" in str(objects)

    assert (annotated("ours other"), annotated("ours spot"), annotated("spot ours")) == (True, False, False)


@pytest.mark.parametrize(
    ("zone", "allowed"), [("us-east5-b", ["us-east5-b"]), ("us-east5-a", ["us-east5-b", "us-east5-a"])]
)
def test_a_disk_may_be_in_the_zone_of_each_group(zone: str, allowed: list[str]) -> None:
    disk = {"type": "hyperdisk-ml", "size_gib": 10, "access": "read_only_many"}
    run = {"slices": "a", "fallback": ["b"], "queue": "q", "volumes": {"d": {"mount": "/d", "disk": disk}}}
    slices = {"a": {**SLICE, "node_labels": {"p": "a"}}, "b": {**SLICE, "zone": zone, "node_labels": {"p": "b"}}}
    objects = objects_of(workload_plan(slices, {"run": run}, kubernetes={"queues": {"q": {}}}))
    (values,) = values_of([only(objects, "StorageClass")], "values")
    assert values == allowed


def test_a_flavor_keeps_the_labels_that_only_its_group_has() -> None:
    """Kueue allows eight labels, and the Pods select the shared ones anyway."""
    shared = {f"label-{number}": "x" for number in range(7)}
    slices = {
        "a": {**SLICE, "count": 2, "node_labels": {**shared, "own": "a"}},
        "b": {**SLICE, "count": 2, "node_labels": {**shared, "own": "b"}},
        "other": {**SLICE, "count": 2},
    }
    run = {"slices": "a", "fallback": ["b"], "queue": "q", "kind": "jobset"}
    plan = workload_plan(slices, {"run": run}, kubernetes={"queues": {"q": {}}})
    (cluster,) = checked(plan).fleet.clusters
    first, second, _ = cluster.groups
    for group, value in ((first, "a"), (second, "b")):
        labels = flavor_labels(cluster, group, (first, second), CATALOG)
        assert labels["own"] == value
        assert len(labels) <= 8


def test_without_several_groups_a_flavor_has_the_labels_that_its_pods_select() -> None:
    objects = rendered("spot")
    (selector,) = values_of([only(objects, "JobSet")], "nodeSelector")
    assert named(objects, "ResourceFlavor")["tpu-spot"]["spec"]["nodeLabels"] == selector

"""Queues of Kueue: flavors, quotas, and the request for queued capacity."""

from typing import Any

import pytest
import yaml
from support.rendered import AUTOPILOT, STANDARD, cluster_of, named, objects_of, values_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.scheduling import pod_selector
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.kubernetes.kueue import queues

MANAGED = {"app.kubernetes.io/managed-by": "gke-tpu"}
GROUPS = """
slices:
  pretrain: {tpu: v6e, topology: 16x16, count: 2, zone: us-east5-b, capacity: {reservation: ours}}
  sweep: {tpu: v6e, topology: 2x4, chips_per_host: 8, count: {min: 0, max: 8}, zone: us-east5-b, capacity: spot}
  serve: {tpu: v6e, topology: 2x2, count: {min: 0, max: 3}, zone: us-east5-b, fallback: [spot]}
"""
QUEUED = """
slices:
  later: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {flex_start: {max_run_duration: 3d, queued: true}}}
  now: {tpu: v6e, topology: 4x8, zone: us-east5-b, capacity: {flex_start: {max_run_duration: 3d}}}
  request: {tpu: v6e, topology: 8x8, zone: us-east5-b, capacity: queued}
"""
COVERED = ["google.com/tpu", "cpu", "memory"]


def plan(kubernetes: Any, cluster: str = STANDARD, groups: str = GROUPS) -> str:
    return f"{cluster}{groups}{yaml.safe_dump({'kubernetes': kubernetes}, sort_keys=False)}"


def rendered(written: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    """The objects of the queues with these names."""
    return objects_of(plan({"queues": written}, **options), queues)


def spec_of(queue: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The specification of a ClusterQueue."""
    spec: dict[str, Any] = named(rendered({"research": queue}, **options), "ClusterQueue")["research"]["spec"]
    return spec


def quotas_of(spec: dict[str, Any], key: str = "nominalQuota") -> dict[str, dict[str, Any]]:
    """The quotas by flavor and resource."""
    (group,) = spec["resourceGroups"]
    return {
        flavor["name"]: {item["name"]: item.get(key) for item in flavor["resources"]} for flavor in group["flavors"]
    }


def test_without_queues_there_are_no_objects() -> None:
    assert objects_of(plan({"namespace": "research"}), queues) == []


def test_a_queue_in_full() -> None:
    found = rendered({"research": {"chips": {"sweep": 16}}})
    assert found == [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": "cpu", "labels": MANAGED},
            "spec": {},
        },
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": "tpu-sweep", "labels": MANAGED},
            "spec": {
                "nodeLabels": {
                    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                    "cloud.google.com/gke-tpu-topology": "2x4",
                    "cloud.google.com/gke-spot": "true",
                },
                "nodeTaints": [{"key": "gke-tpu/slice-group", "value": "sweep", "effect": "NoSchedule"}],
            },
        },
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ClusterQueue",
            "metadata": {"name": "research", "labels": MANAGED},
            "spec": {
                "namespaceSelector": {},
                "resourceGroups": [
                    {
                        "coveredResources": COVERED,
                        "flavors": [
                            {
                                "name": "cpu",
                                "resources": [
                                    {"name": "google.com/tpu", "nominalQuota": "0"},
                                    {"name": "cpu", "nominalQuota": "999999"},
                                    {"name": "memory", "nominalQuota": "999999Gi"},
                                ],
                            },
                            {
                                "name": "tpu-sweep",
                                "resources": [
                                    {"name": "google.com/tpu", "nominalQuota": "16"},
                                    {"name": "cpu", "nominalQuota": "360"},
                                    {"name": "memory", "nominalQuota": "2880Gi"},
                                ],
                            },
                        ],
                    }
                ],
                "preemption": {"withinClusterQueue": "Never", "reclaimWithinCohort": "Any"},
            },
        },
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "LocalQueue",
            "metadata": {"name": "research", "namespace": "default", "labels": MANAGED},
            "spec": {"clusterQueue": "research"},
        },
    ]


# Flavors


@pytest.mark.parametrize("cluster", [STANDARD, AUTOPILOT], ids=["standard", "autopilot"])
def test_a_flavor_has_the_labels_that_pods_select(cluster: str) -> None:
    fleet = cluster_of(plan({}, cluster))
    flavors = named(rendered({"research": {}}, cluster=cluster), "ResourceFlavor")
    labels = {name: item["spec"].get("nodeLabels") for name, item in flavors.items()}
    assert labels.pop("cpu") is None
    assert labels == {f"tpu-{group.name}": pod_selector(fleet, group, read_catalog()) for group in fleet.groups}


def test_the_flavor_of_a_class_has_only_the_label_of_the_class() -> None:
    flavors = named(rendered({"research": {}}), "ResourceFlavor")
    assert flavors["tpu-serve"]["spec"]["nodeLabels"] == {"cloud.google.com/compute-class": "tpu-serve"}


def test_a_flavor_has_at_most_eight_labels() -> None:
    """Kueue rejects more. Pods of workloads select all labels themselves."""
    rival = "tpu: v6e, topology: 4x4, zone: us-east5-b"
    labels = ", ".join(f"label-{number}: 'yes'" for number in range(12))
    rivals = "".join(
        f"  rival-{number}: {{{rival}, node_labels: {{{labels}, label-{number}: 'no'}}}}\n" for number in range(12)
    )
    groups = f"slices:\n  own: {{{rival}, node_labels: {{{labels}}}}}\n{rivals}"
    fleet = cluster_of(plan({}, groups=groups))
    assert len(pod_selector(fleet, fleet.groups[0], read_catalog())) > 8
    flavors = named(rendered({"research": {}}, groups=groups), "ResourceFlavor")
    assert max(len(item["spec"].get("nodeLabels", {})) for item in flavors.values()) == 8


def test_only_groups_with_quota_have_flavors_each_once() -> None:
    found = rendered({"a": {"chips": {"sweep": 8}}, "b": {"chips": {"sweep": 8, "pretrain": 0}}})
    names = [item["metadata"]["name"] for item in found if item["kind"] == "ResourceFlavor"]
    assert names == ["cpu", "tpu-pretrain", "tpu-sweep"]


def test_no_topology_is_written_because_a_static_slice_is_its_node_pool() -> None:
    found = rendered({"research": {}}, groups=QUEUED)
    assert "Topology" not in {item["kind"] for item in found}
    assert values_of(found, "topologyName") == []


# Quotas


def test_the_quota_of_a_group_is_its_maximum() -> None:
    chips = {name: quotas["google.com/tpu"] for name, quotas in quotas_of(spec_of({})).items()}
    assert chips == {"cpu": "0", "tpu-pretrain": "512", "tpu-sweep": "64", "tpu-serve": "12"}


def test_a_queue_with_quotas_has_only_these() -> None:
    chips = {name: quotas["google.com/tpu"] for name, quotas in quotas_of(spec_of({"chips": {"sweep": 24}})).items()}
    assert chips == {"cpu": "0", "tpu-sweep": "24"}


def test_cpu_and_memory_are_those_of_the_hosts_of_the_chips() -> None:
    """No Pod requests more than its host has, so chips limit a queue first: ct6e has 180 vCPUs on 4 and on 8 chips."""
    quotas = quotas_of(spec_of({}))
    assert quotas["tpu-pretrain"] == {"google.com/tpu": "512", "cpu": str(128 * 180), "memory": "90Ti"}
    assert quotas["tpu-sweep"] == {"google.com/tpu": "64", "cpu": str(8 * 180), "memory": f"{8 * 1440}Gi"}


def test_the_hosts_of_a_part_of_their_chips_count_as_a_whole() -> None:
    quotas = quotas_of(spec_of({"chips": {"sweep": 9}}))
    assert quotas["tpu-sweep"] == {"google.com/tpu": "9", "cpu": "360", "memory": "2880Gi"}


@pytest.mark.parametrize("groups", [GROUPS, QUEUED], ids=["static", "queued"])
def test_every_flavor_has_the_covered_resources_in_their_order(groups: str) -> None:
    """Kueue rejects another order."""
    (group,) = spec_of({}, groups=groups)["resourceGroups"]
    assert group["coveredResources"] == COVERED
    assert [[item["name"] for item in flavor["resources"]] for flavor in group["flavors"]] == [COVERED] * 4


@pytest.mark.parametrize("groups", [GROUPS, QUEUED], ids=["static", "queued"])
def test_the_first_flavor_is_for_pods_without_chips(groups: str) -> None:
    """A head would get the labels of the first flavor with enough CPU and memory, and wait for a TPU host."""
    (group,) = spec_of({}, groups=groups)["resourceGroups"]
    first = group["flavors"][0]
    assert (first["name"], first["resources"][0]) == ("cpu", {"name": "google.com/tpu", "nominalQuota": "0"})


def test_on_autopilot_a_queue_covers_what_autopilot_writes_into_pods() -> None:
    """Kueue admits no workload with a request that its queue does not cover, so the quota is there and never limits."""
    (group,) = spec_of({"cohort": "all", "borrow": {"sweep": 8}}, cluster=AUTOPILOT)["resourceGroups"]
    assert group["coveredResources"] == [*COVERED, "ephemeral-storage"]
    for flavor in group["flavors"]:
        assert [item["name"] for item in flavor["resources"]] == group["coveredResources"]
        assert flavor["resources"][-1] == {"name": "ephemeral-storage", "nominalQuota": "999999Gi"}


# Cohorts, preemption, namespaces


def test_a_queue_borrows_chips_from_its_cohort() -> None:
    spec = spec_of({"cohort": "all", "borrow": {"sweep": 8}})
    assert spec["cohortName"] == "all"
    limits = quotas_of(spec, "borrowingLimit")
    assert limits.pop("tpu-sweep") == {"google.com/tpu": "8", "cpu": None, "memory": None}
    assert {value for quotas in limits.values() for value in quotas.values()} == {None}


def test_a_limit_of_no_borrowed_chips_is_written() -> None:
    limits = quotas_of(spec_of({"cohort": "all", "borrow": {"sweep": 0}}), "borrowingLimit")
    assert limits["tpu-sweep"]["google.com/tpu"] == "0"


@pytest.mark.parametrize(
    ("preemption", "reclaim", "expected"),
    [
        ("never", "never", ("Never", "Never")),
        ("lower_priority", "lower_priority", ("LowerPriority", "LowerPriority")),
        ("lower_or_newer_equal_priority", "any", ("LowerOrNewerEqualPriority", "Any")),
    ],
)
def test_preemption(preemption: str, reclaim: str, expected: tuple[str, str]) -> None:
    spec = spec_of({"preemption": preemption, "reclaim": reclaim})
    assert tuple(spec["preemption"].values()) == expected
    assert list(spec["preemption"]) == ["withinClusterQueue", "reclaimWithinCohort"]


def test_every_namespace_is_admitted() -> None:
    """Without the selector, Kueue admits nothing."""
    assert spec_of({})["namespaceSelector"] == {}


def test_local_queues_are_in_the_namespace_of_the_queue_or_of_the_objects() -> None:
    written = {"namespace": "shared", "queues": {"a": {}, "b": {"namespace": "research"}}}
    found = named(objects_of(plan(written), queues), "LocalQueue")
    assert {name: item["metadata"]["namespace"] for name, item in found.items()} == {"a": "shared", "b": "research"}
    assert {name: item["spec"]["clusterQueue"] for name, item in found.items()} == {"a": "a", "b": "b"}


def test_each_object_comes_after_those_that_it_names() -> None:
    kinds = [item["kind"] for item in rendered({"a": {}, "b": {}}, groups=QUEUED)]
    assert list(dict.fromkeys(kinds)) == [
        *("ResourceFlavor", "ProvisioningRequestConfig", "AdmissionCheck", "ClusterQueue", "LocalQueue"),
    ]


# Queued capacity


def test_queued_capacity_is_requested_from_gke_before_admission() -> None:
    found = rendered({"research": {}}, groups=QUEUED)
    assert [item["spec"] for item in named(found, "ProvisioningRequestConfig").values()] == [
        {"provisioningClassName": "queued-provisioning.gke.io", "managedResources": ["google.com/tpu"]}
    ]
    ((name, check),) = named(found, "AdmissionCheck").items()
    assert check["spec"] == {
        "controllerName": "kueue.x-k8s.io/provisioning-request",
        "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": name},
    }
    assert list(named(found, "ProvisioningRequestConfig")) == [name]
    strategy = named(found, "ClusterQueue")["research"]["spec"]["admissionChecksStrategy"]
    assert strategy == {"admissionChecks": [{"name": name, "onFlavors": ["tpu-later", "tpu-request"]}]}


def test_a_queue_without_queued_capacity_has_no_check() -> None:
    found = rendered({"a": {"chips": {"now": 32}}, "b": {}}, groups=QUEUED)
    specs = named(found, "ClusterQueue")
    assert ("admissionChecksStrategy" in specs["a"]["spec"], "admissionChecksStrategy" in specs["b"]["spec"]) == (
        False,
        True,
    )


@pytest.mark.parametrize("capacity", ["flex_start", "spot", "on_demand", "{reservation: ours}"])
def test_other_capacity_has_no_checks(capacity: str) -> None:
    groups = f"slices:\n  train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {capacity}}}\n"
    kinds = {item["kind"] for item in rendered({"research": {}}, groups=groups)}
    assert kinds == {"ResourceFlavor", "ClusterQueue", "LocalQueue"}


def test_each_object_names_the_item_of_the_plan() -> None:
    objects = kubernetes_objects(cluster_of(plan({"queues": {"research": {"chips": {"sweep": 8}}}})))
    assert objects is not None
    root = ("clusters", "train")
    assert [(item.kind, item.path) for item in queues(objects, read_catalog())] == [
        ("ResourceFlavor", (*root, "kubernetes", "queues")),
        ("ResourceFlavor", (*root, "slices", "sweep")),
        ("ClusterQueue", (*root, "kubernetes", "queues", "research")),
        ("LocalQueue", (*root, "kubernetes", "queues", "research")),
    ]


# What queues share


def test_a_queue_admits_only_its_namespaces_and_has_a_local_queue_in_each() -> None:
    found = rendered({"team": {"namespaces": ["research", "papers"]}, "open": {}})
    queues = named(found, "ClusterQueue")
    assert queues["open"]["spec"]["namespaceSelector"] == {}
    assert queues["team"]["spec"]["namespaceSelector"] == {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["research", "papers"]},
        ]
    }
    local = [item["metadata"] for item in found if item["kind"] == "LocalQueue"]
    assert [(item["name"], item["namespace"]) for item in local] == [
        ("team", "research"),
        ("team", "papers"),
        ("open", "default"),
    ]


def test_limits_and_weight_are_only_those_of_the_plan() -> None:
    spec = spec_of({"cohort": "all", "lend": {"sweep": 8}, "borrow": {"sweep": 0}, "weight": 3})
    assert spec["fairSharing"] == {"weight": "3"}
    tpu = "google.com/tpu"
    for key, limits in (("lendingLimit", {"tpu-sweep": "8"}), ("borrowingLimit", {"tpu-sweep": "0"})):
        given = {
            (flavor, name): value
            for flavor, values in quotas_of(spec, key).items()
            for name, value in values.items()
            if value
        }
        assert given == {(flavor, tpu): value for flavor, value in limits.items()}
    assert "fairSharing" not in spec_of({"cohort": "all"})


@pytest.mark.parametrize("cluster", [STANDARD, AUTOPILOT], ids=["standard", "autopilot"])
def test_a_cohort_has_the_hosts_of_its_chips(cluster: str) -> None:
    """Without CPU and memory in the cohort, Pods on its chips would wait."""
    plan_keys = {
        "queues": {"research": {"cohort": "tpu", "chips": {"sweep": 0}}},
        "cohorts": {"all": {}, "tpu": {"parent": "all", "chips": {"sweep": 16}, "lend": {"serve": 4}, "weight": 2}},
    }
    found = named(objects_of(plan(plan_keys, cluster), queues), "Cohort")
    assert "spec" not in found["all"]
    spec = found["tpu"]["spec"]
    assert (spec["parentName"], spec["fairSharing"]) == ("all", {"weight": "2"})
    quotas = quotas_of(spec)
    assert quotas["tpu-sweep"].items() >= {"google.com/tpu": "16", "cpu": "360", "memory": "2880Gi"}.items()
    assert quotas["tpu-serve"]["google.com/tpu"] == "0"
    assert quotas_of(spec, "lendingLimit")["tpu-serve"]["google.com/tpu"] == "4"
    names = [item["kind"] for item in objects_of(plan(plan_keys, cluster), queues)]
    assert names.index("Cohort") < names.index("ClusterQueue")
    flavors = named(objects_of(plan(plan_keys, cluster), queues), "ResourceFlavor")
    assert {"tpu-sweep", "tpu-serve"} <= set(flavors)

"""Queues, priority classes and disks of plans in the real server, and the pools that their flavors select."""

import copy
from collections.abc import Callable
from fractions import Fraction

import pytest
import yaml
from support.control_plane.client import Object
from support.control_plane.nodes import NODE_POOL, pools_of
from support.control_plane.testbed import Testbed
from support.matrix import GENERATIONS, facts
from support.rendered import AUTOPILOT, STANDARD, cluster_of, cluster_of_data, named, values_of
from support.shipped import NAMES, STACKS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

CATALOG = read_catalog()
QUEUED = "capacity: {flex_start: {max_run_duration: 3d, queued: true}}"
MANY = f"""
slices:
  pretrain: {{tpu: v6e, topology: 16x16, count: 2, zone: us-east5-b, capacity: {{reservation: ours}}}}
  large: {{tpu: v6e, topology: 2x4, chips_per_host: 8, count: {{min: 0, max: 8}}, zone: us-east5-b}}
  small: {{tpu: v6e, topology: 2x4, chips_per_host: 4, count: 2, zone: us-east5-b}}
  later: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {QUEUED}}}
  serve: {{tpu: v6e, topology: 2x2, count: {{min: 0, max: 3}}, zone: us-east5-b, fallback: [spot]}}
kubernetes:
  namespace: research
  queues:
    research: {{cohort: all, borrow: {{large: 8}}, preemption: lower_priority}}
    serving: {{cohort: all, chips: {{serve: 4, later: 0}}, namespace: serving, reclaim: never}}
  priority_classes: {{urgent: {{value: 1000000000}}, idle: {{value: -5, preemption: never, description: Last.}}}}
  workloads:
    train:
      slices: large
      image: train
      queue: research
      priority: urgent
      volumes:
        scratch: {{mount: /scratch, disk: {{type: hyperdisk-balanced, size_gib: 100}}}}
        weights: {{mount: /weights, disk: {{type: hyperdisk-ml, size_gib: 500, access: read_only_many}}}}
"""


def stack(name: str) -> Cluster:
    """The cluster of a shipped stack, with one queue for everything and a workload on each slice group."""
    plan = yaml.safe_load((STACKS / name / "plan.yaml").read_text(encoding="utf-8"))
    (cluster,) = plan["clusters"].values()
    run = {f"run-{group}": {"slices": group, "image": "train", "queue": "everything"} for group in cluster["slices"]}
    kubernetes = {"queues": {"everything": {}}, "workloads": run}
    return cluster_of_data({"location": "us-east5", **cluster, "kubernetes": kubernetes})


def objects_of(cluster: Cluster) -> list[Object]:
    return [item.object for item in manifests(cluster, CATALOG)]


CLUSTERS = {
    **{name: stack(name) for name in NAMES},
    "many": cluster_of(STANDARD + MANY),
    "many on autopilot": cluster_of(
        AUTOPILOT + MANY.replace("2x4, chips_per_host: 8", "4x8").replace("2x4, chips_per_host: 4", "4x8")
    ),
}


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("name", CLUSTERS)
def test_the_server_accepts_every_object(name: str, bed: Testbed) -> None:
    items = objects_of(CLUSTERS[name])
    assert items
    assert [(item["kind"], words) for item in items if (words := bed.refusal(item))] == []


# Row S19 of the shipped stacks


def quotas(queue: Object) -> dict[str, dict[str, Fraction | None]]:
    (group,) = queue["spec"]["resourceGroups"]
    return {
        flavor["name"]: {item["name"]: parse_quantity(item["nominalQuota"]) for item in flavor["resources"]}
        for flavor in group["flavors"]
    }


@pytest.mark.parametrize("name", [name for name in CLUSTERS if name != "many on autopilot"])
def test_a_flavor_selects_exactly_the_pools_of_its_slice_group(name: str) -> None:
    """Kueue does not look at nodes: it would admit a workload for a flavor that no pool matches."""
    cluster = CLUSTERS[name]
    pools = pools_of(cluster)
    flavors = named(objects_of(cluster), "ResourceFlavor")
    assert len(flavors) == len(cluster.groups) + 1
    for group in cluster.groups:
        labels = flavors[f"tpu-{group.name}"]["spec"]["nodeLabels"]
        selected = {pool.name for pool in pools if labels.items() <= {**pool.labels, NODE_POOL: pool.name}.items()}
        own = {pool.name for pool in group.pools}
        assert selected == (own or {pool.name for pool in pools if pool.name.startswith(f"nap-{group.name}-")})
        assert selected


@pytest.mark.parametrize("name", NAMES)
def test_the_quotas_of_a_stack_are_its_largest_number_of_chips(name: str) -> None:
    cluster = CLUSTERS[name]
    (queue,) = named(objects_of(cluster), "ClusterQueue").values()
    chips = sum(pool.nodes * pool.chips for pool in pools_of(cluster))
    assert sum(found["google.com/tpu"] for found in quotas(queue).values()) == chips > 0


@pytest.mark.parametrize("name", NAMES)
def test_chips_are_the_first_quota_that_ends(name: str) -> None:
    """The Pods on all hosts together can request all CPUs and the memory of the hosts."""
    cluster = CLUSTERS[name]
    (queue,) = named(objects_of(cluster), "ClusterQueue").values()
    for group in cluster.groups:
        machine = facts(f"generations/{group.shape.generation}")["machine_types"][group.shape.machine_type]
        hosts = group.hosts.maximum
        found = quotas(queue)[f"tpu-{group.name}"]
        assert (found["cpu"], found["memory"]) == (hosts * machine["vcpu"], hosts * machine["memory_gib"] * 2**30)


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_queue_covers_every_resource_that_pods_request(name: str) -> None:
    """Kueue admits nothing that requests another resource."""
    items = objects_of(CLUSTERS[name])
    pods = [item for item in items if item["kind"] in ("Job", "JobSet")]
    requested = {resource for requests in values_of(pods, "requests") for resource in requests}
    assert requested == {"google.com/tpu", "cpu", "memory"}
    for queue in named(items, "ClusterQueue").values():
        assert requested <= set(queue["spec"]["resourceGroups"][0]["coveredResources"])


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_selects_the_labels_of_a_flavor_with_chips(name: str) -> None:
    """Kueue chooses the flavor by the labels that Pods select: with others, it would add labels of another group."""
    items = objects_of(CLUSTERS[name])
    flavors = named(items, "ResourceFlavor")
    for group in CLUSTERS[name].groups:
        run = [item for item in items if item["metadata"]["name"] == f"run-{group.name}"]
        (selector,) = values_of(run, "nodeSelector")
        assert flavors[f"tpu-{group.name}"]["spec"]["nodeLabels"].items() <= selector.items()


# One mistake each


def _limit_without_cohort(items: dict[str, Object]) -> Object:
    item = items["ClusterQueue"]
    del item["spec"]["cohortName"]
    return item


def _missing_resource(items: dict[str, Object]) -> Object:
    item = items["ClusterQueue"]
    item["spec"]["resourceGroups"][0]["flavors"][1]["resources"].pop()
    return item


def _name_of_the_last_version(items: dict[str, Object]) -> Object:
    item = items["ClusterQueue"]
    item["spec"]["cohort"] = item["spec"].pop("cohortName")
    return item


def _nine_labels(items: dict[str, Object]) -> Object:
    item = items["ResourceFlavor"]
    item["spec"]["nodeLabels"] = {f"label-{number}": "a" for number in range(9)}
    return item


def _priority_of_the_system(items: dict[str, Object]) -> Object:
    return {**items["PriorityClass"], "value": 1_000_000_001}


def _unknown_policy(items: dict[str, Object]) -> Object:
    return {**items["PriorityClass"], "preemptionPolicy": "LowerPriority"}


def _binding_mode(items: dict[str, Object]) -> Object:
    return {**items["StorageClass"], "volumeBindingMode": "Later"}


def _access_mode(items: dict[str, Object]) -> Object:
    item = items["PersistentVolumeClaim"]
    item["spec"]["accessModes"] = ["read_write_once"]
    return item


BROKEN: dict[Callable[[dict[str, Object]], Object], str] = {
    _limit_without_cohort: "borrowingLimit must be nil when cohort",
    _missing_resource: "flavors must have the same number of resources",
    _name_of_the_last_version: 'unknown field "spec.cohort"',
    _nine_labels: "Too many",
    _priority_of_the_system: "maximum allowed value of a user defined priority is 1000000000",
    _unknown_policy: "Unsupported value",
    _binding_mode: "Unsupported value",
    _access_mode: "supported values",
}


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("change", BROKEN, ids=lambda change: change.__name__.strip("_"))
def test_the_server_refuses_an_object_with_one_mistake(
    change: Callable[[dict[str, Object]], Object], bed: Testbed
) -> None:
    items = {item["kind"]: copy.deepcopy(item) for item in reversed(objects_of(CLUSTERS["many"]))}
    assert BROKEN[change] in bed.refusal(change(items))


# Row S12: disks


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_server_accepts_the_class_and_claim_of_every_disk_type(generation: str, bed: Testbed) -> None:
    rows = facts(f"generations/{generation}")["topologies"]["rows"]
    machine = facts(f"generations/{generation}")["machine_types"][rows[0]["machine_type"]]
    zone = facts("zones")["families"][machine["family"]]["documented"]["zones"][0]
    for disk in facts("disks")["families"][machine["family"]]["attach"]:
        for access in ("read_write_once", "read_only_many"):
            volume = {"mount": "/data", "disk": {"type": disk, "size_gib": 100, "access": access}}
            cluster = {
                "mode": "standard",
                "location": zone.rpartition("-")[0],
                "slices": {"s": {"tpu": generation, "topology": rows[0]["topology"], "zone": zone}},
                "kubernetes": {"workloads": {"w": {"slices": "s", "image": "i", "volumes": {"data": volume}}}},
            }
            items = [item for item in objects_of(cluster_of_data(cluster)) if item["kind"] != "JobSet"]
            assert [bed.refusal(item) for item in items] == [""] * len(items)
            (storage,) = named(items, "StorageClass").values()
            assert storage["allowedTopologies"][0]["matchLabelExpressions"][0]["values"] == [zone]
            claim = named(items, "PersistentVolumeClaim")["w-data"]["spec"]
            modes = {"read_write_once": ["ReadWriteOnce"], "read_only_many": ["ReadOnlyMany"]}
            assert claim["accessModes"] == modes[access]

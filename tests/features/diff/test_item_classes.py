"""What the class of an item is about: a cluster or what belongs to it; and which key of the plan comes first."""

import pytest
from support.plan_edits import items, only_item, report

from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.output.texts import headline, written_text

CLUSTER = "mode: standard\nlocation: us-east5\n"
NETWORK = f"{CLUSTER}network: {{create: {{}}}}\n"
HEAD = "cpu_pools: {head: {machine_type: n2-standard-64, max_nodes: 2}}\n"
SLICES = "slices:\n  main: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"

ABOUT = [
    # before, after, class of the cluster, headline
    (NETWORK, NETWORK.replace("{}", "{nat: false}"), "delete", "1 Cloud NAT deleted"),
    (NETWORK.replace("{}", "{nat: false}"), NETWORK, "create", "1 Cloud NAT created"),
    (CLUSTER, f"{CLUSTER}security: {{secure_boot: false}}\n", "replace", "1 system pool replaced"),
    (CLUSTER, f"{CLUSTER}system_pool: {{max_nodes: 5}}\n", "in-place", "1 system pool changed in place"),
    (
        CLUSTER,
        f"{CLUSTER}system_pool: {{machine_type: n2-standard-8}}\n",
        "restart",
        "1 system pool restarted",
    ),
    (
        CLUSTER,
        f"{CLUSTER}node_service_account: a@acme-ml.iam.gserviceaccount.com\n",
        "delete",
        "1 service account deleted, 1 system pool replaced",
    ),
    (CLUSTER, f"{CLUSTER}{HEAD}", "create", "1 CPU pool created"),
    (f"{CLUSTER}{HEAD}", CLUSTER, "delete", "1 CPU pool deleted"),
    (f"{CLUSTER}{HEAD}", f"{CLUSTER}{HEAD}".replace("-64", "-80"), "restart", "1 CPU pool restarted"),
    (NETWORK, f"{CLUSTER}network: {{network: a, subnetwork: b}}\n", "replace", "1 cluster replaced"),
    (NETWORK, NETWORK.replace("us-east5", "us-east1"), "replace", "1 cluster replaced"),
    (NETWORK, "", "delete", "1 cluster deleted"),
    ("", NETWORK, "create", "1 cluster created"),
    (CLUSTER, f"{CLUSTER}release_channel: rapid\n", "in-place", "1 cluster changed in place"),
    (CLUSTER, f"{CLUSTER}deletion_protection: false\n", "metadata", "1 cluster changed in metadata only"),
]


@pytest.mark.parametrize(("before", "after", "change", "said"), ABOUT)
def test_what_it_is_that_changes(before: str, after: str, change: str, said: str) -> None:
    found = report(before, after)
    (item,) = found.items
    assert (item.item, item.change) == ("train", change)
    assert headline(Report(found), 0).split(" · ")[0] == said


def test_resources_of_a_cluster_are_listed_after_groups() -> None:
    account = "node_service_account: a@acme-ml.iam.gserviceaccount.com\n"
    found = report(CLUSTER + SLICES, CLUSTER + account + SLICES)
    assert headline(Report(found), 0).startswith(
        "1 service account deleted, 1 slice group replaced, 1 system pool replaced · "
    )


SEVERAL = f"""\
{CLUSTER}release_channel: rapid
system_pool: {{machine_type: n2-standard-8}}
addons: [gcs_fuse, ray_operator]
maintenance: {{window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}}}
"""


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ("", ["system_pool.machine_type", "release_channel"]),
        ("security: {dataplane_v2: false}\n", ["security.dataplane_v2", "system_pool.machine_type"]),
        ("extra: {description: a}\n", ["extra.description", "system_pool.machine_type"]),
    ],
)
def test_the_key_that_makes_the_class_comes_first(more: str, first: list[str]) -> None:
    item = only_item(CLUSTER, SEVERAL + more)
    assert [change.key for change in item.written][:2] == first
    assert written_text(item, 4)[0].startswith(first[0])


@pytest.mark.parametrize(
    ("after", "first"),
    [
        ("machine_type: n2-standard-80, max_nodes: 2, spot: true", "spot"),
        ("machine_type: n2-standard-80, max_nodes: 3", "machine_type"),
        ("machine_type: n2-standard-80, max_nodes: 3, extra: {max_pods_per_node: 64}", "extra.max_pods_per_node"),
    ],
)
def test_a_key_of_a_cpu_pool_comes_first_as_well(after: str, first: str) -> None:
    item = items(f"{CLUSTER}{HEAD}", f"{CLUSTER}cpu_pools: {{head: {{{after}}}}}\n")["train"]
    assert item.written[0].key == f"cpu_pools.head.{first}"


def test_a_key_of_a_group_comes_first_as_well() -> None:
    after = CLUSTER + SLICES.replace("zone", "node_labels: {a: b}, max_pods_per_node: 64, zone")
    item = items(CLUSTER + SLICES, after)["train/main"]
    assert [change.key for change in item.written] == ["max_pods_per_node", "node_labels.a"]


def test_a_key_that_sets_several_properties_is_placed_by_the_one_that_changes() -> None:
    after = CLUSTER + SLICES.replace("zone", "boot_disk: {size_gib: 200}, capacity: spot, zone")
    item = items(CLUSTER + SLICES, after)["train/main"]
    assert item.change == "replace"
    assert [change.key for change in item.written] == ["capacity", "boot_disk.size_gib"]


def test_a_key_whose_resource_is_deleted_comes_first() -> None:
    after = NETWORK.replace("{}", "{nat: false}") + "release_channel: rapid\n"
    item = only_item(NETWORK, after)
    assert item.change == "delete"
    assert [change.key for change in item.written] == ["network.create.nat", "release_channel"]


def test_a_key_of_a_block_that_changes_as_a_whole_counts_as_changed() -> None:
    window = "maintenance: {window: {start: 2026-01-03T02:00:00Z, duration: 6h}}\n"
    item = only_item(CLUSTER, f"{CLUSTER}deletion_protection: false\n{window}")
    assert [change.key for change in item.written] == [
        "maintenance.window.start",
        "maintenance.window.duration",
        "deletion_protection",
    ]

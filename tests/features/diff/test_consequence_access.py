"""Who reaches a cluster and its nodes after a change; which VMs are needed while old and new pools are both there."""

import pytest
from support.plan_edits import items, only_item

CLUSTER = "mode: standard\nlocation: us-east5\n"


def endpoints(text: str) -> str:
    return f"{CLUSTER}control_plane: {{{text}}}\n"


OFFICE = "authorized_networks: {office: 203.0.113.0/24}"
ACCESS = [
    (
        endpoints(OFFICE),
        CLUSTER,
        "The IP endpoint is disabled: clients that use the address of the control plane stop working.",
    ),
    (
        CLUSTER,
        endpoints(OFFICE),
        "The IP endpoint is enabled. The plan lets `203.0.113.0/24` reach the IP endpoint from now on.",
    ),
    (
        endpoints(OFFICE),
        endpoints(f"{OFFICE}, dns_endpoint: false"),
        (
            "The DNS endpoint is disabled: clients that use the name of the control plane, such as `kubectl`, "
            "stop working."
        ),
    ),
    (
        endpoints(OFFICE),
        endpoints(OFFICE.replace("113", "114")),
        "The plan no longer lets `203.0.113.0/24` reach the IP endpoint. The plan lets `203.0.114.0/24` reach the IP "
        "endpoint from now on.",
    ),
    (
        endpoints(OFFICE),
        endpoints(f"{OFFICE}, private: true"),
        "The IP endpoint has only a private address: clients on the internet stop working.",
    ),
    (
        endpoints(f"{OFFICE}, private: true"),
        endpoints(OFFICE),
        "The IP endpoint gets a public address in addition to its private one.",
    ),
    (f"{CLUSTER}private_nodes: true\n", f"{CLUSTER}private_nodes: false\n", "Nodes get public addresses."),
    (
        f"{CLUSTER}private_nodes: false\n",
        f"{CLUSTER}private_nodes: true\n",
        "Nodes get no public addresses: without Cloud NAT they cannot reach the internet.",
    ),
]


@pytest.mark.parametrize(("before", "after", "said"), ACCESS)
def test_who_gets_in(before: str, after: str, said: str) -> None:
    assert said in items(before, after)["train"].consequence


def test_a_network_of_another_name_is_the_same() -> None:
    assert "reach" not in only_item(endpoints(OFFICE), endpoints(OFFICE.replace("office", "home"))).consequence


RESERVED = "tpu: v6e\ntopology: 4x4\ncapacity: {reservation: pool}\nprotect: false\n"
OWNED = "reservations: [{{name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: {}}}]"


@pytest.mark.parametrize(
    ("vms", "said"),
    [
        (
            8,
            "The group uses 8 VMs of reservation `pool`; the reservation has 8 available VMs. Until the old node pools "
            "are deleted, old and new ones together need 12 VMs of reservation `pool`, which has 8 available: the "
            "creation of the new ones fails. Two changes work: first delete the old slices, then add the new ones.",
        ),
        (12, "The group uses 8 VMs of reservation `pool`; the reservation has 12 available VMs."),
    ],
)
def test_old_and_new_pools_together(vms: int, said: str) -> None:
    """One is deleted, one stays, one is created."""
    item = only_item(f"{RESERVED}count: 2\n", f"{RESERVED}indices: [1, 2]\n", owned=OWNED.format(vms))
    assert (
        "New node pools are created before old ones are deleted: capacity for 12 hosts is needed for some time."
        in item.consequence
    )
    assert item.consequence.endswith(said)
    assert item.overlap is not None
    assert (item.overlap.needed.minimum, item.overlap.limit) == (12, vms)


def test_a_replaced_pool_is_deleted_first_and_needs_no_additional_capacity() -> None:
    assert only_item(RESERVED, RESERVED.replace("4x4", "4x8"), owned=OWNED.format(8)).overlap is None


def test_a_group_that_asks_for_no_hosts_overlaps_with_nothing() -> None:
    """One group gets a new name, so its pool is created before the old one is deleted; another gets a label."""
    head = "mode: standard\nlocation: us-east5\nslices:\n"
    group = "  {}: {{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {{reservation: pool}}, protect: false{}}}\n"
    before = head + group.format("main", "") + group.format("other", "")
    after = head + group.format("main", ", name: new") + group.format("other", ", resource_labels: {a: b}")
    found = items(before, after, owned=OWNED.format(8))
    assert {name: item.overlap is not None for name, item in found.items()} == {
        "train/main": True,
        "train/other": False,
    }


def test_hosts_that_restart_are_counted() -> None:
    item = only_item(f"{RESERVED}count: 2\n", f"{RESERVED}count: 2\nboot_disk: {{size_gib: 200}}\n")
    assert (item.hosts_gone.maximum, item.hosts_restarted.minimum, item.hosts_restarted.maximum) == (0, 8, 8)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("count: {min: 0, max: 8}", "count: 4", (0, 4)),
        ("count: {min: 6, max: 8}", "count: 4", (2, 4)),
        ("count: 8", "count: 4", (4, 4)),
        ("count: 8", "count: {min: 0, max: 4}", (0, 0)),
        ("count: {min: 0, max: 8}", "count: {min: 0, max: 4}", (0, 0)),
    ],
)
def test_hosts_that_a_pool_gives_up(before: str, after: str, gone: tuple[int, int]) -> None:
    """An autoscaler removes idle hosts only, so none are lost to it."""
    single = "tpu: v6e\ntopology: 2x2\n"
    item = only_item(f"{single}{before}\n", f"{single}{after}\n")
    assert (item.hosts_gone.minimum, item.hosts_gone.maximum) == gone

"""What a change of networks for additional interfaces means, where Compute Engine will not delete what hosts use."""

import pytest
from support.plan_edits import findings, items

BASE = """
mode: standard
location: us-east5
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  main: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
"""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("0.0/20", "0.0/19")], False),
        ([("0.0/20", "0.0/21")], True),
        ([("10.64.0.0", "10.66.0.0")], True),
        ([("0.0/20}", "0.0/20, mtu: 1460}")], False),
        # another network: the node pools are replaced first
        ([("data:", "storage:"), ("[data]", "[storage]")], False),
        # the node pools are replaced, without interfaces, before the network is deleted
        ([("additional_networks: {data: {subnet: 10.64.0.0/20}}", ""), (", additional_networks: [data]", "")], False),
        ([(", additional_networks: [data]", "")], False),
    ],
)
def test_a_network_in_use_is_reported(changes: list[tuple[str, str]], expected: bool) -> None:
    after = BASE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    assert ("TPU968" in {finding.rule for finding in findings(BASE, after)}) is expected


@pytest.mark.parametrize("count", ["2", "{min: 0, max: 2}"])
@pytest.mark.parametrize(
    "also",
    [
        (),
        (("main: {", "other: {"), (", additional_networks: [data]", "")),
        (("[data]", "[storage]"),),
        (("topology: 4x4", "topology: 4x8"),),
    ],
    ids=["nothing else", "another group", "another network", "replaced as well"],
)
def test_a_replaced_subnetwork_fails_whatever_else_happens_to_the_node_pools(
    count: str, also: tuple[tuple[str, str], ...]
) -> None:
    """Pulumi asks the provider about the node pools that exist, which crashes: also if they have no hosts."""
    before = BASE.replace("data: {", "storage: {subnet: 10.66.0.0/20}, data: {", 1).replace(
        "4x4,", f"4x4, count: {count},"
    )
    after = before
    for old, new in (("0.0/20}}", "0.0/21}}"), *also):
        assert old in after
        after = after.replace(old, new)
    (found,) = [finding for finding in findings(before, after) if finding.rule == "TPU968"]
    assert found.severity.name == "ERROR"
    assert "the provider crashes when it compares node pool train/main/main-0" in items(before, after)["train"].refused


def test_a_network_without_node_pools_can_be_replaced() -> None:
    before = BASE.replace(", additional_networks: [data]", "")
    after = before.replace("0.0/20", "0.0/21")
    assert "TPU968" not in {finding.rule for finding in findings(before, after)}
    assert items(before, after)["train"].refused == ""


@pytest.mark.parametrize("private", ["", "private_nodes: true\n"])
def test_removing_the_interfaces_of_a_group_replaces_its_node_pools(private: str) -> None:
    before = BASE.replace("slices:", f"{private}slices:")
    item = items(before, before.replace(", additional_networks: [data]", ""))["train/main"]
    assert (item.change, item.hosts_gone.minimum) == ("replace", 4)


def test_removing_the_interfaces_of_an_existing_cluster_s_group_replaces_its_node_pools() -> None:
    """The program then sends no network configuration at all."""
    before = (
        "version: 1\nproject: p1-project\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"
        "    existing: projects/p1-project/locations/us-east5/clusters/train\n    version: '1.34'\n"
        "    node_service_account: tpu@p1-project.iam.gserviceaccount.com\n    slices:\n"
        "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b,"
        " additional_networks: [{network: data, subnetwork: data-us-east5}]}\n"
    )
    after = before.replace(", additional_networks: [{network: data, subnetwork: data-us-east5}]", "")
    assert after != before
    assert items(before, after)["train/main"].change == "replace"

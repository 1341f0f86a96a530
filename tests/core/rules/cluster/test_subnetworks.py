"""Existing networks and subnetworks: region, project and secondary ranges, in every form of their names."""

from collections.abc import Callable
from typing import Any

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding, format_path

Broken = Callable[[str], list[str]]
Check = Callable[[str], tuple[Finding, ...]]

LINK = "https://www.googleapis.com/compute/v1/"
RANGES = "pods_range: pods, services_range: services"


def cluster(network: str, subnetwork: str, more: str = RANGES, location: str = "us-east5") -> str:
    mode = "autopilot" if location.startswith("autopilot ") else "standard"
    place = location.removeprefix("autopilot ")
    return (
        f"mode: {mode}\nlocation: {place}\nnetwork: {{network: '{network}', subnetwork: '{subnetwork}'"
        + (f", {more}" if more else "")
        + "}\n"
    )


def interfaces(network: str, subnetwork: str) -> str:
    return f"tpu: v6e\ntopology: 4x4\nadditional_networks: [{{network: '{network}', subnetwork: '{subnetwork}'}}]"


@pytest.mark.parametrize(
    ("subnetwork", "region"),
    [
        ("tpu", ""),
        ("regions/us-east5/subnetworks/tpu", ""),
        ("projects/acme-ml/regions/us-east5/subnetworks/tpu", ""),
        (f"{LINK}projects/acme-ml/regions/us-east5/subnetworks/tpu", ""),
        ("regions/us-central1/subnetworks/tpu", "us-central1"),
        ("projects/acme-ml/regions/us-central1/subnetworks/tpu", "us-central1"),
        (f"{LINK}projects/acme-ml/regions/us-central1/subnetworks/tpu", "us-central1"),
        ("projects/acme-ml/regions/us-east5-b/subnetworks/tpu", "us-east5-b"),
        ("some/other/form", ""),
    ],
)
@pytest.mark.parametrize("place", ["us-east5", "us-east5-b", "autopilot us-east5", "interface"])
def test_a_subnetwork_in_another_region_is_reported(check: Check, subnetwork: str, region: str, place: str) -> None:
    text = interfaces("net-1", subnetwork) if place == "interface" else cluster("net", subnetwork, location=place)
    path = "slices.pretrain.additional_networks[0]" if place == "interface" else "network.existing"
    expected = [
        (
            "TPU216",
            f"clusters.train.{path}.subnetwork",
            f"subnetwork `tpu` is in `{region}`, but the cluster is in us-east5",
        )
    ]
    found = [(item.rule, format_path(item.path), item.message) for item in check(text) if item.rule != "TPU229"]
    assert found == (expected if region else [])


@pytest.mark.parametrize(
    ("network", "subnetwork", "fix"),
    [
        ("shared", "tpu", None),
        ("projects/acme-ml/global/networks/shared", "tpu", None),
        ("global/networks/shared", "projects/acme-ml/regions/us-east5/subnetworks/tpu", None),
        ("projects/acme-net/global/networks/shared", "projects/acme-net/regions/us-east5/subnetworks/tpu", None),
        ("projects/1234567890/global/networks/shared", "projects/acme-net/regions/us-east5/subnetworks/tpu", None),
        ("projects/acme-net/global/networks/shared", "projects/1234567890/regions/us-east5/subnetworks/tpu", None),
        (
            "projects/acme-net/global/networks/shared",
            "tpu",
            "subnetwork: projects/acme-net/regions/us-east5/subnetworks/tpu",
        ),
        (
            f"{LINK}projects/acme-net/global/networks/shared",
            "regions/us-east5/subnetworks/tpu",
            "subnetwork: projects/acme-net/regions/us-east5/subnetworks/tpu",
        ),
        ("projects/acme-net/global/networks/shared", "projects/other-net/regions/us-east5/subnetworks/tpu", ""),
        ("shared", "projects/acme-net/regions/us-east5/subnetworks/tpu", ""),
    ],
)
def test_a_subnetwork_in_another_project_is_reported(
    check: Check, network: str, subnetwork: str, fix: str | None
) -> None:
    found = [(item.rule, item.severity.word, item.fix) for item in check(cluster(network, subnetwork))]
    assert found == ([] if fix is None else [("TPU217", "error", fix)])


@pytest.mark.parametrize(
    ("network", "subnetwork", "expected"),
    [
        ("projects/a-net-1/global/networks/n", "projects/a-net-1/regions/us-east5/subnetworks/s", []),
        ("projects/a-net-1/global/networks/n", "projects/b-net-1/regions/us-east5/subnetworks/s", ["TPU217"]),
        ("projects/a-net-1/global/networks/n", "s", []),
        ("n", "projects/b-net-1/regions/us-east5/subnetworks/s", []),
    ],
)
def test_only_full_names_of_additional_interfaces_are_compared(
    broken: Broken, network: str, subnetwork: str, expected: list[str]
) -> None:
    assert broken(interfaces(network, subnetwork)) == expected


@pytest.mark.parametrize(
    ("network", "ranges", "expected"),
    [
        ("projects/acme-net/global/networks/shared", RANGES, []),
        ("projects/acme-net/global/networks/shared", "pods_range: pods", []),
        ("projects/acme-net/global/networks/shared", "services_range: services", ["TPU218 warning"]),
        ("projects/acme-net/global/networks/shared", "", ["TPU218 warning"]),
        ("projects/acme-ml/global/networks/own", "", []),
        ("projects/1234567890/global/networks/own", "", []),
        ("own", "", []),
    ],
)
def test_a_shared_vpc_requires_a_range_for_pods(check: Check, network: str, ranges: str, expected: list[str]) -> None:
    owner = network.split("/")[1] if "/" in network else "acme-ml"
    text = cluster(network, f"projects/{owner}/regions/us-east5/subnetworks/tpu", ranges)
    assert [f"{item.rule} {item.severity.word}" for item in check(text)] == expected


def test_pods_and_services_require_different_ranges(check: Check) -> None:
    (finding,) = check(cluster("net", "sub", "pods_range: all, services_range: all"))
    assert (finding.rule, finding.severity.word) == ("TPU219", "error")
    assert format_path(finding.path) == "clusters.train.network.existing.services_range"


def test_unknown_values_are_not_compared(catalog: Catalog) -> None:
    later = Unknown(output="an output")
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    for network, subnetwork in ((later, "projects/b-net-1/regions/us-east5/subnetworks/s"), ("shared", later)):
        pair: dict[str, Any] = {"network": network, "subnetwork": subnetwork}
        slices = {"main": {**group, "additional_networks": [{**pair, "network": Unknown(output="another")}]}}
        cluster = {"mode": "standard", "location": "us-east5", "network": {"existing": {**pair}}, "slices": slices}
        plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
        assert plan is not None
        assert validate(plan, catalog) == ()


@pytest.mark.parametrize(
    ("network", "subnetwork", "expected"),
    [
        ("shared-vpc", "tpu", []),
        ("projects/acme-net/global/networks/shared", "projects/acme-net/regions/us-east5/subnetworks/tpu", []),
        ("global/networks/shared", "regions/us-east5/subnetworks/tpu", []),
        (
            "https://www.googleapis.com/compute/v1/projects/acme-net/global/networks/shared",
            "https://www.googleapis.com/compute/v1/projects/acme-net/regions/us-east5/subnetworks/tpu",
            [],
        ),
        ("Shared_VPC", "tpu", [("network", "shared-vpc")]),
        ("projects/acme-net/networks/shared", "tpu", [("network", "")]),
        ("shared", "us-east5/tpu", [("subnetwork", "")]),
        ("-", "t" * 64, [("network", ""), ("subnetwork", "")]),
    ],
)
def test_networks_are_named_as_compute_engine_names_them(
    network: str, subnetwork: str, expected: list[tuple[str, str]], check: Check
) -> None:
    ranges = "pods_range: pods, services_range: services"
    text = f"{{existing: {{network: '{network}', subnetwork: '{subnetwork}', {ranges}}}}}"
    found = check(f"mode: standard\nlocation: us-east5\nnetwork: {text}\n")
    malformed = [finding for finding in found if finding.rule == "TPU229"]
    assert [(finding.path[-1], finding.fix) for finding in malformed] == expected


IPV6 = "PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE"


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        (f"{{private_ipv6_google_access: {IPV6}}}", ["TPU236"]),
        ("{privateIpv6GoogleAccess: PRIVATE_IPV6_GOOGLE_ACCESS_BIDIRECTIONAL}", ["TPU236"]),
        (f"{{private_ipv6_google_access: {IPV6}, ip_allocation_policy: {{stack_type: IPV4}}}}", ["TPU236"]),
        (f"{{private_ipv6_google_access: {IPV6}, ip_allocation_policy: {{stack_type: IPV4_IPV6}}}}", []),
        ("{private_ipv6_google_access: INHERIT_FROM_SUBNETWORK}", []),
        ("{ip_allocation_policy: {stack_type: IPV4}}", []),
    ],
)
def test_private_ipv6_access_needs_ipv6_addresses(broken: Broken, extra: str, expected: list[str]) -> None:
    found = broken(f"mode: standard\nlocation: us-east5\nextra: {extra}\n")
    assert [rule for rule in found if rule == "TPU236"] == expected

"""What ``gke-tpu check`` says of node pools in plans of Terraform, by the form and by the action of the plan."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.terraform.plans import POOL, change, changed, plan, slice_values

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Finding

CATALOG = read_catalog()
SLICE = f"{POOL}.slice"


def findings(action: list[str], before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, Finding]:
    resources = ResourceReader(CATALOG).read("plan.json", plan(change(SLICE, action, before, after)).encode())
    assert resources is not None
    return {finding.rule: finding for finding in check_resources(resources.found, CATALOG)}


def created(**config: Any) -> dict[str, Finding]:
    values = slice_values()
    values["node_config"][0] |= config
    return findings(["create"], None, values)


def reservation(path: str) -> list[dict[str, Any]]:
    key = "compute.googleapis.com/reservation-name"
    return [{"consume_reservation_type": "SPECIFIC_RESERVATION", "key": key, "values": [path]}]


@pytest.mark.parametrize("disk", ["pd-ssd", "pd-balanced", "pd-standard"])
@pytest.mark.parametrize(
    ("config", "place"),
    [
        (lambda disk: {"disk_type": disk}, "node_config.disk_type"),
        (lambda disk: {"boot_disk": [{"disk_type": disk}]}, "node_config.boot_disk.disk_type"),
    ],
)
def test_a_boot_disk_has_two_places(disk: str, config: Any, place: str) -> None:
    found = created(**config(disk))
    assert f"{SLICE}: {place}: " in found["TPU501"].message


def test_a_boot_disk_that_the_machines_have_is_right() -> None:
    assert "TPU501" not in created(disk_type="hyperdisk-balanced")


@pytest.mark.parametrize(
    "path",
    [
        "v6e/reservationSubBlocks/sub-0001",
        "reservations/v6e/reservationSubBlocks/sub-0001",
        "projects/acme-ml/reservations/v6e/reservationSubBlocks/sub-0001",
    ],
)
def test_a_sub_block_requires_its_block(path: str) -> None:
    assert "TPU321" in created(reservation_affinity=reservation(path))


@pytest.mark.parametrize("path", ["v6e", "v6e/reservationBlocks/b", "v6e/reservationBlocks/b/reservationSubBlocks/s"])
def test_a_block_can_be_named_with_and_without_a_sub_block(path: str) -> None:
    assert "TPU321" not in created(reservation_affinity=reservation(path))


@pytest.mark.parametrize(
    ("config", "reported"),
    [({}, True), ({"spot": True}, False), ({"flex_start": True}, False), ({"labels": {"team": "ml"}}, True)],
)
def test_only_node_pools_that_could_have_a_reservation_need_an_affinity(
    config: Mapping[str, Any], reported: bool
) -> None:
    assert ("TPU365" in created(**config)) is reported


def test_a_queued_node_pool_needs_no_affinity() -> None:
    assert "TPU365" not in findings(["create"], None, slice_values(queued_provisioning=[{"enabled": True}]))


@pytest.mark.parametrize(
    ("action", "reported"),
    [(["update"], False), (["no-op"], False), (["delete", "create"], True), (["create", "delete"], True)],
)
def test_an_affinity_that_would_replace_a_node_pool_is_not_advised(action: list[str], reported: bool) -> None:
    after = changed(slice_values(), "node_config.labels", {"team": "ml"})
    assert ("TPU365" in findings(action, slice_values(), after)) is reported


SCOPES = "https://www.googleapis.com/auth/"


@pytest.mark.parametrize(
    "scope",
    [
        f"\t{SCOPES}cloud-platform",
        f"{SCOPES}cloud-platform ",
        f"{SCOPES}cloud-plattform",
        f"{SCOPES}cloudplatform",
        "cloud-plaform",
        f" {SCOPES}logging.write",
    ],
)
def test_a_misspelled_scope_is_a_warning(scope: str) -> None:
    assert "TPU595" in created(oauth_scopes=[f"{SCOPES}monitoring", scope])


@pytest.mark.parametrize(
    "scope",
    [
        "cloud-platform",
        f"{SCOPES}cloud-platform",
        f"{SCOPES}cloud-platform.read-only",
        f"{SCOPES}devstorage.read_only",
        f"{SCOPES}compute",
        "https://mail.google.com/",
    ],
)
def test_other_scopes_are_right(scope: str) -> None:
    assert "TPU595" not in created(oauth_scopes=[scope])


LIMITS = [{"min_node_count": 0, "max_node_count": 4, "location_policy": "ANY"}]
SIZES = {
    "both": ({"node_count": 4, "autoscaling": LIMITS}, True),
    "total limits": ({"node_count": 4, "autoscaling": [{"total_max_node_count": 4, "location_policy": "ANY"}]}, True),
    "no count": ({"node_count": None, "autoscaling": LIMITS}, False),
    "zero": ({"node_count": 0, "autoscaling": LIMITS}, False),
    "no limits": ({"node_count": 4, "autoscaling": []}, False),
}


@pytest.mark.parametrize("name", SIZES)
def test_an_autoscaled_node_pool_has_no_fixed_size(name: str) -> None:
    sizes, wrong = SIZES[name]
    found = findings(["create"], None, slice_values(**sizes))
    assert ("TPU466" in found) is wrong


@pytest.mark.parametrize(
    ("expression", "wrong"), [({"constant_value": 4}, True), ({"references": ["var.size"]}, False), (None, False)]
)
def test_a_node_count_beside_autoscaling_may_be_the_present_one(
    expression: Mapping[str, Any] | None, wrong: bool
) -> None:
    """After the creation, a plan shows the present number wherever the configuration has none."""
    sizes = {"node_count": 4, "autoscaling": LIMITS}
    action = change(SLICE, ["update"], slice_values(**sizes), slice_values(**sizes, max_pods_per_node=32))
    document = json.loads(plan(action))
    block = {"mode": "managed", "type": "google_container_node_pool", "name": "slice"}
    block["expressions"] = {"node_count": expression} if expression else {}
    document["configuration"] = {"root_module": {"resources": [block]}}
    resources = ResourceReader(CATALOG).read("plan.json", json.dumps(document).encode())
    assert resources is not None
    assert ("TPU466" in {each.rule for each in check_resources(resources.found, CATALOG)}) is wrong

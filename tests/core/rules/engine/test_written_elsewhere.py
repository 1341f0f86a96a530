"""Values as other tools write them: the finding is one, and its fix keeps what was meant."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

CATALOG = read_catalog()
GROUP = "tpu: v6e, topology: 4x4, zone: us-east5-b"


def found_in(
    group: str = GROUP, location: str = "us-east5", mode: str = "standard", cluster: str = ""
) -> list[Finding]:
    text = f"""\
version: 1
project: acme-ml
clusters:
  train:
    mode: {mode}
    location: {location}
    {cluster}
    slices:
      main: {{{group}}}
      other: {{tpu: v6e, topology: 8x8{"" if location.count("-") > 1 else ", zone: us-east5-a"}}}
"""
    return list(check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG).findings)


@pytest.mark.parametrize(
    ("machine", "fix"),
    [
        ("E2-standard-4", "e2-standard-4"),
        ("e2_standard_4", "e2-standard-4"),
        ("zones/us-east5-a/machineTypes/n2-highmem-8", "n2-highmem-8"),
        ("m5.xlarge", "n2-standard-4"),
    ],
)
def test_a_respelled_machine_type_keeps_its_series(machine: str, fix: str) -> None:
    (found,) = found_in(cluster=f"system_pool: {{machine_type: {machine}}}")
    assert (found.rule, found.severity.word, found.fix) == ("TPU254", "error", f"machine_type: {fix}")


@pytest.mark.parametrize(
    ("machine", "fix"),
    [
        ("e2-standart-4", "machine_type: e2-standard-4"),
        ("n2-highmen-8", "machine_type: n2-highmem-8"),
        ("c4-standrad-8-lssd", "machine_type: c4-standard-8-lssd"),
        ("n2-standard", ""),
        ("n2-standard-four", ""),
    ],
)
def test_a_misspelled_class_of_a_known_series_is_a_warning(machine: str, fix: str) -> None:
    (found,) = found_in(cluster=f"system_pool: {{machine_type: {machine}}}")
    assert (found.rule, found.severity.word, found.fix) == ("TPU254", "warning", fix)


@pytest.mark.parametrize(
    "machine",
    [
        "e2-medium",
        "e2-custom-4-8192",
        "e2-custom-medium-4096",
        "c4-standard-8-lssd",
        "c3-standard-192-metal",
        "m3-ultramem-32",
        "z3-highmem-88",
        "a3-highgpu-8g",
        "n2-megamem-4",
        "c5-hyperdense-4",
    ],
)
def test_a_machine_type_that_may_exist_has_no_finding(machine: str) -> None:
    assert found_in(cluster=f"system_pool: {{machine_type: {machine}}}") == []


def test_a_reservation_as_a_link_is_split_into_its_parts() -> None:
    link = "https://www.googleapis.com/compute/v1/projects/shared-ml/zones/us-east5-b/reservations/v6e"
    (found,) = found_in(f"{GROUP}, capacity: {{reservation: '{link}'}}")
    assert (found.rule, found.fix) == ("TPU322", "reservation: {name: v6e, project: shared-ml}")


def test_a_reservation_with_capitals_and_underscores_is_respelled() -> None:
    (found,) = found_in(f"{GROUP}, capacity: {{reservation: V6e_Res}}")
    assert (found.rule, found.fix) == ("TPU322", "name: v6e-res")


def test_a_wrong_zone_of_a_zonal_cluster_is_one_finding_about_its_location() -> None:
    (found,) = found_in("tpu: v6e, topology: 4x4", location="us-east5-d")
    assert (found.rule, found.path) == ("TPU207", ("clusters", "train", "location"))
    assert found.fix == "location: us-east5-a"


@pytest.mark.parametrize("name", ["trillium", "ct6e", "v6e-16", "tpu-v6e-slice"])
def test_errors_behind_another_name_of_a_generation_are_reported_at_once(name: str) -> None:
    found = found_in(f"tpu: {name}, topology: 4x3, zone: us-east5-d")
    assert [each.rule for each in found] == ["TPU101", "TPU112", "TPU207"]


def test_one_zone_in_a_list_is_the_zone_on_autopilot() -> None:
    found = found_in("tpu: v6e, topology: 4x4, zones: [us-east5-b]", mode="autopilot")
    assert [(each.rule, each.fix) for each in found] == [("TPU281", "zone: us-east5-b")]


@pytest.mark.parametrize("name", ["10.16.0.0/14", "Pods", "tpu/pods"])
def test_the_addresses_of_a_range_are_not_its_name(name: str) -> None:
    network = f"network: {{network: a, subnetwork: b, pods_range: {name}, services_range: svc}}"
    (found,) = found_in(cluster=network)
    assert (found.rule, found.severity.word, found.path[-1]) == ("TPU269", "error", "pods_range")

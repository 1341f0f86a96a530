"""Rules about add-ons."""

import pytest
from support.fixtures.checks import Check, weights

STANDARD = "mode: standard\nlocation: us-east5\n"

AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"


@pytest.mark.parametrize(
    ("mode", "addon", "expected"),
    [
        *((STANDARD, word, []) for word in ("gcs_fuse", "ray_operator", "stateful_ha", "gke_backup", "dns_cache")),
        *((AUTOPILOT, word, []) for word in ("ray_operator", "gke_backup", "filestore", "lustre")),
        (AUTOPILOT, "gcs_fuse", ["TPU249 note"]),
        (AUTOPILOT, "parallelstore", ["TPU249 note"]),
        (AUTOPILOT, "dns_cache", ["TPU248 error"]),
        (AUTOPILOT, "stateful_ha", ["TPU248 error"]),
        (AUTOPILOT, "slice_controller", ["TPU248 error"]),
        (STANDARD, "gcs-fuse", ["TPU247 error"]),
        (STANDARD, "istio", ["TPU247 error"]),
        (AUTOPILOT, "gcsfuse", ["TPU247 error"]),
    ],
)
def test_addons_depend_on_the_cluster_mode(mode: str, addon: str, expected: list[str], check: Check) -> None:
    found = weights(check(mode + f"addons: [{addon}]\n"))
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("mode", "addons", "expected"),
    [
        (STANDARD, "high_scale_checkpointing", ["TPU650 warning"]),
        (STANDARD, "high_scale_checkpointing, gcs_fuse", []),
        (AUTOPILOT, "high_scale_checkpointing", ["TPU248 warning"]),  # Cloud Storage FUSE is always on
    ],
)
def test_checkpointing_requires_cloud_storage_fuse(mode: str, addons: str, expected: list[str], check: Check) -> None:
    assert weights(check(mode + f"addons: [{addons}]\n")) == expected


def test_the_given_value_of_a_list_entry_names_the_list(check: Check) -> None:
    assert [item.given for item in check(AUTOPILOT + "addons: [dns_cache, gcs_fuse]\n")] == [
        "addons: dns_cache",
        "addons: gcs_fuse",
    ]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("tpu: tpu7x, topology: 4x4x4, capacity: {reservation: {name: cubes, block: block-0001}}", []),
        ("tpu: tpu7x, topology: 4x4x4", ["TPU259 warning"]),
        ("tpu: tpu7x, topology: 4x4x4, capacity: spot", ["TPU259 warning"]),
        ("tpu: v5p, topology: 4x4x4, zone: us-central1-a, capacity: {reservation: v5p}", ["TPU259 warning"]),
    ],
)
def test_the_slice_controller_requires_reserved_hosts(group: str, expected: list[str], check: Check) -> None:
    zone = "" if "zone" in group else ", zone: us-central1-c"
    findings = check(
        "mode: standard\nlocation: us-central1\nrelease_channel: rapid\naddons: [slice_controller]\n"
        f"slices: {{main: {{{group}{zone}}}}}\n"
    )
    assert [item for item in weights(findings) if item.startswith("TPU259")] == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("addons: [gcs_fuse]\nsecurity: {workload_identity: false}", ["TPU250 warning"]),
        ("addons: [gcs_fuse]", []),
        ("security: {workload_identity: false}", []),
        ("addons: [dns_cache]\nsecurity: {workload_identity: false}", []),
    ],
)
def test_fuse_requires_workload_identity(keys: str, expected: list[str], check: Check) -> None:
    assert weights(check(f"mode: standard\nlocation: us-east5\n{keys}\n")) == expected


def test_the_fix_is_the_nearest_addon(check: Check) -> None:
    (finding,) = check(STANDARD + "addons: [gcs_fuse, ray-operator]\n")
    assert finding.fix == "ray_operator"
    assert finding.path == ("clusters", "train", "addons", 1)

"""Rules about slice groups that a ComputeClass serves; tests/kubernetes compares values with the real server."""

import datetime
from collections.abc import Callable

import pytest
import yaml
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path

TODAY = datetime.date(2026, 11, 20)

GROUP = "slices: {{g: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {}}}}}"

G = "slices.g"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("fallback: [spot, flex_start]", []),
        ("fallback: [flex_start, spot]", []),
        ("capacity: flex_start, fallback: [on_demand, spot]", []),
        ("capacity: spot, fallback: [spot]", [f"TPU341 {G}.fallback[0]"]),
        ("fallback: [spot, spot]", [f"TPU341 {G}.fallback[1]"]),
        ("fallback: [spot], protect: true", [f"TPU342 {G}.protect"]),
        ("fallback: [spot], resource_labels: {a: b}", [f"TPU342 {G}.resource_labels"]),
        ("fallback: [spot], count: {min: 0, max: 2}", []),
        ("fallback: [spot], min: 1, max: 2", [f"TPU342 {G}.min"]),
        ("fallback: [spot], upgrade: {max_surge: 1}", [f"TPU342 {G}.upgrade.max_surge"]),
        ("fallback: [spot], boot_disk: {size_gib: 200}, node_labels: {a: b}", []),
        ("capacity: queued, fallback: [spot]", [f"TPU343 {G}.capacity"]),
        ("capacity: {reservation: {name: r, block: b}}, fallback: [spot]", [f"TPU344 {G}.capacity.reservation.block"]),
        ("fallback: []", [f"TPU346 {G}.fallback"]),
    ],
    ids=str,
)
def test_fallback_of_a_group(keys: str, expected: list[str], catalog: Catalog) -> None:
    assert told(GROUP.format(keys), catalog) == expected


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_key_that_a_compute_class_carries_is_allowed_in_both_modes(mode: str, catalog: Catalog) -> None:
    text = GROUP.format(
        "fallback: [spot], boot_disk: {size_gib: 200}, max_pods_per_node: 32, node_service_account: create"
    )
    body = {"mode": mode, "location": "us-east5", **yaml.safe_load(text)}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    rules = {item.rule for item in check_plan(document, catalog, TODAY).findings}
    assert not rules & {"TPU281", "TPU282", "TPU342"}


@pytest.mark.parametrize(
    ("version", "limits", "expected"),
    [
        ("1.33.2", "", ["TPU345"]),
        ("1.33.2", "autoprovisioning: {cpu: 100000, memory_gib: 1000000, tpu: {v6e: 64}}", []),
        ("1.33.2", "autoprovisioning: {cpu: 100000, memory_gib: 1000000, tpu: {v5p: 64}}", ["TPU345"]),
        ("1.33.3", "", []),
        ("1.33", "", []),
    ],
    ids=str,
)
def test_old_versions_need_auto_provisioning(version: str, limits: str, expected: list[str], catalog: Catalog) -> None:
    text = f"{GROUP.format('fallback: [spot]')}\nmin_version: '{version}'\n{limits}"
    assert [item.split(" ")[0] for item in told(text, catalog)] == expected


@pytest.mark.parametrize(
    ("generation", "fallback", "rule"),
    [
        ("tpu: v4, topology: 2x2x2, zone: us-central2-b", "flex_start", "TPU301"),
        ("tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "spot", "TPU302"),
        ("tpu: v6e, topology: 2x2, zone: us-central1-b", "flex_start", "TPU313"),
        ("tpu: v6e, topology: 2x2, zone: us-east1-d", "flex_start", "TPU314"),
    ],
)
def test_modes_to_fall_back_to_are_checked_like_capacity(
    generation: str, fallback: str, rule: str, catalog: Catalog
) -> None:
    def rules(keys: str) -> list[tuple[str, str]]:
        region = generation.rpartition("zone: ")[2].rpartition("-")[0]
        body = yaml.safe_load(f"{{mode: standard, location: {region}, slices: {{g: {{{generation}, {keys}}}}}}}")
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
        found = check_plan(document, catalog, TODAY).findings
        return [(item.rule, format_path(item.path[4:])) for item in found if item.rule == rule]

    as_capacity, as_fallback = rules(f"capacity: {fallback}, count: {{max: 1}}"), rules(f"fallback: [{fallback}]")
    assert [item for item, _ in as_capacity] == [item for item, _ in as_fallback] == [rule]
    assert [path for _, path in as_fallback] == [
        "fallback[0]" if path == "capacity" else path for _, path in as_capacity
    ]


def test_the_note_about_an_empty_fallback_names_the_order_of_google(catalog: Catalog) -> None:
    (found,) = findings(GROUP.format("fallback: []"), catalog)
    assert "reservation, flex-start, on-demand, then spot for training" in found.message
    assert "reservation, on-demand, flex-start, then spot for serving" in found.message
    assert found.fix == "fallback: [flex_start, spot]"


@pytest.mark.parametrize(
    ("version", "keys", "expected"),
    [
        ("1.28", "grace_period: 5m", True),
        ("1.30", "grace_period: 5m", False),
        ("1.28", "count: 1", False),
    ],
)
def test_graceful_termination_needs_a_version(version: str, keys: str, expected: bool, catalog: Catalog) -> None:
    body = {"mode": "standard", "location": "us-east5", "min_version": version, **yaml.safe_load(workload(keys))}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    found = [item.message for item in check_plan(document, catalog, TODAY).findings if item.rule == "TPU233"]
    assert any("graceful termination" in message for message in found) is expected


def rules_of(group: str, catalog: Catalog, mode: str = "standard", **cluster: str) -> set[str]:
    body = {"mode": mode, "location": "us-east5", **cluster, **yaml.safe_load(GROUP.format(group))}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    return {item.rule for item in check_plan(document, catalog, TODAY).findings}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ("collection: {name: chat}, fallback: [flex_start]", False),
        ("collection: {name: chat}, fallback: [flex_start, spot]", True),
        ("collection: {name: chat}, capacity: spot, fallback: [on_demand]", True),
    ],
)
def test_a_collection_never_falls_back_to_spot(keys: str, refused: bool, mode: str, catalog: Catalog) -> None:
    found = rules_of(keys, catalog, mode)
    assert ("TPU142" in found) is refused
    assert not found & {"TPU281", "TPU282", "TPU342"}


@pytest.mark.parametrize(
    ("keys", "version", "too_low"),
    [
        ("fallback: [spot]", "1.29", True),
        ("fallback: [spot]", "1.31", True),  # auto-creation of v6e
        ("fallback: [spot]", "1.34", False),
        ("fallback: [flex_start]", "1.32", True),
        ("fallback: [spot], collection: {name: c}", "1.32.1", True),
    ],
)
def test_the_version_of_the_cluster_has_what_a_compute_class_needs(
    keys: str, version: str, too_low: bool, catalog: Catalog
) -> None:
    assert ("TPU233" in rules_of(keys, catalog, min_version=version)) is too_low


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ("boot_disk: {type: pd-ssd}", "TPU501"),
        ("node_labels: {cloud.google.com/gke-spot: 'true'}", "TPU531"),
        ("max_pods_per_node: 257", "TPU511"),
        ("node_service_account: trainer", "TPU242"),
    ],
)
def test_settings_of_nodes_are_checked_with_fallback_on_autopilot_too(keys: str, rule: str, catalog: Catalog) -> None:
    without, served = (rules_of(f"{keys}{more}", catalog, "autopilot") for more in ("", ", fallback: [on_demand]"))
    assert rule not in without
    assert rule in rules_of(keys, catalog)
    assert rule in rules_of(f"{keys}, fallback: [spot]", catalog, "autopilot")
    assert served >= {rule}


def test_two_forms_of_a_topology_need_no_label_with_fallback(catalog: Catalog) -> None:
    slices = {
        "one": {"tpu": "v6e", "topology": "2x4", "chips_per_host": 8, "zone": "us-east5-b"},
        "two": {"tpu": "v6e", "topology": "2x4", "chips_per_host": 4, "zone": "us-east5-b"},
    }

    def rules(**more: list[str]) -> set[str]:
        groups = {key: {**group, **more} for key, group in slices.items()}
        body = {"mode": "standard", "location": "us-east5", "slices": groups}
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
        return {item.rule for item in check_plan(document, catalog, TODAY).findings}

    assert "TPU415" in rules()
    assert "TPU415" not in rules(fallback=["spot"])


GROUP_KEYS = "tpu: v6e\ntopology: 4x4\n"
BALANCED = "boot_disk: {type: hyperdisk-balanced, "


@pytest.mark.parametrize(
    ("keys", "path", "fix"),
    [
        (f"{BALANCED}iops: 4000}}", "boot_disk.iops", ""),
        (f"{BALANCED}throughput_mbps: 300}}", "boot_disk.throughput_mbps", ""),
        ("boot_disk: {iops: 4000, throughput_mbps: 300}", "boot_disk.iops", ""),
        (f"{BALANCED}iops: 1999, throughput_mbps: 300}}", "boot_disk.iops", "iops: 2000"),
        (f"{BALANCED}iops: 4000, throughput_mbps: 2401}}", "boot_disk.throughput_mbps", "throughput_mbps: 2400"),
        ("taints: [{key: a, effect: NO_SCHEDULE}, {key: b, value: ml, effect: NO_SCHEDULE}]", "taints[1].value", ""),
    ],
)
def test_a_value_is_reported_where_it_is(
    keys: str, path: str, fix: str, check: Callable[[str], tuple[Finding, ...]]
) -> None:
    (found,) = (item for item in check(f"{GROUP_KEYS}fallback: [spot]\n{keys}") if item.rule == "TPU348")
    assert found.severity is Severity.ERROR
    assert format_path(found.path).endswith(path)
    assert found.fix == fix


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (f"{BALANCED}iops: 4000}}", "missing key `throughput_mbps`: a ComputeClass has `iops` only together with it"),
        (
            f"{BALANCED}throughput_mbps: 300}}",
            "missing key `iops`: a ComputeClass has `throughput_mbps` only together with it",
        ),
        ("boot_disk: {iops: 4000, throughput_mbps: 300}", "`iops` is not supported with a boot disk without `type`"),
        (
            "boot_disk: {type: pd-ssd, throughput_mbps: 300}",
            "`throughput_mbps` is not supported with a boot disk of type `pd-ssd` in a ComputeClass",
        ),
    ],
)
def test_the_message_names_the_other_key_or_the_disk_type(
    keys: str, message: str, check: Callable[[str], tuple[Finding, ...]]
) -> None:
    found = [item.message for item in check(f"{GROUP_KEYS}fallback: [spot]\n{keys}") if item.rule == "TPU348"]
    assert found == [message]


@pytest.mark.parametrize(
    "keys",
    [
        f"{BALANCED}iops: 2000, throughput_mbps: 140}}",
        f"{BALANCED}iops: 160000, throughput_mbps: 2400}}",
        "boot_disk: {size_gib: 50}",
        "boot_disk: {type: hyperdisk-balanced}",
        "taints: [{key: a, effect: NO_SCHEDULE}, {key: b, value: mlx, effect: NO_SCHEDULE}]",
        "taints: [{key: a, value: A, effect: NO_SCHEDULE}]",
    ],
)
def test_a_class_accepts_the_value(keys: str, broken: Callable[[str], list[str]]) -> None:
    assert "TPU348" not in broken(f"{GROUP_KEYS}fallback: [spot]\n{keys}")


@pytest.mark.parametrize("keys", [f"{BALANCED}iops: 4000}}", "taints: [{key: b, value: ml, effect: NO_SCHEDULE}]"])
def test_node_pools_accept_the_value(keys: str, broken: Callable[[str], list[str]]) -> None:
    assert "TPU348" not in broken(GROUP_KEYS + keys)

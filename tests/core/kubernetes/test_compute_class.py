"""ComputeClasses: the capacity modes in their order, and the settings of the group that a class can express."""

import itertools
from typing import Any

import pytest
import yaml
from support.copied_keys import example
from support.each import each
from support.matrix import GENERATIONS, Cell, cells
from support.rendered import AUTOPILOT, STANDARD, class_of, cluster_of, cluster_of_data, group_with, values_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.names import compute_class_name
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.plan import SliceGroupSpec, Unknown
from pulumi_gke_tpu.core.plan.copied import CopiedKey, copied_keys

GROUP = "tpu: v6e\ntopology: 4x4\nzone: us-east5-b\n"
TPU = {"type": "tpu-v6e-slice", "count": 4, "topology": "4x4"}
PLACE = {"location": {"zones": ["us-east5-b"]}}
RESERVED = {"affinity": "Specific", "specific": [{"name": "ours", "zones": ["us-east5-b"]}]}
RULES: dict[str, dict[str, Any]] = {
    "reservation": {"tpu": TPU, "reservations": RESERVED},
    "flex_start": {"tpu": TPU, "flexStart": {"enabled": True}, **PLACE},
    "on_demand": {"tpu": TPU, **PLACE},
    "spot": {"tpu": TPU, "spot": True, **PLACE},
}
FALLBACKS = ("flex_start", "on_demand", "spot")
ORDERS = [
    (first, *rest)
    for first in RULES
    for count in (1, 2, 3)
    for rest in itertools.permutations([mode for mode in FALLBACKS if mode != first], count)
]


def capacity_of(mode: str) -> object:
    return {"reservation": "ours"} if mode == "reservation" else mode


def in_order(modes: tuple[str, ...]) -> str:
    return GROUP + yaml.safe_dump({"capacity": capacity_of(modes[0]), "fallback": list(modes[1:])})


@each("modes", ORDERS, " ".join)
def test_the_priorities_are_the_capacity_modes_in_the_order_of_the_plan(modes: tuple[str, ...]) -> None:
    assert class_of(group_with(in_order(modes)))["priorities"] == [RULES[mode] for mode in modes]


def test_a_class_in_full() -> None:
    (found,) = compute_classes(group_with(in_order(("reservation", "spot"))), read_catalog())
    assert (found.concern, found.path) == ("compute-classes", ("clusters", "train", "slices", "pretrain"))
    assert found.object == {
        "apiVersion": "cloud.google.com/v1",
        "kind": "ComputeClass",
        "metadata": {"name": "tpu-pretrain", "labels": {"app.kubernetes.io/managed-by": "gke-tpu"}},
        "spec": {
            "nodePoolAutoCreation": {
                "enabled": True,
                "shieldedInstanceConfig": {"enableSecureBoot": False, "enableIntegrityMonitoring": True},
            },
            "nodePoolConfig": {"serviceAccount": "gke-train-d2a7804c@acme-ml.iam.gserviceaccount.com"},
            "priorities": [RULES["reservation"], RULES["spot"]],
            "whenUnsatisfiable": "DoNotScaleUp",
        },
    }


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_group_without_fallback_has_no_class(mode: str) -> None:
    cluster = group_with("tpu: v6e\ntopology: 4x4", STANDARD if mode == "standard" else AUTOPILOT)
    assert list(compute_classes(cluster, read_catalog())) == []


def test_the_classes_are_in_the_order_of_the_plan() -> None:
    groups = "".join(
        f"  {name}: {{tpu: v6e, topology: 4x4, zone: us-east5-b, fallback: [spot]}}\n" for name in ("b", "c", "a")
    )
    classes = compute_classes(cluster_of(f"{STANDARD}slices:\n{groups}"), read_catalog())
    assert [item.name for item in classes] == ["tpu-b", "tpu-c", "tpu-a"]


# Shapes


def on_demand() -> list[Cell]:
    every = itertools.product(GENERATIONS, ("standard", "autopilot"))
    return [cell for generation, mode in every for cell in cells(generation, mode) if cell.capacity == "on_demand"]


@each("cell", on_demand, lambda cell: f"{cell.mode} {cell.machine_type} {cell.topology}")
def test_every_priority_requests_the_hosts_of_the_topology(cell: Cell) -> None:
    location = cell.zone.rpartition("-")[0]
    keys = {"mode": cell.mode, "location": location, "slices": {"s": {**cell.group(), "fallback": ["spot"]}}}
    tpu = {"type": cell.label, "count": cell.machine["chips"], "topology": cell.topology}
    assert [rule["tpu"] for rule in class_of(cluster_of_data(keys))["priorities"]] == [tpu, tpu]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_slice_with_a_workload_policy_names_it_in_every_priority(mode: str) -> None:
    """Without the policy, GKE creates no node pool for a multi-host slice of tpu7x."""
    cluster = f"mode: {mode}\nlocation: us-central1\n"
    group = "tpu: tpu7x\ntopology: 4x4x4\nzone: us-central1-c\nfallback: [spot, flex_start]\n"
    created = class_of(group_with(group, cluster))["priorities"]
    assert [rule.get("placement") for rule in created] == [{"policyName": "train-pretrain-4x4x4"}] * 3
    named = class_of(group_with(f"{group}placement: {{workload_policy: ours}}", cluster))["priorities"]
    assert [rule.get("placement") for rule in named] == [{"policyName": "ours"}] * 3
    single = class_of(group_with(group.replace("4x4x4", "2x2x1"), cluster))["priorities"]
    assert values_of(single, "placement") == []


# What GKE rejects or must not do


@each("modes, cluster", itertools.product(ORDERS, (STANDARD, AUTOPILOT)))
def test_nothing_outside_of_a_reservation_gives_it_a_zone(modes: tuple[str, ...], cluster: str) -> None:
    spec = class_of(group_with(in_order(modes), cluster))
    assert "priorityDefaults" not in spec
    assert [rule for rule in spec["priorities"] if "reservations" in rule and values_of(rule, "location")] == []


def test_without_a_zone_gke_selects_it() -> None:
    spec = class_of(group_with(in_order(("reservation", "spot")).replace("zone: us-east5-b", ""), AUTOPILOT))
    assert values_of(spec, "zones") == []


def test_a_reservation_is_named_with_its_project_and_block() -> None:
    reservation = "{name: ours, project: acme-capacity, block: b1, sub_block: s1}"
    spec = class_of(group_with(f"{GROUP}capacity: {{reservation: {reservation}}}\nfallback: [spot]"))
    assert spec["priorities"][0]["reservations"]["specific"] == [
        {
            "name": "ours",
            "project": "acme-capacity",
            "zones": ["us-east5-b"],
            "reservationBlock": {"name": "b1", "reservationSubBlock": {"name": "s1"}},
        }
    ]


def test_only_flex_start_has_the_run_duration() -> None:
    duration = "capacity: {flex_start: {max_run_duration: 3d}}\nfallback: [on_demand, spot]"
    rules = class_of(group_with(GROUP + duration))["priorities"]
    assert [rule.get("maxRunDurationSeconds") for rule in rules] == [3 * 86400, None, None]


@each("modes", ORDERS, " ".join)
def test_a_class_creates_no_other_nodes_and_moves_no_pods(modes: tuple[str, ...]) -> None:
    """GKE creates nodes without TPUs for another `whenUnsatisfiable`; a migration interrupts all hosts of a slice."""
    spec = class_of(group_with(in_order(modes)))
    assert spec["whenUnsatisfiable"] == "DoNotScaleUp"
    assert "activeMigration" not in spec


NAMES = ["gke", "gke-train", "autopilot", "autopilot-spot", "default", "tpu", "tpu-gke", "a", "x" * 40, "y" * 80]


@pytest.mark.parametrize("name", NAMES)
def test_no_class_has_a_name_that_gke_reserves(name: str) -> None:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "fallback": ["spot"]}
    cluster = cluster_of_data({**yaml.safe_load(STANDARD), "slices": {name: group}})
    (found,) = compute_classes(cluster, read_catalog())
    assert not found.name.startswith(("gke", "autopilot"))
    assert found.name != "default"
    assert len(found.name) <= 63
    assert cluster.groups[0].node_selector == {"cloud.google.com/compute-class": found.name}


def test_different_groups_have_different_classes() -> None:
    assert len({compute_class_name(name) for name in NAMES}) == len(NAMES)


# Keys of a group


CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "boot_disk": (
        "{type: hyperdisk-balanced, size_gib: 200, iops: 4000, throughput_mbps: 300}",
        {},
        {
            "storage": {
                "bootDiskType": "hyperdisk-balanced",
                "bootDiskSize": 200,
                "bootDiskProvisionedIops": 4000,
                "bootDiskProvisionedThroughput": 300,
            }
        },
    ),
    "secondary_boot_disk": (
        "{image: projects/acme-images/global/images/weights, mode: container_image_cache}",
        {},
        {
            "storage": {
                "secondaryBootDisks": [
                    {"diskImageName": "weights", "project": "acme-images", "mode": "CONTAINER_IMAGE_CACHE"}
                ]
            }
        },
    ),
    "node_labels": ("{team: research}", {}, {"nodeLabels": {"team": "research"}}),
    "taints": (
        "[{key: team, value: research, effect: NO_SCHEDULE}, {key: soft, effect: PREFER_NO_SCHEDULE}]",
        {},
        {
            "taints": [
                {"key": "team", "value": "research", "effect": "NoSchedule"},
                {"key": "soft", "effect": "PreferNoSchedule"},
            ]
        },
    ),
    "max_pods_per_node": ("32", {}, {"maxPodsPerNode": 32}),
    "transparent_hugepages": (
        "always",
        {},
        {
            "nodeSystemConfig": {
                "linuxNodeConfig": {"transparentHugepageEnabled": "TRANSPARENT_HUGEPAGE_ENABLED_ALWAYS"}
            }
        },
    ),
    "sysctls": (
        '{vm.max_map_count: "1048576"}',
        {},
        {"nodeSystemConfig": {"linuxNodeConfig": {"sysctls": {"vm.max_map_count": 1048576}}}},
    ),
    "network_profile": ("auto", {"dra": {"networking": {"enabled": True}}}, {"acceleratorNetworkProfile": "auto"}),
    "driver_mode": ("dynamic_resource_allocation", {"tpu": {"driverMode": "DynamicResourceAllocation"}}, {}),
    "maintenance": ("{end_of_support: true}", {"maintenanceExclusion": "UNTIL_END_OF_SUPPORT"}, {}),
    "upgrade": ("{auto_repair: false, auto_upgrade: true}", {"autoRepair": False, "autoUpgrade": True}, {}),
    "node_service_account": (
        "tpu@acme-ml.iam.gserviceaccount.com",
        {"serviceAccount": "tpu@acme-ml.iam.gserviceaccount.com"},
        {},
    ),
    "placement": ("{workload_policy: ours}", {}, {"placement": {"policyName": "ours"}}),
}
"""Key -> its value, what it adds to nodePoolConfig, and what it adds to every priority."""
OF_EVERY_CLASS = {"tpu", "topology", "chips", "chips_per_host", "machine_type", "zone", "zones", "capacity", "fallback"}
ELSEWHERE = {"name", "collection"}
WITHOUT_A_FIELD = {
    *("count", "min", "max", "indices", "resource_labels", "best_effort", "host_maintenance", "additional_networks"),
    "slicing",
    *("adopted", "protect", "timeouts", "extra"),
}


@pytest.mark.parametrize("key", CASES)
def test_a_key_sets_these_fields_and_no_others(key: str) -> None:
    value, config, rule = CASES[key]
    group = f"{GROUP}capacity: spot\nfallback: [on_demand, flex_start]\n"
    base, spec = class_of(group_with(group)), class_of(group_with(f"{group}{key}: {value}"))
    assert spec == {
        **base,
        "nodePoolConfig": {**base["nodePoolConfig"], **config},
        "priorities": [{**before, **rule} for before in base["priorities"]],
    }


def test_every_key_of_a_group_is_in_a_class_or_has_no_field_there() -> None:
    copied = {item.names[0] for item in copied_keys(SliceGroupSpec) if item.class_field} - set(CASES)
    sets = [set(CASES), OF_EVERY_CLASS, ELSEWHERE, WITHOUT_A_FIELD, copied]
    assert set.union(*sets) == set(SliceGroupSpec.model_fields)
    assert sum(map(len, sets)) == len(SliceGroupSpec.model_fields)


@pytest.mark.parametrize(
    "copied", [item for item in copied_keys(SliceGroupSpec) if item.class_field], ids=lambda x: x.key
)
def test_a_copied_key_sets_its_field(copied: CopiedKey) -> None:
    value = example(f"clusters.*.slices.*.{copied.key}")
    written: Any = value
    for name in reversed(copied.names):
        written = {name: written}
    spec = class_of(group_with(f"{GROUP}fallback: [spot]\n{yaml.safe_dump(written)}"))
    first, *steps = copied.class_field.split(".")
    field = spec[first][0] if first == "priorities" else spec[first]
    for step in steps:
        field = field[step]
    assert field == (copied.values[value] if copied.values else value)


@pytest.mark.parametrize("text", ["many", "1.5", "9" * 5000], ids=["word", "fraction", "too-long"])
def test_a_kernel_setting_without_a_number_stays_a_text(text: str) -> None:
    spec = class_of(group_with(f"{GROUP}fallback: [spot]\nsysctls: {{vm.max_map_count: '{text}'}}"))
    assert spec["priorities"][0]["nodeSystemConfig"] == {"linuxNodeConfig": {"sysctls": {"vm.max_map_count": text}}}


def test_maintenance_without_an_exclusion_sets_nothing() -> None:
    group = f"{GROUP}fallback: [spot]\n"
    assert class_of(group_with(f"{group}maintenance: {{end_of_support: false}}")) == class_of(group_with(group))


NOT_A_SCALAR = {"additional_networks", "adopted", "extra", "indices", "timeouts"}


@pytest.mark.parametrize("key", sorted(WITHOUT_A_FIELD - NOT_A_SCALAR))
def test_a_key_without_a_field_changes_nothing(key: str) -> None:
    values = {
        "resource_labels": "{team: research}",
        "host_maintenance": "periodic",
        "protect": "true",
        "slicing": "static",
        "sysctls": '{vm.max_map_count: "1048576"}',
    }
    group = f"{GROUP}fallback: [spot]\n"
    assert class_of(group_with(f"{group}{key}: {values.get(key, 3)}")) == class_of(group_with(group))


@pytest.mark.parametrize(
    ("image", "fields"),
    [
        ("global/images/weights", {"diskImageName": "weights"}),
        ("weights", {"diskImageName": "weights"}),
        ("projects/p/global/images/weights", {"diskImageName": "weights", "project": "p"}),
        ("projects/p/weights", {"diskImageName": "weights", "project": "p"}),
        ("images/projects", {"diskImageName": "projects"}),
        ("https://www.googleapis.com/compute/v1/projects/p/global/images/w", {"diskImageName": "w", "project": "p"}),
    ],
)
def test_an_image_is_its_name_and_project(image: str, fields: dict[str, str]) -> None:
    spec = class_of(group_with(f"{GROUP}fallback: [spot]\nsecondary_boot_disk: {{image: '{image}'}}"))
    assert spec["priorities"][0]["storage"]["secondaryBootDisks"] == [fields]


def test_an_image_that_is_known_later_is_passed_on() -> None:
    later = Unknown()
    group = {**yaml.safe_load(f"{GROUP}fallback: [spot]"), "secondary_boot_disk": {"image": later}}
    spec = class_of(cluster_of_data({**yaml.safe_load(STANDARD), "slices": {"pretrain": group}}))
    assert spec["priorities"][1]["storage"]["secondaryBootDisks"] == [{"diskImageName": later}]


@pytest.mark.parametrize("cluster", [STANDARD, AUTOPILOT], ids=["standard", "autopilot"])
@pytest.mark.parametrize("workload", ["high_availability", "high_throughput"])
def test_a_collection_is_a_group_of_node_pools(cluster: str, workload: str) -> None:
    collection = f"collection: {{name: serving, workload: {workload}}}"
    spec = class_of(group_with(f"{GROUP}fallback: [flex_start]\n{collection}", cluster))
    assert spec["nodePoolGroup"] == {"name": "serving"}
    assert spec["nodePoolConfig"]["workloadType"] == workload.upper()
    assert values_of(spec, "nodeLabels") == []


# The cluster


def account(cluster: str, group: str = "", project: str = "acme-ml") -> object:
    text = f"{cluster}slices:\n  pretrain: {{tpu: v6e, topology: 4x4, zone: us-east5-b, fallback: [spot]{group}}}\n"
    return class_of(cluster_of(text, project)).get("nodePoolConfig", {}).get("serviceAccount")


OWN = "tpu@acme-ml.iam.gserviceaccount.com"
EXISTING = "mode: standard\nexisting: projects/acme-ml/locations/us-east5/clusters/platform\n"


@pytest.mark.parametrize(
    ("cluster", "group", "expected"),
    [
        (STANDARD, "", "gke-train-d2a7804c@acme-ml.iam.gserviceaccount.com"),
        (AUTOPILOT, "", "gke-train-d2a7804c@acme-ml.iam.gserviceaccount.com"),
        (f"{STANDARD}node_service_account: {OWN}\n", "", OWN),
        (f"{STANDARD}node_service_account: default\n", "", None),
        (STANDARD, f", node_service_account: {OWN}", OWN),
        (f"{STANDARD}node_service_account: {OWN}\n", ", node_service_account: default", None),
        (EXISTING, "", None),
    ],
)
def test_the_nodes_run_as_the_account_of_the_group_or_cluster(cluster: str, group: str, expected: str | None) -> None:
    assert account(cluster, group) == expected


def test_the_account_of_a_group_is_not_that_of_its_cluster() -> None:
    own = account(STANDARD, ", node_service_account: create")
    assert str(own).startswith("gke-pretrain-")


def test_the_project_of_a_domain_is_turned_round_in_the_email() -> None:
    email = account(STANDARD, project="example.com:acme-ml")
    assert str(email).endswith("@acme-ml.example.com.iam.gserviceaccount.com")


@pytest.mark.parametrize(("private", "expected"), [("true", "private"), ("false", "public"), (None, None)])
def test_on_an_existing_cluster_the_type_of_addresses_is_set(private: str | None, expected: str | None) -> None:
    written = f"private_nodes: {private}\n" if private else ""
    spec = class_of(group_with(f"{GROUP}fallback: [spot]", f"{EXISTING}location: us-east5\n{written}"))
    assert spec.get("nodePoolConfig", {}).get("ipType") == expected


def test_secure_boot_is_that_of_tpu_nodes() -> None:
    spec = class_of(group_with(f"{GROUP}fallback: [spot]", f"{STANDARD}security: {{tpu_secure_boot: true}}\n"))
    assert values_of(spec, "enableSecureBoot") == [True]


def test_the_modes_differ_only_in_what_autopilot_sets_itself() -> None:
    standard, autopilot = (class_of(group_with(in_order(ORDERS[-1]), mode)) for mode in (STANDARD, AUTOPILOT))
    assert standard.pop("nodePoolAutoCreation") == {**autopilot.pop("nodePoolAutoCreation"), **_SHIELDED}
    standard.pop("nodePoolConfig"), autopilot.pop("nodePoolConfig")
    assert standard == autopilot


_SHIELDED = {"shieldedInstanceConfig": {"enableSecureBoot": False, "enableIntegrityMonitoring": True}}

"""Clusters: names, identities, add-ons, the system pool and auto-provisioning."""

from collections.abc import Callable
from typing import Any

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan
from pulumi_gke_tpu.core.text.findings import Finding

Broken = Callable[[str], list[str]]
Check = Callable[[str], tuple[Finding, ...]]

STANDARD = "mode: standard\nlocation: us-east5\n"
AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"


def weights(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings]


def plan(*clusters: str) -> str:
    return "version: 1\nproject: acme-ml\nclusters:\n" + "".join(f"  {cluster}\n" for cluster in clusters)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", []),
        ("train-east-2", []),
        ("a" * 40, []),
        ("a" * 41, ["TPU251"]),
        ("2-train", ["TPU251"]),
        ("train-", ["TPU251"]),
        ("-train", ["TPU251"]),
        ("train_east", ["TPU251"]),
        ("Train", ["TPU251"]),
        ("träin", ["TPU251"]),
        ("''", ["TPU251"]),
    ],
)
def test_cluster_names_have_the_form_of_gke(name: str, expected: list[str], broken: Broken) -> None:
    assert broken(STANDARD + f"name: {name}\n") == expected
    if name != "''":
        assert broken(plan(f"{name}: {{mode: standard, location: us-east5}}")) == expected


def test_the_fix_is_the_nearest_valid_name(check: Check) -> None:
    (finding,) = check(STANDARD + "name: Train East_2\n")
    assert finding.fix == "name: train-east-2"
    (finding,) = check(STANDARD + f"name: {'Ab-' * 20}\n")
    assert finding.fix == f"name: {('ab-' * 20)[:40].rstrip('-')}"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("location: us-east5", "location: us-east5", ["TPU252"]),
        ("location: us-east5", "location: us-east5-b", []),
        ("location: us-east5", "location: us-central1", []),
        ("location: us-east5, name: left", "location: us-east5", []),
    ],
)
def test_names_are_unique_in_a_location(one: str, other: str, expected: list[str], broken: Broken) -> None:
    text = plan(f"train: {{mode: standard, {one}}}", f"other: {{mode: standard, name: train, {other}}}")
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("acme-ml", []),
        ("a23456", []),
        ("example.com:acme-ml", []),
        ("acme", ["TPU241"]),
        ("a" * 31, ["TPU241"]),
        ("acme-ml-", ["TPU241"]),
        ("Acme-ml", ["TPU241"]),
        ("'123456789012'", ["TPU241"]),
        ("projects/acme-ml", ["TPU241"]),
        ("''", ["TPU241"]),
    ],
)
def test_project_ids_have_their_form(project: str, expected: list[str], broken: Broken) -> None:
    text = f"version: 1\nproject: {project}\nclusters:\n  train: {{mode: standard, location: us-east5}}\n"
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("account", "expected", "fix"),
    [
        ("create", [], ""),
        ("tpu-nodes@acme-ml.iam.gserviceaccount.com", [], ""),
        ("tpu-nodes@acme-ml.example.com.iam.gserviceaccount.com", [], ""),
        ("acme-ml@appspot.gserviceaccount.com", [], ""),
        ("default", ["TPU243"], "node_service_account: create"),
        ("1234-compute@developer.gserviceaccount.com", ["TPU243"], "node_service_account: create"),
        ("alice@example.com", ["TPU242"], "node_service_account: create"),
        ("tpu-nodes", ["TPU242"], "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com"),
        (
            "serviceAccount:tpu-nodes@acme-ml.iam.gserviceaccount.com",
            ["TPU242"],
            "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com",
        ),
        (
            "projects/acme-ml/serviceAccounts/tpu-nodes@acme-ml.iam.gserviceaccount.com",
            ["TPU242"],
            "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com",
        ),
        ("''", ["TPU242"], "node_service_account: create"),
        ("tpu@acme-ml.iam.gserviceaccount.com", [], ""),
        (f"{'a' * 31}@acme-ml.iam.gserviceaccount.com", ["TPU242"], ""),
        (f"{'a' * 30}@acme-ml.iam.gserviceaccount.com", [], ""),
        ("service-1234567890@gcp-sa-tpu.iam.gserviceaccount.com", [], ""),
    ],
)
def test_node_service_accounts_have_the_form_of_emails(
    account: str, expected: list[str], fix: str, check: Check
) -> None:
    key = f"node_service_account: {account}"
    places = (
        f"{STANDARD}{key}\n",
        f"{AUTOPILOT}{key}\n",
        f"{STANDARD}autoprovisioning: {{cpu: 100, memory_gib: 100, {key}}}\n",
        f"{STANDARD}cpu_pools: {{head: {{machine_type: n2-standard-4, max_nodes: 1, {key}}}}}\n",
        f"tpu: v6e\ntopology: 2x2\n{key}\n",
    )
    for text in places:
        findings = check(text)
        assert [finding.rule for finding in findings] == expected
        assert [finding.fix for finding in findings] == ([fix] if expected else [])
        assert all(finding.path[-1] == "node_service_account" for finding in findings)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/secrets", []),
        ("kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/s/cryptoKeyVersions/1", ["TPU244"]),
        ("kms_key: gke/secrets", ["TPU244"]),
        ("kms_key: projects/acme-ml/locations/us-central1/keyRings/gke/cryptoKeys/secrets", ["TPU228"]),
        ("kms_key: projects/acme-ml/locations/global/keyRings/gke/cryptoKeys/secrets", ["TPU228"]),
        ("system_pool: {boot_disk_kms_key: gke/disks}", ["TPU244"]),
        ("cpu_pools: {a: {machine_type: n2-standard-8, max_nodes: 1, boot_disk: {kms_key: gke/disks}}}", ["TPU244"]),
        ("slices: {a: {tpu: v6e, chips: 4, zone: us-east5-b, boot_disk: {kms_key: gke/disks}}}", ["TPU244"]),
        ("notifications: projects/acme-ops/topics/upgrades", ["TPU245"]),
        ("notifications: projects/123456789012/topics/upgrades", []),
        ("notifications: projects/acme-ml/topics/google-news", ["TPU245"]),
        ("notifications: projects/acme-ml/topics/upgrades", []),
        ("notifications: projects/acme-ml/topics/-x", ["TPU245"]),
        ("notifications: projects/acme-ml/subscriptions/upgrades", ["TPU245"]),
        ("fleet: acme-fleet", []),
        ("fleet: '123456789012'", []),
        ("fleet: Fleet", ["TPU246"]),
    ],
)
def test_names_of_keys_topics_and_fleets_have_their_forms(keys: str, expected: list[str], broken: Broken) -> None:
    assert broken(STANDARD + keys) == expected


def test_the_fix_removes_the_version_of_a_key(check: Check) -> None:
    name = "projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/s"
    (finding,) = check(STANDARD + f"kms_key: {name}/cryptoKeyVersions/1")
    assert finding.fix == f"kms_key: {name}"


def test_unknown_values_are_not_checked(catalog: Catalog) -> None:
    cluster: dict[str, Any] = {"mode": "standard", "location": "us-east5"}
    for key in ("node_service_account", "kms_key", "notifications", "fleet"):
        cluster[key] = Unknown(output=object())
    cluster["control_plane"] = {"authorized_networks": {"office": Unknown(output=object())}}
    cluster["resource_labels"] = {"team": Unknown(output=object())}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    assert validate(document.content, catalog) == ()


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


@pytest.mark.parametrize(
    "machine", ["n2-standard-4", "e2-medium", "n4-highmem-8", "n2-custom-4-16384", "c3-standard-4-lssd"]
)
def test_cpu_machine_types_are_accepted(machine: str, broken: Broken) -> None:
    assert broken(STANDARD + f"system_pool: {{machine_type: {machine}}}\n") == []


@pytest.mark.parametrize(
    "machine", ["ct6e-standard-4t", "tpu7x-standard-4t", "n2", "N2-standard-4", "n2_standard_4", "''"]
)
def test_other_machine_types_are_rejected(machine: str, broken: Broken) -> None:
    assert broken(STANDARD + f"system_pool: {{machine_type: {machine}}}\n") == ["TPU254"]


@pytest.mark.parametrize(
    ("location", "pool", "expected"),
    [
        ("us-central2-b", "machine_type: e2-standard-4", ["TPU255 error"]),  # an answer of the API
        ("us-central2", "machine_type: e2-standard-4", ["TPU255 warning"]),  # GKE selects the zones
        ("us-central2-b", "machine_type: c3-standard-4", ["TPU255 warning"]),
        ("us-east5", "machine_type: n1-standard-4", ["TPU255 warning"]),
        ("us-east5", "machine_type: custom-4-8192", ["TPU255 warning"]),
        ("us-east5", "machine_type: n1-standard-4, zones: [us-east5-a]", ["TPU255 warning"]),
        ("us-south1", "machine_type: c4-standard-4, zones: [us-south1-b]", []),  # the catalog has no facts on this zone
        ("us-central1", "machine_type: e2-standard-4", []),
        ("us-east5", "machine_type: z3-highmem-88", []),  # the catalog has no facts on this family
        ("us-central2-b", "min_nodes: 1", []),
        # limits
        ("us-east5", "min_nodes: 3", []),
        ("us-east5", "min_nodes: 4", ["TPU256 error"]),
        ("us-east5", "min_nodes: 0, max_nodes: 1", []),
        # zones
        ("us-east5", "zones: [us-east5-a, us-east5-c]", []),
        ("us-east5-b", "zones: [us-east5-a]", []),
        ("us-east5", "zones: [us-east5-a, us-east1-b]", ["TPU257 error"]),
        ("us-east5", "zones: [b]", ["TPU257 error"]),
        # AI zones are for TPUs
        ("us-central1", "zones: [us-central1-ai1a]", ["TPU258 error"]),
        ("us-central1-ai1a", "min_nodes: 1", ["TPU258 error"]),
        ("us-south1", "machine_type: n1-standard-4, zones: [us-south1-ai1b]", ["TPU258 error"]),
        # disks
        ("us-east5", "boot_disk_type: hyperdisk-balanced", []),
        ("us-east5", "boot_disk_type: pd-ssd", []),
        ("us-east5", "boot_disk_type: ssd", ["TPU505 warning"]),
    ],
)
def test_system_pools_are_checked(location: str, pool: str, expected: list[str], check: Check) -> None:
    assert weights(check(f"mode: standard\nlocation: {location}\nsystem_pool: {{{pool}}}\n")) == expected


@pytest.mark.parametrize(("pool", "key"), [("min_nodes: 5", "min_nodes"), ("min_nodes: 5, max_nodes: 4", "max_nodes")])
def test_the_fix_raises_the_limit_that_the_plan_sets(pool: str, key: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{{pool}}}\n")
    assert (finding.path[-1], finding.fix) == (key, "max_nodes: 5")


def test_the_default_system_pool_is_also_checked(check: Check) -> None:
    assert weights(check("mode: standard\nlocation: us-central1-ai1a\n")) == ["TPU258 error"]
    assert check("mode: standard\nlocation: us-central2-b\n") == ()


@pytest.mark.parametrize(
    ("channel", "expected"),
    [("rapid", []), ("regular", []), ("stable", []), ("extended", []), ("none", ["TPU253"])],
)
def test_autopilot_requires_a_release_channel(channel: str, expected: list[str], broken: Broken) -> None:
    assert broken(AUTOPILOT + f"release_channel: {channel}\n") == expected
    assert broken(STANDARD + f"release_channel: {channel}\n") == []


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("tpu: {v6e: 8}", []),
        ("tpu: {tpu-v6e-slice: 8}", []),
        ("tpu: {}", []),
        ("tpu: {tpu-v3-device: 8, tpu-v3-slice: 64}", []),
        ("tpu: {v3: 8}", ["TPU223"]),
        ("tpu: {v4: 8, v5e: 8, v5p: 8}", []),
        ("tpu: {v6e: 0}", ["TPU222"]),
        ("tpu: {v6e: -1}", ["TPU222"]),
        ("tpu: {ct6e: 8}", ["TPU221"]),
        ("tpu: {ct6e-standard-4t: 8}", ["TPU221"]),
        ("tpu: {v6e: 8, tpu-v6e-slice: 8}", ["TPU224"]),
        ("tpu: {v3: 8, tpu-v3-slice: 8}", ["TPU223", "TPU224"]),
        ("tpu: {v6e: 8}, zones: [us-east5-b, us-east5-c]", []),
        ("tpu: {v6e: 8}, zones: [us-east5-b, us-east1-d]", ["TPU226"]),
    ],
)
def test_autoprovisioning_limits_are_checked(limits: str, expected: list[str], broken: Broken) -> None:
    found = broken(STANDARD + f"autoprovisioning: {{cpu: 999, memory_gib: 9999, {limits}}}\n")
    assert [rule for rule in found if rule != "TPU227"] == expected  # the region has not all of these generations


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("trillium", "v6e: 8"),
        ("ironwood", "tpu7x: 8"),
        ("ct6e-standard-4t", "v6e: 8"),
        ("v5litepod-16", "v5e: 8"),
        ("tpu-v6e-podslice", "v6e: 8"),
        ("nvidia-l4", ""),
    ],
)
def test_the_fix_for_another_name_of_a_tpu_is_its_generation(word: str, fix: str, check: Check) -> None:
    (finding,) = check(STANDARD + f"autoprovisioning: {{cpu: 999, memory_gib: 99, tpu: {{{word}: 8}}}}\n")
    assert finding.rule == "TPU221"
    assert finding.fix == fix


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        # 2 slices of 4 hosts with 4 chips, 180 vCPUs and 720 GiB each; the system pool has 3 x 4 vCPUs
        ("cpu: 1452, memory_gib: 5760, tpu: {v6e: 32}", []),
        ("cpu: 1451, memory_gib: 5760, tpu: {v6e: 32}", ["cpu"]),
        ("cpu: 1452, memory_gib: 5759, tpu: {v6e: 32}", ["memory_gib"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {v6e: 31}", ["v6e"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {tpu-v6e-slice: 31}", ["tpu-v6e-slice"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {v5e: 1}", []),
        ("cpu: 1452, memory_gib: 5760", []),
    ],
)
@pytest.mark.parametrize("count", ["count: 2", "max: 2", "indices: [0, 5]"])
def test_limits_cover_the_node_pools_of_the_plan(limits: str, expected: list[str], count: str, check: Check) -> None:
    group = f"{{tpu: v6e, topology: 4x4, zone: us-east5-b, {count}}}"
    findings = check(STANDARD + f"autoprovisioning: {{{limits}}}\nslices: {{main: {group}}}\n")
    assert [finding.path[-1] for finding in findings] == expected
    assert {finding.rule for finding in findings} <= {"TPU225"}


def test_node_pools_with_the_same_label_are_added_up(check: Check) -> None:
    groups = ", ".join(f"g{n}: {{tpu: v6e, topology: 2x2, zone: us-east5-b, count: 2}}" for n in range(4))
    text = STANDARD + f"autoprovisioning: {{cpu: 9999, memory_gib: 99999, tpu: {{v6e: 31}}}}\nslices: {{{groups}}}\n"
    (finding,) = check(text)
    assert finding.message.endswith("use up to 32 chips of `v6e`; the limit of the cluster is 31")
    assert (finding.rule, finding.fix) == ("TPU225", "v6e: 32")


def test_the_limit_of_a_generation_is_compared_with_its_most_used_accelerator(check: Check) -> None:
    """v3 has two: the node pools below use one of them."""
    group = "{tpu: v3, topology: 4x8, zone: europe-west4-a}"
    limits = "autoprovisioning: {cpu: 9999, memory_gib: 99999, tpu: {v3: 31}}"
    found = check(f"mode: standard\nlocation: europe-west4\n{limits}\nslices: {{main: {group}}}\n")
    assert [item.fix for item in found if item.rule == "TPU225"] == ["v3: 32"]


def test_zones_are_listed_for_the_known_limits_beside_an_unknown_one(check: Check) -> None:
    limits = "{cpu: 999, memory_gib: 9999, tpu: {v6e: 8, nvidia-l4: 1}, zones: [us-east1-d]}"
    found = {item.rule: item for item in check(f"{STANDARD}autoprovisioning: {limits}\n")}
    zone = next(item for item in found.values() if item.path[-2:] == ("zones", 0))
    assert "TPU221" in found
    assert "us-east5-b" in zone.allowed


@pytest.mark.parametrize(
    ("limits", "groups", "expected"),
    [
        ("{tpu7x: 128}", "", ["TPU220 warning"]),
        ("{tpu7x: 128, v5p: 64}", "", ["TPU220 warning"]),
        ("{v5p: 64}", "", []),
        # a policy that the plan creates or names in the region
        ("{tpu7x: 1280}", "a: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c}", []),
        (
            "{tpu7x: 1280}",
            "a: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {workload_policy: cubes}}",
            [],
        ),
        # single-host slices have no policy
        ("{tpu7x: 1280}", "a: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c}", ["TPU220 warning"]),
        # a policy of another generation does not count
        ("{tpu7x: 1280}", "a: {tpu: v6e, topology: 4x4, zone: us-central1-b}", ["TPU220 warning"]),
    ],
)
def test_auto_provisioned_slices_require_workload_policies(
    limits: str, groups: str, expected: list[str], check: Callable[..., tuple[Finding, ...]]
) -> None:
    body = (
        "mode: standard\nlocation: us-central1\nnetwork: {create: {mtu: 8896}}\n"
        f"autoprovisioning: {{cpu: 50000, memory_gib: 200000, tpu: {limits}}}\n"
    )
    findings = check(body + (f"slices:\n  {groups}\n" if groups else ""))
    assert [f"{item.rule} {item.severity.word}" for item in findings] == expected
    assert all("autoprovisioning" in item.path and "tpu7x" in item.path for item in findings)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Train_East", "use lower-case letters, digits and hyphens"),
        ("2train", "start with a letter, and end with a letter or a digit"),
        ("t" * 41, "41 characters exceed the limit of 40"),
    ],
)
def test_an_invalid_cluster_name_states_what_to_change(name: str, reason: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nname: {name}\n")
    assert (finding.rule, finding.message) == ("TPU251", f"invalid cluster name `{name}`: {reason}")

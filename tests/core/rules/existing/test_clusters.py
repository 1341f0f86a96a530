"""Rules about clusters that exist already, and of keys that only those or only others have."""

import datetime
import textwrap
from pathlib import Path

import pytest
from support.fixtures.checks import Check
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import ClusterSpec
from pulumi_gke_tpu.core.plan.keys import alternative_on_existing, meaning_on_existing
from pulumi_gke_tpu.core.text.findings import Finding

SHARED = "projects/acme-ml/locations/us-east5/clusters/shared"

V6E = "pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b%s}"

TODAY = datetime.date(2026, 11, 20)

CENTRAL = SHARED.replace("us-east5", "us-central1")


def whole(cluster: str) -> str:
    return "version: 1\nproject: acme-ml\nclusters:\n  train:\n" + textwrap.indent(cluster, "    ")


def plan(*keys: str, existing: str = SHARED, mode: str = "standard", group: str = V6E % "") -> str:
    written = "".join(f"{key}\n" for key in keys if key)
    account = (
        "" if any("account" in key for key in keys) else "node_service_account: a@acme-ml.iam.gserviceaccount.com\n"
    )
    return whole(f"mode: {mode}\nexisting: {existing}\n{account}{written}slices:\n  {group}\n")


def found(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity.word) for finding in findings]


# Names of node pools


def test_the_cluster_may_have_a_cpu_pool_or_group_named_system(check: Check) -> None:
    """Only in a cluster that gke-tpu creates does this name belong to the node pool for system workloads."""
    pool = "cpu_pools: {system: {machine_type: n2-standard-4, max_nodes: 3}}"
    group = "system: {tpu: v6e, topology: 2x2, zone: us-east5-b}"
    assert found(check(plan(pool))) == []
    assert found(check(plan(group=group))) == []
    assert ("TPU293", "error") in found(check(plan(pool, group=group)))


# The reference


def test_a_location_that_contradicts_the_reference_is_the_only_error(check: Check) -> None:
    """Otherwise, correct zones of the cluster look wrong, and their fixes name zones of another region."""
    pool = "cpu_pools: {head: {machine_type: n2-standard-4, nodes: 1, zones: [us-east5-b]}}"
    assert found(check(plan("location: us-central1", pool))) == [("TPU285", "error")]


@pytest.mark.parametrize(
    ("reference", "problem", "fix"),
    [
        ("gke_acme-ml_us-east5_shared", "the form is", SHARED),
        ("shared", "the form is", ""),
        ("acme-ml/us-east5/shared", "the form is", ""),
        ("projects/acme-ml/locations/east/clusters/shared", "is neither a region nor a zone", ""),
        ("projects/acme-ml/locations/us-east5/clusters/Shared", "is not a cluster name", ""),
        ('""', "the form is", ""),
    ],
)
def test_a_malformed_reference_is_the_only_finding(check: Check, reference: str, problem: str, fix: str) -> None:
    findings = check(plan(existing=reference))
    assert found(findings) == [("TPU284", "error")]
    assert problem in findings[0].message
    assert findings[0].fix == (f"existing: {fix}" if fix else "")


def test_a_bare_name_and_a_location_make_a_reference(check: Check) -> None:
    (finding,) = check(plan("location: us-east5", existing="shared"))
    assert (finding.rule, finding.fix) == ("TPU284", f"existing: {SHARED}")


@pytest.mark.parametrize(
    "reference",
    [SHARED, f"https://container.googleapis.com/v1/{SHARED}", SHARED.replace("acme-ml", "123456789012")],
)
def test_a_complete_reference_is_accepted(check: Check, reference: str) -> None:
    assert found(check(plan(existing=reference))) == []


@pytest.mark.parametrize(
    ("key", "path"), [("location: us-central1", "location"), ("name: other", "name"), ("", "existing")]
)
def test_keys_that_contradict_the_reference_are_errors(check: Check, key: str, path: str) -> None:
    reference = SHARED if key else SHARED.replace("acme-ml", "other-project")
    findings = [finding for finding in check(plan(key, existing=reference)) if finding.rule == "TPU285"]
    assert [finding.path[-1] for finding in findings] == [path]


def test_keys_that_repeat_the_reference_are_allowed(check: Check) -> None:
    assert found(check(plan("location: us-east5", "name: shared"))) == []


def test_one_location_key_or_the_other_is_required(check: Check) -> None:
    (finding,) = check("mode: standard\nslices: {}")
    assert (finding.rule, finding.message) == ("TPU021", "missing key `location`")


def test_an_autopilot_cluster_has_no_zone(check: Check) -> None:
    reference = CENTRAL.replace("us-central1", "us-central1-a")
    (finding,) = check(plan(mode="autopilot", existing=reference, group="note: {tpu: v5e, topology: 2x2}"))
    assert (finding.rule, finding.path[-1], finding.fix) == ("TPU202", "existing", "")


@pytest.mark.parametrize("other", [f"existing: {SHARED}", "location: us-east5, name: shared"])
def test_a_cluster_is_in_the_plan_once(check: Check, other: str) -> None:
    text = f"""version: 1
project: acme-ml
clusters:
  one: {{mode: standard, {other}}}
  two: {{mode: standard, existing: {SHARED}}}
"""
    findings = check(text)
    assert found(findings) == [("TPU287", "error")]
    assert findings[0].path == ("clusters", "two", "existing")


def test_a_renamed_key_does_not_count_twice(check: Check) -> None:
    text = f"""version: 1
project: acme-ml
clusters:
  new: {{mode: standard, existing: {SHARED}}}
moved: [{{from: old, to: new}}]
"""
    assert found(check(text)) == []


def test_a_renamed_key_beside_its_former_one_is_left_to_the_rules_about_moves(check: Check) -> None:
    text = f"""version: 1
project: acme-ml
clusters:
  old: {{mode: standard, existing: {SHARED}}}
  new: {{mode: standard, existing: {SHARED}}}
moved: [{{from: old, to: new}}]
"""
    assert "TPU287" not in [finding.rule for finding in check(text)]


# Keys that do not apply
VALUES = {
    "min_version": '"1.34"',
    "deletion_protection": "true",
    "control_plane": "{dns_endpoint: true}",
    "system_pool": "{max_nodes: 2}",
    "autoprovisioning": "{cpu: 1000, memory_gib: 4000}",
    "addons": "[gcs_fuse]",
    "gateway_api": "standard",
    "ml_diagnostics": "true",
    "maintenance": "{window: {start: 2026-01-03T02:00:00Z, duration: 6h}}",
    "resource_labels": "{team: ml}",
    "fleet": "acme-fleet",
    "kms_key": "projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/etcd",
    "notifications": "projects/acme-ml/topics/upgrades",
    "timeouts": "{create: 1h}",
    "extra": "{enable_l4_ilb_subsetting: true}",
    "additional_networks": "{data: {subnet: 10.64.0.0/20}}",
    "multi_networking": "true",
    "adopted": "true",
}


def test_every_refused_key_has_a_value_here() -> None:
    refused = {name for name, field in ClusterSpec.model_fields.items() if meaning_on_existing(field) == "refused"}
    assert refused == set(VALUES)


@pytest.mark.parametrize("key", VALUES)
def test_a_key_that_configures_a_cluster_is_an_error_with_the_reason(check: Check, key: str) -> None:
    (finding,) = (finding for finding in check(plan(f"{key}: {VALUES[key]}")) if finding.rule == "TPU286")
    assert (finding.path[-1], finding.severity.word) == (key, "error")
    reason = alternative_on_existing(ClusterSpec.model_fields[key])
    assert reason
    assert finding.message == f"`{key}` does not apply to an existing cluster: {reason}"


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ("network: create", ("network", "create")),
        ("network: {network: n, subnetwork: s, pods_range: p}", ("network", "existing", "pods_range")),
        ("security: {shielded_nodes: true}", ("security", "shielded_nodes")),
    ],
)
def test_keys_inside_others_are_reported_by_themselves(check: Check, keys: str, path: tuple[str, ...]) -> None:
    findings = [finding.path for finding in check(plan(keys)) if finding.rule == "TPU286"]
    assert findings == [("clusters", "train", *path)]


def test_a_new_cluster_has_no_version_to_state(check: Check) -> None:
    (finding,) = check(whole('mode: standard\nlocation: us-east5\nversion: "1.34"'))
    assert (finding.rule, finding.fix) == ("TPU286", 'min_version: "1.34"')


def test_an_account_is_not_created_for_nodes_that_autopilot_creates(check: Check) -> None:
    group = "note: {tpu: v5e, topology: 2x2}"
    findings = check(plan("node_service_account: create", mode="autopilot", existing=CENTRAL, group=group))
    assert found(findings) == [("TPU286", "error")]
    assert found(check(plan(mode="autopilot", existing=CENTRAL, group=group))) == []


# Facts that the plan does not state
IRONWOOD = "cube: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}"

MANUAL = V6E % ", upgrade: {auto_upgrade: false}"

ADDRESSES = V6E % ", network_profile: auto"

INTERFACES = V6E % ", additional_networks: [{network: second, subnetwork: second}]"


@pytest.mark.parametrize(
    ("fact", "group", "expected"),
    [
        ("", IRONWOOD, []),
        ('version: "1.33"', IRONWOOD, [("TPU232", "error")]),
        ('version: "1.34"', IRONWOOD, []),
        ('version: "1.32"', V6E % ", capacity: flex_start", [("TPU233", "error")]),
        ("version: latest", V6E % "", [("TPU231", "error")]),
        ('version: "1.99"', V6E % "", [("TPU230", "error")]),
        ("", MANUAL, [("TPU429", "warning")]),
        ("release_channel: regular", MANUAL, [("TPU429", "error")]),
        ("release_channel: none", MANUAL, []),
        ("", ADDRESSES, [("TPU288", "warning")]),
        ("security: {dataplane_v2: true}", ADDRESSES, []),
        ("security: {dataplane_v2: false}", ADDRESSES, [("TPU582", "error")]),
        ("security: {dataplane_v2: true}", INTERFACES, [("TPU288", "warning")]),
        ("network: {network: second, subnetwork: s}", INTERFACES, [("TPU288", "warning"), ("TPU584", "error")]),
    ],
)
def test_a_rule_about_a_fact_needs_the_fact(
    check: Check, fact: str, group: str, expected: list[tuple[str, str]]
) -> None:
    findings = check(plan(fact, existing=CENTRAL if group == IRONWOOD else SHARED, group=group))
    assert sorted(found(findings)) == sorted(expected)


@pytest.mark.parametrize("version", ["1.33", "1.99", "latest"])
def test_no_fix_invents_a_version_of_the_cluster(check: Check, version: str) -> None:
    findings = check(plan(f'version: "{version}"', existing=CENTRAL, group=IRONWOOD))
    assert findings
    assert [finding.fix for finding in findings] == [""] * len(findings)
    assert {finding.path[-1] for finding in findings} == {"version"}


def test_nodes_without_an_account_run_as_the_default_account(check: Check) -> None:
    text = plan().replace("    node_service_account: a@acme-ml.iam.gserviceaccount.com\n", "")
    (finding,) = check(text)
    assert (finding.rule, finding.severity.word, finding.path) == ("TPU243", "warning", ("clusters", "train"))


def test_an_existing_cluster_needs_no_version_that_its_location_offers(catalog: Catalog, tmp_path: Path) -> None:
    inventory = 'gke_versions:\n  us-central1: {regular: ["1.33.5-gke.1162000"]}\n'
    text = plan("release_channel: regular", existing=CENTRAL, group=IRONWOOD)
    assert findings_about(f"{text}--- inventory\n{inventory}", catalog, tmp_path, TODAY, alone=True) == ()


def test_two_plans_can_use_one_cluster(catalog: Catalog, tmp_path: Path) -> None:
    other = plan(group=V6E.replace("pretrain", "tune") % "")
    assert findings_about(f"{plan()}--- plan\n{other}", catalog, tmp_path, TODAY, alone=True) == ()
    findings = findings_about(f"{plan()}--- plan\n{plan()}", catalog, tmp_path, TODAY, alone=True)
    assert [finding.rule for finding in findings] == ["TPU844"]


def test_no_rule_checks_a_system_pool_that_nothing_creates(check: Check) -> None:
    location = "us-central1-ai1a"
    group = f"cube: {{tpu: tpu7x, topology: 4x4x4, zone: {location}}}"
    assert "TPU258" in [finding.rule for finding in check(whole(f"mode: standard\nlocation: {location}"))]
    findings = check(plan(existing=CENTRAL.replace("us-central1", location), group=group))
    assert "TPU258" not in [finding.rule for finding in findings]


def test_a_network_of_another_project_needs_no_ranges(check: Check) -> None:
    path = "projects/acme-net/regions/us-east5/subnetworks/tpu"
    network = f"network: {{network: projects/acme-net/global/networks/shared, subnetwork: {path}}}"
    assert "TPU218" in [finding.rule for finding in check(whole(f"mode: standard\nlocation: us-east5\n{network}"))]
    assert found(check(plan(network))) == []


def test_an_unknown_channel_lacks_no_feature(check: Check) -> None:
    keys = ("addons: [slice_controller]", "release_channel: stable")
    stated, unknown = (
        [finding.rule for finding in check(plan(*keys[:count], existing=CENTRAL, group=IRONWOOD))] for count in (2, 1)
    )
    assert ("TPU234" in stated, "TPU234" in unknown) == (True, False)

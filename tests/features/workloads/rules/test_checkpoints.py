"""Rules about multi-tier checkpointing."""

import copy
import datetime
from typing import Any

import pytest
from support.volumes import KINDS, volume_plan

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path

TODAY = datetime.date(2026, 11, 20)
OWN = tuple(f"TPU{number}" for number in (233, 248, 250, *range(650, 656), 693, 700, 702, 716))
ADDONS = ["high_scale_checkpointing", "gcs_fuse"]
FOLDER = {"recent": {"mount": "/recent", "checkpoints": True}}
CHECKPOINTS = {"bucket": "acme-checkpoints", "memory": "60Gi", "project_number": 123456789012}


def plan(
    kind: str = "jobset", checkpoints: dict[str, Any] | None = CHECKPOINTS, mode: str = "standard", **cluster: Any
) -> dict[str, Any]:
    kubernetes = {} if checkpoints is None else {"checkpoints": checkpoints}
    found = copy.deepcopy(volume_plan({"w": (kind, FOLDER)}, mode, kubernetes))
    found["clusters"]["c"].update({"addons": ADDONS, **cluster})
    return found


def findings(data: dict[str, Any], catalog: Catalog) -> list[Finding]:
    document = parse_plan(data)
    assert document.findings == ()
    return [item for item in check_plan(document, catalog, TODAY).findings if item.rule in OWN]


def told(data: dict[str, Any], catalog: Catalog) -> list[str]:
    return [f"{item.rule} {format_path(item.path[2:])}" for item in findings(data, catalog)]


def test_a_jobset_with_everything_it_needs_has_no_finding(catalog: Catalog) -> None:
    assert told(plan(), catalog) == []


@pytest.mark.parametrize(("addons", "missing"), [([], ADDONS), (["gcs_fuse"], ADDONS[:1])])
def test_missing_add_ons_are_added_at_once(addons: list[str], missing: list[str], catalog: Catalog) -> None:
    (finding,) = findings(plan(addons=addons), catalog)
    assert (finding.rule, finding.severity) == ("TPU651", Severity.WARNING)
    assert finding.fix == f"addons: [{', '.join([*addons, *missing])}]"
    assert told(plan(addons=["high_scale_checkpointing"]), catalog) == ["TPU650 addons"]


def test_add_ons_of_an_existing_cluster_are_not_known(catalog: Catalog) -> None:
    data = plan()
    cluster = data["clusters"]["c"]
    del cluster["addons"], cluster["location"]
    cluster["existing"] = "projects/acme-ml/locations/us-east5/clusters/shared"
    assert told(data, catalog) == []


def test_workload_identity_and_a_new_version_of_gke_are_required(catalog: Catalog) -> None:
    assert told(plan(security={"workload_identity": False}), catalog) == ["TPU250 security.workload_identity"]
    (old,) = findings(plan(min_version="1.32.3-gke.1000"), catalog)
    assert old.rule == "TPU233"
    assert "1.32.4-gke.1415000" in old.message


def test_autopilot_refuses_the_keys_and_the_add_on(catalog: Catalog) -> None:
    data = plan(mode="autopilot")
    refused = [
        item for item in check_plan(parse_plan(data), catalog, TODAY).findings if item.severity is Severity.ERROR
    ]
    assert {format_path(item.path[2:]) for item in refused} >= {
        "kubernetes.checkpoints",
        "kubernetes.workloads.w.volumes.recent.checkpoints",
    }
    assert "TPU248 addons[0]" in told(data, catalog)
    data["clusters"]["c"]["addons"] = []  # which Autopilot could not have
    assert told(data, catalog) == []


def test_a_volume_needs_hosts_with_the_folder(catalog: Catalog) -> None:
    assert told(plan(checkpoints=None), catalog) == ["TPU652 kubernetes"]
    data = plan(checkpoints={**CHECKPOINTS, "slices": ["other"]})
    data["clusters"]["c"]["slices"]["other"] = {"tpu": "v5e", "topology": "4x4", "zone": "us-east5-a"}
    (finding,) = findings(data, catalog)
    assert (finding.rule, finding.path[-1]) == ("TPU652", "checkpoints")
    assert "many" in finding.message
    assert finding.allowed == ("other",)


def test_groups_with_the_same_machines_have_the_folder_too(catalog: Catalog) -> None:
    """A node is selected by its machine type."""
    assert told(plan(checkpoints={**CHECKPOINTS, "slices": ["one"]}), catalog) == []


def test_unknown_slice_groups_are_reported(catalog: Catalog) -> None:
    (finding,) = findings(plan(checkpoints={**CHECKPOINTS, "slices": ["many", "mny"]}), catalog)
    assert (finding.rule, format_path(finding.path[2:])) == ("TPU700", "kubernetes.checkpoints.slices[1]")
    assert finding.fix == "many"


@pytest.mark.parametrize("kind", KINDS)
def test_only_pods_of_jobsets_are_numbered(kind: str, catalog: Catalog) -> None:
    numbered = kind in ("job", "jobset")  # a job on several pools is a JobSet
    where = "TPU653 kubernetes.workloads.w.volumes.recent.checkpoints"
    assert told(plan(kind), catalog) == ([] if numbered else [where])


def test_a_job_on_one_pool_is_not_a_jobset(catalog: Catalog) -> None:
    data = plan("job")
    data["clusters"]["c"]["slices"]["many"]["count"] = 1
    assert [item.rule for item in findings(data, catalog)] == ["TPU653"]


def test_checkpoints_and_requests_fit_on_the_host(catalog: Catalog) -> None:
    """A host with 4 chips of v6e has 720 GiB, of which a Pod without `memory` requests 540 GiB."""
    large = {**CHECKPOINTS, "memory": "200Gi"}
    data = plan(checkpoints=large)
    (finding,) = findings(data, catalog)
    assert (finding.rule, finding.severity) == ("TPU654", Severity.WARNING)
    assert all(text in finding.message for text in ("540Gi", "200Gi", "720 GiB"))
    assert finding.fix == "memory: 520Gi"
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"]["memory"] = "520Gi"
    assert told(data, catalog) == []
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"]["memory"] = "521Gi"
    assert told(data, catalog) == ["TPU654 kubernetes.workloads.w.memory"]
    (finding,) = findings(plan(checkpoints={**CHECKPOINTS, "memory": "720Gi"}), catalog)
    assert not finding.fix


def test_a_pod_that_is_too_large_alone_is_the_matter_of_another_rule(catalog: Catalog) -> None:
    data = plan(checkpoints=None)
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"]["memory"] = "900Gi"
    assert told(data, catalog) == ["TPU652 kubernetes"]
    odd = plan(checkpoints={**CHECKPOINTS, "memory": "much"})
    assert told(odd, catalog) == ["TPU702 kubernetes.checkpoints.memory"]
    odd = plan()
    odd["clusters"]["c"]["kubernetes"]["workloads"]["w"]["memory"] = "much"
    assert told(odd, catalog) == ["TPU702 kubernetes.workloads.w.memory"]


def test_the_smallest_fix_leaves_one_gibibyte_and_each_workload_is_checked(catalog: Catalog) -> None:
    data = plan(checkpoints={**CHECKPOINTS, "memory": "719Gi"})
    small = {"slices": "one", "kind": "jobset", "image": "i", "memory": "1Gi", "volumes": FOLDER}
    data["clusters"]["c"]["kubernetes"]["workloads"] = {"small": small, "large": {**small, "memory": "2Gi"}}
    (finding,) = findings(data, catalog)
    assert (format_path(finding.path[2:]), finding.fix) == ("kubernetes.workloads.large.memory", "memory: 1Gi")


def test_every_workload_without_a_configuration_is_reported(catalog: Catalog) -> None:
    """In each cluster."""
    data = plan(checkpoints=None)
    data["clusters"]["d"] = copy.deepcopy(data["clusters"]["c"])
    assert told(data, catalog) == ["TPU652 kubernetes"] * 2


def test_a_workload_without_the_volume_may_use_the_whole_host(catalog: Catalog) -> None:
    data = plan(checkpoints={**CHECKPOINTS, "memory": "200Gi"})
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"]["volumes"] = {}
    assert told(data, catalog) == []


def test_a_role_needs_the_number_of_the_project(catalog: Catalog) -> None:
    without = {key: value for key, value in CHECKPOINTS.items() if key != "project_number"}
    (finding,) = findings(plan(checkpoints=without), catalog)
    assert (finding.rule, finding.severity) == ("TPU655", Severity.WARNING)


@pytest.mark.parametrize(
    ("keys", "rule", "fix"),
    [
        ({"bucket": "gs://acme-checkpoints"}, "TPU693", "bucket: acme-checkpoints"),
        ({"bucket": "gs://acme-checkpoints/runs"}, "TPU693", ""),
        ({"memory": "60 GB"}, "TPU702", "memory: 60G"),
        ({"memory": "0"}, "TPU702", ""),  # the driver does not start
    ],
)
def test_bucket_and_memory_have_their_form(keys: dict[str, str], rule: str, fix: str, catalog: Catalog) -> None:
    (finding,) = findings(plan(checkpoints={**CHECKPOINTS, **keys}), catalog)
    assert (finding.rule, finding.fix) == (rule, fix)
    assert finding.path[-2:] == ("checkpoints", *keys)


def test_a_volume_has_no_other_source(catalog: Catalog) -> None:
    data = plan()
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"]["volumes"]["recent"]["empty_dir"] = True
    assert told(data, catalog) == ["TPU716 kubernetes.workloads.w.volumes.recent"]

"""A plan with an existing cluster on the command line: unknown facts stay unknown."""

import json
import pathlib
from typing import Any

from support.shipped import STACKS
from support.small_plans import TODAY

SHARED = STACKS / "shared" / "plan.yaml"
POOL = "gcp:container/nodePool:NodePool"
FACTS = ("version", "release_channel", "private_nodes")


def without_facts(folder: pathlib.Path) -> pathlib.Path:
    """The shipped plan without the facts about its cluster."""
    lines = SHARED.read_text().splitlines(keepends=True)
    path = folder / "plan.yaml"
    path.write_text("".join(line for line in lines if not line.startswith(tuple(f"    {name}:" for name in FACTS))))
    return path


def test_a_preview_is_exactly_the_node_pools(gke_tpu: Any) -> None:
    data = json.loads(gke_tpu("preview", SHARED, "--format", "json", "--resources", *TODAY).out)
    assert data["resource_counts"] == {POOL: 2}
    pools = {name for cluster in data["clusters"] for group in cluster["slices"] for name in _names(group)}
    made = [item for item in data["resources"] if item["custom"]]
    assert {(item["type"], item["inputs"]["name"]) for item in made} == {(POOL, name) for name in pools}
    assert {item["inputs"]["cluster"] for item in made} == {"platform"}


def _names(group: Any) -> list[str]:
    return [pool["name"] for pool in group["pools"]]


def test_cost_and_quota_are_those_of_any_cluster(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    created = tmp_path / "plan.yaml"
    text = SHARED.read_text().replace(
        "existing: projects/acme-ml/locations/us-east5/clusters/platform", "location: us-east5"
    )
    created.write_text(text.replace("    version:", "    min_version:"))
    new, existing = (json.loads(gke_tpu("preview", path, "--format", "json", *TODAY).out) for path in (created, SHARED))
    for name in ("totals", "prices", "quota"):
        assert new[name] == existing[name]
    assert new["clusters"][0]["slices"] == existing["clusters"][0]["slices"]


def test_a_preview_shows_unknown_facts_as_unknown(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    known = gke_tpu("preview", SHARED, *TODAY).out
    assert "Existing Standard, us-east5, release channel regular, version 1.34, platform in GKE" in known
    assert "n2-standard" not in known
    unknown = gke_tpu("preview", without_facts(tmp_path), *TODAY).out
    assert "Existing Standard, us-east5, release channel unknown, version unknown, platform in GKE" in unknown
    note = "the plan does not state version, release_channel and private_nodes of the existing cluster"
    assert note in " ".join(unknown.split())
    assert "the plan does not state" not in known


def test_json_has_null_for_an_unknown_channel(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    for path, channel in ((SHARED, "regular"), (without_facts(tmp_path), None)):
        (cluster,) = json.loads(gke_tpu("preview", path, "--format", "json", *TODAY).out)["clusters"]
        assert cluster["release_channel"] == channel
        assert cluster["existing"] == "projects/acme-ml/locations/us-east5/clusters/platform"
    (created,) = json.loads(gke_tpu("preview", STACKS / "dev" / "plan.yaml", "--format", "json", *TODAY).out)[
        "clusters"
    ]
    assert created["existing"] is None


def test_explain_says_where_each_value_comes_from(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    data = json.loads(gke_tpu("explain", without_facts(tmp_path), "shared", "--format", "json").out)
    steps = {step["name"]: step["value"] for step in data["steps"]}
    assert steps["existing"] == "projects/acme-ml/locations/us-east5/clusters/platform"
    assert (steps["name"], steps["location"]) == ("platform", "us-east5")
    assert [name for name, value in steps.items() if value == "unknown"] == [
        "release_channel",
        "network",
        "private_nodes",
        "maintenance",
        "end_of_support",
        "headroom",
    ]
    assert steps["service_account"] == "tpu-nodes@acme-ml.iam.gserviceaccount.com"
    assert not steps.keys() & {
        "system_pool",
        "addons",
        "autoprovisioning",
        "control_plane",
        "protection",
    }


def test_a_group_names_the_unknown_version(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    out = gke_tpu("explain", without_facts(tmp_path), "shared/finetune.minimum_version").out
    assert "the version of the cluster is unknown, because the plan has no version" in " ".join(out.split())

"""Two files about what exists, before and after, are compared as plans are; no update of Pulumi makes the change."""

import json
import pathlib
from typing import Any

from support.shipped import STACKS

FLEET = pathlib.Path(__file__).parents[2] / "data" / "fleets" / "gcloud_v6e.json"


def changed(tmp_path: pathlib.Path) -> pathlib.Path:
    data = json.loads(FLEET.read_text(encoding="utf-8"))
    data["nodePools"] = [pool for pool in data["nodePools"] if pool["name"] != "reserved"]
    (sweep,) = (pool for pool in data["nodePools"] if pool["name"] == "sweep")
    sweep["config"]["spot"] = False
    file = tmp_path / "after.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_a_node_pool_that_is_gone_and_one_that_was_replaced(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    run = gke_tpu("diff", FLEET, changed(tmp_path), "--format", "json")
    items = {item["item"]: item["change"] for item in json.loads(run.out)["items"]}
    assert items == {"training/reserved": "delete", "training/sweep": "replace"}
    said = gke_tpu("diff", FLEET, changed(tmp_path)).out
    assert "pulumi up" not in said
    assert "acknowledge" not in said


def test_nothing_changes_between_equal_files(gke_tpu: Any) -> None:
    run = gke_tpu("diff", FLEET, FLEET, "--exit-code", "--format", "json")
    assert (run.code, json.loads(run.out)["items"]) == (0, [])


def test_a_plan_is_compared_with_what_exists_by_adopt(gke_tpu: Any) -> None:
    run = gke_tpu("diff", STACKS / "prod" / "plan.yaml", FLEET)
    assert run.code == 2
    assert "adopt --check" in run.err

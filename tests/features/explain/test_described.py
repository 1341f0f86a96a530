"""``gke-tpu explain`` of what another tool wrote names that source, not the plan that describes it."""

import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from support.foreign_files import Made, answer, pulumi_state, terraform_plan, terraform_state
from support.raw_pools import HOSTS, REGIONAL, SLICE

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL

WRITERS: dict[str, tuple[Callable[[Iterable[Made]], bytes], str]] = {
    "gcloud": (answer, "the answer"),
    "Terraform plan": (terraform_plan, "the Terraform plan"),
    "Terraform state": (terraform_state, "the Terraform state"),
    "Pulumi state": (pulumi_state, "the Pulumi state"),
}
MADE = [
    (CLUSTER, "train", {**REGIONAL, "name": "train"}),
    (NODE_POOL, "multi", {**SLICE, "name": "multi", "cluster": "train"}),
    (NODE_POOL, "single", {**HOSTS, "name": "single", "cluster": "train"}),
]


@pytest.mark.parametrize("name", WRITERS)
def test_no_value_of_what_exists_comes_from_a_plan(gke_tpu: Any, tmp_path: pathlib.Path, name: str) -> None:
    write, source = WRITERS[name]
    (tmp_path / "fleet.json").write_bytes(write(MADE))

    def explained(item: str) -> dict[str, Any]:
        result = gke_tpu("explain", tmp_path / "fleet.json", item, "--format", "json")
        assert result.code == 0, result.err
        return dict(json.loads(result.out))

    overview = explained("")
    assert overview["summary"].startswith(source.removeprefix("the "))
    items = [step["name"] for step in overview["steps"]]
    assert len(items) == 3
    for item in items:
        found = explained(item)
        reasons = [step["because"] for step in found["steps"]]
        assert any(source in each for each in reasons)
        wrong = [each for each in reasons if "the plan" in each or "NAME-INDEX" in each or "plan has no count" in each]
        assert not wrong
        places = [place for step in found["steps"] for place in step["written"]]
        assert places
        assert not [place for place in places if place["path"].startswith("clusters.")]


def test_a_place_has_the_name_of_its_source(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "plan.json").write_bytes(terraform_plan(MADE))
    found = json.loads(gke_tpu("explain", tmp_path / "plan.json", "train/multi/topology", "--format", "json").out)
    (place,) = found["steps"][0]["written"]
    assert place["path"] == "google_container_node_pool.multi: placement_policy.tpu_topology"

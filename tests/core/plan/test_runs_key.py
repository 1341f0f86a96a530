"""The key ``runs``: plain data that sets no property and is imported only for plans that have it."""

import datetime
from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.keys import documented_keys, type_at
from pulumi_gke_tpu.core.plan.runs import Run
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.preview.plan import preview_plan

RUN = {"slices": "pretrain", "start": "2026-12-01T08:00:00Z", "duration": "10d"}


def parsed(**keys: Any) -> Document[Plan]:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"pretrain": group}, **keys}
    return parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})


def test_a_run_has_a_slice_group_a_start_and_a_duration() -> None:
    found = parsed(runs={"llama": RUN}).content
    assert found is not None
    assert found.clusters["train"].runs == {
        "llama": Run(
            slices="pretrain",
            start=datetime.datetime(2026, 12, 1, 8, tzinfo=datetime.timezone.utc),
            duration=datetime.timedelta(days=10),
        )
    }
    assert plan_data(found)["clusters"]["train"]["runs"] == {"llama": {**RUN, "duration": "864000s"}}
    assert parse_plan(plan_data(found)).content == found


@pytest.mark.parametrize(
    ("runs", "path", "rule"),
    [
        ({"llama": {"slices": "a", "start": RUN["start"]}}, ("runs", "llama"), "TPU021"),
        ({"llama": RUN | {"end": 1}}, ("runs", "llama", "end"), "TPU020"),
        ({"llama": RUN | {"count": 0}}, ("runs", "llama", "count"), "TPU023"),
        ({"llama": RUN | {"start": "2026-12-01"}}, ("runs", "llama", "start"), "TPU023"),
        ({"llama": RUN | {"duration": "ten days"}}, ("runs", "llama", "duration"), "TPU023"),
    ],
    ids=str,
)
def test_errors_of_form_name_the_whole_path(runs: object, path: tuple[str, ...], rule: str) -> None:
    (found,) = parsed(runs=runs).findings
    assert (found.path[2:], found.rule) == (path, rule)


def test_the_model_is_found_by_all_that_walk_the_keys() -> None:
    assert type_at(Plan, ("clusters", "train", "runs", "llama")) is Run
    below = {path for path, _, _ in documented_keys(Plan) if path.startswith("clusters.*.runs.")}
    assert below == {f"clusters.*.runs.*.{name}" for name in Run.model_fields}
    assert "runs" in ClusterSpec.model_fields


def test_a_run_changes_no_resource() -> None:
    """Only the component of the fleet has the plan as its input."""
    plans = [plan_data(found) for found in (parsed().content, parsed(runs={"llama": RUN}).content) if found]
    without, with_run = (preview_plan(plan) for plan in plans)
    resources = [[item for item in graph.resources if item.custom] for graph in (without, with_run)]
    assert resources[0]
    assert resources[1] == resources[0]

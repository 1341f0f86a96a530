"""Stored previews are read unchanged, from this version and from others."""

import datetime
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.registered import PlanPreview, StoredError, read_stored
from pulumi_gke_tpu.core.plan import parse_plan, read_plan
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.workflows.preview import preview_checked, preview_stored
from pulumi_gke_tpu.features.plan.preview.json import preview_json

ROOT = pathlib.Path(__file__).parents[3]
PLANS = [*sorted((ROOT / "stacks").glob("*/plan.yaml")), EVERY_KEY]
TODAY = datetime.date(2026, 11, 20)
each_plan = pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}/{path.name}")


def written(value: Any) -> Any:
    """A part of a plan with the keys that are written in it, without defaults."""
    if isinstance(value, BaseModel):
        return {name: written(getattr(value, name)) for name in sorted(value.model_fields_set)}
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    return [written(item) for item in value] if isinstance(value, list | tuple) else value


CATALOG = read_catalog()


def preview(path: pathlib.Path) -> PlanPreview:
    return preview_checked(check_plan(read_plan(path), CATALOG, TODAY), ())


@each_plan
def test_a_plan_comes_back_from_its_canonical_form(path: pathlib.Path) -> None:
    plan = read_plan(path).content
    assert plan is not None
    back = parse_plan(json.loads(json.dumps(plan_data(plan))))
    assert back.findings == ()
    assert back.content == plan
    assert written(back.content) == written(plan)
    assert plan_data(plan) == plan_data(back.content)


@each_plan
def test_a_preview_comes_back(path: pathlib.Path) -> None:
    shown = preview(path)
    stored = read_stored(json.dumps(preview_json(shown, resources=True)).encode())
    back = preview_stored(stored, CATALOG, TODAY)
    assert back.graph == shown.graph
    assert (back.fleet, back.cost, back.quota, back.name) == (shown.fleet, shown.cost, shown.quota, shown.name)


def test_an_unknown_value_stays_unknown() -> None:
    graph = read_stored(
        json.dumps(preview_json(preview(ROOT / "stacks" / "prod" / "plan.yaml"), resources=True)).encode()
    ).graph
    pools = list(graph.of_type("gcp:container/nodePool:NodePool"))
    assert pools
    assert all(isinstance(pool.inputs["cluster"], Unknown) for pool in pools)


def test_keys_of_other_versions_are_passed_over_or_have_defaults() -> None:
    shown = preview(PLANS[0])
    data = preview_json(shown, resources=True)
    data["new"] = {}
    for resource in data["resources"]:
        resource["new"] = 1
        resource["options"]["new"] = 1
        del resource["options"]["retain_on_delete"]
    assert read_stored(json.dumps(data).encode()).graph == shown.graph


def with_input(data: Any, value: object) -> Any:
    first, *rest = data["resources"]
    return data | {"resources": [first | {"inputs": {"new": value}}, *rest]}


def test_without_resources_it_says_how_to_store_it() -> None:
    content = json.dumps(preview_json(preview(PLANS[0]), resources=False)).encode()
    with pytest.raises(StoredError, match="gke-tpu preview PLAN --format json --resources"):
        read_stored(content)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: [data], "it is not a stored preview"),
        (lambda data: {key: data[key] for key in data if key != "catalog"}, "it is not a stored preview"),
        (lambda data: {key: data[key] for key in data if key != "plan"}, "it is not a stored preview"),
        (lambda data: data | {"format": 2}, "its format is 2, and this version reads 1"),
        (lambda data: {key: data[key] for key in data if key != "format"}, "its format is None"),
        (lambda data: {key: data[key] for key in data if key != "resources"}, "without its resources"),
        (lambda data: {key: data[key] for key in data if key != "written"}, "stored without its resources"),
        (lambda data: data | {"resources": [*data["resources"], data["resources"][0]]}, "the same URN"),
        (lambda data: with_input(data, {"$absent": True}), "inputs.new: a property that is set has a value"),
        (lambda data: with_input(data, {"a": [{"$absent": True}]}), "a property that is set has a value"),
        (lambda data: with_input(data, {"$unknown": [1]}), "an unknown value lists the URNs"),
    ],
)
def test_another_file_is_refused_with_the_reason(change: Callable[[Any], Any], reason: str) -> None:
    data = preview_json(preview(PLANS[0]), resources=True)
    with pytest.raises(StoredError, match=f"{reason}.*; store it again"):
        read_stored(json.dumps(change(data)).encode())


@pytest.mark.parametrize(("levels", "readable"), [(59, True), (60, False)])
def test_a_file_that_is_nested_too_deeply_is_refused(levels: int, readable: bool) -> None:
    """``levels`` of lists in an unknown key; the document around them is one more."""
    data = preview_json(preview(PLANS[0]), resources=True)
    content = json.dumps(data)[:-1] + f', "new": {"[" * levels}{"]" * levels}}}'
    if readable:
        read_stored(content.encode())
    else:
        with pytest.raises(StoredError):
            read_stored(content.encode())

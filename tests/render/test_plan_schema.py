"""The JSON Schemas of plans and inventories: what they take, what they refuse, what they tell."""

import json
import pathlib
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.render.generated.plan_schema import inventory_schema, plan_schema
from pulumi_gke_tpu.rules import all_rules
from pulumi_gke_tpu.rules.engine.examples import files_of
from pulumi_gke_tpu.yamlfile import parse_yaml

ROOT = pathlib.Path(__file__).parents[2]
PLANS = [*sorted(ROOT.glob("stacks/*/plan.yaml")), *ROOT.glob("tests/acceptance/**/every_key.yaml")]
READABLE = [
    rule for rule in all_rules() if rule.id > "TPU1" and rule.scope.breakable not in ("derived", "file", "component")
]


def data_of(text: str) -> Any:
    return json.loads(json.dumps(parse_yaml(text.encode(), "plan.yaml").data))


@pytest.fixture(scope="module")
def plan() -> Any:
    return jsonschema.Draft202012Validator(plan_schema())


@pytest.fixture(scope="module")
def inventory() -> Any:
    return jsonschema.Draft202012Validator(inventory_schema())


@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_plans_of_this_repository_are_taken(plan: Any, path: pathlib.Path) -> None:
    plan.validate(data_of(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("rule", READABLE, ids=[rule.id for rule in READABLE])
def test_what_breaks_no_rule_is_taken(plan: Any, inventory: Any, rule: Any) -> None:
    files = files_of(rule.passing)
    for text in files.plans:
        plan.validate(data_of(text))
    if files.inventory is not None:
        inventory.validate(data_of(files.inventory))


def group(**keys: Any) -> dict[str, Any]:
    return {"tpu": "v6e", "topology": "2x2", **keys}


def cluster(**keys: Any) -> dict[str, Any]:
    return {"mode": "standard", "location": "us-east5", "slices": {"one": group()}, **keys}


@pytest.mark.parametrize(
    "written",
    [
        cluster(slices={"one": group(count=2)}),
        cluster(slices={"one": group(count={"min": 0, "max": 2})}),
        cluster(slices={"one": group(capacity="spot")}),
        cluster(slices={"one": group(capacity={"reservation": "one"})}),
        cluster(slices={"one": group(capacity={"reservation": {"name": "one", "project": "other"}})}),
        cluster(slices={"one": group(capacity={"flex_start": True})}),
        cluster(slices={"one": group(capacity={"flex_start": {"max_run_duration": "7d"}})}),
        cluster(slices={"one": group(host_maintenance="periodic")}),
        cluster(network="create"),
        cluster(network={"create": {"mtu": 8896}}),
        cluster(network={"create": None}),
        cluster(network={"network": "main", "subnetwork": "east"}),
        cluster(
            maintenance={
                "window": {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT"]},
                "exclusions": {"run": {"start": "2026-01-03T02:00:00Z", "end": "end_of_support"}},
            }
        ),
    ],
    ids=str,
)
def test_shorthands_are_taken(plan: Any, written: Any) -> None:
    plan.validate({"version": 1, "project": "acme-ml", "clusters": {"train": written}})


@pytest.mark.parametrize(
    "written",
    [
        cluster(locatoin="us-east5"),
        cluster(mode="standrad"),
        cluster(slices={"one": group(topolgy="2x2")}),
        cluster(slices={"one": group(count={"mim": 0})}),
        cluster(slices={"one": group(capacity="spto")}),
        cluster(slices={"one": group(capacity={"spott": True})}),
        cluster(slices={"one": {"topology": "2x2"}}),
        cluster(min_version=1.34),
        cluster(network="creat"),
        cluster(network={"create": {"mut": 8896}}),
        cluster(maintenance={"window": {"start": "2026-01-03T02:00:00Z", "duration": "six hours"}}),
    ],
    ids=str,
)
def test_misspelt_keys_and_wrong_types_are_refused(plan: Any, written: Any) -> None:
    assert not plan.is_valid({"version": 1, "project": "acme-ml", "clusters": {"train": written}})


@pytest.mark.parametrize("schema", [plan_schema(), inventory_schema()], ids=["plan", "inventory"])
def test_every_key_is_described(schema: dict[str, Any]) -> None:
    undescribed = [
        f"{name}.{key}"
        for name, part in {**schema["$defs"], "": schema}.items()
        for key, value in part.get("properties", {}).items()
        if not value.get("description")
    ]
    assert undescribed == []
    assert schema["title"]
    assert "$id" not in schema


def test_what_autopilot_refuses_is_said() -> None:
    keys = plan_schema()["$defs"]["SliceGroup"]["properties"]
    assert "On Autopilot: refused." in keys["max_pods_per_node"]["description"]
    assert "On Autopilot: no effect." in keys["boot_disk"]["description"]
    assert "Autopilot" not in keys["tpu"]["description"]

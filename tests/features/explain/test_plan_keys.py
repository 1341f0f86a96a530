"""The table of keys: complete, and right about types, defaults and Autopilot."""

import pytest

from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.key_table import PlanKey, inventory_keys, organization_keys, plan_keys
from pulumi_gke_tpu.core.plan.keys import documented_keys
from pulumi_gke_tpu.core.plan.organization import Organization
from pulumi_gke_tpu.features.explain.reference.docs_pages import (
    inventory_keys_page,
    organization_keys_page,
    plan_keys_page,
)

KEYS = {key.path: key for key in plan_keys()}


def test_every_key_of_the_models_is_there_with_a_meaning() -> None:
    assert list(KEYS) == [path for path, _, _ in documented_keys(Plan)]
    assert [path for path, key in KEYS.items() if not key.description] == []


@pytest.mark.parametrize(
    ("path", "kind", "default", "on_autopilot"),
    [
        ("version", "`1`", "required", "same"),
        ("resource_labels", "name -> text", "", "same"),
        ("moved[].from", "text", "required", "same"),
        ("clusters.*.mode", "`standard` `autopilot`", "required", "same"),
        ("clusters.*.location", "text", "required", "not every value"),
        ("clusters.*.deletion_protection", "true or false", "true", "same"),
        ("clusters.*.network", "`create`, or mapping", "", "same"),
        ("clusters.*.system_pool", "mapping", "", "refused"),
        ("clusters.*.system_pool.min_nodes", "whole number", "1", "refused"),
        ("clusters.*.maintenance.window.start", "timestamp", "required", "same"),
        ("clusters.*.maintenance.exclusions.*.end", "timestamp, or `end_of_support`", "", "same"),
        ("clusters.*.slices.*.count", "whole number, or mapping", "", "same"),
        ("clusters.*.slices.*.indices", "list of whole number", "", "refused"),
        ("clusters.*.slices.*.boot_disk.size_gib", "whole number", "", "no effect"),
        ("clusters.*.slices.*.capacity.flex_start.max_run_duration", "duration", "", "same"),
        ("clusters.*.slices.*.capacity.reservation", "text, or mapping", "", "same"),
        ("clusters.*.slices.*.machine_type", "text", "", "legacy types only"),
        ("clusters.*.slices.*.extra", "name -> anything", "", "refused"),
    ],
)
def test_types_defaults_and_autopilot(path: str, kind: str, default: str, on_autopilot: str) -> None:
    key = KEYS[path]
    assert (key.kind, key.default, key.on_autopilot) == (kind, default, on_autopilot)


def test_the_page_has_one_row_per_key() -> None:
    rows = [line for line in plan_keys_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(KEYS)
    assert all(row.replace("\\|", "").count("|") == 7 for row in rows)


@pytest.mark.parametrize(
    ("model", "keys", "page", "row"),
    [
        (
            Inventory,
            inventory_keys(),
            inventory_keys_page(),
            "| `vms` | whole number | required | Number of VMs. |",
        ),
        (
            Organization,
            organization_keys(),
            organization_keys_page(),
            "| `until` | day | required | Last day of validity. |",
        ),
    ],
)
def test_every_key_of_another_file_has_a_row_with_a_meaning(
    model: type[PlanModel], keys: tuple[PlanKey, ...], page: str, row: str
) -> None:
    assert [key.path for key in keys] == [path for path, _, _ in documented_keys(model)]
    assert [key.path for key in keys if not key.description] == []
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert sorted(row.split("`")[1] for row in rows) == sorted(key.name for key in keys)
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)
    assert row in page

"""An inventory entry with a wrong value is checked on its other keys, and causes no finding about the plans."""

import datetime

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.workflows.check import check_documents

PLAN = b"""\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
"""
ENTRY = {
    "name": "v6e-pretrain",
    "project": "acme-ml",
    "zone": "us-east5-b",
    "machine_type": "ct6e-standard-4t",
    "vms": 64,
}


def rules(**changed: object) -> list[tuple[str, str]]:
    """Rule and last step of the path of every finding, with one reservation that differs from a right one."""
    entry = ", ".join(f"{key}: {value}" for key, value in {**ENTRY, **changed}.items())
    content = f"version: 1\nas_of: 2026-11-18\nreservations:\n  - {{{entry}}}\n".encode()
    plan, inventory = read_plan_content(PLAN, "plan.yaml"), read_inventory_content(content, "inventory.yaml")
    findings = check_documents([plan], inventory, read_catalog(), datetime.date(2026, 11, 20)).findings
    return sorted((finding.rule, str(finding.path[-1])) for finding in findings)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"vms": "many"}, [("TPU022", "vms")]),
        (
            {"vms": "many", "machine_type": "ct6e-standard4t", "zone": "us-east5-zz"},
            [("TPU022", "vms"), ("TPU833", "machine_type"), ("TPU835", "zone")],
        ),
        ({"workload": "play", "zone": "us-east5-zz"}, [("TPU023", "workload"), ("TPU835", "zone")]),
    ],
)
def test_every_mistake_of_an_entry_is_reported(changed: dict[str, object], expected: list[tuple[str, str]]) -> None:
    assert rules(**changed) == expected

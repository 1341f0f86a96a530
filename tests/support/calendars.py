"""A plan with runs, a maintenance window and exclusions, its inventory, and the calendar of plans as data."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema

from pulumi_gke_tpu.core.output.schemas import all_schemas

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    min_version: "1.34"
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 3, capacity: {reservation: v6e-pretrain}}
      sweep: {tpu: v6e, topology: 4x4, zone: us-east5-b, max: 2, capacity: flex_start}
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
      exclusions:
        llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}
        frozen: {start: 2026-11-01T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}
    runs:
      llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}
      gemma: {slices: pretrain, start: 2026-12-12T00:00:00Z, duration: 1d}
      tune: {slices: sweep, start: 2026-12-02T12:00:00Z, duration: 5d}
"""
INVENTORY = """
version: 1
as_of: 2026-11-20
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
    from: 2026-11-25
    until: 2026-12-31
"""


def calendar_data(gke_tpu: Callable[..., Any], *arguments: object) -> dict[str, Any]:
    """The output of ``gke-tpu calendar --format json``, which matches its schema."""
    run = gke_tpu("calendar", *arguments, "--format", "json")
    assert run.code == 0, run.err
    data: dict[str, Any] = json.loads(run.out)
    jsonschema.validate(data, all_schemas()["calendar"]())
    return data

"""Reservations and quota as text, Markdown and JSON: whole outputs for plans and an inventory of the test."""

import dataclasses
import datetime
import pathlib
from typing import Any

import pytest
from support.written import json_of, markdown_of, text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate.headroom import Headroom, headroom
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity
from pulumi_gke_tpu.features.capacity.output.document import headroom_page
from pulumi_gke_tpu.features.capacity.output.json import headroom_json

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
DOCUMENTS = pathlib.Path(__file__).parent / "data" / "quota"
ONE = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
HOST = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
V5E = {"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a"}
POOL = {
    "name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 10,
    "in_use": 2, "from": "2026-11-25", "until": "2027-01-10",
    "blocks": [{"name": "one", "vms": 4, "sub_blocks": [{"name": "a", "vms": 4}]}, {"name": "two", "vms": 6}],
}  # fmt: skip

DATELESS = {key: POOL[key] for key in ("project", "zone", "machine_type", "vms")} | {"name": "always"}


def on(block: str = "", sub_block: str = "") -> dict[str, Any]:
    places = {"block": block, "sub_block": sub_block}
    return {"reservation": {"name": "pool"} | {key: name for key, name in places.items() if name}}


def quota(metric: str, limit: int, **more: Any) -> dict[str, Any]:
    family = {"family": "CT6E"} if metric == "tpus_per_tpu_family" else {}
    return {"project": "acme-ml", "metric": metric, "region": "us-east5", "limit": limit, **family, **more}


def checked(name: str, slices: dict[str, Any], region: str = "us-east5", **keys: Any) -> CheckedPlan:
    cluster = {"mode": "standard", "location": region, "slices": slices} | keys
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
    found = check_plan(dataclasses.replace(document, name=name), CATALOG, TODAY)
    assert not found.has_errors, found.findings
    return found


def used(*plans: CheckedPlan, inventory: bool = True, reservations: Any = (), quotas: Any = ()) -> Headroom:
    content = {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations), "quotas": list(quotas)}
    shown = headroom(plans, Inventory.model_validate(content) if inventory else None, CATALOG)
    return dataclasses.replace(shown, catalog_version="2026-11-20")


MANY = {f"g{index:02}": HOST | {"capacity": "spot", "count": index + 1} for index in range(12)}
AUTO = {"autoprovisioning": {"cpu": 1000, "memory_gib": 4000, "tpu": {"v6e": 64}}}
WARNINGS = (
    Finding("TPU810", Severity.WARNING, ("clusters", "c", "slices", "a"), "reservation `pool` begins on 2026-11-25",
            position=Position("plan.yaml", 7, 3, 4)),
    Finding("TPU801", Severity.WARNING, ("reservations", 0), "no plan uses it", accepted="for later"),
)  # fmt: skip
SHOWN = {
    "reservation": used(
        checked(
            "plan.yaml",
            {
                "a": ONE | {"capacity": on("one", "a")},
                "b": HOST | {"capacity": on("one"), "upgrade": {"max_surge": 1}},
                "c": HOST | {"capacity": on(), "min": 0, "max": 9},
                "d": HOST | {"capacity": {"reservation": "unlisted"}},
            },
        ),
        reservations=[
            POOL,
            DATELESS | {"name": "begins", "from": "2026-12-01"},
            DATELESS | {"name": "ends", "until": "2026-12-31"},
            DATELESS,
        ],
    ),
    "quota": used(
        checked(
            "plan.yaml",
            {
                "a": ONE,
                "b": HOST | {"capacity": "spot", "min": 1, "max": 3},
                "c": HOST | {"upgrade": {"max_surge": 2}, "count": 3},
            },
            **AUTO,
        ),
        quotas=[quota("tpus_per_tpu_family", 40, in_use=4), quota("preemptible_tpu_v6e", 64)],
    ),
    "several-plans": used(
        checked("one.yaml", {"a": V5E}, "us-west4"),
        checked(
            "two.yaml",
            {"a": V5E | {"count": 2}, "b": V5E | {"topology": "4x4", "capacity": "flex_start", "max": 2}},
            "us-west4",
        ),
        inventory=False,
    ),
    "many-users": used(checked("plan.yaml", MANY), quotas=[quota("preemptible_tpu_v6e", 8)]),
    "nothing": used(checked("plan.yaml", {"a": ONE | {"count": 0}}), inventory=False),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("form", ["txt", "md", "json"])
def test_reservations_and_quota_as_a_whole(name: str, form: str) -> None:
    warnings = WARNINGS if name == "reservation" else ()
    written = {
        "txt": lambda: text_of(headroom_page(SHOWN[name], warnings)),
        "md": lambda: markdown_of(headroom_page(SHOWN[name], warnings)),
        "json": lambda: f"{json_of(headroom_json(SHOWN[name], warnings))}\n",
    }[form]()
    path = DOCUMENTS / f"{name}.{form}"
    assert written == path.read_text(encoding="utf-8"), f"if the new text is right, write it to {path}"


def test_a_minimum_of_one_chip_is_stated() -> None:
    chip = {"tpu": "v6e", "topology": "1x1", "zone": "us-east5-b", "min": 1, "max": 3}
    text = text_of(headroom_page(used(checked("plan.yaml", {"a": chip}), inventory=False), ()))
    assert "3 chips (1 with the minimum sizes) for c/a (1..3 chips)" in " ".join(text.split())

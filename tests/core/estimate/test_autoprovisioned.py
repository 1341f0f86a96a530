"""What node auto-provisioning may create: within the limit of the cluster, at known prices, in documented zones."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.estimate import AutoProvisioned, Usd, autoprovisioned, cost_of, quota_needs
from pulumi_gke_tpu.core.fleet import Fleet, Range, derive
from pulumi_gke_tpu.core.plan import parse_plan

CATALOG = read_catalog()
POOL = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}


def fleet(cluster: dict[str, Any], catalog: Catalog = CATALOG, **slices: dict[str, Any]) -> Fleet:
    base = {"mode": "standard", "location": "us-east5", "slices": slices}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": base | cluster}})
    assert document.content is not None
    return derive(document.content, catalog)


def limits(**tpu: int) -> dict[str, Any]:
    return {"autoprovisioning": {"cpu": 9000, "memory_gib": 9000, "tpu": tpu}}


def only(found: Fleet, catalog: Catalog = CATALOG) -> AutoProvisioned:
    (item,) = autoprovisioned(found, catalog)
    return item


@pytest.mark.parametrize(
    ("slices", "chips"),
    [
        ({}, 256),
        ({"a": POOL | {"count": 2}}, 224),
        ({"a": POOL | {"count": {"min": 0, "max": 2}}}, 256),
        ({"a": {"tpu": "v5p", "topology": "2x2x2", "zone": "us-east5-a"}}, 256),
        ({"a": POOL | {"count": 17}}, 0),
    ],
)
def test_the_limit_includes_the_node_pools_of_the_plan(slices: dict[str, Any], chips: int) -> None:
    assert only(fleet(limits(v6e=256), **slices)).chips == Range(0, chips)


def test_neither_cost_nor_quota_of_the_plan_contains_them() -> None:
    with_limits, without = fleet(limits(v6e=256), a=POOL), fleet({}, a=POOL)
    assert cost_of(with_limits, CATALOG) == cost_of(without, CATALOG)
    assert [need.chips for need in quota_needs(with_limits, CATALOG)] == [Range(16, 16)]


def test_amounts_reach_from_the_lowest_to_the_highest_known_price(overlaid: Callable[..., Catalog]) -> None:
    fact = {"source": ["unverified"], "as_of": "2099-01-01", "confidence": "high"}
    prices = [
        {"family": "ct6e", "region": "us-east5", "model": model, "usd": usd, **fact}
        for model, usd in (("on_demand", 1.0), ("spot", 3.0))
    ]
    catalog = overlaid(prices={"prices": prices})
    item = only(fleet(limits(v6e=10), catalog), catalog)
    assert [price.model for price in item.prices] == ["on_demand", "spot"]
    assert item.all_usd == Usd(Decimal(10), Decimal(30))
    assert item.usd == Usd(Decimal(0), Decimal(30))


def test_a_price_of_0_is_a_price(overlaid: Callable[..., Catalog]) -> None:
    fact = {"source": ["unverified"], "as_of": "2099-01-01", "confidence": "high"}
    price = {"family": "ct6e", "region": "us-east5", "model": "spot", "usd": 0, **fact}
    catalog = overlaid(prices={"prices": [price]})
    item = only(fleet(limits(v6e=10), catalog), catalog)
    assert item.all_usd is not None
    assert (item.all_usd.minimum, item.all_usd.maximum > 0) == (0, True)


def test_without_prices_the_amount_is_unknown_and_has_a_reason() -> None:
    item = only(fleet({"location": "africa-south1", **limits(v6e=8)}))
    assert (item.prices, item.usd, item.all_usd) == ((), None, None)
    nothing = "price of ct6e in africa-south1 is known"
    assert item.unknown == f"no spot {nothing}; no on-demand {nothing}"


@pytest.mark.parametrize(
    ("cluster", "zones"),
    [
        ({}, ("us-east5-a", "us-east5-b")),
        ({"location": "us-east5-b"}, ("us-east5-b",)),
        ({"location": "us-east5-c"}, ()),
    ],
)
def test_zones_are_those_of_the_cluster_in_which_the_hardware_is_documented(
    cluster: dict[str, Any], zones: tuple[str, ...]
) -> None:
    assert only(fleet({**limits(v6e=8), **cluster})).zones == zones


def test_zones_of_the_plan_restrict_them() -> None:
    written = limits(v6e=8)
    written["autoprovisioning"]["zones"] = ["us-east5-c", "us-east5-b"]
    assert only(fleet(written)).zones == ("us-east5-b",)


def test_quotas_are_those_of_spot_and_of_on_demand_nodes() -> None:
    quotas = only(fleet(limits(v6e=8))).quotas
    assert [{"spot", "on_demand"} & set(quota.modes) for quota in quotas] == [{"spot"}, {"on_demand"}]


def test_each_accelerator_label_has_its_own_line_and_unknown_ones_have_none() -> None:
    found = autoprovisioned(fleet(limits(v6e=8, **{"tpu-v5p-slice": 16, "trillium": 4})), CATALOG)
    assert [(item.generation, item.limit) for item in found] == [("v6e", 8), ("v5p", 16)]
    assert autoprovisioned(fleet({}), CATALOG) == ()

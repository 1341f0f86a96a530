"""Which of several prices is used, and how amounts are written."""

from decimal import Decimal

import pytest

from pulumi_gke_tpu.core.catalog.records.capacity import ClusterFee, Price, Prices
from pulumi_gke_tpu.core.catalog.records.facts import Confidence
from pulumi_gke_tpu.core.estimate import PriceList, Usd, shown_usd


def price(usd: float | None, confidence: Confidence, as_of: str) -> Price:
    return Price(
        family="ct6e",
        region="us-east5",
        model="spot",
        usd=usd,
        source=("x",),
        as_of=as_of,
        confidence=confidence,
    )


def prices(*items: Price) -> Prices:
    return Prices(prices=items, cluster_fee=ClusterFee(usd=0.1, source=("x",), as_of="2025", confidence="high"))


@pytest.mark.parametrize(
    ("first", "second", "used"),
    [
        (price(1.0, "high", "2024-12-23"), price(2.0, "medium", "2026-08-07"), 1.0),
        (price(1.0, "low", "2026-08-07"), price(2.0, "medium", "2024-12-23"), 2.0),
        (price(1.0, "high", "2026-08-07"), price(2.0, "high", "2026-08-06"), 1.0),
        (price(1.0, "high", "2026"), price(2.0, "high", "2026-01-01"), 2.0),
        (price(1.0, "low", "unverified"), price(2.0, "low", "2024-12-23"), 2.0),
        (price(1.0, "high", "2026-08-07"), price(2.0, "high", "2026-08-07"), 2.0),
        (price(1.0, "low", "2024"), price(None, "high", "2026-08-07"), 1.0),
    ],
)
def test_of_several_the_surest_then_the_newest_then_the_last(first: Price, second: Price, used: float) -> None:
    chosen = PriceList(prices(first, second)).find("ct6e", "us-east5", "spot")
    assert chosen is not None
    assert chosen.usd == used


def test_a_price_list_holds_each_price_once_in_order() -> None:
    listed = PriceList(prices(price(1.0, "low", "2024"), price(2.0, "high", "2026"), price(None, "high", "2026")))
    assert [item.usd for item in listed] == [2.0]
    assert listed.missing("ct6e", "us-east5", "spot") == ""


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "0"),
        ("0.004", "0.00"),
        ("0.005", "0.01"),
        ("89.8112", "89.81"),
        ("1382.4", "1,382.40"),
        ("1009152", "1,009,152.00"),
        ("1472.215", "1,472.22"),
    ],
)
def test_amounts_are_shown_in_cents(amount: str, text: str) -> None:
    assert shown_usd(Decimal(amount)) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [("0", "0", "0"), ("2.7", "2.7", "2.70"), ("0", "89.8112", "0 .. 89.81"), ("1.001", "1.002", "1.00")],
)
def test_a_range_is_shown_by_its_bounds(low: str, high: str, text: str) -> None:
    assert str(Usd(Decimal(low), Decimal(high))) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("0", "0", "0"),
        ("86.4", "86.4", "86.40"),
        ("0", "999.994", "0 .. 999.99"),
        ("999.5", "1000", "1,000"),
        ("1382.4", "1472.21", "1,382 .. 1,472"),
        ("0", "999999.4", "0 .. 999,999"),
        ("0", "1000000", "0 .. 1.00 M"),
        ("1009152", "1074714.18", "1.01 .. 1.07 M"),
        ("1e300", "1e300", f"{Decimal('1e294'):,.2f} M"),
    ],
)
def test_short_amounts_have_only_the_digits_that_matter(low: str, high: str, text: str) -> None:
    assert Usd(Decimal(low), Decimal(high)).short == text

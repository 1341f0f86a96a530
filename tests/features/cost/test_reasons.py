"""The reasons of a row, from rows that the test makes: no price and no zone of the catalog decides them."""

import dataclasses
import datetime
from decimal import Decimal
from typing import Any

import pytest
from support.recommended import ADVICE, CATALOG, LOW, PAGE, among, price, row

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.cost.recommend.candidates import Need, Slices
from pulumi_gke_tpu.features.cost.recommend.search import Row, ZonePrice, efficient
from pulumi_gke_tpu.features.cost.recommend.why_not import Reason, reasons, shown


def of(mine: Row, *others: Row, first: bool = True, **need: Any) -> list[Reason]:
    """The reasons of a row that is before the others, or after them."""
    rows = (mine, *others) if first else (*others, mine)
    return list(reasons(mine, among(*rows, **need), CATALOG))


def texts(mine: Row, *others: Row, first: bool = True, **need: Any) -> list[str]:
    return [reason.text for reason in of(mine, *others, first=first, **need)]


SPOT = row(5, mode="spot")
DOUBTFUL = row(1, at=LOW)
UNLISTED = row(1, documented=False)


@pytest.mark.parametrize(
    ("mine", "others", "strengths"),
    [
        (row(10), [row(11)], "lowest cost, fewest hosts"),
        (row(10), [row(10)], "lowest cost, fewest hosts"),
        (row(10), [row(9)], "fewest hosts"),
        (row(10), [row(11), row(9)], "fewest hosts"),
        (row(10, count=2), [row(11)], "lowest cost"),
        (row(10, count=2), [row(None)], "lowest cost"),
        (row(10), [SPOT], "lowest cost without a time limit or preemption, fewest hosts"),
        (row(10, mode="flex_start"), [SPOT], "lowest cost without preemption, fewest hosts"),
        (row(10, mode="queued"), [SPOT], "lowest cost without preemption, fewest hosts"),
        (row(10), [SPOT, row(9)], "fewest hosts"),
        (row(10, mode="spot"), [SPOT], "fewest hosts"),
        (row(10), [DOUBTFUL], "lowest cost, fewest hosts"),
        (DOUBTFUL, [row(2)], "fewest hosts"),
        (row(None), [row(2)], "fewest hosts"),
        (row(10), [UNLISTED], "lowest cost in zones that GKE lists, fewest hosts"),
        (row(10), [UNLISTED, row(9)], "fewest hosts"),
        (
            row(10),
            [UNLISTED, SPOT],
            "lowest cost without a time limit or preemption in zones that GKE lists, fewest hosts",
        ),
        (row(10, count=2), [row(11, documented=False)], "lowest cost, fewest hosts in zones that GKE lists"),
        (row(10, count=2), [row(9, documented=False), row(9)], ""),
        (UNLISTED, [row(10)], "lowest cost, fewest hosts"),
    ],
)
def test_a_row_states_in_what_it_is_best(mine: Row, others: list[Row], strengths: str) -> None:
    found = texts(mine, *others)
    assert (found[0] if found[0].startswith(("lowest", "fewest")) else "") == strengths


def test_the_advised_row_has_the_advice_with_its_confidence_and_other_rows_do_not() -> None:
    mine = row(generation="v4", advised=True)
    (advised,) = [reason for reason in of(mine, row(11)) if "advised" in reason.text]
    assert advised == Reason(f"advised by {PAGE}: use v4", "medium", about="advice", short=f"advised by {PAGE}")
    assert [text for text in texts(row(11), mine, first=False) if text.startswith("advised")] == []


@pytest.mark.parametrize(
    ("mine", "advised", "why"),
    [
        (row(10, documented=True), row(9, documented=False), "GKE lists its zone"),
        (row(10, documented=False), row(11, documented=False), "it costs less"),
        (row(10), row(None), "its price is known"),
        (row(None), row(None, count=2), "it has fewer hosts or slices"),
        (row(10), row(11), "it costs less"),
        (row(10), row(11, at=LOW), "it costs less, at a price of low confidence"),
        (row(10, at=LOW), row(11), "it costs less, at a price of low confidence"),
        (row(101), row(100, count=2), "it costs little more, and has fewer slices"),
        (row(10), row(10, count=2), "the cost is the same, and it has fewer hosts"),
        (row(10), row(10), "the cost is the same, and it has fewer slices or interruptions"),
    ],
)
def test_a_row_before_the_advised_one_states_what_is_better(mine: Row, advised: Row, why: str) -> None:
    advised = dataclasses.replace(advised, advice=ADVICE)
    found = [text for text in texts(mine, advised) if text.startswith("ranked before")]
    assert found == [f"ranked before row 2, which {PAGE} advises: {why}"]


def test_a_row_after_the_advised_one_does_not_compare_their_ranks() -> None:
    for advised in (row(9, advised=True), row(9, advised=True, generation="v4")):
        found = texts(row(10), row(8), advised, row(11), first=False)
        assert [text for text in found if text.startswith("ranked before")] == []
    assert [text for text in texts(row(9, advised=True), row(10, advised=True)) if "ranked" in text] == []


@pytest.mark.parametrize(
    ("mine", "advised", "compared"),
    [
        (row(20), row(10, generation="v4"), ": it has 3.3 times the bf16 TFLOPS at 2.0 times the cost of row 1"),
        (
            row(15, count=2),
            row(10, generation="v4"),
            ": it has 6.7 times the bf16 TFLOPS at 1.5 times the cost of row 1",
        ),
        (row(None), row(10, generation="v4"), ": it has 3.3 times the bf16 TFLOPS of row 1"),
        (row(20), row(None, generation="v4"), ": it has 3.3 times the bf16 TFLOPS of row 1"),
        (row(20), row(0, generation="v4"), ": it has 3.3 times the bf16 TFLOPS of row 1"),
        (
            row(20, mode="spot"),
            row(10, generation="v4"),
            ": it has 3.3 times the bf16 TFLOPS at 2.0 times the cost of row 1 (on-demand)",
        ),
    ],
)
def test_the_first_row_of_a_newer_generation_is_compared_with_the_advised_one(
    mine: Row, advised: Row, compared: str
) -> None:
    advised = dataclasses.replace(advised, advice=ADVICE)
    (reason,) = [reason for reason in of(mine, advised, first=False) if "older" in reason.text]
    assert reason == Reason(f"{PAGE} is older and does not compare v6e{compared}", "medium", detail=True)


def test_an_unknown_rate_is_not_compared() -> None:
    generations = {name: CATALOG.generation(name) for name in CATALOG.generation_names}
    assert generations["v6e"].chip.bf16_tflops
    chip = dataclasses.replace(generations["v6e"].chip, bf16_tflops=None)

    class Without:
        def generation(self, name: str) -> Any:
            return dataclasses.replace(generations[name], chip=chip) if name in self.names else generations[name]

        def __init__(self, *names: str) -> None:
            self.names = names

    mine, advised = row(20), row(10, generation="v4", advised=True)
    for names in (("v6e",), ("v4",)):
        found = [each.text for each in reasons(mine, among(advised, mine), Without(*names))]  # type: ignore[arg-type]
        assert f"{PAGE} is older and does not compare v6e: it has 2.0 times the cost of row 1" in found
    unknown = row(None)
    found = [each.text for each in reasons(unknown, among(advised, unknown), Without("v6e"))]  # type: ignore[arg-type]
    assert f"{PAGE} is older and does not compare v6e" in found


def test_only_the_first_row_of_a_newer_generation_is_compared_and_no_older_one() -> None:
    advised = row(10, generation="v4", advised=True)
    first, second, older = row(20), row(30), row(20, generation="v5e")
    result = among(advised, first, second, older)
    compared = [any("older" in each.text for each in reasons(item, result, CATALOG)) for item in result.rows]
    assert compared == [False, True, False, False]


def test_without_an_advised_row_nothing_is_compared() -> None:
    assert [text for text in texts(row(20), row(10)) if PAGE in text] == []


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("on_demand", None),
        ("reservation", None),
        ("spot", ("spot", "high", "Compute Engine can preempt the VMs at any time")),
        (
            "flex_start",
            (
                "flex-start",
                CATALOG.capacity.flex_start.confidence,
                "GKE creates the nodes when capacity is available; they run for at most 7 d",
            ),
        ),
        (
            "queued",
            (
                "queued",
                "high",
                "GKE creates the nodes for a ProvisioningRequest, which sets how long they run, when capacity is "
                "available",
            ),
        ),
    ],
)
def test_a_capacity_mode_has_its_statement(mode: CapacityMode, expected: tuple[str, str, str] | None) -> None:
    found = [(each.about, each.confidence, each.text) for each in of(row(mode=mode)) if each.about]
    assert found == ([expected] if expected else [])
    assert not any(each.short for each in of(row(mode=mode)))


@pytest.mark.parametrize(
    ("count", "use", "stated"), [(1_200, "training", True), (1, "training", False), (2, "serving", False)]
)
def test_several_slices_of_one_training_job_use_multislice(count: int, use: str, stated: bool) -> None:
    text = f"{count:,} slices exchange data over the data center network (Multislice)"
    assert (text in texts(row(count=count), use=use)) is stated
    assert any("Multislice" in each for each in texts(row(count=count), use=use)) is stated


def test_other_shapes_with_the_same_hosts_and_chips_are_named() -> None:
    shapes = [
        Slices(topology, "ct6e-standard-4t", 4, 2, ambiguous=False) for topology in ("2x4", "2x2", "1x1", "4x8", "8x8")
    ]
    assert "same hosts and chips: 2 × 2x4 or 2 × 2x2" in texts(row(variants=tuple(shapes[:2])))
    assert "same hosts and chips: 2 × 2x4, 2 × 2x2, 2 × 1x1 and 2 more" in texts(row(variants=tuple(shapes)))
    assert not any("same hosts" in text for text in texts(row()))


def place(zone: str, usd: int | None) -> ZonePrice:
    return ZonePrice(zone, None if usd is None else Decimal(usd))


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ([place("a", 10), place("b", 10)], "also in a and b"),
        ([place("a", 10), place("b", 12)], "also in a and b, at 10.00 to 12.00 USD per hour"),
        ([place("a", 12), place("b", 11)], "also in a and b, at 11.00 to 12.00 USD per hour"),
        ([place("a", 12)], "also in a, at 12.00 USD per hour"),
        ([place("a", 12), place("b", None)], "also in a and b, at 12.00 USD per hour, or an unknown price"),
        ([place("a", None)], "also in a, at an unknown price"),
        ([place(zone, 10) for zone in "abcde"], "also in a, b, c and 2 more"),
    ],
)
def test_other_zones_are_named_with_their_price_if_it_differs(places: list[ZonePrice], text: str) -> None:
    assert texts(row(10, places=tuple(places)))[-1] == text


def test_other_zones_of_a_row_without_a_price_have_none_either() -> None:
    assert texts(row(None, places=(place("a", None),)))[-1] == "also in a"


@pytest.mark.parametrize(
    ("severity", "confidence"), [(Severity.WARNING, "medium"), (Severity.NOTE, "high"), (Severity.ERROR, "high")]
)
def test_what_a_rule_remarks_has_its_rule(severity: Severity, confidence: str) -> None:
    remark = Finding(rule="TPU302", path=(), severity=severity, message="only with an allowlist")
    assert Reason("only with an allowlist", confidence, "TPU302") in of(row(remarks=(remark,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        (row(at=price()), [("price of 2026-11-20", "high")]),
        (row(at=price(as_of="2026-11", note="Captured by hand.")), [("price of 2026-11: captured by hand", "high")]),
        (row(at=price(as_of="2026-11-20", note="Captured by hand.")), [("price of 2026-11-20", "high")]),
        (row(at=price(as_of="2026")), [("price of 2026", "high")]),
        (row(at=LOW), [("price of 2026-11-20", "low")]),
        (
            row(mode="queued"),
            [("on-demand price of 2026-11-20", "high"), ("the price of queued capacity is unknown", "high")],
        ),
        (
            row(mode="reservation"),
            [("on-demand price of 2026-11-20", "high"), ("the price of the reservation is unknown", "high")],
        ),
        (row(mode="reservation", contract=1.5), [("price of the contract in the inventory", "high")]),
        (row(None, price=None, unknown="no price of ct6e is known"), [("no price of ct6e is known", "high")]),
        (
            row(None, premium_unknown="the Autopilot premium is unknown"),
            [("price of 2026-11-20", "high"), ("the Autopilot premium is unknown", "high")],
        ),
    ],
)
def test_the_origin_of_the_price_is_stated(mine: Row, expected: list[tuple[str, str]]) -> None:
    found = [(each.text, each.confidence) for each in of(mine) if "price" in each.text or "unknown" in each.text]
    assert found == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (row(10), row(11)),
        (row(10), row(None)),
        (row(10), row(10, mode="spot")),
        (row(10, mode="flex_start"), row(10, mode="spot")),
        (row(10), row(10, documented=False)),
        (row(10, slices=Slices("4x8", "ct6e-standard-4t", 8, 1, ambiguous=False)), row(10)),
        (row(10), row(10, slices=Slices("4x4", "ct6e-standard-1t", 1, 1, ambiguous=False))),
    ],
    ids=["cost", "known cost", "preemption", "a time limit", "documented zone", "chips", "hosts"],
)
def test_a_row_that_is_worse_in_one_measure_and_better_in_none_is_not_efficient(one: Row, other: Row) -> None:
    assert efficient([one.option, other.option], Need(chips=16)) == (True, False)
    assert efficient([other.option, one.option], Need(chips=16)) == (False, True)
    assert efficient([one.option, one.option], Need(chips=16)) == (True, True)


NOTES = {
    "mark": "* no other row is better in cost, chips, interruptions or hosts without being worse in another",
    "low": "? marks a price of low confidence",
    "use": "The use of reservations and quotas by your plans is not subtracted: `--with PLAN` subtracts it.",
    "capacity": "The order does not depend on free capacity, which only Google knows: a documented zone can have none.",
}
POOL = OwnedReservation.model_validate(
    {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 8}
)


@pytest.mark.parametrize(
    ("rows", "notes"),
    [
        ([], []),
        ([row(advised=True)], ["mark", "capacity"]),
        ([row(advised=True), row(at=LOW)], ["mark", "low", "capacity"]),
        ([row(advised=True), row(), row(at=LOW)], ["mark", "capacity"]),
        ([row(advised=True), row(mode="reservation", reservation=POOL)], ["mark", "use", "capacity"]),
    ],
)
def test_notes_explain_what_the_shown_rows_have(rows: list[Row], notes: list[str]) -> None:
    assert list(shown(among(*rows), CATALOG, 2).notes) == [NOTES[name] for name in notes]


def test_a_note_states_the_advice_that_the_first_row_does_not_follow() -> None:
    (note,) = [note for note in shown(among(row(), row(advised=True)), CATALOG, 2).notes if "Row 1" in note]
    assert note == (
        f"Row 1 does not follow Google's planning page (2025, confidence medium), which advises: use v4. {ADVICE.note}"
    )


def test_the_limit_keeps_the_advised_row_and_the_first_row_of_each_newer_generation() -> None:
    rows = [
        row(1, generation="v3"),
        row(2, generation="v3"),
        row(3),
        row(4),
        row(5, generation="v4", advised=True),
        row(6, generation="v4", advised=True),
        row(7, generation="tpu7x"),
    ]
    result = shown(among(*rows), CATALOG, 1)
    assert [each.number for each in result.rows] == [1, 3, 5, 7]
    assert result.total == 7
    assert [each.number for each in shown(among(*rows), CATALOG, 2).rows] == [1, 2, 3, 5, 7]


def test_a_shown_row_has_the_figures_of_all_its_chips_and_of_the_run() -> None:
    chip = CATALOG.generation("v6e").chip
    assert chip.hbm_gib is not None
    assert chip.bf16_tflops is not None
    assert chip.int8_tops is not None
    run = datetime.timedelta(hours=36)
    (found,) = shown(among(row(count=2), run=run), CATALOG, 1).rows
    assert (found.hbm_gib, found.tflops, found.int8_tops) == (
        32 * chip.hbm_gib,
        32 * chip.bf16_tflops,
        32 * chip.int8_tops,
    )
    assert (found.has_run, found.usd_per_run) == (True, 360)
    (unpriced,) = shown(among(row(None), run=run), CATALOG, 1).rows
    assert (unpriced.has_run, unpriced.usd_per_run) == (True, None)
    (without,) = shown(among(row()), CATALOG, 1).rows
    assert (without.has_run, without.usd_per_run) == (False, None)

"""Changes as text: what a person in front of a terminal sees."""

import dataclasses
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.change_samples import EMPTY, REPLACED, REPORT, capacity, fixed, page_of, with_text

from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.text.findings import Finding, Severity, Verbatim
from pulumi_gke_tpu.features.diff.model import CapacityChange, ChangeReport, CostChange, UseChange
from pulumi_gke_tpu.features.diff.output import texts
from pulumi_gke_tpu.features.diff.output.document import change_text


def shown(report: ChangeReport, *, width: int = 100, resources: bool = False, color: bool = False) -> str:
    return change_text(page_of(report), resources=resources, width=width, color=color)


def test_a_complete_change_as_text() -> None:
    assert (
        shown(REPORT)
        == """\
origin/main → HEAD: stacks/prod · catalog 2026-11-20
1 slice group replaced, 1 cluster changed in place · +256 chips · +691.20 USD/h

REPLACE   train-east/pretrain
  topology: 8x16 → 16x16
  `pretrain-0` and `pretrain-1` are deleted (64 hosts), then created with 128 hosts. There is no
  capacity in between, and how long that takes is unknown; running jobs on them stop. Uses 128 of
  128 VMs of reservation `v6e-pretrain`. `pulumi up` will fail: the group is protected (reserved
  capacity).
  why:     a slice's shape is fixed when its nodes are created. Source: GKE: Plan TPUs in GKE,
           2026-11-20.
  why:     the provider alone would plan an update and then do nothing. Source: observed (confidence
           medium).

IN PLACE  train-east
  maintenance.exclusions.frontier-run.end: 15 Dec 2026 → 20 Dec 2026
  Nothing restarts.

To proceed, add to stacks/prod/plan.yaml:
acknowledge:
  - {change: replace, of: train-east/pretrain, reason: WHY, until: 2026-12-04}

                                               before       after    change
slices                                              2           2
hosts                                              64         128       +64
chips                                             256         512      +256
chips v6e us-east5-b                              256         512      +256
USD per hour                                   691.20    1,382.40   +691.20
USD per month (730 h)                         504,576   1,009,152  +504,576
reservation v6e-pretrain (us-east5-b), VMs  64 of 128  128 of 128       +64

acknowledged: replace train-east/sweep until 2026-12-01: matches this change, new in this change
  (larger slices)

note: What the autoscaler has done since is not known.

Unchanged: 2 items, 14 resources"""
    )


def test_resources_are_shown_on_request() -> None:
    text = shown(REPORT, resources=True)
    assert "  - replace: delete, then create NodePool train-east/pretrain/pretrain-0" in text
    assert "      placementPolicy.tpuTopology: 8x16 → 16x16 (replace)" in text
    assert 'nodeConfig.labels: not set → {"team": "research", "id": "known after apply"} (in place)' in text


def test_a_comparison_without_changes_reports_no_changes() -> None:
    assert "no changes" in shown(EMPTY)
    assert "0 items" not in shown(EMPTY)


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_lines_fit_but_for_what_is_to_be_copied(width: int) -> None:
    lines = [line for line in shown(REPORT, width=width).splitlines() if "- {change: " not in line]
    longest_word = max(len(word) for line in lines for word in line.split())
    assert max(map(len, lines)) <= max(width, longest_word + 11)


def test_color_only_where_it_is_wanted() -> None:
    assert "\x1b" not in shown(REPORT)
    assert "\x1b[1;31mREPLACE" in shown(REPORT, color=True)


@given(st.text())
def test_nothing_in_a_plan_disturbs_a_terminal_or_a_build_log(text: str) -> None:
    lines = shown(with_text(text), resources=True).split("\n")
    assert not [char for line in lines for char in line if unicodedata.category(char)[0] == "C"]
    assert not any(line.lstrip().startswith("::") for line in lines)


@pytest.mark.parametrize("text", ["::error::x", "##[error]x", "\x1b[31m", "a\nb\n::warning::c"])
def test_nor_do_commands_for_a_build_system(text: str) -> None:
    written = shown(with_text(text), resources=True)
    assert not any(line.lstrip().startswith("::") for line in written.splitlines())
    assert "##[" not in written
    assert "\x1b" not in written


def test_findings_and_gates_are_at_the_end() -> None:
    finding = Finding("TPU902", Severity.ERROR, ("clusters",), "too many at once", change=Verbatim("a: 1"))
    page = page_of(REPORT, [finding], ["replace"])
    text = change_text(page, resources=False, width=100, color=False)
    assert "clusters: error TPU902: too many at once\n  try:     a: 1\n\nfailed gates: replace" in text


@pytest.mark.parametrize(
    ("was", "will", "said"),
    [
        (fixed(1), fixed(1), ""),
        (fixed(64), fixed(128), "+64"),
        (fixed(128), fixed(64), "-64"),
        (Range(0, 8), Range(0, 16), "0..+8"),
        (Range(0, 8), Range(2, 4), "-4..+2"),
        (fixed(0), fixed(5000), "+5,000"),
    ],
)
def test_differences_of_ranges(was: Range, will: Range, said: str) -> None:
    assert texts.range_change(was, will) == said


def usd(low: str, high: str) -> Usd:
    return Usd(Decimal(low), Decimal(high))


@pytest.mark.parametrize(
    ("was", "will", "incomplete", "said"),
    [
        (usd("1", "1"), usd("1", "1"), False, "same cost"),
        (usd("1", "1"), usd("1", "1"), True, "same cost (known prices only)"),
        (usd("691.2", "691.2"), usd("1382.4", "1382.4"), False, "+691.20 USD/h"),
        (usd("2", "2"), usd("0", "0"), False, "-2.00 USD/h"),
        (usd("0", "0"), usd("0", "89.808"), False, "0 .. +89.81 USD/h"),
        (None, usd("1", "1"), True, "cost unknown"),
    ],
)
def test_differences_of_cost(was: Usd | None, will: Usd | None, incomplete: bool, said: str) -> None:
    assert texts.cost_change(CostChange(was, will, incomplete)) == said


def test_a_reservation_that_is_too_small_is_called_so() -> None:
    use = UseChange("reservation", "r", "us-east5-b", fixed(64), fixed(256), 128)
    totals = dataclasses.replace(REPORT.totals, uses=(use,))
    assert texts.total_rows(totals)[-1].will == "256 of 128, too few"


def test_the_totals_have_no_lines_for_unchanged_places() -> None:
    same = CapacityChange("v6e", "us-east5-b", capacity(1, 1), capacity(1, 1))
    use = UseChange("quota", "q", "us-east5", fixed(4), fixed(4), None)
    rows = texts.total_rows(dataclasses.replace(REPORT.totals, places=(same,), uses=(use,)))
    assert [row.what for row in rows] == ["slices", "hosts", "chips", "USD per hour", "USD per month (730 h)"]


def test_moved_and_new_items_are_marked() -> None:
    moved = dataclasses.replace(REPLACED, former_item="train-east/old", written=())
    assert texts.written_text(moved, 5) == ["moved from train-east/old"]
    created = dataclasses.replace(REPLACED, former_item="", change="create", written=())
    assert texts.written_text(created, 5) == ["new"]


def test_of_many_keys_the_first_are_shown() -> None:
    item = dataclasses.replace(REPLACED, written=REPLACED.written * 7)
    assert texts.written_text(item, 3) == ["topology: 8x16 → 16x16"] * 2 + ["and 5 more"]

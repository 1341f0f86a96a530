"""Sums over all plans, before and after: capacity by place, cost, reservations and quotas."""

from decimal import Decimal

from support.plan_edits import catalog, inventory, pairs_of, preview, report

from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.comparison.change_report import diff_pairs
from pulumi_gke_tpu.features.diff.model import ChangeReport, SliceCounts, UseChange

MULTI = "tpu: v6e\ntopology: 4x4\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"
NONE = SliceCounts(Range.ZERO, Range.ZERO, Range.ZERO)


def fixed(number: int) -> Range:
    return Range(number, number)


def capacity(slices: int, hosts: int, chips: int) -> SliceCounts:
    return SliceCounts(fixed(slices), fixed(hosts), fixed(chips))


def uses(found: ChangeReport) -> dict[tuple[str, str], tuple[str, str, int | None]]:
    return {(use.name, use.place): (str(use.was), str(use.will), use.limit) for use in found.totals.uses}


def test_capacity_in_total_and_by_generation_and_place() -> None:
    totals = report(MULTI, f"{MULTI}count: 3\nzone: us-east5-a\n").totals
    assert (totals.capacity.was, totals.capacity.will) == (capacity(1, 4, 16), capacity(3, 12, 48))
    assert [(item.generation, item.place, item.was, item.will) for item in totals.places] == [
        ("v6e", "us-east5-a", NONE, capacity(3, 12, 48)),
        ("v6e", "us-east5-b", capacity(1, 4, 16), NONE),
    ]


def test_autoscaled_capacity_is_a_range() -> None:
    totals = report(MULTI, f"{MULTI}count: {{max: 2}}\n").totals
    assert totals.capacity.will == SliceCounts(Range(0, 2), Range(0, 8), Range(0, 32))


def test_autopilot_counts_in_its_region() -> None:
    plan = "mode: autopilot\nlocation: us-central1\nslices:\n  a: {tpu: v5e, topology: 2x2}\n"
    (place,) = report("", plan).totals.places
    assert (place.generation, place.place, place.will) == ("v5e", "us-central1", capacity(1, 1, 4))


def test_cost_before_and_after() -> None:
    cost = report(MULTI, f"{MULTI}count: 2\n").totals.cost
    assert cost.was is not None
    assert cost.will == Usd(cost.was.minimum * 2, cost.was.maximum * 2)
    assert cost.was.minimum > 0
    assert not cost.incomplete


def test_a_plan_that_is_not_there_costs_nothing() -> None:
    nothing = Usd(Decimal(0), Decimal(0))
    assert report("", MULTI).totals.cost.was == nothing
    assert report(MULTI, "").totals.cost.will == nothing


UNKNOWN_PRICE = "tpu: v5p\ntopology: 4x4x4\nzone: us-east5-a\ncapacity: flex_start\n"


def test_an_unknown_price_is_not_free() -> None:
    cost = report(MULTI, UNKNOWN_PRICE).totals.cost
    assert (cost.will, cost.incomplete) == (None, True)
    base = [preview(MULTI, "a.yaml"), preview(UNKNOWN_PRICE, "b.yaml")]
    both = diff_pairs(pairs_of(base, base), catalog())
    assert both.totals.cost.was == report(MULTI, MULTI).totals.cost.was
    assert both.totals.cost.incomplete
    assert any("price" in note for note in both.notes)


OWNED = """
reservations:
  - {name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 8}
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 64}
  - {project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 0}
"""


def test_reservations_and_quotas_against_what_is_owned() -> None:
    found = report(RESERVED, MULTI, owned=OWNED)
    assert uses(found) == {
        ("pool", "us-east5-b"): ("4", "0", 8),
        ("tpus_per_tpu_family (CT6E)", "us-east5"): ("0", "16", 64),
    }
    assert [use.kind for use in found.totals.uses] == ["reservation", "quota"]
    assert {use.project for use in found.totals.uses} == {"acme-ml"}
    assert {use.limit for use in report(RESERVED, MULTI).totals.uses} == {None}


def test_an_unset_quota_limit_is_not_a_limit() -> None:
    assert uses(report(MULTI, MULTI, owned=OWNED.replace("64", "-1"))) == {
        ("tpus_per_tpu_family (CT6E)", "us-east5"): ("16", "16", None)
    }


def test_flex_start_uses_the_ordinary_quota_where_there_is_no_preemptible_one() -> None:
    flex = f"{MULTI}capacity: flex_start\n"
    assert set(uses(report("", flex))) == {("preemptible_tpu_v6e", "us-east5")}
    assert set(uses(report("", flex, owned=OWNED))) == {("tpus_per_tpu_family (CT6E)", "us-east5")}


def test_a_limit_for_a_zone_counts_there() -> None:
    owned = "quotas: [{project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5-b, limit: 16}]\n"
    assert uses(report("", MULTI, owned=owned)) == {("tpus_per_tpu_family (CT6E)", "us-east5-b"): ("0", "16", 16)}


def test_plans_share_reservations() -> None:
    base = [preview(RESERVED, "a.yaml"), preview(RESERVED, "b.yaml")]
    head = [preview(RESERVED, "a.yaml"), preview(f"{RESERVED}count: 2\n", "b.yaml")]
    found = diff_pairs(pairs_of(base, head), catalog(), inventory=inventory(OWNED))
    assert found.totals.uses == (
        UseChange("reservation", "pool", "us-east5-b", fixed(8), fixed(12), 8, project="acme-ml"),
    )
    (item,) = found.items
    assert (
        "The group uses 8 VMs (12 with other groups) of reservation `pool`; the reservation has 8 available VMs, "
        "4 too few." in item.consequence
    )


def test_one_name_in_two_projects_is_two_reservations() -> None:
    other = RESERVED.replace("pool", "{name: pool, project: infra}")
    base = [preview(RESERVED, "a.yaml"), preview(other, "b.yaml")]
    found = diff_pairs(pairs_of(base, base), catalog())
    assert [(use.project, use.will) for use in found.totals.uses] == [("acme-ml", fixed(4)), ("infra", fixed(4))]

"""What is not an alternative in ``cost``, and why: rules, numbers, zones, commitments and standards."""

import dataclasses
import datetime
from typing import Any

import pytest
from support.shipped import STACKS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Document, parse_plan, read_inventory, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.organization import Organization
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.capacity.rules.organization.together import validate_organization
from pulumi_gke_tpu.features.cost.recommend.alternatives import AlternativeNotOffered
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, asked_of, costs_of, lines_of

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
ZONES = tuple(sorted({zone for family in CATALOG.zones.families for zone in CATALOG.zones.of_family(family)}))
PRETRAIN = {"tpu": "v6e", "topology": "16x16", "count": 2, "zone": "us-east5-b"}
RESERVED = PRETRAIN | {"capacity": {"reservation": "pool"}}
SMALL = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
SPOT = SMALL | {"capacity": "spot"}
MODES = {"on-demand", "spot", "flex-start", "queued"}
AN_ALTERNATIVE = "an alternative of the group"
COMMITMENTS = {"calendar mode", "1-year commitment", "3-year commitment"}


def costs(slices: dict[str, Any], inventory: Document[Inventory] | None = None, **more: Any) -> Costs:
    cluster = {"mode": "standard", "location": "us-east5", "slices": slices} | more.pop("cluster", {})
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert not checked.has_errors, checked.findings
    return costs_of([checked], inventory, CATALOG, today=TODAY, **more)


def absent(found: Costs, group: str = "c/a") -> dict[str, AlternativeNotOffered]:
    return {item.name: item for item in found.plans[0].absent[group]}


def offered(found: Costs, group: str = "c/a") -> set[str]:
    return {item.name for item in found.plans[0].alternatives[group]}


def owned(*reservations: dict[str, Any], quotas: tuple[dict[str, Any], ...] = ()) -> Document[Inventory]:
    entry = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 128}
    content = {"version": 1, "as_of": "2026-11-20", "reservations": [entry | each for each in reservations]}
    return Document(Inventory.model_validate(content | {"quotas": list(quotas)}))


def standards(text: str) -> Document[Organization]:
    document = read_organization_content(f"version: 1\nowner: platform\n{text}".encode(), "organization.yaml")
    assert not document.findings, document.findings
    return document


@pytest.mark.parametrize("stack", sorted(path.name for path in STACKS.iterdir() if path.is_dir()))
@pytest.mark.parametrize("with_inventory", [True, False])
def test_every_mode_commitment_and_zone_is_the_own_one_an_alternative_or_absent_with_a_reason(
    stack: str, with_inventory: bool
) -> None:
    path = STACKS / stack / "plan.yaml"
    checked = check_plan(read_plan_content(path.read_bytes(), str(path)), CATALOG, TODAY)
    inventory = read_inventory(STACKS.parent / "docs" / "examples" / "inventory.yaml") if with_inventory else None
    (plan,) = costs_of([checked], inventory, CATALOG, today=TODAY, zones=ZONES).plans
    for _, group in plan.fleet.groups():
        own = {mode.replace("_", "-") for mode in group.capacity_modes}
        alternatives = {item.name for item in plan.alternatives[group.key]}
        reasons = {item.name: item.exclusion.reason for item in plan.absent[group.key]}
        assert all(reasons.values())
        assert not alternatives & reasons.keys()
        assert own | alternatives | reasons.keys() >= MODES | COMMITMENTS
        zones = alternatives & set(ZONES)
        assert len(zones) <= 1
        assert set(ZONES) == {group.zone, *group.zones, *zones, *reasons} & set(ZONES)


def test_the_rule_and_the_number_that_refuse_a_mode_are_stated() -> None:
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": 300}
    found = absent(costs({"a": RESERVED}, owned({}, quotas=(quota,))))
    assert found["spot"].exclusion.rule == "TPU811"
    assert "is 300 chips, but the plans need 512 (c/a: 512)" in found["spot"].exclusion.text
    assert found["spot"].exclusion.text.endswith("(TPU811)")
    assert found["queued"].exclusion.confidence == "medium"
    assert found["queued"].exclusion.text.endswith("(confidence medium)")


def test_a_reason_has_the_names_of_the_plan() -> None:
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": 300}
    cluster = {"autoprovisioning": {"cpu": 9000, "memory_gib": 9000, "tpu": {"v6e": 600}}}
    for item in absent(costs({"a": RESERVED}, owned({}, quotas=(quota,)), cluster=cluster)).values():
        assert "this-cluster" not in item.exclusion.text
        assert "these-slices" not in item.exclusion.text


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"vms": 127}, "it has 127 VMs left beside the plans, and the slices need 128"),
        ({"vms": 128, "in_use": 1}, "it has 127 VMs left beside the plans, and the slices need 128"),
        ({"from": "2026-11-21"}, "it begins on 2026-11-21"),
        ({"until": "2026-11-20"}, "it ended on 2026-11-20"),
        ({"workload": "serving"}, ""),
        ({"from": "2026-11-20", "until": "2026-11-21"}, None),
    ],
)
def test_a_reservation_without_room_or_capacity_today_is_absent_with_the_number_or_day(
    other: dict[str, Any], reason: str | None
) -> None:
    found = costs({"a": PRETRAIN}, owned({"name": "other"} | other))
    assert ("reservation other" in offered(found)) == (reason is None)
    if reason is not None:
        exclusion = absent(found)["reservation other"].exclusion
        assert exclusion.text == reason if reason else exclusion.rule.startswith("TPU8")


@pytest.mark.parametrize(
    ("zone", "group", "reason"),
    [
        ("us-east5-a", SPOT, "prices are those of regions, so it costs the same"),
        ("us-east5-a", RESERVED, "the slices are on a reservation in us-east5-b"),
        ("us-central2-b", SPOT, "GKE does not list it for ct6e slices of this kind"),
    ],
)
def test_a_zone_that_no_price_decides_about_has_its_reason(zone: str, group: dict[str, Any], reason: str) -> None:
    assert absent(costs({"a": group}, zones=[zone]))[zone].exclusion.text == reason


def test_a_zone_that_costs_more_has_the_amount() -> None:
    found = costs({"a": SPOT}, zones=ZONES)
    (best,) = offered(found) & set(ZONES)
    usd = next(item.usd for item in found.plans[0].alternatives["c/a"] if item.name == best)
    assert usd is not None
    amounts = {}
    for name, item in absent(found).items():
        text = item.exclusion.reason
        if text.startswith("it costs "):
            assert text.endswith(f"{best} does not cost more")
            amounts[name] = float(text.split()[2].replace(",", ""))
    assert len(amounts) > 2
    assert min(amounts.values()) >= round(float(usd.maximum), 2)
    assert all(region_of(name) != "us-east5" for name in amounts)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("standards: {purchase: {capacities: [spot, reservation]}}", {"on-demand", "flex-start"}),
        ("standards: {places: {zones: ['us-east5-*']}}", {"us-central1-b"}),
        ("standards: {spending: {max: {usd_per_hour: 30, per: group}}}", {"on-demand"}),
        ("standards: {purchase: {capacities: [spot], severity: warning}}", set()),
        ("standards: {team: {labels: [team]}}", set()),
    ],
)
def test_what_a_standard_forbids_is_not_an_alternative(text: str, gone: set[str]) -> None:
    """`c/a` costs 22.45 USD per hour on Spot, and 43.20 on demand."""
    free, bound = costs({"a": SPOT}), costs({"a": SPOT}, organization=standards(text))
    assert offered(free) >= {"on-demand", "flex-start", "us-central1-b"}
    assert offered(free) - offered(bound) == gone
    for name in gone & MODES:
        exclusion = absent(bound)[name].exclusion
        assert exclusion.rule in {"TPU922", "TPU924", "TPU925", "TPU926", "TPU927"}
        assert "standard `" in exclusion.reason
    (zone,) = lines_of(
        asked_of("us-central1-b", CATALOG), costs({"a": SPOT}, organization=standards(text), zones=["us-central1-b"])
    )
    assert ("(TPU922)" in zone) == ("us-central1-b" in gone)


@pytest.mark.parametrize(("limit", "is_offered"), [(86, False), (87, True)])
def test_a_limit_of_the_cluster_is_about_all_of_its_groups(limit: int, is_offered: bool) -> None:
    """Each of the two groups costs 43.20 USD per hour on demand."""
    text = f"standards: {{spending: {{max: {{usd_per_hour: {limit}, per: cluster}}}}}}"
    found = costs({"a": SPOT, "b": SMALL}, organization=standards(text))
    assert ("on-demand" in offered(found)) == is_offered


@pytest.mark.parametrize(("limit", "names"), [(50, {"spot"}), (70, {"spot", "flex-start"})])
def test_of_a_cluster_that_exceeds_its_limit_the_alternatives_that_meet_it_are_offered(
    limit: int, names: set[str]
) -> None:
    """Two groups of 43.20 USD per hour; one of them costs 22.45 on Spot and 21.60 with flex-start.

    Sources disagree about the price of Spot, so a sum with it may exceed a limit, which is a warning.
    """
    text = f"standards: {{spending: {{max: {{usd_per_hour: {limit}, per: cluster}}}}}}"
    found = costs({"a": SMALL, "b": SMALL}, organization=standards(text))
    assert offered(found, "c/b") & MODES == names
    (spot,) = (item for item in found.plans[0].alternatives["c/b"] if item.name == "spot")
    warned = "up to 65.65 USD per hour exceed the limit of 50.00 per cluster" in " ".join(spot.gives_up)
    assert warned is (limit == 50)


def test_what_may_exceed_a_limit_does_not_hide_what_exceeds_it_for_certain() -> None:
    """The price of 22.45 USD per hour on Spot is contested, those of 43.20 on demand are not."""
    text = "standards: {spending: {max: {usd_per_hour: 60, per: cluster}}}"
    found = costs({"a": SPOT, "b": SMALL}, organization=standards(text))
    assert "on-demand" not in offered(found, "c/a")
    assert absent(found)["on-demand"].exclusion.rule == "TPU925"


def test_an_exemption_of_the_group_keeps_its_alternatives() -> None:
    text = (
        "standards: {purchase: {capacities: [spot]}}\nexemptions:\n  - {standard: purchase, of: c/a, until: 2026-12-31"
    )
    found = costs({"a": SPOT, "b": SPOT}, organization=standards(f"{text}, reason: launch}}\n"))
    assert "on-demand" in offered(found, "c/a")
    assert "on-demand" not in offered(found, "c/b")


@pytest.mark.parametrize("capacities", [["spot"], ["on_demand", "spot"], ["flex_start", "reservation"]])
@pytest.mark.parametrize("limit", [20, 44, 90, 200])
def test_no_alternative_breaks_a_standard_as_a_plan(capacities: list[str], limit: int) -> None:
    text = (
        f"standards: {{p: {{capacities: {capacities}}}, z: {{zones: ['us-*']}}, m: {{max: {{usd_per_hour: {limit}}}}}}}"
    )
    organization = standards(text.replace("'", '"'))
    slices = {"a": SMALL, "b": RESERVED}
    for key, items in costs(slices, owned({}), organization=organization).plans[0].alternatives.items():
        for item in (each for each in items if each.group is not None):
            region = region_of(item.group["zone"]) if item.group else ""
            cluster = {"mode": "standard", "location": region, "slices": {key.partition("/")[2]: item.group}}
            plan = {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}
            checked = check_plan(parse_plan(plan), CATALOG, TODAY)
            assert checked.fleet is not None
            (before,) = checked.fleet.clusters
            groups = tuple(
                dataclasses.replace(group, slices=dataclasses.replace(group.slices, minimum=group.slices.maximum))
                for group in before.groups
            )
            whole = dataclasses.replace(checked.fleet, clusters=(dataclasses.replace(before, groups=groups),))
            findings = validate_organization(
                [dataclasses.replace(checked, fleet=whole)], organization, CATALOG, today=TODAY
            )
            assert not [each for each in findings if each.severity is Severity.ERROR and "slices" in each.path]


@pytest.mark.parametrize(
    ("word", "lines"),
    [
        ("spot", ["c/a, spot: an alternative of the group", "c/b, spot: the capacity mode of the group"]),
        (
            "Flex_Start",
            ["c/a, flex-start: an alternative of the group", "c/b, flex-start: an alternative of the group"],
        ),
        ("us-east5-b", ["c/a, us-east5-b: a zone of the group", "c/b, us-east5-b: a zone of the group"]),
        ("mars-north1-a", ["mars-north1-a: no source lists TPUs there"]),
        (
            "calendar mode",
            [
                f"c/a, calendar mode: {AN_ALTERNATIVE}",
                "c/b, calendar mode: the price is known for on-demand and reserved slices only",
            ],
        ),
        (
            "reservation",
            ["reservation: the inventory has no other reservation of the machine type of a group in its zone"],
        ),
        ("whatever", []),
    ],
)
def test_a_word_has_an_answer_for_each_group(word: str, lines: list[str]) -> None:
    asked = asked_of(word, CATALOG)
    assert lines_of(asked, costs({"a": SMALL, "b": SPOT}, zones=asked.zones)) == lines


def test_reservations_are_asked_about_together_or_by_name() -> None:
    found = costs({"a": PRETRAIN}, owned({"name": "other", "vms": 1}, {"name": "third", "vms": 2}))
    third = "c/a, reservation third: it has 2 VMs left beside the plans, and the slices need 128"
    assert (
        lines_of(asked_of("third", CATALOG), found)
        == lines_of(asked_of("reservation third", CATALOG), found)
        == [third]
    )
    assert [line.split(":")[0] for line in lines_of(asked_of("reservation", CATALOG), found)] == [
        "c/a, reservation other",
        "c/a, reservation third",
    ]

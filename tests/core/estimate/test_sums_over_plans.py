"""Properties of the use of reservations and quota, over random fleets of every capacity mode and random inventories."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.sampling import SELECTION
from support.work import lines_executed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate.headroom import quota_requests
from pulumi_gke_tpu.core.estimate.holdings import Holding, quota_holdings, reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory

CATALOG = read_catalog()
MANY = settings(max_examples=150 if SELECTION.everything else 30, deadline=None)
ZONES = {"us-east5": ("us-east5-a", "us-east5-b"), "us-west4": ("us-west4-a", "us-west4-b")}
TPUS = {"us-east5": "v6e", "us-west4": "v5e"}
MACHINES = {"us-east5": "ct6e-standard-4t", "us-west4": "ct5lp-hightpu-4t"}
PROJECTS = ("acme-ml", "acme-lab")

Cluster = dict[str, Any]
Row = tuple[int, int, int | None, int]


@st.composite
def reservations(draw: Any) -> dict[str, Any]:
    found = {"name": draw(st.sampled_from(["pool", "absent"])), "project": draw(st.sampled_from(PROJECTS))}
    block = draw(st.sampled_from([{}, {"block": "b1"}, {"block": "b2"}, {"block": "b1", "sub_block": "s1"}]))
    return {"reservation": found | block}


@st.composite
def groups(draw: Any, region: str, mode: str) -> dict[str, Any]:
    topology = draw(st.sampled_from(["2x2", "2x2", "4x4", "4x8"]))
    found: dict[str, Any] = {"tpu": TPUS[region], "topology": topology}
    found["capacity"] = draw(st.sampled_from(["on_demand", "spot", "flex_start", "queued"]) | reservations())
    low, more = draw(st.integers(0, 2)), draw(st.integers(1, 3))
    autoscaled = found["capacity"] in ("flex_start", "queued") or draw(st.booleans())
    if draw(st.integers(0, 4)) == 0:
        found["fallback"] = draw(
            st.lists(st.sampled_from(["on_demand", "spot", "flex_start"]), max_size=2, unique=True)
        )
    found |= {"min": 0 if topology != "2x2" else low, "max": low + more} if autoscaled else {"count": 2 * low}
    zones = ZONES[region]
    if mode == "standard":
        several = topology == "2x2" and draw(st.booleans())
        found |= {"zones": list(zones)} if several else {"zone": draw(st.sampled_from(zones))}
        if topology == "2x2" and found["capacity"] in ("on_demand", "spot") and "fallback" not in found:
            found |= draw(st.sampled_from([{}, {"upgrade": {"max_surge": 1}}, {"upgrade": "blue_green"}]))
    return found


@st.composite
def clusters(draw: Any) -> Cluster:
    region, mode = draw(st.sampled_from(list(ZONES))), draw(st.sampled_from(["standard", "standard", "autopilot"]))
    slices = {f"g{index}": group for index, group in enumerate(draw(st.lists(groups(region, mode), max_size=3)))}
    found: Cluster = {"mode": mode, "location": region, "slices": slices}
    if mode == "standard" and draw(st.booleans()):
        found["autoprovisioning"] = {"cpu": 9, "memory_gib": 9, "tpu": {TPUS[region]: draw(st.integers(1, 200))}}
    return found


@st.composite
def inventories(draw: Any) -> Inventory:
    blocks = [{"name": "b1", "vms": 16, "sub_blocks": [{"name": "s1", "vms": 8}]}, {"name": "b3", "vms": 8}]
    owned = [
        {
            "name": "pool",
            "project": project,
            "zone": zone,
            "machine_type": MACHINES[region],
            "vms": 32,
            "blocks": blocks,
        }
        for project in PROJECTS
        for region, zones in ZONES.items()
        for zone in zones
        if draw(st.booleans())
    ]
    metrics = {
        "tpus_per_tpu_family": ["us-east5"],
        "preemptible_tpu_v6e": ["us-east5"],
        "TPU_LITE_PODSLICE_V5": ["us-west4", "us-west4-a", "us-west4-b"],
        "PREEMPTIBLE_TPU_LITE_PODSLICE_V5": ["us-west4", "us-west4-a"],
    }
    quotas = [
        {
            "project": project,
            "metric": metric,
            "region": place,
            "limit": draw(st.sampled_from([-1, 0, 0, 16, 64])),
            "in_use": draw(st.sampled_from([0, 5])),
        }
        | ({"family": "CT6E"} if metric == "tpus_per_tpu_family" else {})
        for project in PROJECTS
        for metric, places in metrics.items()
        for place in places
        if draw(st.booleans())
    ]
    return Inventory.model_validate({"version": 1, "as_of": "2026-11-20", "reservations": owned, "quotas": quotas})


Plan = tuple[str, dict[str, Cluster]]
"""The project and the clusters of a plan."""


@st.composite
def fleets(draw: Any) -> list[Plan]:
    found = draw(st.lists(clusters(), min_size=1, max_size=4))
    return [(draw(st.sampled_from(PROJECTS)), {f"c{index}": cluster}) for index, cluster in enumerate(found)]


def members(plans: Iterable[Plan]) -> list[PlanInFleet]:
    found = []
    for project, content in plans:
        document = parse_plan({"version": 1, "project": project, "clusters": content})
        assert document.content is not None, document.findings
        found.append(PlanInFleet(document, document.content, derive(document.content, CATALOG)))
    return found


def holdings(plans: Iterable[Plan], inventory: Inventory) -> dict[tuple[str, ...], Holding]:
    found: dict[tuple[str, ...], Holding] = {}
    derived, owned = members(plans), OwnedReservations(tuple(inventory.reservations))
    for item in reservation_holdings(owned.uses(derived), owned):
        found["reservation", item.project, item.zone, item.name, item.block or "", item.sub_block or ""] = item.vms
    for quota in quota_holdings(derived, inventory, CATALOG):
        found["quota", quota.project, quota.location, quota.metric.label] = quota.chips
    return found


def rows(plans: Iterable[Plan], inventory: Inventory) -> dict[tuple[str, ...], Row]:
    return {
        key: (item.total.minimum, item.total.maximum, item.available, item.upgrades)
        for key, item in holdings(plans, inventory).items()
    }


def joined(plans: Sequence[Plan]) -> list[Plan]:
    """One plan for each project, with all clusters."""
    whole: dict[str, dict[str, Cluster]] = defaultdict(dict)
    for project, content in plans:
        whole[project] |= content
    return list(whole.items())


def requests(plans: Iterable[Plan], inventory: Inventory) -> list[tuple[Any, ...]]:
    quotas = quota_holdings(members(plans), inventory, CATALOG)
    found = [(item.project, item.metric, item.dimensions, item.value, item) for item in quota_requests(quotas, CATALOG)]
    return [(*key, item.least, item.limit, item.command, {part.key for part in item.parts}) for *key, item in found]


@MANY
@given(fleets(), inventories())
def test_the_sum_over_plans_is_the_use_of_one_plan_with_all_clusters(plans: list[Plan], inventory: Inventory) -> None:
    assert rows(plans, inventory) == rows(joined(plans), inventory)
    assert requests(plans, inventory) == requests(joined(plans), inventory)


@MANY
@given(fleets(), inventories(), st.randoms(use_true_random=False))
def test_the_order_of_plans_changes_no_sum(plans: list[Plan], inventory: Inventory, random: Any) -> None:
    other = random.sample(plans, len(plans))
    assert rows(plans, inventory) == rows(other, inventory)
    assert requests(plans, inventory) == requests(other, inventory)


@MANY
@given(fleets(), inventories(), st.data())
def test_a_further_group_never_lowers_a_use(plans: list[Plan], inventory: Inventory, data: st.DataObject) -> None:
    """Nor a possible use, unless the group takes the place of auto-provisioned chips of its own cluster."""
    project, content = plans[-1]
    (name,) = content
    cluster = content[name]
    group = data.draw(groups(cluster["location"], cluster["mode"]))
    more = [*plans[:-1], (project, {name: cluster | {"slices": cluster["slices"] | {"more": group}}})]
    before, after = rows(plans, inventory), rows(more, inventory)
    for key, (least, most, _, upgrades) in before.items():
        new_least, new_most, _, new_upgrades = after.get(key, (0, 0, None, 0))
        assert new_least >= least, key
        assert new_upgrades >= upgrades, key
        assert new_most >= most or "autoprovisioning" in cluster, key


@MANY
@given(fleets(), inventories(), clusters())
def test_a_further_cluster_never_lowers_a_use(plans: list[Plan], inventory: Inventory, cluster: Cluster) -> None:
    before = rows(plans, inventory)
    after = rows([*plans, ("acme-ml", {"more": cluster})], inventory)
    assert all(new >= old for key, row in before.items() for new, old in zip(after[key][:2], row[:2], strict=True))


@MANY
@given(fleets())
def test_the_use_of_quota_is_the_sum_that_a_count_by_hand_gives(plans: list[Plan]) -> None:
    """By other code, without an inventory and auto-provisioning: every group in every quota that one mode uses."""
    expected: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for project, content in plans:
        for cluster in content.values():
            cluster.pop("autoprovisioning", None)
            for group in cluster["slices"].values():
                sides = [int(side) for side in group["topology"].split("x")]
                chips = sides[0] * sides[1]
                modes = [group["capacity"], *group.get("fallback", [])]
                low = 0 if group.get("fallback") else group.get("min", group.get("count"))
                most = group.get("max", group.get("count"))
                preemptible = {"spot", "flex_start", "queued"}
                for spot in {mode in preemptible for mode in modes if isinstance(mode, str)}:
                    v6e = group["tpu"] == "v6e"
                    metric = "preemptible_tpu_v6e" if v6e else "PREEMPTIBLE_TPU_LITE_PODSLICE_V5"
                    if not spot:
                        metric = "tpus_per_tpu_family (CT6E)" if v6e else "TPU_LITE_PODSLICE_V5"
                    row = expected["quota", project, cluster["location"], metric]
                    row[0] += low * chips
                    row[1] += most * chips
    nothing = Inventory.model_validate({"version": 1, "as_of": "2026-11-20"})
    found = {key: [row[0], row[1]] for key, row in rows(plans, nothing).items() if key[0] == "quota"}
    assert found == dict(expected)


def test_twice_as_many_plans_take_about_twice_the_work() -> None:
    """Also if every group has several modes that use the same quota."""
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "max": 2, "capacity": "flex_start"}
    auto = {"cpu": 9, "memory_gib": 9, "tpu": {"v6e": 64}}
    content = {"mode": "standard", "location": "us-east5", "autoprovisioning": auto}
    content["slices"] = {f"g{index}": group | {"fallback": ["on_demand", "spot"]} for index in range(3)}
    entry = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": 0}
    inventory = Inventory.model_validate({"version": 1, "as_of": "2026-11-20", "quotas": [entry]})

    def work(count: int) -> int:
        derived = members([("acme-ml", {f"c{index}": content}) for index in range(count)])
        return lines_executed(lambda: list(quota_requests(quota_holdings(derived, inventory, CATALOG), CATALOG)))

    work(1)
    assert work(80) < 2.2 * work(40)

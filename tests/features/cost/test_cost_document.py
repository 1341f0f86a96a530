"""Costs as text, Markdown and JSON: each line of a small example."""

import datetime
from typing import Any

from support.written import markdown_of, text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.cost.output.document import cost_page
from pulumi_gke_tpu.features.cost.output.json import cost_json
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, costs_of

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
POOL = {"name": "pool", "project": "acme-ml", "zone": "us-central2-b", "machine_type": "ct4p-hightpu-4t", "vms": 4}
INVENTORY = Inventory.model_validate(
    {"version": 1, "as_of": "2026-11-20", "reservations": [POOL | {"usd_per_chip_hour": 2.0}]}
)
SMALL = {"tpu": "v4", "topology": "2x2x1", "zone": "us-central2-b"}
EXPECTED = """\
acme-ml · catalog {version}

slices, capacity     USD/hour    USD/day   USD/month
c/a, reservation         8.00     192.00    5,840.00
- on-demand             12.88     309.12    9,402.40
- spot                   3.69      88.46    2,690.78
- 1-year commitment     ?8.11    ?194.75   ?5,923.51
- 3-year commitment     ?5.80    ?139.10   ?4,231.08
total                    8.00     192.00    5,840.00

run, capacity        slices    length   USD/run
c/x, reservation     1 of c/a  2 d       384.00
- on-demand                              618.24
- spot                                   176.93
all runs                                 384.00

reservation                  unused VMs  USD/hour  USD/day  USD/month
pool, acme-ml us-central2-b  3 of 4      24.00     576.00   17,520.00

not offered: flex-start for c/a: v4 (ct4p) is not available with flex-start (TPU301)

note: ? marks a price of low confidence; no sum includes it
note: lines with - are alternatives, for the same number of slices
note: on-demand and spot: slices leave their reservation, which may have to be paid anyway
note: spot: Compute Engine can preempt the VMs at any time
note: 1-year commitment and 3-year commitment: you pay for the whole term, used or not
note: unused VMs: the VMs of reservations that neither the plans nor others use; no other amount
  includes them
note: unused VMs of pool: at the contract price of 2.0 USD per chip and hour
note: runs use slices of the groups above, whose totals include them; runs that share slices count
  once
note: c/a: at the contract price of 2.0 USD per chip and hour
note: not included: system and CPU pools, disks, network, the cluster fee; a month has 730 hours"""


def costs(*groups: dict[str, Any]) -> Costs:
    """Each group in a plan of its own, with a run."""
    plans = []
    for group in groups:
        run = {"slices": "a", "start": "2026-12-01T00:00:00Z", "duration": "2d"}
        cluster = {"mode": "standard", "location": "us-central2", "slices": {"a": group}, "runs": {"x": run}}
        data = {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}
        plans.append(check_plan(parse_plan(data), CATALOG, TODAY))
        assert not plans[-1].has_errors
    return costs_of(plans, Document(INVENTORY), CATALOG, today=TODAY)


def test_the_text_has_groups_alternatives_runs_and_notes() -> None:
    shown = text_of(cost_page(costs(SMALL | {"capacity": {"reservation": "pool"}})))
    wanted = EXPECTED.format(version=CATALOG.about.version)
    assert [line.split() for line in shown.splitlines()] == [line.split() for line in wanted.splitlines()]
    assert max(map(len, shown.splitlines())) <= 100


def test_several_plans_have_a_heading_each_and_one_total() -> None:
    both = costs(SMALL, SMALL | {"capacity": "spot"})
    text, markdown = text_of(cost_page(both)), markdown_of(cost_page(both))
    assert text.startswith(f"2 plans · catalog {CATALOG.about.version}")
    totals = [line.split() for line in text.splitlines() if line.startswith(("total", "all plans"))]
    assert totals == [["all", "plans", "16.57", "397.58", "12,093.18"]]
    assert "| all plans | 16.57 | 397.58 | 12,093.18 |" in markdown
    assert markdown.splitlines().count("### acme-ml") == 2
    assert markdown.startswith("## Cost of TPU slices")


def test_the_json_has_the_same_amounts_and_says_where_they_come_from() -> None:
    shown = cost_json(costs(SMALL | {"capacity": {"reservation": "pool"}}, SMALL))
    first, second = (plan["groups"][0] for plan in shown["plans"])
    assert [(group["contract"], group["at_on_demand_price"], group["low_confidence"]) for group in (first, second)] == [
        (True, False, False),
        (False, False, False),
    ]
    assert [float(first["usd"][name]["max"]) for name in ("hour", "day", "month")] == [8, 192, 5840]
    names = {item["name"]: item for item in first["alternatives"]}
    assert (names["spot"]["kind"], names["spot"]["longest_seconds"], names["spot"]["at_least"]) == (
        "capacity",
        None,
        False,
    )
    assert names["spot"]["group"] == {
        "tpu": "v4",
        "topology": "2x2x1",
        "zone": "us-central2-b",
        "capacity": {"spot": True},
    }
    assert (names["3-year commitment"]["group"], names["3-year commitment"]["confidence"]) == (None, "low")
    run = shown["plans"][0]["runs"][0]
    assert (run["run"], run["path"], run["slices"], run["duration_seconds"], float(run["usd"])) == (
        "c/x",
        "clusters.c.runs.x",
        1,
        172_800,
        384,
    )
    assert (shown["at_least"], shown["unknown"], shown["plans"][0]["runs_at_least"]) == (False, [], False)

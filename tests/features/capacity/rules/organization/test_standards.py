"""Rules about plans against the standards of an organization."""

import datetime
from pathlib import Path

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Finding, Severity

TODAY = datetime.date(2026, 11, 20)

STANDARD = "mode: standard\nlocation: us-east5\n"

AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"

EXISTING = "mode: standard\nexisting: projects/acme-ml/locations/us-east5/clusters/train\n"

GROUP = "slices:\n  main: {{tpu: v6e, topology: {topology}, zone: us-east5-b{more}}}\n"

ONE = GROUP.format(topology="4x4", more="")

RESERVED = GROUP.format(topology="4x4", more=", capacity: {reservation: v6e-main}")

WINDOW = "window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"

CONTRACT = (
    "--- inventory\nreservations: [{name: v6e-main, project: acme-ml, zone: us-east5-b, "
    "machine_type: ct6e-standard-4t, vms: 64, usd_per_chip_hour: 1.5}]\n"
)


def autoprovisioned(tpu: str, more: str = "") -> str:
    return f"{STANDARD}autoprovisioning: {{cpu: 1000, memory_gib: 4000, tpu: {tpu}{more}}}\n"


def exclusion(end: str, scope: str = "no_upgrades") -> str:
    period = f"{{start: 2026-11-01T00:00:00Z, end: {end}T00:00:00Z, scope: {scope}}}"
    return f"{STANDARD}maintenance: {{{WINDOW}, exclusions: {{launch: {period}}}}}\n{RESERVED}"


def found(example: str, standard: str, catalog: Catalog, folder: Path, more: str = "") -> list[Finding]:
    """The findings about standards; ``more`` is what follows the standard in the file."""
    plan, line, inventory = example.partition("--- inventory\n")
    parts = [
        plan,
        *([f"--- organization\nstandards: {{one: {standard}}}\n{more}"]),
        *([line, inventory] if line else []),
    ]
    findings = findings_about("\n".join("".join(parts).splitlines()), catalog, folder, TODAY)
    return [finding for finding in findings if "TPU921" <= finding.rule <= "TPU930"]


def shown(findings: list[Finding]) -> list[str]:
    return [
        f"{finding.severity.word} {'.'.join(map(str, finding.path[2:]))}: {finding.message.partition(';')[0]}"
        for finding in findings
    ]


GENERATIONS = {
    "slices": (STANDARD + ONE, "{generations: [v5p]}", ["error slices.main.tpu: generation v6e is not allowed"]),
    "auto-provisioned by generation": (
        autoprovisioned("{v6e: 64}"),
        "{generations: [v5p]}",
        ["error autoprovisioning.tpu.v6e: generation v6e is not allowed"],
    ),
    "auto-provisioned by label": (
        autoprovisioned("{tpu-v6e-slice: 64}"),
        "{generations: [v5p]}",
        ["error autoprovisioning.tpu.tpu-v6e-slice: generation v6e is not allowed"],
    ),
    "a limit of 0 creates nothing": (autoprovisioned("{v6e: 0}"), "{generations: [v5p]}", []),
    "an allowed one": (autoprovisioned("{v6e: 64}"), "{generations: [v6e]}", []),
}

ZONES = {
    "a pattern": (STANDARD + ONE, '{zones: ["us-east5-*"]}', []),
    "another zone": (
        STANDARD + ONE,
        "{zones: [us-east5-a]}",
        ["error slices.main.zone: zone us-east5-b is not allowed"],
    ),
    "several zones": (
        f"{STANDARD}slices: {{main: {{tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b, us-east5-c]}}}}\n",
        "{zones: [us-east5-b]}",
        ["error slices.main.zones: zones us-east5-a and us-east5-c are not allowed"],
    ),
    "many zones": (
        f"{STANDARD}slices: {{main: {{tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b, us-east5-c, us-east5-d, "
        "us-east5-e]}}\n",
        "{zones: [us-east5-f]}",
        ["error slices.main.zones: zones us-east5-a, us-east5-b, us-east5-c and 2 more are not allowed"],
    ),
    "GKE may select another one": (
        f"{AUTOPILOT}slices: {{main: {{tpu: v6e, topology: 4x4}}}}\n",
        "{zones: [us-east5-b]}",
        ["warning location: GKE selects the zone in us-east5, where not all zones are allowed"],
    ),
    "GKE can select no allowed one": (
        f"{AUTOPILOT}slices: {{main: {{tpu: v6e, topology: 4x4}}}}\n",
        "{zones: [us-central1-a]}",
        ["error location: GKE selects the zone in us-east5, where not all zones are allowed"],
    ),
    "the catalog knows no zone of the region": (
        "mode: autopilot\nlocation: africa-south1\nslices: {main: {tpu: v6e, topology: 4x4}}\n",
        "{zones: [us-east5-b]}",
        ["warning location: GKE selects the zone in africa-south1, where not all zones are allowed"],
    ),
    "every zone of the region is allowed": (
        f"{AUTOPILOT}slices: {{main: {{tpu: v6e, topology: 4x4}}}}\n",
        '{zones: ["us-east5-*"]}',
        [],
    ),
    "a cluster without slices uses no zone": (AUTOPILOT, "{zones: [us-central1-a]}", []),
    "zones of auto-provisioned nodes": (
        autoprovisioned("{v6e: 64}", ", zones: [us-east5-b]"),
        "{zones: [us-east5-a]}",
        ["error autoprovisioning.zones: zone us-east5-b is not allowed"],
    ),
    "GKE selects the zone of auto-provisioned nodes": (
        autoprovisioned("{v6e: 64, v5p: 64}"),
        "{zones: [us-east5-b]}",
        [
            "warning autoprovisioning.tpu.v6e: GKE selects the zone in us-east5, where not all zones are allowed",
            "error autoprovisioning.tpu.v5p: GKE selects the zone in us-east5, where not all zones are allowed",
        ],
    ),
}

MODES = {
    "standard": (STANDARD, "{modes: [standard]}", []),
    "autopilot": (AUTOPILOT, "{modes: [standard]}", ["error mode: cluster mode autopilot is not allowed"]),
    "of an existing cluster": (EXISTING, "{modes: [autopilot]}", ["error mode: cluster mode standard is not allowed"]),
}

FALLBACK = (
    f"{STANDARD}slices: {{main: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {{min: 0, max: 2}}, "
    "capacity: spot, fallback: [on_demand]}}\n"
)

CAPACITIES = {
    "the default": (
        STANDARD + ONE,
        "{capacities: [spot]}",
        ["error slices.main: capacity mode on_demand is not allowed"],
    ),
    "a fallback": (
        FALLBACK,
        "{capacities: [spot]}",
        ["error slices.main.fallback: capacity mode on_demand is not allowed"],
    ),
    "both": (
        FALLBACK,
        "{capacities: [queued]}",
        ["error slices.main.fallback: capacity modes spot and on_demand are not allowed"],
    ),
    "workloads may choose another one": (
        autoprovisioned("{v6e: 64}"),
        "{capacities: [spot]}",
        ["warning autoprovisioning.tpu.v6e: capacity mode on_demand is not allowed"],
    ),
}

LABELS = {
    "all that are missing": (
        f"{STANDARD}resource_labels: {{team: a}}\n",
        "{labels: [team, cost-center, stage]}",
        ["error resource_labels: missing labels `cost-center` and `stage`"],
    ),
    "an empty value": (
        f'{STANDARD}resource_labels: {{team: ""}}\n',
        "{labels: [team]}",
        ["error resource_labels: missing label `team`"],
    ),
    "of slices in an existing cluster": (
        EXISTING + ONE,
        "{labels: [team]}",
        ["error slices.main: missing label `team`"],
    ),
    "in an existing cluster, set": (
        EXISTING + GROUP.format(topology="4x4", more=", resource_labels: {team: a}"),
        "{labels: [team]}",
        [],
    ),
}

WANTED = "multi-host slices on a reservation have no maintenance exclusion that prevents upgrades of nodes"

EXCLUSION = {
    "none": (STANDARD + RESERVED, "{exclusion: true}", [f"error slices.main.capacity: {WANTED}"]),
    "one that has ended": (exclusion("2026-11-19"), "{exclusion: true}", [f"error slices.main.capacity: {WANTED}"]),
    "one that ends today": (exclusion("2026-11-20"), "{exclusion: true}", []),
    "one that allows new patch versions": (
        exclusion("2026-12-20", "no_minor_upgrades"),
        "{exclusion: true}",
        [f"error slices.main.capacity: {WANTED}"],
    ),
    "one that prevents upgrades of nodes": (
        exclusion("2026-12-20", "no_minor_or_node_upgrades"),
        "{exclusion: true}",
        [],
    ),
    "slices on demand need none": (STANDARD + ONE, "{exclusion: true}", []),
    "single-host slices need none": (
        STANDARD + RESERVED.replace("4x4", "2x2"),
        "{exclusion: true}",
        [],
    ),
    "GKE upgrades none of the nodes": (
        STANDARD
        + GROUP.format(topology="4x4", more=", capacity: {reservation: v6e-main}, upgrade: {auto_upgrade: false}"),
        "{exclusion: true}",
        [],
    ),
    "those of an existing cluster are unknown": (
        EXISTING + RESERVED,
        "{exclusion: true}",
        ["warning slices.main.capacity: the maintenance exclusions of the existing cluster are unknown"],
    ),
}

PRIVATE = {
    "the default network": (STANDARD, "{private_nodes: true}", ["error : nodes have external IP addresses"]),
    "a network of its own": (f"{STANDARD}network: create\n", "{private_nodes: true}", []),
    "switched off": (
        f"{STANDARD}network: create\nprivate_nodes: false\n",
        "{private_nodes: true}",
        ["error private_nodes: nodes have external IP addresses"],
    ),
    "on Autopilot": (AUTOPILOT, "{private_nodes: true}", ["error : nodes have external IP addresses"]),
    "on Autopilot, set": (f"{AUTOPILOT}private_nodes: true\n", "{private_nodes: true}", []),
    "of an existing cluster, unknown": (
        EXISTING,
        "{private_nodes: true}",
        ["warning : nodes of the existing cluster may have external IP addresses"],
    ),
    "of an existing cluster, stated": (f"{EXISTING}private_nodes: true\n", "{private_nodes: true}", []),
}

PROTECTION = {
    "the default": (STANDARD, "{deletion_protection: true}", []),
    "switched off": (
        f"{STANDARD}deletion_protection: false\n",
        "{deletion_protection: true}",
        ["error deletion_protection: the cluster has no deletion protection"],
    ),
    "of an existing cluster": (EXISTING, "{deletion_protection: true}", []),
    "lifted": (
        "version: 1\nproject: acme-ml\nclusters: {train: {mode: standard, location: us-east5}}\n"
        "acknowledge: [{change: delete, of: train, reason: end of the project, until: 2026-12-01}]\n",
        "{deletion_protection: true}",
        ["warning : an `acknowledge` entry lifts the deletion protection of the cluster"],
    ),
}

NAMES = {
    "a cluster": (
        f"{STANDARD}name: dev\n",
        '{names: {clusters: "train-*"}}',
        ["error name: cluster name `dev` does not match `train-*`"],
    ),
    "a slice group": (
        STANDARD + ONE,
        '{names: {groups: "*-v6e"}}',
        ["error slices.main: slice group name `main` does not match `*-v6e`"],
    ),
    "an existing cluster is not named here": (EXISTING, '{names: {clusters: "dev-*"}}', []),
    "either": (STANDARD + ONE, '{names: {clusters: "tr[aeiou]in", groups: "m??n"}}', []),
}

SCALED = GROUP.format(topology="4x4", more=", count: {min: 1, max: 4}")

SIZES = {
    "the smallest size is too large": (
        STANDARD + SCALED,
        "{max: {chips: 15}}",
        ["error slices.main.max: 16 chips exceed the limit of 15 per slice group"],
    ),
    "the largest size may be too large": (
        STANDARD + SCALED,
        "{max: {hosts: 15}}",
        ["warning slices.main.max: up to 16 hosts exceed the limit of 15 per slice group"],
    ),
    "auto-provisioned nodes may exceed a sum": (
        autoprovisioned("{v6e: 64}") + ONE,
        "{max: {chips: 63, per: cluster}}",
        ["warning autoprovisioning.tpu: up to 64 chips exceed the limit of 63 per cluster"],
    ),
    "their limit counts the node pools too": (
        autoprovisioned("{v6e: 64}") + ONE,
        "{max: {chips: 64, per: all}}",
        [],
    ),
    "autoscaled node pools are within that limit": (
        autoprovisioned("{v6e: 64}") + SCALED,
        "{max: {chips: 64, per: all}}",
        [],
    ),
    "the smallest size is the limit": (
        STANDARD + SCALED,
        "{max: {chips: 16}}",
        ["warning slices.main.max: up to 64 chips exceed the limit of 16 per slice group"],
    ),
    "they are not slice groups": (autoprovisioned("{v6e: 64}") + ONE, "{max: {chips: 16}}", []),
    "their hosts": (
        autoprovisioned("{v6e: 64}"),
        "{max: {hosts: 63, per: plan}}",
        ["warning autoprovisioning.tpu: up to 64 hosts exceed the limit of 63 per plan"],
    ),
    "Autopilot slices": (
        f"{AUTOPILOT}slices: {{main: {{tpu: v6e, topology: 4x4}}}}\n",
        "{max: {chips: 15, per: plan}}",
        ["error slices.main.topology: 16 chips exceed the limit of 15 per plan"],
    ),
    "slices in an existing cluster": (
        EXISTING + ONE,
        "{max: {chips: 15, per: plan}}",
        ["error slices.main.topology: 16 chips exceed the limit of 15 per plan"],
    ),
}

COSTS = {
    "a price that is known for certain": (
        STANDARD + ONE,
        "{max: {usd_per_hour: 43.19}}",
        ["error slices.main.topology: 43.20 USD per hour exceed the limit of 43.19 per slice group"],
    ),
    "the cost is the limit": (STANDARD + ONE, "{max: {usd_per_hour: 43.2}}", []),
    "the on-demand price stands for that of reserved capacity": (
        STANDARD + RESERVED,
        "{max: {usd_per_hour: 30}}",
        ["warning slices.main.topology: up to 43.20 USD per hour exceed the limit of 30.00 per slice group"],
    ),
    "the price of the contract is above the limit": (
        STANDARD + RESERVED + CONTRACT,
        "{max: {usd_per_hour: 23}}",
        ["error slices.main.topology: 24.00 USD per hour exceed the limit of 23.00 per slice group"],
    ),
    "the price of the contract is within the limit": (STANDARD + RESERVED + CONTRACT, "{max: {usd_per_hour: 24}}", []),
    "one of several modes": (
        FALLBACK,
        "{max: {usd_per_hour: 80}}",
        ["warning slices.main.max: up to 86.40 USD per hour exceed the limit of 80.00 per slice group"],
    ),
    "a price of medium confidence": (
        "mode: standard\nlocation: us-central1\n"
        "slices: {main: {tpu: v6e, topology: 4x4, zone: us-central1-b, capacity: spot}}\n",
        "{max: {usd_per_hour: 5}}",
        ["warning slices.main.topology: up to 8.71 USD per hour exceed the limit of 5.00 per slice group"],
    ),
    "an unknown price": (
        f"{STANDARD}slices: {{main: {{tpu: v5p, topology: 2x2x1, zone: us-east5-a, capacity: flex_start}}}}\n",
        "{max: {usd_per_hour: 100000, per: all}}",
        [
            "warning slices.main.capacity: a price is unknown, so gke-tpu cannot check the limit of 100,000.00 USD per "
            "hour per sum of all plans"
        ],
    ),
    "nodes that GKE may create": (
        autoprovisioned("{v6e: 64}"),
        "{max: {usd_per_hour: 172.79, per: plan}}",
        ["warning autoprovisioning.tpu: up to 172.80 USD per hour exceed the limit of 172.79 per plan"],
    ),
    "all nodes that GKE may create are within the limit": (
        autoprovisioned("{v6e: 64}"),
        "{max: {usd_per_hour: 172.8, per: plan}}",
        [],
    ),
    "the cost of the slice groups is certain, that of other nodes is not": (
        autoprovisioned("{v6e: 64}") + ONE,
        "{max: {usd_per_hour: 43.19, per: cluster}}",
        ["error slices.main.topology: 43.20 USD per hour exceed the limit of 43.19 per cluster"],
    ),
    "an unknown price of nodes that GKE may create": (
        autoprovisioned("{v6e: 64}").replace("us-east5", "us-west1"),
        "{max: {usd_per_hour: 1000, per: plan}}",
        [
            "warning autoprovisioning.tpu: a price is unknown, so gke-tpu cannot check the limit of 1,000.00 USD per "
            "hour per plan"
        ],
    ),
    "all nodes that GKE may create are in node pools": (
        (autoprovisioned("{v6e: 16}") + ONE).replace("us-east5-b", "us-west1-c").replace("us-east5", "us-west1"),
        "{max: {usd_per_hour: 1000, per: plan}}",
        [],
    ),
    "the known part of a sum alone exceeds the limit": (
        f"{STANDARD}slices:\n"
        "  main: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
        "  other: {tpu: v5p, topology: 2x2x1, zone: us-east5-a, capacity: flex_start}\n",
        "{max: {usd_per_hour: 40, per: cluster}}",
        ["error slices.main.topology: 43.20 USD per hour exceed the limit of 40.00 per cluster"],
    ),
}

CASES = {
    f"{kind}: {name}": case
    for kind, cases in {
        "generations": GENERATIONS,
        "zones": ZONES,
        "modes": MODES,
        "capacities": CAPACITIES,
        "labels": LABELS,
        "exclusion": EXCLUSION,
        "private nodes": PRIVATE,
        "protection": PROTECTION,
        "names": NAMES,
        "sizes": SIZES,
        "costs": COSTS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_a_standard_about(name: str, catalog: Catalog, tmp_path: Path) -> None:
    example, standard, expected = CASES[name]
    assert shown(found(example, standard, catalog, tmp_path)) == expected


@pytest.mark.parametrize(
    ("group", "standard", "expected"),
    [
        ("tpu: v6e, topology: 4x3", "{generations: [v5p]}", ["error slices.main.tpu: generation v6e is not allowed"]),
        ("tpu: v6e, topology: 4x3", "{generations: [v6e]}", []),
        ("tpu: v9, topology: 4x4", "{generations: [v5p]}", []),
        (
            "tpu: v5e, topology: 2x4, zone: us-east5-b",
            "{zones: [us-east5-a]}",
            ["error slices.main.zone: zone us-east5-b is not allowed"],
        ),
        (
            "tpu: v5e, topology: 2x4, zones: [us-east5-a, us-east5-b]",
            "{zones: [us-east5-a]}",
            ["error slices.main.zones: zone us-east5-b is not allowed"],
        ),
        (
            "tpu: v6e, topology: 4x3, capacity: spot",
            "{capacities: [on_demand]}",
            ["error slices.main.capacity: capacity mode spot is not allowed"],
        ),
        (
            "tpu: v6e, topology: 4x3",
            "{capacities: [spot]}",
            ["error slices.main: capacity mode on_demand is not allowed"],
        ),
    ],
)
def test_a_group_with_an_impossible_shape_is_compared_as_written(
    group: str, standard: str, expected: list[str], catalog: Catalog, tmp_path: Path
) -> None:
    """One run reports all errors of a plan: a wrong topology does not hide that its generation is not allowed."""
    plan = f"{STANDARD}slices:\n  main: {{{group}}}\n"
    assert shown(found(plan, standard, catalog, tmp_path)) == expected


def test_the_reason_for_a_doubt_names_the_key_that_removes_it(catalog: Catalog, tmp_path: Path) -> None:
    (finding,) = found(STANDARD + RESERVED, "{max: {usd_per_hour: 30}}", catalog, tmp_path)
    assert "`usd_per_chip_hour` of the reservation in the inventory" in finding.why


@pytest.mark.parametrize(
    ("example", "standard", "reason"),
    [
        (FALLBACK, "{max: {usd_per_hour: 80}}", "GKE uses one of several capacity modes at a time"),
        (*COSTS["a price of medium confidence"][:2], "the spot price of ct6e in us-central1 is not certain"),
        (autoprovisioned("{v6e: 64}"), "{max: {chips: 8, per: all}}", "nodes up to its limits"),
        (autoprovisioned("{v6e: 64}"), "{generations: [v5p]}", "node auto-provisioning may create nodes of it"),
        (autoprovisioned("{v6e: 64}"), "{capacities: [spot]}", "workloads choose the capacity mode"),
    ],
)
def test_a_doubt_has_its_reason(example: str, standard: str, reason: str, catalog: Catalog, tmp_path: Path) -> None:
    (finding,) = found(example, standard, catalog, tmp_path)
    assert reason in finding.why


def test_a_finding_names_standard_owner_message_and_the_place_of_the_standard(catalog: Catalog, tmp_path: Path) -> None:
    standard = "{modes: [standard], owner: platform, message: ask first}"
    (finding,) = found(AUTOPILOT, standard, catalog, tmp_path)
    assert finding.message == "cluster mode autopilot is not allowed; standard `one` (owner: platform): ask first"
    assert finding.allowed == ("standard",)
    assert finding.related is not None
    assert finding.related.text == "standard `one`"
    place = finding.related.position
    assert (Path(place.file).name, place.line, place.text[place.column - 1 : place.end_column - 1]) == (
        "organization.yaml",
        2,
        "one",
    )


TWO = (
    STANDARD
    + "slices:\n"
    + "".join(f"  {name}: {{tpu: v6e, topology: 4x4, zone: us-east5-b}}\n" for name in ("one", "two", "three"))
)


@pytest.mark.parametrize(
    ("limit", "exempt", "expected"),
    [
        (48, None, []),
        (47, None, ["error slices.three.topology: 48 chips exceed the limit of 47 per cluster"]),
        (32, "train/one", []),
        (31, "train/one", ["error slices.three.topology: 32 chips exceed the limit of 31 per cluster"]),
        (0, "train", []),
    ],
)
def test_a_sum_does_not_contain_what_is_exempt(
    limit: int, exempt: str | None, expected: list[str], catalog: Catalog, tmp_path: Path
) -> None:
    """For every place at which the sum exceeds the limit."""
    entry = f"exemptions: [{{standard: one, of: {exempt}, reason: launch, until: 2026-12-31}}]\n" if exempt else ""
    standard = f"{{max: {{chips: {limit}, per: cluster}}}}"
    assert shown(found(TWO, standard, catalog, tmp_path, entry)) == expected


@pytest.mark.parametrize(("limit", "rules"), [(40, []), (48, ["TPU941"])])
def test_an_exemption_from_a_sum_is_used_wherever_the_sum_exceeds_the_limit(
    limit: int, rules: list[str], catalog: Catalog, tmp_path: Path
) -> None:
    exempt = "exemptions: [{standard: one, of: train/one, reason: launch, until: 2026-12-31}]\n"
    example = f"{TWO}--- organization\nstandards: {{one: {{max: {{chips: {limit}, per: cluster}}}}}}\n{exempt}"
    findings = findings_about(example, catalog, tmp_path, TODAY)
    assert [finding.rule for finding in findings if finding.rule.startswith("TPU94")] == rules


TWO_GROUPS = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      two: {tpu: v6e, topology: 4x4, zone: us-east5-b, COUNT}
"""


def found_in(
    catalog: Catalog, folder: Path, standards: str, *, count: str = "count: 1", more: str = "", today: bool = True
) -> list[Finding]:
    plan = TWO_GROUPS.replace("COUNT", count) + more
    day = TODAY if today else datetime.date(2027, 6, 1)
    findings = findings_about(f"{plan}--- organization\n{standards}", catalog, folder, day)
    return [finding for finding in findings if finding.rule.startswith("TPU9")]


@pytest.mark.parametrize(
    ("limit", "path"),
    [
        ("{chips: 16, per: cluster}", ("clusters", "train", "slices", "two", "count")),
        ("{chips: 31, per: plan}", ("clusters", "train", "slices", "two", "count")),
        ("{hosts: 4, per: all}", ("clusters", "train", "slices", "two", "count")),
        ("{chips: 15}", ("clusters", "train", "slices", "one", "topology")),
        ("{usd_per_hour: 1, per: all}", ("clusters", "train", "slices", "one", "topology")),
    ],
)
def test_a_sum_is_reported_where_it_exceeds_the_limit(
    limit: str, path: tuple[str, ...], catalog: Catalog, tmp_path: Path
) -> None:
    first = found_in(catalog, tmp_path, f"standards: {{size: {{max: {limit}}}}}")[0]
    assert (first.rule, first.path, first.severity) == ("TPU925", path, Severity.ERROR)


@pytest.mark.parametrize("limit", ["{chips: 32, per: all}", "{hosts: 8, per: plan}", "{usd_per_hour: 1000, per: all}"])
def test_a_sum_within_the_limit_is_not_reported(limit: str, catalog: Catalog, tmp_path: Path) -> None:
    assert found_in(catalog, tmp_path, f"standards: {{size: {{max: {limit}}}}}") == []


def test_a_limit_that_only_the_largest_size_exceeds_is_a_warning(catalog: Catalog, tmp_path: Path) -> None:
    (finding,) = found_in(
        catalog, tmp_path, "standards: {size: {max: {chips: 32, per: all}}}", count="count: {min: 0, max: 4}"
    )
    assert (finding.rule, finding.severity) == ("TPU925", Severity.WARNING)
    assert "up to 80 chips" in finding.message


SHAPES = (
    f"{STANDARD}slices:\n"
    "  one: {tpu: v6e, topology: 4x4, count: {min: 0, max: 4}, zone: us-east5-b, capacity: {reservation: v6e-main}}\n"
    "  two: {tpu: v6e, topology: 4x8, count: {min: 0, max: 2}, zone: us-east5-b, capacity: {reservation: v6e-main}}\n"
)
LEFT = CONTRACT.replace("vms: 64", "vms: 24, vms_in_use: 8")  # 64 chips of 128 at the maximum of both groups


@pytest.mark.parametrize("per", ["cluster", "plan", "all"])
@pytest.mark.parametrize(("unit", "most"), [("chips", 64), ("hosts", 16), ("usd_per_hour", 96)])
def test_shapes_that_share_a_reservation_count_what_they_can_have_together(
    unit: str, most: int, per: str, catalog: Catalog, tmp_path: Path
) -> None:
    for limit, rules in ((most, []), (most - 1, ["TPU925"])):
        text = f"{SHAPES}{LEFT}--- organization\nstandards: {{size: {{max: {{{unit}: {limit}, per: {per}}}}}}}"
        found = [finding for finding in findings_about(text, catalog, tmp_path, TODAY) if finding.rule == "TPU925"]
        assert [finding.rule for finding in found] == rules
        assert all(f"up to {most}" in finding.message for finding in found)


def test_shapes_that_share_a_budget_count_no_more_than_the_budget(catalog: Catalog, tmp_path: Path) -> None:
    plan = "version: 1\nproject: acme-ml\nbudgets: {ci: {chips: 48, reservation: v6e-main}}\nclusters:\n  train:\n"
    plan += "".join(f"    {line}\n" for line in SHAPES.splitlines())
    for limit, count in ((48, 0), (47, 1)):
        text = f"{plan}--- organization\nstandards: {{size: {{max: {{chips: {limit}, per: plan}}}}}}"
        found = [finding for finding in findings_about(text, catalog, tmp_path, TODAY) if finding.rule == "TPU925"]
        assert len(found) == count


def test_a_limit_per_budget_counts_its_slice_groups_together(catalog: Catalog, tmp_path: Path) -> None:
    plan = "version: 1\nproject: acme-ml\nbudgets: {ci: {chips: 48, reservation: v6e-main}}\nclusters:\n  train:\n"
    plan += "".join(f"    {line}\n" for line in SHAPES.splitlines())
    for limit, count in ((48, 0), (47, 1)):
        text = f"{plan}--- organization\nstandards: {{size: {{max: {{chips: {limit}, per: budget}}}}}}"
        found = [finding for finding in findings_about(text, catalog, tmp_path, TODAY) if finding.rule == "TPU925"]
        assert [f"the limit of {limit} per budget" in finding.message for finding in found] == [True] * count
    without = f"{SHAPES}--- organization\nstandards: {{size: {{max: {{chips: 1, per: budget}}}}}}"
    assert [item for item in findings_about(without, catalog, tmp_path, TODAY) if item.rule == "TPU925"] == []


def test_each_shape_on_a_shared_reservation_counts_alone(catalog: Catalog, tmp_path: Path) -> None:
    text = f"{SHAPES}{LEFT}--- organization\nstandards: {{size: {{max: {{chips: 63, per: group}}}}}}"
    found = [finding for finding in findings_about(text, catalog, tmp_path, TODAY) if finding.rule == "TPU925"]
    assert len(found) == 2


def test_an_unknown_price_is_reported_and_never_passes(catalog: Catalog, tmp_path: Path) -> None:
    plan = "tpu: v6e\ntopology: 4x4\nzone: us-east5-b\ncapacity: {reservation: main}\n"
    limit = "--- organization\nstandards: {cost: {max: {usd_per_hour: 100000}}}"
    found_there = findings_about(plan.replace("v6e", "tpu7x").replace("4x4", "2x2x2") + limit, catalog, tmp_path, TODAY)
    (finding,) = [finding for finding in found_there if finding.rule == "TPU925"]
    assert (finding.severity, "a price is unknown" in finding.message) == (Severity.WARNING, True)


def test_a_standard_can_warn_and_its_texts_are_escaped(catalog: Catalog, tmp_path: Path) -> None:
    standard = '{generations: [v5e], severity: warning, owner: team-a, message: "ask\\nus"}'
    first = found_in(catalog, tmp_path, f"standards: {{tpus: {standard}}}")[0]
    assert first.severity is Severity.WARNING
    assert "standard `tpus` (owner: team-a): ask" in first.message
    assert "\n" not in first.message


def test_a_plan_cannot_accept_a_finding_of_the_organization(catalog: Catalog, tmp_path: Path) -> None:
    standard = "standards: {tpus: {generations: [v5e], severity: warning}}"
    accept = 'accept: [{rule: TPU921, reason: "mine", until: 2026-12-31}]\n'
    findings = [finding for finding in found_in(catalog, tmp_path, standard, more=accept) if finding.rule == "TPU921"]
    assert [bool(finding.accepted) for finding in findings] == [False, False]


@pytest.mark.parametrize(
    ("place", "rules"),
    [
        ("", []),
        ("project: acme-ml, ", []),
        ("project: acme-ml, of: train, ", []),
        ("of: train/one, ", ["TPU921"]),
        ("project: acme-lab, ", ["TPU921", "TPU921"]),
        ("of: trai, ", ["TPU921", "TPU921"]),
    ],
)
def test_an_exemption_covers_what_it_names(place: str, rules: list[str], catalog: Catalog, tmp_path: Path) -> None:
    entry = f'{{standard: tpus, {place}reason: "launch", until: 2026-11-20}}'
    standards = f"standards: {{tpus: {{generations: [v5e]}}}}\nexemptions: [{entry}]"
    assert [finding.rule for finding in found_in(catalog, tmp_path, standards)] == rules


def test_an_expired_exemption_covers_nothing(catalog: Catalog, tmp_path: Path) -> None:
    standards = (
        'standards: {tpus: {generations: [v5e]}}\nexemptions: [{standard: tpus, reason: "launch", until: 2026-11-20}]'
    )
    rules = [finding.rule for finding in found_in(catalog, tmp_path, standards, today=False)]
    assert sorted(rules) == ["TPU921", "TPU921", "TPU942"]


def test_a_standard_has_exactly_one_kind(catalog: Catalog, tmp_path: Path) -> None:
    for wrong in ("{}", "{exclusion: true, private_nodes: true}"):
        findings = findings_about(
            f"tpu: v6e\ntopology: 2x2\n--- organization\nstandards: {{a: {wrong}}}", catalog, tmp_path, TODAY
        )
        assert any("exactly one of" in finding.message for finding in findings)

"""Values that GKE documents, pinned one by one, so that an edit that breaks one is seen."""

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, Topology


@pytest.mark.parametrize(
    ("generation", "mode", "topology", "forms"),
    [
        ("v3", "standard", "2x2", [("ct3-hightpu-4t", 1)]),
        ("v3", "standard", "32x32", [("ct3p-hightpu-4t", 256)]),
        ("v3", "autopilot", "16x16", [("ct3p-hightpu-4t", 64)]),
        ("v3", "autopilot", "16x32", []),
        ("v4", "standard", "2x2x1", [("ct4p-hightpu-4t", 1)]),
        ("v4", "standard", "2x2x2", [("ct4p-hightpu-4t", 2)]),
        ("v4", "autopilot", "4x4x4", [("ct4p-hightpu-4t", 16)]),
        ("v5e", "standard", "1x1", [("ct5lp-hightpu-1t", 1)]),
        ("v5e", "autopilot", "1x1", [("ct5lp-hightpu-1t", 1), ("ct5l-hightpu-1t", 1)]),
        ("v5e", "standard", "2x4", [("ct5lp-hightpu-8t", 1), ("ct5lp-hightpu-4t", 2)]),
        ("v5e", "autopilot", "2x4", [("ct5lp-hightpu-8t", 1), ("ct5lp-hightpu-4t", 2), ("ct5l-hightpu-8t", 1)]),
        ("v5e", "standard", "16x16", [("ct5lp-hightpu-4t", 64)]),
        ("v5p", "standard", "2x2x1", [("ct5p-hightpu-4t", 1)]),
        ("v5p", "autopilot", "2x4x4", [("ct5p-hightpu-4t", 8)]),
        ("v6e", "standard", "2x4", [("ct6e-standard-8t", 1), ("ct6e-standard-4t", 2)]),
        ("v6e", "autopilot", "2x4", [("ct6e-standard-8t", 1)]),
        ("v6e", "standard", "16x16", [("ct6e-standard-4t", 64)]),
        ("v6e", "standard", "2x8", []),
        ("tpu7x", "standard", "2x2x1", [("tpu7x-standard-4t", 1)]),
        ("tpu7x", "autopilot", "8x16x16", [("tpu7x-standard-4t", 512)]),
    ],
)
def test_forms_of_a_topology(
    catalog: Catalog, generation: str, mode: str, topology: str, forms: list[tuple[str, int]]
) -> None:
    item = catalog.generation(generation)
    chips = Topology.parse(topology).chips
    found = [
        (row.machine_type, chips // item.machine_types[row.machine_type].chips)
        for row in item.topologies.rows
        if row.topology == topology and mode in row.modes
    ]
    assert found == forms


@pytest.mark.parametrize(
    ("generation", "standard", "autopilot"),
    [("v3", 8, 6), ("v4", 5, 5), ("v5e", 9, 12), ("v5p", 5, 5), ("v6e", 9, 8), ("tpu7x", 10, 10)],
)
def test_number_of_documented_topologies(catalog: Catalog, generation: str, standard: int, autopilot: int) -> None:
    rows = [row for row in catalog.generation(generation).topologies.rows if row.documented]
    assert sum("standard" in row.modes for row in rows) == standard
    assert sum("autopilot" in row.modes for row in rows) == autopilot


@pytest.mark.parametrize(
    ("generation", "max_chips", "largest"),
    [("v4", 3072, "12x16x16"), ("v5p", 6144, "16x16x24"), ("tpu7x", 9216, "16x16x36")],
)
def test_custom_topologies(catalog: Catalog, generation: str, max_chips: int, largest: str) -> None:
    rule = catalog.generation(generation).custom_topologies
    assert rule is not None
    assert (rule.max_chips, rule.largest_documented) == (max_chips, largest)
    assert (rule.multiple_of, rule.above_chips, rule.modes) == (4, 64, ("standard", "autopilot"))


@pytest.mark.parametrize(
    ("generation", "family", "label", "standard", "autopilot"),
    [
        ("v3", "ct3", "tpu-v3-device", "1.31.0-gke.1500", "1.31.0-gke.1500"),
        ("v3", "ct3p", "tpu-v3-slice", "1.31.1-gke.1146000", "1.31.1-gke.1146000"),
        ("v4", "ct4p", "tpu-v4-podslice", "1.26.1-gke.1500", "1.26.1-gke.1500"),
        ("v5e", "ct5lp", "tpu-v5-lite-podslice", "1.27.2-gke.2100", "1.27.2-gke.2100"),
        ("v5p", "ct5p", "tpu-v5p-slice", "1.28.3-gke.1024000", "1.28.3-gke.1024000"),
        ("v6e", "ct6e", "tpu-v6e-slice", "1.31.2-gke.1115000", "1.31.2-gke.1384000"),
        ("tpu7x", "tpu7x", "tpu7x", "1.34.0-gke.2201000", "1.34.1-gke.3084001"),
    ],
)
def test_labels_and_minimum_versions(
    catalog: Catalog, generation: str, family: str, label: str, standard: str, autopilot: str
) -> None:
    item = catalog.generation(generation).families[family]
    assert item.accelerator_label == label
    assert item.minimum_version == {"standard": standard, "autopilot": autopilot}
    assert item.confidence == "high"


@pytest.mark.parametrize(
    ("family", "confidence", "zones"),
    [
        ("ct4p", "high", "us-central2-b"),
        ("ct5lp", "high", "europe-west4-b us-central1-a us-south1-a us-west1-c us-west4-a"),
        ("ct5p", "high", "europe-west4-b us-central1-a us-east5-a"),
        (
            "ct6e",
            "high",
            "asia-northeast1-b europe-west4-a southamerica-west1-a us-central1-b us-east1-d us-east5-a us-east5-b "
            "us-south1-ai1b",
        ),
        ("tpu7x", "high", "us-central1-ai1a us-central1-c"),
        ("ct3p", "medium", "europe-west4-a us-east1-d"),
    ],
)
def test_documented_zones(catalog: Catalog, family: str, confidence: str, zones: str) -> None:
    listed = catalog.zones.families[family].documented
    assert " ".join(listed.zones) == zones
    assert listed.confidence == confidence


@pytest.mark.parametrize(
    ("family", "on_demand", "spot", "reservation", "flex_start", "queued"),
    [
        ("ct3", "yes", "yes", "yes", "no", "no"),
        ("ct3p", "yes", "yes", "yes", "no", "no"),
        ("ct4p", "yes", "yes", "yes", "no", "no"),
        ("ct5l", "yes", "yes", "yes", "no", "no"),
        ("ct5lp", "yes", "yes", "yes", "yes", "unverified"),
        ("ct5p", "yes", "yes", "yes", "yes", "unverified"),
        ("ct6e", "yes", "yes", "yes", "yes", "yes"),
        ("tpu7x", "yes", "allowlist", "yes", "allowlist", "allowlist"),
    ],
)
def test_capacity(
    catalog: Catalog, family: str, on_demand: str, spot: str, reservation: str, flex_start: str, queued: str
) -> None:
    offers = {mode: item.offer for mode, item in catalog.capacity.families[family].items()}
    assert offers == {
        "on_demand": on_demand,
        "spot": spot,
        "reservation": reservation,
        "flex_start": flex_start,
        "queued": queued,
    }


def test_flex_start_runs_from_ten_minutes_to_seven_days(catalog: Catalog) -> None:
    flex = catalog.capacity.flex_start
    assert (flex.min_run_seconds, flex.max_run_seconds, flex.default_run_seconds) == (600, 7 * 86400, 7 * 86400)
    assert {family: " ".join(item.zones) for family, item in flex.zones.items() if item.confidence == "high"} == {
        "ct5lp": "us-west4-a",
        "ct5p": "us-east5-a",
        "ct6e": "asia-northeast1-b us-east5-a us-east5-b",
    }


@pytest.mark.parametrize(
    ("feature", "standard", "confidence"),
    [
        ("flex_start", "1.33.0-gke.1712000", "high"),
        ("queued_provisioning", "1.35.0-gke.0", "medium"),
        ("multislice", "1.27.4-gke.900", "high"),
        ("autoscaling_v5p", "1.29.2-gke.1035000", "high"),
        ("collections", "1.31.2-gke.1518000", "medium"),
        ("accelerator_network_profile", "1.34.1-gke.1829001", "high"),
        ("dynamic_super_slicing", "1.35.2-gke.1842000", "high"),
        ("dynamic_sub_slicing", "1.36.0-gke.3712000", "high"),
        ("slice_controller", "1.35.2-gke.1842000", "high"),
    ],
)
def test_feature_versions(catalog: Catalog, feature: str, standard: str, confidence: str) -> None:
    item = catalog.versions.features[feature]
    assert (item.standard, item.confidence) == (standard, confidence)


@pytest.mark.parametrize("family", ["ct6e", "tpu7x"])
def test_newest_machines_take_hyperdisk_only(catalog: Catalog, family: str) -> None:
    disks = catalog.disks.families[family]
    assert disks.boot == ("hyperdisk-balanced",)
    assert not [name for name in disks.attach if name.startswith("pd-")]


def test_maintenance_limits(catalog: Catalog) -> None:
    item = catalog.maintenance
    free = item.availability
    assert (free.min_hours, free.rolling_days, free.older_rolling_days, free.piece_hours) == (48, 92, 32, 4)
    assert (item.exclusions.max_no_upgrades_days, item.exclusions.confidence_in("max_no_upgrades_days")) == (90, "high")
    assert (item.exclusions.max_no_upgrades, item.exclusions.max_total) == (3, 20)
    assert (item.upgrade_defaults.max_surge, item.upgrade_defaults.max_unavailable) == (0, 1)


@pytest.mark.parametrize(
    ("minor", "day", "extended"),
    [
        ("1.30", "2025-09-30", "2026-07-30"),
        ("1.31", "2026-01-16", "2026-10-22"),
        ("1.32", "2026-04-11", "2027-02-11"),
        ("1.33", "2026-08-03", "2027-06-03"),
        ("1.34", "2027-01-25", "2027-11-25"),
        ("1.35", "2027-04-11", "2028-02-11"),
        ("1.36", "2027-08-09", None),
    ],
)
def test_ends_of_support(catalog: Catalog, minor: str, day: str, extended: str | None) -> None:
    fact = catalog.maintenance.support_ends[minor]
    assert (fact.day, fact.extended_day, fact.confidence, fact.conflict) == (day, extended, "medium", "")


@pytest.mark.parametrize(("item", "confidence"), [("max_pods_per_node", "high"), ("max_hosts_per_pool", "medium")])
def test_only_the_documented_node_limit_is_sure(catalog: Catalog, item: str, confidence: str) -> None:
    assert catalog.platform.nodes.confidence_in(item) == confidence


def test_e2_is_surely_missing_beside_v4(catalog: Catalog) -> None:
    zone = catalog.system_pools.zones["us-central2-b"]
    assert "e2" in zone.absent
    assert zone.confidence_in("e2") == "high"
    assert zone.confidence_in("c4") == "medium"


@pytest.mark.parametrize(("name", "spelling"), [("tpu8t", "v8t"), ("tpu8i", "8i"), ("tpu7", "v7")])
def test_what_is_only_announced_has_an_answer(catalog: Catalog, name: str, spelling: str) -> None:
    item = catalog.announced[name]
    assert name not in catalog.generation_names
    assert spelling in item.also_called
    assert "tpu7x" in item.answer

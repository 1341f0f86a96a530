"""The sections agree with each other, and the arithmetic of slices holds."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, GkeVersion, Topology
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.generation import Family, Generation, MachineType, TopologyRow

ZONE = re.compile(r"[a-z]+-[a-z]+\d+-(ai\d+)?[a-z]")


def generations(catalog: Catalog) -> dict[str, Generation]:
    return {name: catalog.generation(name) for name in catalog.generation_names}


def families(catalog: Catalog) -> dict[str, Family]:
    return {name: family for item in generations(catalog).values() for name, family in item.families.items()}


def rows(catalog: Catalog) -> Iterator[tuple[Generation, TopologyRow, MachineType]]:
    for generation in generations(catalog).values():
        for row in generation.topologies.rows:
            yield generation, row, generation.machine_types[row.machine_type]


def zone_lists(data: Any, path: str) -> Iterator[tuple[str, list[str]]]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "zones" and isinstance(value, list):
                yield path, value
            else:
                yield from zone_lists(value, f"{path}.{key}")


def test_names_belong_to_one_generation(catalog: Catalog) -> None:
    words = {name: item.also_called for name, item in generations(catalog).items()}
    words |= {name: item.also_called for name, item in catalog.announced.items()}
    names = Counter(word for name, others in words.items() for word in (name, *others))
    assert [name for name, times in names.items() if times > 1] == []
    assert all(name == name.lower() for name in names)


def test_families_and_labels_belong_to_one_generation(catalog: Catalog) -> None:
    names = [name for item in generations(catalog).values() for name in item.families]
    labels = [family.accelerator_label for family in families(catalog).values()]
    assert len(set(names)) == len(names)
    assert len(set(labels)) == len(labels)


def test_machine_types_are_of_a_family_of_their_generation(catalog: Catalog) -> None:
    for generation in generations(catalog).values():
        assert {machine.family for machine in generation.machine_types.values()} == set(generation.families)
        for name, machine in generation.machine_types.items():
            assert name.startswith(f"{machine.family}-")
            assert name.endswith(f"-{machine.chips}t")


def test_memory_of_a_machine_is_that_of_its_chips(catalog: Catalog) -> None:
    for generation in generations(catalog).values():
        for name, machine in generation.machine_types.items():
            if machine.hbm_gib is not None and generation.chip.hbm_gib is not None:
                assert machine.hbm_gib == machine.chips * generation.chip.hbm_gib, name


def test_a_slice_is_whole_hosts_and_single_only_if_it_is_one(catalog: Catalog) -> None:
    for _, row, machine in rows(catalog):
        chips = Topology.parse(row.topology).chips
        assert chips % machine.chips == 0, row
        assert (row.hosts == "single") == (chips == machine.chips), row


def test_rows_have_the_dimensions_and_the_size_of_their_generation(catalog: Catalog) -> None:
    for generation, row, _ in rows(catalog):
        topology = Topology.parse(row.topology)
        assert len(topology.dimensions) == generation.dimensions, row
        assert row.modes, row
        for mode in row.modes:
            assert topology.chips <= getattr(generation.limits.max_slice_chips, mode), row


def test_no_row_is_there_twice(catalog: Catalog) -> None:
    seen = Counter((row.topology, row.machine_type) for _, row, _ in rows(catalog))
    assert [row for row, times in seen.items() if times > 1] == []


def test_every_documented_machine_type_has_a_topology(catalog: Catalog) -> None:
    used = {row.machine_type for _, row, _ in rows(catalog)}
    for generation in generations(catalog).values():
        documented = {name for name, machine in generation.machine_types.items() if machine.documented}
        assert documented <= used


def test_only_undocumented_machines_have_undocumented_rows(catalog: Catalog) -> None:
    for _, row, machine in rows(catalog):
        assert row.documented == machine.documented, row


def test_the_largest_custom_topology_is_the_largest_slice(catalog: Catalog) -> None:
    custom = {name: item.custom_topologies for name, item in generations(catalog).items() if item.custom_topologies}
    assert set(custom) == {name for name, item in generations(catalog).items() if item.dimensions == 3}
    for name, rule in custom.items():
        generation, largest = catalog.generation(name), Topology.parse(rule.largest_documented)
        assert largest.chips == rule.max_chips == generation.limits.max_slice_chips.standard
        assert all(size % rule.multiple_of == 0 for size in largest.dimensions)
        assert list(largest.dimensions) == sorted(largest.dimensions)
        assert rule.multiple_of**3 % generation.machine_types[rule.machine_type].chips == 0


def test_numbers_in_names_count_chips_or_all_their_tensorcores(catalog: Catalog) -> None:
    prefixes: list[str] = []
    for generation in generations(catalog).values():
        names = generation.numbered_names
        assert names is not None
        assert names.per_chip == (1 if names.unit == "chips" else generation.chip.tensorcores)
        prefixes += names.prefixes
    assert len(prefixes) == len(set(prefixes))


def test_every_family_has_zones_capacity_and_disks(catalog: Catalog) -> None:
    for section in (catalog.zones.families, catalog.capacity.families, catalog.disks.families):
        assert set(section) == set(families(catalog))


def test_every_capacity_mode_is_answered_for_every_family(catalog: Catalog) -> None:
    for family, offers in catalog.capacity.families.items():
        assert set(offers) == set(get_args(CapacityMode)), family


def test_every_documented_family_has_a_quota(catalog: Catalog) -> None:
    counted = {family for metric in catalog.quota.metrics for family in metric.families}
    assert counted == {name for name, family in families(catalog).items() if family.documented}


def test_a_family_uses_one_quota_per_mode(catalog: Catalog) -> None:
    uses = Counter((family, mode) for item in catalog.quota.metrics for family in item.families for mode in item.modes)
    assert [use for use, times in uses.items() if times > 1] == []
    assert {family for family, mode in uses if mode == "on_demand"} == {family for family, _ in uses}


def test_queued_capacity_uses_the_quota_of_flex_start(catalog: Catalog) -> None:
    assert all(("queued" in metric.modes) == ("flex_start" in metric.modes) for metric in catalog.quota.metrics)


def test_other_mentions_of_families_exist(catalog: Catalog) -> None:
    capacity, known = catalog.capacity, set(families(catalog))
    flex = capacity.flex_start
    for mentioned in (flex.zones, flex.more_zones, flex.refused_zones, capacity.calendar.zones):
        assert set(mentioned) <= known
    assert {price.family for price in catalog.prices.prices} <= known
    assert {premium.family for premium in catalog.prices.autopilot_premium} <= known
    assert set(catalog.platform.network.profile_families) <= known


def test_flex_start_has_zones_exactly_where_it_is_offered(catalog: Catalog) -> None:
    offered = {
        family
        for family, offers in catalog.capacity.families.items()
        if offers["flex_start"].offer in ("yes", "allowlist")
    }
    assert set(catalog.capacity.flex_start.zones) == offered


def test_a_zone_is_not_both_offered_and_refused(catalog: Catalog) -> None:
    flex = catalog.capacity.flex_start
    for family, listed in flex.zones.items():
        sets = [set(part[family].zones) for part in (flex.more_zones, flex.refused_zones) if family in part]
        sets.append(set(listed.zones))
        assert sum(map(len, sets)) == len(set().union(*sets)), family


def test_zones_are_sorted_and_well_formed(document: dict[str, Any]) -> None:
    lists = [item for name in ("zones", "capacity") for item in zone_lists(document[name], name)]
    assert lists
    for path, zones in lists:
        assert zones == sorted(set(zones)), path
        assert zones, path
        assert all(ZONE.fullmatch(zone) for zone in zones), path


def test_single_tenant_and_exception_zones_are_not_in_the_documented_list(catalog: Catalog) -> None:
    for family, item in catalog.zones.families.items():
        for other in (item.single_tenant, item.single_host):
            if other is not None:
                assert not set(other.zones) & set(item.documented.zones), family


def test_ai_zones_are_described(catalog: Catalog) -> None:
    listed = {zone for item in catalog.zones.families.values() for zone in item.documented.zones if "-ai" in zone}
    assert listed <= set(catalog.zones.ai_zones)
    for zone, item in catalog.zones.ai_zones.items():
        assert ZONE.fullmatch(zone)
        assert zone.rsplit("-", 1)[0] == item.region
        assert item.parent_zone in ("", f"{item.region}-{zone[-1]}")


def test_a_system_pool_is_known_for_every_documented_zone(catalog: Catalog) -> None:
    zones = {zone for item in catalog.zones.families.values() for zone in item.documented.zones}
    assert zones <= set(catalog.system_pools.zones)
    for zone, item in catalog.system_pools.zones.items():
        assert not set(item.families) & set(item.absent), zone


def test_versions_can_be_read_and_alternatives_are_lower(catalog: Catalog) -> None:
    for family in families(catalog).values():
        for version in family.minimum_version.values():
            GkeVersion.parse(version)
    for feature in catalog.versions.features.values():
        lowest = [GkeVersion.parse(text) for text in (feature.standard, feature.autopilot) if text]
        for alternative in feature.alternatives:
            assert GkeVersion.parse(alternative) < min(lowest), feature.title


def test_disks_default_to_one_they_boot_from(catalog: Catalog) -> None:
    for family, disks in catalog.disks.families.items():
        assert disks.default_boot in disks.boot, family
        assert set(disks.doubtful) <= set(disks.boot) | set(disks.attach), family
        assert not set(disks.confidential_only) & set(disks.attach), family


def test_wrong_labels_lead_to_labels(catalog: Catalog) -> None:
    labels = {family.accelerator_label for family in families(catalog).values()}
    wrong = catalog.platform.names.wrong_labels
    assert set(wrong.values()) <= labels
    assert not set(wrong) & labels


def test_labels_that_a_plan_may_write_are_among_the_reserved(catalog: Catalog) -> None:
    labels = catalog.platform.names.labels
    assert all(label.startswith(labels.prefixes) for label in labels.documented)


def test_an_addon_is_chosen_or_always_on_but_not_both(catalog: Catalog) -> None:
    for word, addon in catalog.platform.addons.items():
        assert addon.modes or addon.always_on, word
        assert not set(addon.modes) & set(addon.always_on), word


def test_a_price_is_there_once_per_date(catalog: Catalog) -> None:
    keys = Counter((item.family, item.region, item.model, item.as_of) for item in catalog.prices.prices)
    assert [key for key, times in keys.items() if times > 1] == []
    assert all(item.usd is None or item.usd > 0 for item in catalog.prices.prices)


@pytest.mark.parametrize("discounted", ["spot", "flex_start", "calendar", "cud_1y", "cud_3y"])
def test_discounted_prices_are_below_on_demand(discounted: str, catalog: Catalog) -> None:
    prices = catalog.prices.prices
    full = {(item.family, item.region): item.usd for item in prices if item.model == "on_demand" and item.usd}
    compared = [item for item in prices if item.model == discounted and item.usd and (item.family, item.region) in full]
    assert compared
    assert all((item.usd or 0) < full[item.family, item.region] for item in compared)

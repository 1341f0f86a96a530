"""Pages about one topic for all generations: versions, quota, disks, system pools, what GKE adds, and others."""

import json
from collections.abc import Callable, Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.evidence import EVIDENCE_FACTS, EvidenceFact, Observation
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.graph.phrases import RESOURCE_WORDS
from pulumi_gke_tpu.core.text.document.model import Block, Column, Document
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.facts.generation import DISK_COLUMNS, QUOTA_COLUMNS, quota_row
from pulumi_gke_tpu.features.explain.facts.pages import announced_overview, page, sources_page, titled, zones_page
from pulumi_gke_tpu.features.explain.offers import offer_text
from pulumi_gke_tpu.features.explain.steps import doubt, fitting_notes


def versions_page(catalog: Catalog) -> Document:
    """Minimum GKE versions of generations and features."""
    columns = (
        Column("name"),
        Column("Standard", whole=True),
        Column("Autopilot", whole=True),
        Column("as of", whole=True),
    )
    families = tuple(
        (
            hardware(name, family),
            facts.minimum_version.get("standard", ""),
            facts.minimum_version.get("autopilot", ""),
            facts.as_of,
        )
        for name in catalog.generation_names
        for family, facts in catalog.generation(name).families.items()
        if facts.minimum_version
    )
    features = tuple(
        (
            f"{name}{doubt(feature.confidence)}\n{feature.title}",
            " or\n".join([feature.standard or "", *feature.alternatives]),
            feature.autopilot or "",
            feature.as_of,
        )
        for name, feature in catalog.versions.features.items()
    )
    lines = ("If a row has two versions, the second version is the minimum on an older minor version.",)
    return _page(
        catalog,
        "Minimum GKE versions",
        (titled("Generations", columns, families), titled("Features", columns, features, lines)),
        {"versions"},
    )


def quota_page(catalog: Catalog) -> Document:
    """All quotas, with the machine families and capacity modes that use them."""
    rows, lines = [], []
    for metric in catalog.quota.metrics:
        rows.append(quota_row(metric, ", ".join(metric.families), "\n".join(metric.modes)))
        if metric.default:
            lines.append(f"{metric.metric} ({', '.join(metric.families)}): default {metric.default}.")
    table = titled("Quota, in chips", QUOTA_COLUMNS, tuple(rows), tuple(lines))
    return _page(catalog, "Compute Engine quota for TPU chips", (table,), {"quota"})


def capacity_page(catalog: Catalog) -> Document:
    """The capacity modes of each machine family."""
    modes = list(dict.fromkeys(mode for offers in catalog.capacity.families.values() for mode in offers))
    rows = tuple(
        (
            family,
            *(offer_text(offers[mode]) if mode in offers else "" for mode in modes),
        )
        for family, offers in catalog.capacity.families.items()
    )
    flex = catalog.capacity.flex_start
    pools = tuple(
        (
            family,
            *(
                "\n".join(zones[family].zones) if family in zones else ""
                for zones in (flex.zones, flex.more_zones, flex.refused_zones)
            ),
        )
        for family in dict.fromkeys([*flex.zones, *flex.more_zones, *flex.refused_zones])
    )
    columns = (Column("family", whole=True), *(Column(mode) for mode in modes))
    pool_columns = (
        Column("family", whole=True),
        *(Column(name) for name in ("documented", "other sources", "rejected")),
    )
    tables = (titled("Offers", columns, rows), titled("Flex-start zones", pool_columns, pools))
    return _page(catalog, "Capacity modes", tables, {"capacity"})


def disks_page(catalog: Catalog) -> Document:
    """The disk types of each machine family."""
    rows = tuple(
        (family, "\n".join(disks.boot), "\n".join(disks.attach), disks.default_boot)
        for family, disks in catalog.disks.families.items()
    )
    cpu_rows = tuple(
        (family, "\n".join(disks.boot), "\n".join(disks.doubtful), disks.default_boot)
        for family, disks in catalog.disks.cpu_families.items()
    )
    tables = (titled("Disks", DISK_COLUMNS, rows), titled("Boot disks of CPU machines", _CPU_DISK_COLUMNS, cpu_rows))
    return _page(catalog, "Disk types of machine types", tables, {"disks"})


_CPU_DISK_COLUMNS = (
    Column("family", whole=True),
    *(Column(name) for name in ("boot disk", "sources disagree on", "usual boot disk")),
)


def addons_page(catalog: Catalog) -> Document:
    """Cluster add-ons by their name in a plan."""
    columns = (Column("add-on", whole=True), Column("title"), Column("supported on"), Column("always enabled on"))
    rows = tuple(
        (
            name,
            addon.title,
            listed([mode.title() for mode in addon.modes]),
            listed([mode.title() for mode in addon.always_on]),
        )
        for name, addon in catalog.platform.addons.items()
    )
    return _page(catalog, "Add-ons", (titled("Add-ons", columns, rows),), set())


def network_page(catalog: Catalog) -> Document:
    """Network facts for TPU nodes."""
    facts = catalog.platform.network
    jumbo = [name for name in catalog.generation_names if catalog.generation(name).jumbo_frames]
    rows = (
        ("default MTU", str(facts.default_mtu)),
        ("MTU for TPUs", f"{facts.jumbo_mtu} for {listed(jumbo)}"),
        ("network profile auto", listed(facts.profile_families)),
    )
    lines = tuple(text for text in (facts.note, facts.conflict) if text)
    table = titled("Network", (Column("fact", whole=True), Column("value")), rows, lines)
    return _page(catalog, "Network of TPU nodes", (table,), {"network"})


def system_pools_page(catalog: Catalog) -> Document:
    """CPU machine families per TPU zone."""
    columns = (Column("zone", whole=True), Column("available"), Column("not available"), Column("as of", whole=True))
    rows = tuple(
        (zone, ", ".join(facts.families), ", ".join(facts.absent), facts.as_of)
        for zone, facts in sorted(catalog.system_pools.zones.items())
    )
    return page(
        f"CPU machine families per TPU zone (catalog {catalog.about.version})",
        tables=(titled("System pools", columns, rows),),
        notes=tuple(note.text for note in catalog.system_pools.notes),
    )


def maintenance_page(catalog: Catalog) -> Document:
    """Limits of maintenance windows and exclusions."""
    free, exclusions, upgrade = (
        catalog.maintenance.availability,
        catalog.maintenance.exclusions,
        catalog.maintenance.upgrade_defaults,
    )
    rows = (
        (
            "window",
            f"at least {free.min_hours} h in every {free.rolling_days} days, in periods of {free.piece_hours} h or "
            f"more (older sources: {free.older_rolling_days} days)",
        ),
        ("exclusions", f"at most {exclusions.max_total}, of which {exclusions.max_no_upgrades} with no_upgrades"),
        (
            "no_upgrades",
            f"at most {exclusions.max_no_upgrades_days} days; {free.min_hours} h of every {free.rolling_days} days "
            "must be outside of it",
        ),
        ("scopes", ", ".join(exclusions.scopes)),
        (
            "default upgrade",
            f"{upgrade.strategy}, max_surge {upgrade.max_surge}, max_unavailable {upgrade.max_unavailable}",
        ),
    )
    facts = (free, exclusions, upgrade)
    lines = tuple(text for fact in facts for text in (fact.note, fact.conflict) if text)
    table = titled("Maintenance", (Column("setting", whole=True), Column("limit")), rows, lines)
    return _page(catalog, "Maintenance", (table,), {"maintenance"})


_ADDED_TO = {
    "tpu": "those of TPUs",
    "queued": "queued ones",
    "console": "those of the console",
    "auto_provisioned": "those that GKE creates",
    "no_ip_endpoint": "those without an IP endpoint",
    "every": "all",
}


def gke_adds_page(catalog: Catalog) -> Document:
    """What GKE reports although no request set it."""
    columns = (Column("property", whole=True), Column("which"), Column("answer"), Column("planned"))
    tables = []
    for resource_type, items in catalog.gke_adds.items():
        rows = tuple(
            (
                f"{item.path}{doubt(item.confidence)}",
                "\n".join((_ADDED_TO[item.added_to], *_seen_on(item))),
                json.dumps(item.answer),
                item.effect,
            )
            for item in items
        )
        lines = ["planned: what the provider plans if a program neither sets nor ignores the property."]
        lines += [f"{item.path} ({_ADDED_TO[item.added_to]}): {item.note}" for item in items if item.note]
        tables.append(titled(RESOURCE_WORDS[resource_type][1].capitalize(), columns, rows, lines))
    return _page(catalog, "What GKE adds to clusters and node pools", tuple(tables), set())


def evidence_page(catalog: Catalog) -> Document:
    """What runs on GKE showed of the facts that only GKE knows."""
    seen: dict[tuple[EvidenceFact, str], list[tuple[str, Observation]]] = {}
    for run in catalog.evidence.values():
        for each in run.observations:
            seen.setdefault((each.fact, each.of), []).append((run.month, each))
    order = list(EVIDENCE_FACTS)
    rows = [
        (EVIDENCE_FACTS[fact], of, evidence_text(those))
        for (fact, of), those in sorted(seen.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    ]
    rows += [(EVIDENCE_FACTS[fact], "", "no run yet") for fact in order if not any(fact == key for key, _ in seen)]
    columns = (Column("fact"), Column("of", whole=True), Column("on GKE"))
    lines = ("`gke-tpu evidence` writes what a run shows: see docs/evidence.md.",)
    table = titled("Evidence", columns, tuple(rows), lines)
    return _page(catalog, "What runs on GKE showed", (table,), set())


def evidence_text(seen: Iterable[tuple[str, Observation]]) -> str:
    """How often each outcome was seen, and when last: ``confirmed on GKE, 3 runs, last 2026-12``."""
    found: dict[str, list[str]] = {}
    for month, each in seen:
        what = each.outcome if each.outcome == "confirmed" else f"{each.outcome} ({listed(each.seen)})"
        found.setdefault(f"{what} on GKE", []).append(month)
    return "\n".join(f"{what}, {number(len(months), 'run')}, last {max(months)}" for what, months in found.items())


def _seen_on(item: GkeAddition) -> Iterator[str]:
    return (f"{family}{doubt(item.confidence_in(family))}" for family in item.families)


def _page(catalog: Catalog, title: str, tables: tuple[Block, ...], topics: set[str]) -> Document:
    traits = set(catalog.generation_names) | {"standard", "autopilot", "single_host", "multi_host"}
    traits |= {"on_demand", "spot", "reservation", "flex_start", "queued"}
    remarks = fitting_notes(catalog, traits, topics, only_on_subjects=True) if topics else ()
    notes = tuple(remark.text for remark in remarks)
    return page(f"{title} (catalog {catalog.about.version})", tables=tables, notes=notes)


TOPICS: dict[str, Callable[[Catalog], Document]] = {
    "zones": zones_page,
    "versions": versions_page,
    "capacity": capacity_page,
    "quota": quota_page,
    "disks": disks_page,
    "network": network_page,
    "maintenance": maintenance_page,
    "addons": addons_page,
    "system-pools": system_pools_page,
    "gke-adds": gke_adds_page,
    "evidence": evidence_page,
    "announced": announced_overview,
    "sources": sources_page,
}
"""Topic -> page; ``prices`` is separate, because it has a parameter."""


def topic_names() -> tuple[str, ...]:
    """The topics of ``gke-tpu catalog``."""
    return ("prices", *TOPICS)

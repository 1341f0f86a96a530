"""The page of a generation: all of its facts."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Confidence, Fact, Topology
from pulumi_gke_tpu.core.catalog.places import CERTAINTIES, EVIDENCE_MEANING, FLEX_MEANING, flex_pool, presences
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.catalog.records.generation import Generation, NumberedNames
from pulumi_gke_tpu.core.catalog.topologies import custom_rule
from pulumi_gke_tpu.core.text.document.model import Block, Column, Document
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.facts.pages import PRICE_COLUMNS, page, price_row, titled
from pulumi_gke_tpu.features.explain.offers import figures, offer_text, prices_of, status_text
from pulumi_gke_tpu.features.explain.steps import doubt, fitting_notes


def generation_page(catalog: Catalog, name: str) -> Document:
    """Chip, machine types, topologies, zones, capacity, versions, disks, prices, quota and notes of a generation."""
    generation = catalog.generation(name)
    tables = (
        _facts(catalog, generation),
        _machine_types(generation),
        _topologies(generation),
        _zones(catalog, generation),
        _capacity(catalog, generation),
        _versions(catalog, name, generation),
        _disks(catalog, generation),
        _prices(catalog, generation),
        _quota(catalog, generation),
    )
    remarks = fitting_notes(catalog, {name}, {name}, only_on_subjects=True)
    return page(
        f"{name}: {generation.title} (catalog {catalog.about.version})",
        tables=tables,
        notes=tuple(remark.text for remark in remarks),
    )


def _facts(catalog: Catalog, generation: Generation) -> Block:
    chip, limits, network = generation.chip, generation.limits, catalog.platform.network
    largest = limits.max_slice_chips
    rows = [
        ("status", status_text(generation)),
        ("also called", ", ".join(generation.also_called)),
        ("interconnect", generation.interconnect),
        *figures(chip),
        ("pod", number(limits.pod_chips, "chip")),
        ("largest slice", f"{number(largest.standard, 'chip')} on Standard, {largest.autopilot:,} on Autopilot"),
        ("multi-host placement", generation.multi_host_placement.replace("_", " ")),
        ("Multislice", _yes(generation.multislice)),
        ("collections", _yes(generation.collections)),
        ("MTU", str(network.jumbo_mtu if generation.jumbo_frames else network.default_mtu)),
        ("frameworks", ", ".join(generation.frameworks)),
        *_numbered(generation.numbered_names),
    ]
    notes = tuple(
        text
        for fact in (chip, limits)
        for text in (fact.note, f"Sources disagree: {fact.conflict}" if fact.conflict else "")
    )
    columns = (Column("chip and slices", whole=True), Column(""))
    return titled("Facts", columns, tuple(row for row in rows if row[1]), tuple(filter(None, notes)))


def _numbered(names: NumberedNames | None) -> Iterator[tuple[str, str]]:
    """The unit in names such as v5p-128, with the prefixes of other tools."""
    if names is None:
        return
    counts = "chips" if names.unit == "chips" else f"TensorCores, {names.per_chip} per chip"
    first, *others = names.prefixes
    also = f"; also {', '.join(f'{prefix}-N' for prefix in others)}" if others else ""
    api = "accelerator types of the Cloud TPU API" if names.cloud_tpu_api else "names of other tools"
    yield f"{first}-N", f"{api}{also}; N counts {counts}"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _machine_types(generation: Generation) -> Block:
    columns = (
        Column("machine type", whole=True),
        *(Column(name, right=True, whole=True) for name in ("chips", "vCPU", "GiB", "HBM", "NUMA", "NICs", "Gbit/s")),
        Column("preemption risk"),
    )
    rows, lines = [], []
    for name, machine in generation.machine_types.items():
        numbers = (machine.chips, machine.vcpu, machine.memory_gib, machine.hbm_gib, machine.numa_nodes)
        more = (machine.nics, machine.network_gbps)
        rows.append(
            (name, *("" if value is None else str(value) for value in (*numbers, *more)), machine.preemption or "")
        )
        if not machine.documented:
            lines.append(f"{name} is not documented.")
        lines += [f"{name}: {text}" for text in (machine.note, machine.conflict) if text]
    return titled("Machine types", columns, tuple(rows), tuple(lines))


def _topologies(generation: Generation) -> Block:
    columns = (
        Column("topology", whole=True),
        Column("chips", right=True, whole=True),
        Column("Standard"),
        Column("Autopilot"),
    )
    forms: dict[str, dict[str, list[str]]] = {}
    for row in generation.topologies.rows:
        hosts = Topology.parse(row.topology).chips // generation.machine_types[row.machine_type].chips
        doubt = "" if row.documented else " (undocumented)"
        for mode in row.modes:
            cell = f"{number(hosts, 'host')} of {row.machine_type}{doubt}"
            forms.setdefault(row.topology, {}).setdefault(mode, []).append(cell)
    rows = tuple(
        (
            shape,
            f"{Topology.parse(shape).chips:,}",
            *("\n".join(modes.get(mode, ["-"])) for mode in ("standard", "autopilot")),
        )
        for shape, modes in forms.items()
    )
    custom = generation.custom_topologies
    lines = [text for text in (generation.topologies.note, generation.topologies.conflict) if text]
    if custom is not None:
        modes = listed([mode.title() for mode in custom.modes])
        lines.append(
            f"Custom topologies on {modes}: {custom_rule(custom)}; on {custom.machine_type}. "
            f"The largest documented one is {custom.largest_documented}."
        )
        lines += [text for text in (custom.note, custom.conflict) if text]
    else:
        lines.append("No custom topologies.")
    return titled("Topologies", columns, rows, tuple(lines))


def _zones(catalog: Catalog, generation: Generation) -> Block:
    columns = (
        Column("zone", whole=True),
        Column("family", whole=True),
        Column("evidence"),
        Column("flex-start"),
        Column("as of", whole=True),
        Column("confidence", whole=True),
    )
    found = []
    lines = []
    for family in generation.families:
        zones = catalog.zones.families.get(family)
        if zones is None:
            continue
        found += list(presences(family, zones))
        facts = (zones.documented, zones.single_host, zones.hardware, zones.single_tenant)
        lines += [f"{family}: {text}" for fact in facts if fact for text in (fact.note, fact.conflict) if text]
    found.sort(key=lambda item: (CERTAINTIES.index(item.certainty), item.zone, item.family))
    rows = tuple(
        (
            item.zone,
            item.family,
            item.certainty.replace("_", " "),
            _known(flex_pool(catalog, item.family, item.zone).state),
            item.fact.as_of,
            item.fact.confidence_in(item.zone),
        )
        for item in found
    )
    certainties = {item.certainty for item in found}
    states = {flex_pool(catalog, item.family, item.zone).state for item in found}
    legend = [
        f"Evidence `{certainty.replace('_', ' ')}`: {EVIDENCE_MEANING[certainty].format('the family')}."
        for certainty in CERTAINTIES
        if certainty in certainties
    ]
    legend += [f"Flex-start `{state}`: {text}." for state, text in FLEX_MEANING.items() if state in states]
    return titled("Zones, best evidence first", columns, rows, tuple(dict.fromkeys([*legend, *lines])))


def _known(state: str) -> str:
    return "" if state == "unknown" else state


def _capacity(catalog: Catalog, generation: Generation) -> Block:
    families = [family for family in generation.families if family in catalog.capacity.families]
    modes = dict.fromkeys(mode for family in families for mode in catalog.capacity.families[family])
    rows = []
    notes: dict[str, list[str]] = {}
    for mode in modes:
        cells = []
        for family in families:
            offering = catalog.capacity.families[family].get(mode)
            cells.append(offer_text(offering) if offering else "")
            for text in (offering.note, offering.conflict) if offering is not None else ():
                if text:
                    notes.setdefault(text, []).append(f"{family} {mode}" if len(families) > 1 else mode)
        rows.append((mode, *cells))
    columns = (Column("capacity", whole=True), *(Column(family) for family in families))
    lines = tuple(f"{listed(about)}: {text}" for text, about in notes.items())
    return titled("Capacity modes", columns, tuple(rows), lines)


def _versions(catalog: Catalog, name: str, generation: Generation) -> Block:
    columns = (
        Column("feature"),
        Column("Standard", whole=True),
        Column("Autopilot", whole=True),
        Column("as of", whole=True),
    )
    rows, lines = [], []
    for family, facts in generation.families.items():
        if facts.minimum_version:
            versions = [facts.minimum_version.get("standard", ""), facts.minimum_version.get("autopilot", "")]
            rows.append((f"{family}{doubt(facts.confidence)}", *versions, facts.as_of))
        lines += [f"{family}: {text}" for text in (facts.note, facts.conflict) if text]
    for feature_name, feature in catalog.versions.features.items():
        if feature_name.endswith(f"_{name}"):
            title = f"{feature.title}{doubt(feature.confidence)}"
            standard = " or\n".join([feature.standard or "", *feature.alternatives])
            rows.append((title, standard, feature.autopilot or "", feature.as_of))
    return titled("Minimum GKE versions", columns, tuple(rows), tuple(lines))


DISK_COLUMNS = (
    Column("family", whole=True),
    Column("boot disk types"),
    Column("attachable disk types"),
    Column("default boot disk"),
)


def _disks(catalog: Catalog, generation: Generation) -> Block:
    rows, lines = [], []
    for family in generation.families:
        disks = catalog.disks.families.get(family)
        if disks is not None:
            rows.append((family, ", ".join(disks.boot), ", ".join(disks.attach), disks.default_boot))
            kept = (
                ("supported only on confidential nodes", disks.confidential_only),
                ("sources disagree on", disks.doubtful),
            )
            lines += [f"{family}, {label}: {', '.join(types)}" for label, types in kept if types]
            lines += [f"{family}: {text}" for text in (disks.note, disks.conflict) if text]
    return titled("Disks", DISK_COLUMNS, tuple(rows), tuple(lines))


def _prices(catalog: Catalog, generation: Generation) -> Block:
    several = len(generation.families) > 1
    rows = []
    for family in generation.families:
        rows += [((family,) if several else ()) + price_row(price) for price in prices_of(catalog, family)]
    columns = (Column("family", whole=True), *PRICE_COLUMNS) if several else PRICE_COLUMNS
    return titled("Prices in USD per chip-hour", columns, tuple(rows))


QUOTA_COLUMNS = (
    Column("family", whole=True),
    Column("capacity"),
    Column("metric"),
    Column("scope"),
    Column("confidence", whole=True),
)


def quota_row(metric: QuotaMetric, family: str, modes: str) -> tuple[str, ...]:
    """The cells of a quota metric for some families and capacity modes."""
    name = f"{metric.metric}\ntpu_family {metric.dimension}" if metric.dimension else metric.metric
    return family, modes, name, metric.scope, _weakest(metric)


def _quota(catalog: Catalog, generation: Generation) -> Block:
    rows, lines = [], []
    for metric in catalog.quota.metrics:
        for family in metric.families:
            if family in generation.families:
                rows.append(quota_row(metric, family, ", ".join(metric.modes)))
                lines += [
                    f"{metric.metric}: {text}" for text in _remarks_of(metric.default, metric.note, metric.conflict)
                ]
    return titled("Quota, in chips", QUOTA_COLUMNS, tuple(rows), tuple(lines))


def _weakest(fact: Fact) -> str:
    """The lower of the confidence in the quota metric and in its unit."""
    order: tuple[Confidence, ...] = ("low", "medium", "high")
    return min((fact.confidence_in("metric"), fact.confidence_in("unit")), key=order.index)


def _remarks_of(default: str, note: str, conflict: str) -> Iterator[str]:
    if default:
        yield f"default: {default}"
    yield from (text for text in (note, conflict) if text)

"""Pages about the whole catalog: overview, zones, prices, sources, announced generations."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.catalog.places import families_in, flex_pool, generation_of, known_zones
from pulumi_gke_tpu.core.catalog.records.capacity import Price
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Group,
    Heading,
    Lines,
    Paragraph,
    Table,
)
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone
from pulumi_gke_tpu.features.explain.offers import documented_machines, offered_families, prices_of, status_text
from pulumi_gke_tpu.features.explain.steps import fitting_notes


def titled(
    title: str, columns: tuple[Column, ...], rows: Sequence[tuple[str, ...]], lines: Sequence[str] = ()
) -> Block:
    """A table with its title and sentences below it; empty without rows. Cells can contain line breaks."""
    if not rows:
        return Group(())
    table = Table(columns, [tuple(map(_cell, row)) for row in rows])
    return Group((Heading(title, 2), table, Bullets(lines)))


def _cell(text: str) -> Cell:
    return Lines(tuple(text.split("\n"))) if "\n" in text else text


def page(title: str, *, lines: Sequence[str] = (), tables: Sequence[Block] = (), notes: Sequence[str] = ()) -> Document:
    """A page with a title, sentences, tables and notes."""
    remarks = Group((Heading("Notes", 2), Bullets(notes))) if notes else Group(())
    return [Heading(title), *map(Paragraph, lines), *tables, remarks]


def overview_page(catalog: Catalog) -> Document:
    """One row per generation, and the announced generations."""
    about = catalog.about
    rows = []
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        limits = generation.limits.max_slice_chips
        largest = (
            f"{limits.standard:,}"
            if limits.standard == limits.autopilot
            else f"{limits.standard:,} / {limits.autopilot:,}"
        )
        rows.append(
            (
                name,
                "\n".join(documented_machines(generation)),
                largest,
                _zones_of(catalog, name),
                _short(status_text(generation)),
            )
        )
    generations = titled(
        "Generations",
        (
            Column("name", whole=True),
            Column("machine types", whole=True),
            Column("chips", right=True, whole=True),
            Column("documented zones"),
            Column("status"),
        ),
        tuple(rows),
        ("chips: the largest slice; Standard / Autopilot if they differ.",),
    )
    return page(
        f"catalog {about.version}, newest evidence {about.newest_evidence}",
        tables=(generations, _announced(catalog)) if catalog.announced else (generations,),
    )


def _announced(catalog: Catalog) -> Block:
    return titled(
        "Announced, not available on GKE",
        (Column("name", whole=True), Column("details")),
        tuple((name, facts.answer) for name, facts in catalog.announced.items()),
    )


def announced_overview(catalog: Catalog) -> Document:
    """The announced generations."""
    return page(f"Announced generations (catalog {catalog.about.version})", tables=(_announced(catalog),))


def _short(status: str) -> str:
    """The first sentence."""
    return status.partition(". ")[0]


def _zones_of(catalog: Catalog, generation: str) -> str:
    """The documented zones of the default families."""
    found = {
        zone
        for _, zones in offered_families(catalog, catalog.generation(generation))
        for zone in zones.documented.zones
    }
    return ", ".join(sorted(found)) or "none"


def announced_page(catalog: Catalog, name: str) -> Document:
    """An announced generation."""
    facts = catalog.announced[name]
    titles = [catalog.sources[source].title for source in facts.source if source in catalog.sources]
    return page(
        f"{facts.title} ({name}): announced, not on GKE",
        lines=tuple(line for line in (facts.answer, facts.note, _conflict(facts.conflict)) if line),
        notes=(f"as of {facts.as_of}, confidence {facts.confidence}: {listed(titles)}",),
    )


def _conflict(text: str) -> str:
    return f"Sources disagree: {text}" if text else ""


def zones_page(catalog: Catalog) -> Document:
    """Every zone in any source, with its machine families by evidence."""
    rows = []
    for zone in known_zones(catalog):
        found = families_in(catalog, zone)
        kept = [item for item in found if generation_of(catalog, item.family)]
        sure = [item.family + _doubt(item.fact.confidence_in(zone)) for item in kept if item.certainty == "documented"]
        weak = [
            f"{item.family} ({item.certainty.replace('_', ' ')})" for item in kept if item.certainty != "documented"
        ]
        flex = [item.family for item in kept if flex_pool(catalog, item.family, zone).state == "documented"]
        label = f"{zone}\n(AI zone)" if is_ai_zone(zone) else zone
        rows.append((label, ", ".join(sure), ", ".join(weak), ", ".join(flex)))
    columns = (Column("zone", whole=True), Column("documented"), Column("weaker evidence"), Column("flex-start"))
    return page(
        f"{number(len(rows), 'zone')} with TPUs in any source (catalog {catalog.about.version})",
        tables=(titled("Zones", columns, tuple(rows), ("?: less than high confidence.",)),),
        notes=tuple(remark.text for remark in fitting_notes(catalog, {"ai_zones"}, {"zones"}, only_on_subjects=True)),
    )


def _doubt(confidence: Confidence) -> str:
    return "" if confidence == "high" else "?"


def prices_page(catalog: Catalog, generation: str | None) -> Document:
    """All captured prices, newest first for each region and model."""
    rows = []
    for name in catalog.generation_names if generation is None else (generation,):
        for family in catalog.generation(name).families:
            rows += [(family, *price_row(price)) for price in prices_of(catalog, family)]
    columns = (Column("family", whole=True), *PRICE_COLUMNS)
    fee = catalog.prices.cluster_fee
    premiums = [
        f"Autopilot premium: {item.usd} for {item.family} in {item.region} (as of {item.as_of})."
        for item in catalog.prices.autopilot_premium
        if generation is None or generation_of(catalog, item.family) == generation
    ]
    lines = (*premiums, f"Cluster fee: {fee.usd} USD per hour (as of {fee.as_of}).")
    traits = {generation} if generation is not None else set(catalog.generation_names)
    remarks = fitting_notes(catalog, traits | {"spot", "flex_start"}, {"cost"}, only_on_subjects=True)
    return page(
        f"Prices in USD per chip-hour, as captured (catalog {catalog.about.version})",
        tables=(titled("Prices", columns, tuple(rows), lines),),
        notes=tuple(remark.text for remark in remarks),
    )


PRICE_COLUMNS = (
    Column("region", whole=True),
    Column("model", whole=True),
    Column("USD", right=True, whole=True),
    Column("as of", whole=True),
    Column("confidence", whole=True),
)


def price_row(price: Price) -> tuple[str, ...]:
    """Region, model, amount, date, confidence."""
    usd = "not captured" if price.usd is None else f"{price.usd:g}"
    return price.region, price.model, usd, price.as_of, price.confidence_in("usd")


def sources_page(catalog: Catalog) -> Document:
    """The sources of the facts."""
    rows = tuple((name, f"{source.title}\n{source.url}".rstrip()) for name, source in sorted(catalog.sources.items()))
    return page(
        f"{number(len(rows), 'source')} (catalog {catalog.about.version})",
        tables=(titled("Sources", (Column("id"), Column("title and URL")), rows),),
    )

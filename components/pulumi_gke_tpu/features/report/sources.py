"""The facts that the report uses, with their sources."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.estimate.headroom import Headroom
    from pulumi_gke_tpu.core.schedule.events import Calendar
    from pulumi_gke_tpu.features.cost.recommend.costs import Costs


@frozen
class SourceRow:
    """A fact that the report uses. ``sources`` has a title and an address, which is empty for a source without one."""

    fact: str
    sources: tuple[tuple[str, str], ...]
    as_of: str
    confidence: str
    conflict: str


def sources_of(headroom: "Headroom", costs: "Costs", calendar: "Calendar", catalog: Catalog) -> Iterator[SourceRow]:
    """The facts about generations, prices, quotas and maintenance in the report, each once."""
    groups = [group for plan in costs.plans for _, group in plan.fleet.groups()]
    for name in sorted({group.shape.generation for group in groups}):
        generation = catalog.generation(name)
        yield _row(f"{name}: chip", generation.chip, catalog)
        yield _row(f"{name}: topologies", generation.topologies, catalog)
    prices = {id(price): price for plan in costs.plans for price in plan.cost.prices}
    for price in prices.values():
        title = f"Price of {price.family} in {price.region}, {price.model.replace('_', '-')}: {price.usd} USD"
        yield _row(title, price, catalog, item="usd")
    found = (group.premium for plan in costs.plans for group in plan.cost.groups)
    for premium in {id(premium): premium for premium in found if premium is not None}.values():
        yield _row(f"Autopilot premium of {premium.family} in {premium.region}: {premium.usd} USD", premium, catalog)
    for metric in {id(item.metric): item.metric for item in headroom.quotas}.values():
        yield _row(f"Quota {metric.label}", metric, catalog)
    supports = {item.support.version: item.support.fact for item in calendar.support}
    for version, fact in sorted(supports.items()):
        if fact is not None:
            yield _row(f"End of support of GKE {version}", fact, catalog)
    for note in calendar.notes:
        yield _row(note.text, note, catalog)


def _row(title: str, fact: Fact, catalog: Catalog, item: str = "") -> SourceRow:
    return SourceRow(
        fact=printable(title, 400),
        sources=tuple(_links(fact.source, catalog)),
        as_of=fact.as_of,
        confidence=fact.confidence_in(item) if item else fact.confidence,
        conflict=printable(fact.conflict, 1000),
    )


def _links(ids: Sequence[str], catalog: Catalog) -> Iterator[tuple[str, str]]:
    for name in ids:
        source = catalog.sources.get(name)
        link = source.link if source is not None else ""
        yield printable(source.title if source else name, 300), link if link.startswith("https://") else ""

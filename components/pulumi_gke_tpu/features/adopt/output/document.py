"""An adoption for people: what each node pool became, what stays as it is, and what is left alone."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.against_plan.comparison import Drift
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.text.document.model import Block, Bullets, Code, Column, Page, Paragraph, Table
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.features.adopt.adoption import Adoption
from pulumi_gke_tpu.features.adopt.comparison import Compared
from pulumi_gke_tpu.features.adopt.objects.check import ComparedObjects
from pulumi_gke_tpu.features.adopt.objects.fleet import ClusterOfObjects
from pulumi_gke_tpu.features.adopt.output.objects import compared_blocks, compared_title, object_blocks, object_title

_LONGEST = 400
_MOST_NAMES = 6


def adoption_page(
    adoptions: Sequence[Adoption], next_commands: Sequence[str], objects: Sequence[ClusterOfObjects] = ()
) -> Page:
    """What is adopted, as a table, and what follows."""
    clusters = sum(len(item.clusters) for item in adoptions)
    pools = sum(len(item.pools) for item in adoptions)
    alone = sum(len(item.alone) for item in adoptions)
    adopted = ([number(clusters, "cluster")] if clusters else []) + [number(pools, "node pool")]
    title = f"{listed(adopted)} adopted · {number(alone, 'node pool')} left alone"
    title += f"{object_title(objects)} · 0 changes"
    blocks = [*_blocks(adoptions), *object_blocks(objects)]
    if next_commands:
        blocks += [Paragraph("Next:"), Code("\n".join(next_commands), language="bash", tone="")]
    return Page(title, blocks, heading="Adopted clusters and node pools")


def _blocks(adoptions: Sequence[Adoption]) -> Iterator[Block]:
    rows = [
        (f"cluster {printable(item.cluster.name)}", printable(item.key), "")
        for adoption in adoptions
        for item in adoption.clusters
    ]
    rows += [
        (printable(item.pool.name), printable(item.group), printable(item.made_by))
        for adoption in adoptions
        for item in adoption.pools
    ]
    if rows:
        yield Table((Column("cluster or node pool", whole=True), Column("in the plan"), Column("made by")), rows)
    pools = [(printable(item.pool.name), item) for adoption in adoptions for item in adoption.pools]
    clusters = [(_cluster(item.cluster.name), item) for adoption in adoptions for item in adoption.clusters]
    stays = [(name, listed([printable(path) for path in item.left])) for name, item in pools if item.left]
    if stays:
        yield Bullets(
            _by_text(stays), title="Stays as it is with ignore_changes, although gke-tpu would create it differently:"
        )
    lost = [(name, listed([printable(path) for path in item.lost])) for name, item in pools if item.lost]
    if lost:
        title = "Stays as it is, and is lost when Pulumi replaces the node pool:"
        yield Bullets(_by_text(lost), title=title, tone="careful")
    alone = [(_cluster(item.name), item.reason) for adoption in adoptions for item in adoption.clusters_alone]
    alone += [(printable(item.pool.name), item.reason) for adoption in adoptions for item in adoption.alone]
    if alone:
        yield Bullets(_by_text(_shown(alone)), title="Left alone:", tone="careful")
    notes = [(name, note) for name, item in clusters for note in item.notes]
    notes += [(name, note) for name, item in pools for note in item.notes]
    if notes:
        yield Bullets(_by_text(_shown(notes)), label="note")
    warnings = [
        f"{item.rule}: {printable(item.message, _LONGEST)}" for adoption in adoptions for item in adoption.warnings
    ]
    if warnings:
        yield Bullets(warnings, label="warning", tone="careful")


def _cluster(name: str) -> str:
    return f"cluster {printable(name)}"


def _shown(entries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((name, printable(text, _LONGEST)) for name, text in entries)


def _by_text(entries: Iterable[tuple[str, str]]) -> list[str]:
    """One line for each text, with the names of everything that it is about."""
    names: dict[str, list[str]] = {}
    for name, text in entries:
        names.setdefault(text, []).append(name)
    return [f"{listed(every, most=_MOST_NAMES)}: {text}" for text, every in names.items()]


def comparison_page(compared: Compared, objects: ComparedObjects | None = None) -> Page:
    """Each node pool that differs from the plan, and those that only one side has."""
    same = [number(len(compared.clusters), "cluster")] if compared.clusters else []
    same.append(number(len(compared.same), "node pool"))
    title = [f"{listed(same)} as planned", f"{len(compared.different)} different"]
    if compared.missing:
        title.append(f"{len(compared.missing)} missing")
    if compared.unplanned:
        title.append(f"{len(compared.unplanned)} not in the plan")
    different = [
        f"{printable(item.name)}: {printable(what, _LONGEST)}" for item in compared.different for what in _what(item)
    ]
    alone = _by_text(_shown((printable(item.pool.name), item.reason) for item in compared.alone))
    parts = (
        Bullets(different, title="Different:", tone="bad"),
        Bullets([printable(name) for name in compared.missing], title="Only in the plan:", tone="bad"),
        Bullets([printable(name) for name in compared.unplanned], title="Not in the plan:", tone="bad"),
        Bullets(alone, title="Left alone:"),
        *compared_blocks(objects),
    )
    return Page(
        " · ".join(title) + compared_title(objects),
        [part for part in parts if part.entries],
        heading="Node pools and plan",
    )


def _what(item: Drift) -> Iterator[str]:
    """In what a node pool differs."""
    if item.status:
        yield f"status {item.status}"
    for each in item.differences:
        path = item.live.raw.spelling.written(each.path)
        if item.hides(each):
            yield path
        elif each.will is ABSENT:
            yield f"{path} is {flow(each.was)}, and not set in the plan"
        elif each.was is ABSENT or each.was is None:
            yield f"{path} is not set, and {flow(each.will)} in the plan"
        else:
            yield f"{path} is {flow(each.was)}, and {flow(each.will)} in the plan"

"""``gke-tpu catalog``: show the facts of the catalog."""

import pathlib
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import catalog_option, format_option, load_catalog, show
from pulumi_gke_tpu.features.explain.completion import complete_generations, complete_topics

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.text.document.model import Document


@click.command(
    "catalog",
    cls=CommandWithExamples,
    short_help="Show facts: generations, zones, prices, sources.",
    examples=(
        "gke-tpu catalog v6e",
        "gke-tpu catalog prices --generation v6e",
    ),
)
@click.argument("topic", required=False, metavar="[GENERATION | TOPIC]", shell_complete=complete_topics)
@click.option(
    "--generation",
    metavar="GENERATION",
    help="With the topic `prices`, show only this generation.",
    shell_complete=complete_generations,
)
@catalog_option
@format_option("page", "data")
def command(topic: str | None, generation: str | None, overlays: tuple[pathlib.Path, ...], output_format: str) -> int:
    """Show the catalog: an overview, all facts about one generation, or one topic for all generations.

    Topics: zones, versions, capacity, quota, prices, disks, network, maintenance, addons, system-pools, gke-adds,
    evidence, announced, sources.
    """
    from pulumi_gke_tpu.features.explain.facts.topics import topic_names

    catalog = load_catalog(overlays)
    if generation is not None and topic != "prices":
        raise click.UsageError("--generation requires the topic prices: gke-tpu catalog prices --generation NAME")
    if topic is None or topic in topic_names():
        only = _generation(catalog, generation) if generation is not None else None
        if generation is not None and only is None:
            return _unknown(catalog, generation)
        _show(catalog, topic or "", only, output_format)
        return 0
    name = _generation(catalog, topic) or _announced(catalog, topic)
    if name is None:
        return _unknown(catalog, topic)
    _show(catalog, "generation", name, output_format)
    return 0


def _generation(catalog: "Catalog", word: str) -> str | None:
    from pulumi_gke_tpu.core.catalog.naming import generation_called

    return generation_called(catalog, word)


def _announced(catalog: "Catalog", word: str) -> str | None:
    from pulumi_gke_tpu.core.catalog.naming import announced_called

    return announced_called(catalog, word)


def _unknown(catalog: "Catalog", word: str) -> int:
    from pulumi_gke_tpu.core.text.findings import did_you_mean, printable
    from pulumi_gke_tpu.features.explain.facts.topics import topic_names
    from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word

    known = (*catalog.generation_names, *catalog.announced, *topic_names())
    near = did_you_mean(word, known)
    hint = f" Did you mean {near}?" if near else ""
    if explain_word(catalog, word) is not None:
        hint = f" Use: gke-tpu explain {printable(word, 60)}"
    click.echo(f"Unknown generation or topic {printable(word, 60)}.{hint}", err=True)
    click.echo(f"  Use one of: {', '.join(known)}", err=True)
    return 2


def _show(catalog: "Catalog", topic: str, name: str | None, output_format: str) -> None:
    from pulumi_gke_tpu.core.text.document.model import Page

    show(
        output_format,
        page=lambda: Page("", _page(catalog, topic, name)),
        data=lambda: _data(catalog, topic, name),
    )


def _page(catalog: "Catalog", topic: str, name: str | None) -> "Document":
    from pulumi_gke_tpu.features.explain.facts import pages

    if topic == "generation" and name is not None:
        from pulumi_gke_tpu.features.explain.facts.generation import generation_page

        announced = name in catalog.announced
        return pages.announced_page(catalog, name) if announced else generation_page(catalog, name)
    if topic == "prices":
        return pages.prices_page(catalog, name)
    if not topic:
        return pages.overview_page(catalog)
    from pulumi_gke_tpu.features.explain.facts.topics import TOPICS

    return TOPICS[topic](catalog)


def _data(catalog: "Catalog", topic: str, name: str | None) -> dict[str, Any]:
    from pulumi_gke_tpu.features.explain.output import json as data

    if topic == "generation" and name is not None:
        announced = name in catalog.announced
        return data.announced_json(catalog, name) if announced else data.generation_json(catalog, name)
    if topic == "prices":
        return data.prices_json(catalog, name)
    return data.topic_json(catalog, topic) if topic else data.overview_json(catalog)

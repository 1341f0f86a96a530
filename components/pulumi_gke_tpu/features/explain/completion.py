"""Completes arguments in a shell: rules, topics, generations, and the items of a plan.

The functions have click's signature for ``shell_complete``. Descriptions are shown by zsh and fish.
"""

import pathlib
from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of rules, and names once the word can begin one."""
    from pulumi_gke_tpu.core.rules import all_rules

    titles = {rule.id: rule.title for rule in all_rules()}
    if incomplete:
        titles |= {rule.name: rule.title for rule in all_rules()}
    return list(_beginning(incomplete, titles.items()))


def complete_topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Generations and topics of the catalog."""
    from pulumi_gke_tpu.core.catalog import read_catalog
    from pulumi_gke_tpu.features.explain.facts.topics import topic_names

    catalog = read_catalog()
    words = (*catalog.generation_names, *catalog.announced, *topic_names())
    return list(_beginning(incomplete, ((word, "") for word in words)))


def complete_generations(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Generations of the catalog."""
    from pulumi_gke_tpu.core.catalog import read_catalog

    return list(_beginning(incomplete, ((name, "") for name in read_catalog().generation_names)))


def complete_explained(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A file or a known name; after a plan, its clusters and slice groups."""
    words = ctx.params.get(param.name or "") or ()
    if words:
        return list(_items(words[0], incomplete)) if len(words) == 1 else []
    # The shell completes files itself; it forgets names that come before this entry.
    files = CompletionItem(incomplete, type="file")
    if not incomplete:
        return [files]
    from pulumi_gke_tpu.core.catalog import read_catalog
    from pulumi_gke_tpu.features.explain.words.vocabulary import vocabulary

    catalog = read_catalog()
    pages = ((name, page.title) for name, page in catalog.symptoms.items())
    names = _beginning(incomplete, (*((name, "") for name in vocabulary(catalog)), *pages))
    return [files, *names, *complete_rules(ctx, param, incomplete)]


def _items(file: str, incomplete: str) -> Iterator[CompletionItem]:
    from pulumi_gke_tpu.core.plan import read_plan
    from pulumi_gke_tpu.features.explain.values.surroundings import items

    plan = read_plan(pathlib.Path(file)).content
    if plan is not None:
        yield from _beginning(incomplete, ((item, "") for item in items(plan)))


def _beginning(incomplete: str, words: Iterable[tuple[str, str]]) -> Iterator[CompletionItem]:
    """The words that begin with ``incomplete`` in any case. A name from a file must not reach the shell as code."""
    for word, description in words:
        if (
            word.lower().startswith(incomplete.lower())
            and word.isprintable()
            and not set(word) & set(" ,'\"`$\\;&|<>()")
        ):
            yield CompletionItem(word, help=description or None)

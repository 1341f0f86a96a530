"""Where a finding or a rule comes from: the titles of its sources, and the addresses that have one."""

import re
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Fact
from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.rules.engine.rule import Rule
from pulumi_gke_tpu.core.text.findings import listed

_MOST_SHOWN = 2
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def source_of(rule: Rule[Any], fact: Fact | None, catalog: Catalog) -> str:
    """The origin of a finding: its fact, with the positions of other sources, or else the rule."""
    if fact is None:
        return rule_source(rule, catalog.sources if rule.references else {})
    return source_text(fact, catalog) + (f". Sources disagree: {fact.conflict.rstrip('.')}" if fact.conflict else "")


def source_text(fact: Fact, catalog: Catalog) -> str:
    """Where a fact comes from, in one line."""
    titles = [catalog.sources[source].title if source in catalog.sources else source for source in fact.source]
    doubt = "" if fact.confidence == "high" else f" (confidence {fact.confidence})"
    shown = _first(titles)
    contradicts = any(date > fact.as_of for date in _DATE.findall(shown))  # a source is newer than the fact
    return f"{shown}{'' if contradicts else f', as of {fact.as_of}'}{doubt}"


def links_of(rule: Rule[Any], fact: Fact | None, catalog: Catalog) -> tuple[str, ...]:
    """Where to read about a finding: the addresses of the sources that it shows first, or else the first address."""
    names = rule.references if fact is None else fact.source
    links = [catalog.sources[name].link if name in catalog.sources else "" for name in names]
    return tuple(filter(None, links[:_MOST_SHOWN])) or tuple(filter(None, links))[:1]


def rule_source(rule: Rule[Any], sources: Mapping[str, Source]) -> str:
    """What a rule rests on, in one line: its references, and what no source of the catalog states."""
    titles = [sources[name].title if name in sources else name for name in rule.references]
    return "; ".join(text for text in (_first(titles), rule.source) if text)


def _first(titles: list[str]) -> str:
    return listed(titles, "", most=_MOST_SHOWN, separator="; ")

"""The pages about failures that a change or a plan is expected to end in, by the rules that predict them."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, Severity

PAGE = "docs/something-is-wrong.md"


@frozen
class FailurePage:
    """A page about failures of one kind."""

    word: str
    """The word of `gke-tpu explain`, such as `quota`."""
    title: str
    link: str
    """Its section of the page about all failures."""

    def __str__(self) -> str:
        return f"{self.title}: `gke-tpu explain {self.word}` (`{self.link}`)"


def failure_pages(words: Iterable[str], catalog: Catalog) -> tuple[FailurePage, ...]:
    """The pages with some words, in the order of the catalog."""
    wanted = set(words)
    if not wanted:
        return ()
    found = ((word, page) for word, page in catalog.symptoms.items() if word in wanted)
    return tuple(FailurePage(word, page.title, f"{PAGE}#{page.section}") for word, page in found)


def words_of(findings: Iterable[Finding], catalog: Catalog) -> set[str]:
    """The pages about what an update ends in for the reason of a finding, such as a quota that is too low."""
    rules = {each.rule for each in findings if each.severity is not Severity.NOTE}
    if not rules:
        return set()
    every = (message for group in catalog.messages.values() for message in group.values())
    at_update = (each for each in every if catalog.symptoms[each.page].at_update)
    return {each.page for each in at_update if not rules.isdisjoint(each.rules)}

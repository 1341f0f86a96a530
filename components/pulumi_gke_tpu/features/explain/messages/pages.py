"""Pages about failures by what a person sees: pending, stockout, quota and others."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.patterns import with_parts
from pulumi_gke_tpu.features.explain.steps import Evidence, evidence


@frozen
class Sign:
    """What an output shows, what that means and what to do."""

    shown: str
    means: str
    fix: str


@frozen
class TextOfPage:
    """A known message whose page this is."""

    id: str
    title: str
    text: str
    """The text of the message; capital letters stand for its variable parts."""


@frozen
class SymptomPage:
    """A page about failures of one kind."""

    catalog: str
    """Version of the catalog: a date."""
    name: str
    title: str
    look: tuple[str, ...]
    """Commands that show the state; capital letters stand for your names."""
    signs: tuple[Sign, ...]
    texts: tuple[TextOfPage, ...]
    """The texts that lead here."""
    evidence: tuple[Evidence, ...]


def symptom_words(catalog: Catalog) -> tuple[str, ...]:
    """The names of the pages, and the words that lead to them."""
    return tuple(word for name, page in catalog.symptoms.items() for word in (name, *page.also_called))


def symptom_page(catalog: Catalog, word: str) -> SymptomPage | None:
    """The page that a word leads to, in any case, with spaces, hyphens or underscores; None if there is none."""
    asked = _folded(word)
    names = {_folded(known): name for name, page in catalog.symptoms.items() for known in (name, *page.also_called)}
    name = names.get(asked)
    if name is None:
        return None
    symptom = catalog.symptoms[name]
    texts = tuple(
        TextOfPage(id, message.title, with_parts(message.patterns[0], {}))
        for group in catalog.messages.values()
        for id, message in group.items()
        if message.page == name
    )
    return SymptomPage(
        catalog=catalog.about.version,
        name=name,
        title=symptom.title,
        look=tuple(with_parts(command, {}) for command in symptom.look),
        signs=tuple(Sign(sign.shown, sign.means, sign.fix) for sign in symptom.signs),
        texts=texts,
        evidence=evidence(catalog, symptom),
    )


def _folded(word: str) -> str:
    return " ".join(word.lower().replace("_", " ").replace("-", " ").split())

"""Diagnoses of pasted texts, and pages about failures, as documents and as data."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Group,
    Heading,
    Page,
    Paragraph,
    Prose,
    Table,
)
from pulumi_gke_tpu.core.text.findings import listed, number, one_line
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.explain.messages.diagnosis import Diagnosis, KnownMessage, VariablePart
from pulumi_gke_tpu.features.explain.messages.pages import SymptomPage
from pulumi_gke_tpu.features.explain.steps import Evidence

FORMAT = 1
_STAGES = {"cause": "a cause", "refusal": "a refusal", "symptom": "a consequence"}


def diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, **to_data(diagnosis)}


def diagnosis_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`diagnosis_json`."""
    return _schema(Diagnosis, "Diagnosis", "What `gke-tpu explain --format json` writes for the text of a failure.")


def symptom_json(page: SymptomPage) -> dict[str, Any]:
    """A page about failures as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, **to_data(page)}


def symptom_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`symptom_json`."""
    return _schema(SymptomPage, "Symptom", "What `gke-tpu explain --format json` writes for words such as pending.")


def diagnosis_page(diagnosis: Diagnosis) -> Page:
    """The known messages of a text, the root cause first."""
    count = number(len(diagnosis.messages), "known message")
    order = ", the root cause first" if len(diagnosis.messages) > 1 else ""
    titles = {rule.id: rule.title for rule in all_rules()}
    blocks: list[Block] = []
    if diagnosis.is_cut:
        blocks.append(Paragraph("Only the beginning of the text was read.", "careful"))
    for message in diagnosis.messages:
        blocks += _message(message, titles)
    return Page(f"{count}{order} (catalog {diagnosis.catalog})", blocks)


def symptom_document(page: SymptomPage) -> Page:
    """A page about failures: what to run, what it means, what to do."""
    columns = (Column("shows"), Column("means"), Column("what to do"))
    rows = [(sign.shown, sign.means, Prose(sign.fix)) for sign in page.signs]
    texts = number(len(page.texts), "known text leads", "known texts lead")
    blocks: list[Block] = [
        Group((Heading("What to run", 2), Code("\n".join(page.look), "sh"))),
        Group((Heading("What it means, and what to do", 2), Table(columns, rows))),
        Paragraph(Prose(f'`gke-tpu explain "TEXT"` explains a text, `gke-tpu explain -` a log. {texts} here.')),
        *_sources(page.evidence),
    ]
    return Page(f"{page.title} (catalog {page.catalog})", blocks)


def _message(message: KnownMessage, titles: Mapping[str, str]) -> Iterator[Block]:
    times = f", {message.times} times" if message.times > 1 else ""
    lines = [Bullets((f"{one_line(message.excerpt)}",), title="Text", label="text")]
    if message.parts:
        lines.append(Bullets((listed([_part(part) for part in message.parts], ""),), title="Values", label="values"))
    lines.append(Bullets((Prose(message.cause),), title="Cause", label="cause"))
    if message.hidden:
        hidden = listed(list(message.hidden), "or", separator="; ")
        lines.append(Bullets((f"{hidden}",), title="May hide", label="may hide"))
    yield Group((Heading(f"{message.title} ({message.origin}, {_STAGES[message.stage]}{times})", 2), *lines))
    yield Group((Paragraph("Look at:"), Code("\n".join(message.look), "sh")))
    more: list[Block] = []
    if message.needs:
        needs = listed([need.upper() for need in message.needs])
        more.append(Bullets((f"{needs}, which the text does not have",), title="Needs", label="needs"))
    more.append(Bullets((Prose(message.fix),), title="Fix", label="fix"))
    rules = [f"`gke-tpu rule {rule}` ({titles[rule]})" for rule in message.rules if rule in titles]
    pages = [f"`gke-tpu explain {message.page}`", *rules]
    more.append(Bullets([Prose(page) for page in pages], title="More", label="more"))
    more += [
        Bullets((fact.text,), title="Source", label="source", tone="quiet") for fact in message.evidence if fact.text
    ]
    yield Group(more)


def _part(part: VariablePart) -> str:
    return f"{part.name.replace('_', ' ')} {' or '.join(one_line(value) for value in part.values)}"


def _sources(facts: tuple[Evidence, ...]) -> Iterator[Block]:
    texts = [fact.text for fact in facts if fact.text]
    if texts:
        yield Bullets(texts, title="Sources", label="source", tone="quiet")


def _schema(kind: type[Diagnosis | SymptomPage], title: str, description: str) -> dict[str, Any]:
    schema = schema_of(kind, title=title, description=description)
    version = "The version of this format. A new key keeps it; removing or changing a key raises it."
    schema["properties"] = {"format": {"const": FORMAT, "description": version}, **schema["properties"]}
    schema["required"] = ["format", *schema["required"]]
    return schema

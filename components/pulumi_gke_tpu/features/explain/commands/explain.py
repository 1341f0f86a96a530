"""``gke-tpu explain``: explain a value of a plan, the text of a failure, or a TPU name."""

import dataclasses
import datetime
import os
import pathlib
import re
import shlex
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import PlanningInputs, has_errors, planning_options, project_option, show
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resources.recognition import may_have_resources
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.explain.completion import complete_explained

if TYPE_CHECKING:
    from pulumi_gke_tpu.cli.writers import Screen
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.plan import Document, Plan
    from pulumi_gke_tpu.features.explain.steps import Explanation

_RULE = lazy_pattern(r"tpu\d{3}\Z", re.IGNORECASE | re.ASCII)
_PLAN_FILE = lazy_pattern(r"[./\\~]|.*\.(?:ya?ml|json)\Z", re.IGNORECASE | re.DOTALL)
_PLAN_KEY = lazy_pattern(rb"^[ \t]*[\"']?clusters[\"']?\s*:", re.MULTILINE)
_SOURCE_KEY = lazy_pattern(
    rb"[\"']?\b(?:nodePools|currentMasterVersion|format_version|deployment|checkpoint)[\"']?\s*:"
)
"""Keys of what gcloud, Terraform and Pulumi write about what exists."""
_MOST_CHOICES = 40
_MOST_WORDS_OF_A_NAME = 2


@click.command(
    "explain",
    cls=CommandWithExamples,
    short_help="Explain a value of a plan, a failure, or a TPU name.",
    examples=(
        "gke-tpu explain plan.yaml train/pretrain/machine_type",
        "gke-tpu explain v5p-128",
        'gke-tpu explain "GCE_STOCKOUT"',
    ),
)
@click.argument(
    "words", nargs=-1, required=True, metavar="PLAN [PATH] | TEXT | WORD...", shell_complete=complete_explained
)
@click.option("--prices", "with_prices", is_flag=True, help="Show prices with their dates.")
@click.option("--sources", "with_sources", is_flag=True, help="Show every reason in full, with notes and sources.")
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="PLAN",
    type=click.Path(),
    help="File or folder with other plans that use the same reservations and quota; may be repeated.",
)
@project_option
@planning_options("text", "data", organization=False)
def command(
    words: tuple[str, ...],
    with_prices: bool,
    with_sources: bool,
    others: tuple[str, ...],
    project: str | None,
    inputs: PlanningInputs,
    output_format: str,
) -> int:
    """Explain an item of a plan: CLUSTER, CLUSTER/GROUP, or a value such as CLUSTER/GROUP/machine_type.

    Or explain the text of a failure, alone or in a log: its cause, what to look at, and the fix. Paste it in
    quotation marks, name a file, or give - for standard input. Words such as pending, stockout, quota, drift and error
    lead to pages about failures.

    Or explain a name: a TPU name of any tool (v5p-128, tpu-v6e-8, v6e-4x4, ironwood), a machine type, an accelerator
    label, a generation, a topology (v5p 4x4x8), a zone, a capacity mode, a rule (TPU112), a key of the plan
    (the full path clusters.*.slices.*.zone, or only its last part if no other key ends with that part).

    PLAN is a plan, or what exists: an output of gcloud, Terraform or Pulumi.

    Each value leads to catalog facts with source and date, or to the line of your file that sets it. With --inventory,
    prices are those of your contracts, and headroom shows what is left of your reservations and quota.
    """
    catalog = inputs.catalog()
    content = _content_of(words[0]) if len(words) == 1 else None
    if content is not None and _is_failure(words[0], content):
        return _explain_failure(catalog, content, output_format)
    if _is_file(words[0]) or (len(words) > 1 and _PLAN_FILE.match(words[0])):
        file, *path = words
        if len(path) > 1:
            raise click.UsageError("Too many arguments: give a plan and one path, such as train-east/pretrain.")
        brief = output_format == "text" and not with_sources and not with_prices
        asked = _Asked(file, "".join(path), inputs.inventory, others, content if file == "-" else None, project)
        return _explain_plan(catalog, asked, with_prices, output_format, inputs.day, brief=brief)
    if inputs.inventory is not None or others or project is not None:
        raise click.UsageError("--inventory, --with and --project require a plan: gke-tpu explain PLAN PATH")
    return _explain_word(catalog, words, output_format)


def _is_file(word: str) -> bool:
    try:
        return word == "-" or pathlib.Path(word).is_file()
    except (OSError, ValueError):
        return False


def _content_of(word: str) -> bytes | None:
    """The content of standard input, or of a file that can be a log; None for everything else."""
    from pulumi_gke_tpu.core.messages.pasted import LARGEST

    if word == "-":
        from pulumi_gke_tpu.cli.files.manifest_files import LARGEST_JSON
        from pulumi_gke_tpu.cli.files.plan_files import read_input

        return read_input(word, LARGEST_JSON + 1)
    if _PLAN_FILE.match(word) and word.lower().endswith((".yaml", ".yml")):
        return None
    try:
        if not pathlib.Path(word).is_file():
            return None
        with pathlib.Path(word).open("rb") as file:
            return file.read(LARGEST + 1)
    except (OSError, ValueError):
        return None


def _is_failure(name: str, content: bytes) -> bool:
    """Whether content is neither a plan nor what a tool wrote about resources, but a text such as a log."""
    is_source = may_have_resources(name, content) and _SOURCE_KEY.search(content)
    return bool(content.strip()) and not is_source and not _PLAN_KEY.search(content)


def _explain_failure(catalog: "Catalog", content: bytes, output_format: str) -> int:
    """Explain the known messages of a text; for an unknown text, the messages that resemble it, with exit code 2."""
    from pulumi_gke_tpu.core.messages.pasted import LARGEST
    from pulumi_gke_tpu.features.explain.messages.diagnosis import diagnose
    from pulumi_gke_tpu.features.explain.messages.output import diagnosis_json, diagnosis_page

    text = content[:LARGEST].decode("utf-8", "replace")
    diagnosis = diagnose(catalog, text, is_cut=len(content) > LARGEST)
    if diagnosis.messages or output_format == "json":
        show(output_format, page=lambda: diagnosis_page(diagnosis), data=lambda: diagnosis_json(diagnosis))
    if diagnosis.messages:
        return 0
    near = tuple(f"{message.title}: {message.pattern}" for message in diagnosis.nearest)
    where = (
        "kubectl describe of the object, for its conditions and events",
        "gcloud container operations list, for the error of an operation",
        "gke-tpu explain pending, stockout, quota, error, drift or stopped",
    )
    if near:
        return _refuse("Unknown text: no message of the catalog is in it. The nearest messages:", near)
    return _refuse("Unknown text: no message of the catalog is in it. Where to look:", where)


@frozen
class _Asked:
    """The files and the path of the command line."""

    file: str
    path: str
    inventory: str | None
    others: tuple[str, ...]
    stdin: bytes | None = None
    """The content of standard input, if it was read already."""
    project: str | None = None
    """Which of several plans."""


def _explain_plan(
    catalog: "Catalog", asked: _Asked, with_prices: bool, output_format: str, today: datetime.date, *, brief: bool
) -> int:
    from pulumi_gke_tpu.cli.files.described_plans import read_fleets, read_one_fleet
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file
    from pulumi_gke_tpu.cli.shared import complain
    from pulumi_gke_tpu.core.fleet.checked import plans_in_fleet
    from pulumi_gke_tpu.core.text.findings import printable
    from pulumi_gke_tpu.core.workflows.check import check_documents
    from pulumi_gke_tpu.core.workflows.described import DescribedDocument
    from pulumi_gke_tpu.features.explain.values.explain import NoSuchValueError, explain_item
    from pulumi_gke_tpu.features.explain.values.surroundings import NoSuchItemError, Surroundings, find_item

    document = read_one_fleet([asked.file], catalog, project=asked.project, stdin=asked.stdin)
    others = [
        other for other in (read_fleets(asked.others, catalog) if asked.others else ()) if not _is_same(other, document)
    ]
    owned = read_inventory_file(asked.inventory)
    checked = check_documents([document, *others], owned, catalog, today)
    if has_errors(checked.findings, strict=False):
        complain(checked.findings)
    plan, fleet = checked.plans[0].plan, checked.plans[0].fleet
    if plan is None or fleet is None or (owned is not None and has_errors(owned.findings, strict=False)):
        return 1
    around = Surroundings(catalog, document, plans_in_fleet(checked.plans), owned, today)
    path, file = asked.path, asked.file
    try:
        item = find_item(plan, path)
        shown = explain_item(plan, fleet, catalog, item, with_prices=with_prices, around=around)
    except NoSuchItemError as error:
        return _refuse(f"The plan has no item {printable(path)}.{_hint(error.near)} Items:", error.choices)
    except NoSuchValueError as error:
        return _refuse(
            f"{printable(item.key)} has no value {printable(error)}.{_hint(error.near)} Values:", error.choices
        )
    if isinstance(document, DescribedDocument):
        from pulumi_gke_tpu.features.explain.values.described import in_source

        shown = in_source(shown, document)
    brief = brief and not item.value and len(shown.steps) > 1 and bool(item.cluster)
    if brief:
        command = f"gke-tpu explain {shlex.quote(file)} {shlex.quote(item.key)}"
        name = next((step.name for step in shown.steps if step.evidence), shown.steps[0].name)
        shown = dataclasses.replace(shown, more=(f"{command} --sources", f"{command}/{name}"))
    _show(shown, output_format, brief=brief)
    return 1 if shown.problem else 0


def _is_same(one: "Document[Plan]", other: "Document[Plan]") -> bool:
    """Whether two names are those of one file."""
    return os.path.realpath(one.name) == os.path.realpath(other.name)  # unlike Path.resolve, also for a loop of links


def _hint(near: str | None) -> str:
    from pulumi_gke_tpu.core.text.findings import printable

    return f" Did you mean {printable(near)}?" if near else ""


def _explain_word(catalog: "Catalog", words: tuple[str, ...], output_format: str) -> int:
    from pulumi_gke_tpu.core.text.findings import printable_path

    if len(words) == 1 and _RULE.match(words[0]):
        from pulumi_gke_tpu.features.explain.commands.rule import show_rule

        return show_rule(words[0], output_format)
    from pulumi_gke_tpu.features.explain.messages.diagnosis import diagnose
    from pulumi_gke_tpu.features.explain.messages.output import symptom_document, symptom_json
    from pulumi_gke_tpu.features.explain.messages.pages import symptom_page
    from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word, nearest

    word, text = ":".join(words), " ".join(words)
    shown = explain_word(catalog, word)
    if shown is not None:
        _show(shown, output_format)
        return 0
    page = symptom_page(catalog, text)
    if page is not None:
        show(output_format, page=lambda: symptom_document(page), data=lambda: symptom_json(page))
        return 0
    if (len(text.split()) > _MOST_WORDS_OF_A_NAME and not _PLAN_FILE.match(text)) or diagnose(catalog, text).messages:
        return _explain_failure(catalog, text.encode("utf-8", "surrogateescape"), output_format)
    near = nearest(catalog, word)
    if near:
        return _refuse(f"{printable_path(word)} is neither a file nor a known name. Did you mean one of these?", near)
    return _refuse(
        f"{printable_path(word)} is neither a file nor a known name. gke-tpu explains:",
        (
            "a Cloud TPU name",
            "a machine type",
            "an accelerator label",
            "a generation",
            "a zone",
            "a capacity mode",
            "a key of the plan",
            "the text of a failure, and words such as pending, stockout, quota, drift and error",
        ),
    )


def _refuse(message: str, choices: tuple[str, ...]) -> int:
    from pulumi_gke_tpu.core.text.findings import printable

    click.echo(message, err=True)
    for choice in choices[:_MOST_CHOICES]:
        click.echo(f"  {printable(choice)}", err=True)
    if len(choices) > _MOST_CHOICES:
        click.echo(f"  and {len(choices) - _MOST_CHOICES} more", err=True)
    return 2


def _show(shown: "Explanation", output_format: str, *, brief: bool = False) -> None:

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.explain.output.json import explain_json

        return explain_json(shown)

    def text(screen: "Screen") -> str:
        from pulumi_gke_tpu.features.explain.output.text import explain_text

        return explain_text(shown, width=screen.width, color=screen.color, brief=brief)

    show(output_format, text=text, data=data)

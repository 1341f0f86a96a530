"""The generated part of the documentation: rules, policies, JSON Schemas, and every key of a plan and other files."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION, kind_of_model
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.key_table import PlanKey, inventory_keys, organization_keys, plan_keys
from pulumi_gke_tpu.core.plan.keys import inner_type
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import (
    Column,
    Group,
    Heading,
    Line,
    Link,
    Name,
    Paragraph,
    Prose,
    Table,
    Toned,
)
from pulumi_gke_tpu.features.explain.reference.rule_page import rule_pages
from pulumi_gke_tpu.features.explain.reference.rules_by_source import rules_by_source_page
from pulumi_gke_tpu.features.policy_pack.page import policy_page


def plan_keys_page() -> str:
    """The Markdown page, with a final line break."""
    return write_markdown(
        [
            Heading("Keys of a plan"),
            Paragraph(
                Prose(
                    "This page is generated from the models that read a plan. `*` is a name that you choose, and `[]` "
                    "is every entry of a list. If a key has no default, gke-tpu does not set the property, or the list "
                    "is empty."
                )
            ),
            Paragraph(
                (
                    "On Autopilot, a key has the ",
                    Toned("same", "strong"),
                    " effect, is ",
                    Toned("refused", "strong"),
                    " (an error), has ",
                    Toned("no effect", "strong"),
                    " (a note), or supports ",
                    Toned("not every value", "strong"),
                    " (an error for the others).",
                )
            ),
            Paragraph(
                (
                    "On a cluster with the key ",
                    Name("existing"),
                    ", a key has the ",
                    Toned("same", "strong"),
                    " effect, describes a ",
                    Toned("fact", "strong"),
                    " about the cluster (gke-tpu does not change the cluster), or is ",
                    Toned("refused", "strong"),
                    " (an error). Keys with the value ",
                    Toned("only there", "strong"),
                    " are errors on a cluster that gke-tpu creates.",
                )
            ),
            *_sections(Plan, plan_keys(), ("key", "type", "default", "meaning", "on Autopilot", "existing cluster")),
        ]
    )


def inventory_keys_page() -> str:
    """The Markdown page, with a final line break."""
    note = Prose("Generated from the models that read an inventory. `[]` is every entry of a list.")
    return _keys_page("Keys of an inventory", note, Inventory, inventory_keys())


def organization_keys_page() -> str:
    """The Markdown page, with a final line break."""
    note = (
        Prose(
            "Generated from the models that read an organization file. `*` is a name that you choose, and `[]` is "
            "every entry of a list. The guide is "
        ),
        Link("organization.md", "organization.md"),
        ".",
    )
    return _keys_page("Keys of an organization file", note, ORGANIZATION.model, organization_keys())


def _keys_page(title: str, note: Line, root: type[PlanModel], keys: Sequence[PlanKey]) -> str:
    sections = _sections(root, keys, ("key", "type", "default", "meaning"))
    return write_markdown([Heading(title), Paragraph(note), *sections])


def _sections(root: type[PlanModel], keys: Sequence[PlanKey], columns: Sequence[str]) -> Iterator[Group]:
    """A section for each mapping."""
    for parent in dict.fromkeys(key.parent for key in keys):
        about = _about(root, parent)
        rows = [_row(key)[: len(columns)] for key in keys if key.parent == parent]
        title = Name(parent) if parent else f"The {kind_of_model(root).name}"
        table = Table(tuple(map(Column, columns)), rows)
        yield Group([Heading(title, 2), *([Paragraph(about)] if about else []), table])


def _about(root: type[PlanModel], parent: str) -> str:
    """The first line of a mapping's docstring."""
    part: Any = root
    for step in parent.split(".") if parent else ():
        if step == "*":
            continue
        field = next(
            item for name, item in part.model_fields.items() if (item.alias or name) == step.removesuffix("[]")
        )
        part = inner_type(field.annotation)
        if get_origin(part) in (dict, list):
            part = inner_type(get_args(part)[-1])
    return str(part.__doc__ or "").split("\n")[0] if isinstance(part, type) and issubclass(part, PlanModel) else ""


def _row(key: PlanKey) -> tuple[Line, ...]:
    default = Name(key.default) if key.default and key.default != "required" else key.default
    return Name(key.name), Prose(key.kind), default, Prose(key.description), key.on_autopilot, key.on_existing


def docs_pages(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, str]:
    """Path below ``docs/`` -> content of every generated page and schema."""
    rules = tuple(rules)
    pages = {f"rules/{name}": page for name, page in rule_pages(rules, sources).items()}
    pages["rules-by-source.md"] = rules_by_source_page(rules)
    pages["plan-keys.md"] = plan_keys_page()
    pages["inventory-keys.md"] = inventory_keys_page()
    pages["organization-keys.md"] = organization_keys_page()
    pages["policies.md"] = policy_page()
    for name, schema in all_schemas().items():
        pages[f"schemas/{name}.schema.json"] = _json(schema)
    return pages


def _json(schema: Callable[[], dict[str, Any]]) -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"

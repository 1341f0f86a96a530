"""``gke-tpu rule``: show the page of a rule."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import format_option, show
from pulumi_gke_tpu.features.explain.completion import complete_rules

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page


@click.command(
    "rule",
    cls=CommandWithExamples,
    short_help="Show a rule, or list all rules.",
    examples=(
        "gke-tpu rule TPU112",
        "gke-tpu rule unknown-topology",
    ),
)
@click.argument("id", required=False, metavar="[ID|NAME]", shell_complete=complete_rules)
@format_option("page", "data")
def command(id: str | None, output_format: str) -> int:
    """Show the page of a rule such as TPU112 or unknown-topology; without an argument, list all rules."""
    if id is not None:
        return show_rule(id, output_format)
    from pulumi_gke_tpu.core.catalog import read_catalog
    from pulumi_gke_tpu.core.rules import all_rules

    def page() -> "Page":
        from pulumi_gke_tpu.features.explain.reference.rule_page import rules_page

        return rules_page(all_rules())

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.explain.reference.rule_page import rules_json

        return rules_json(all_rules(), read_catalog().sources)

    show(output_format, page=page, data=data)
    return 0


def show_rule(id: str, output_format: str) -> int:
    """Print the page of a rule. For an unknown rule, suggest the nearest one and return exit code 2."""
    from pulumi_gke_tpu.core.catalog import read_catalog
    from pulumi_gke_tpu.core.rules import all_rules

    rules = {rule.id: rule for rule in all_rules()}
    names = {rule.name: rule for rule in rules.values()}
    rule = rules.get(id.strip().upper()) or names.get(id.strip().lower())
    if rule is None:
        from pulumi_gke_tpu.core.text.findings import printable

        near = _near(id.strip(), rules, names)
        hint = f" Did you mean {near} ({(rules.get(near) or names[near]).title})?" if near else ""
        click.echo(f"Unknown rule {printable(id, 40)}.{hint} `gke-tpu rule` lists all rules.", err=True)
        return 2

    def page() -> "Page":
        from pulumi_gke_tpu.features.explain.reference.rule_page import rule_page

        return rule_page(rule, read_catalog().sources)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.explain.reference.rule_page import rules_json

        return rules_json([rule], read_catalog().sources)

    show(output_format, page=page, data=data)
    return 0


def _near(word: str, ids: Collection[str], names: Collection[str]) -> str | None:
    """The rule with this id or name. Ids with similar digits are unrelated, so the number must be the same."""
    from pulumi_gke_tpu.core.text.findings import did_you_mean

    number = re.fullmatch(r"[TPU]{0,3}[\W_]*(\d+)", word, re.ASCII | re.IGNORECASE)
    if number is None:
        return did_you_mean(word, names)
    id = f"TPU{number[1].lstrip('0'):0>3}"
    return id if id in ids else None

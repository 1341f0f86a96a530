"""The page about the policies of the policy pack, from the policies themselves."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import Cell, Column, Heading, Link, Name, Paragraph, Prose, Table
from pulumi_gke_tpu.features.policy_pack.pack import DOUBTS, ENTRIES, ON_STACKS, RulePolicy


def policy_page() -> str:
    """Every policy: those about one resource, then those about a stack."""
    return write_markdown(
        [
            Heading("Policies"),
            Paragraph(("The policies of the ", Link("policy pack", "policy-pack.md"), ".")),
            Heading("About one node pool or cluster", 2),
            _table(entry for entry in ENTRIES if not entry.stack),
            Heading("About several resources together", 2),
            _table(entry for entry in ENTRIES if entry.stack),
        ]
    )


def _table(entries: Iterable[RulePolicy]) -> Table:
    rows = [(_link(entry), Prose(entry.title), "mandatory" if entry.mandatory else "advisory") for entry in entries]
    return Table(tuple(map(Column, ("policy", "says", "level"))), rows)


def _link(entry: RulePolicy) -> Cell:
    if entry.name.startswith(DOUBTS):
        return Name(entry.name)
    rule = entry.name.removesuffix(ON_STACKS)
    return Link(entry.name, f"rules/{rule}.md")

"""The tables of policies in ``docs/policy-pack.md``, from the policies themselves."""

from collections.abc import Iterable

from pulumi_gke_tpu.document.markdown_writer import write_markdown
from pulumi_gke_tpu.document.model import Cell, Column, Link, Name, Paragraph, Prose, Table
from pulumi_gke_tpu.integrations.crossguard.register import DOUBTS, ENTRIES, ON_STACKS, Entry

_BEGIN, _END = "<!-- policies -->\n", "<!-- end of policies -->\n"


def with_policies(page: str) -> str:
    """The page with its tables brought up to date."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{policy_tables()}\n{_END}{after}"


def policy_tables() -> str:
    """Every policy: those about one resource, then those about a stack."""
    return write_markdown(
        [
            Paragraph("About one node pool or cluster:"),
            _table(entry for entry in ENTRIES if not entry.stack),
            Paragraph("About several resources together:"),
            _table(entry for entry in ENTRIES if entry.stack),
        ]
    )


def _table(entries: Iterable[Entry]) -> Table:
    rows = [(_link(entry), Prose(entry.title), "mandatory" if entry.mandatory else "advisory") for entry in entries]
    return Table(tuple(map(Column, ("policy", "says", "level"))), rows)


def _link(entry: Entry) -> Cell:
    if entry.name.startswith(DOUBTS):
        return Name(entry.name)
    rule = entry.name.removesuffix(ON_STACKS)
    return Link(entry.name, f"rules/{rule}.md")

"""The tables of policies in ``docs/policy-pack.md``, from the policies themselves."""

from collections.abc import Iterator

from pulumi_gke_tpu.integrations.crossguard.register import DOUBTS, ENTRIES, ON_STACKS, Entry

_BEGIN, _END = "<!-- policies -->\n", "<!-- end of policies -->\n"


def with_policies(page: str) -> str:
    """The page with its tables brought up to date."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{policy_tables()}\n{_END}{after}"


def policy_tables() -> str:
    """Every policy: those about one resource, then those about a stack."""
    return "\n".join(
        [
            "About one node pool or cluster:\n",
            *_table(entry for entry in ENTRIES if not entry.stack),
            "\nAbout several resources together:\n",
            *_table(entry for entry in ENTRIES if entry.stack),
            "",
        ]
    )


def _table(entries: Iterator[Entry]) -> Iterator[str]:
    yield "| policy | says | level |"
    yield "|---|---|---|"
    for entry in entries:
        yield f"| {_link(entry)} | {entry.title} | {'mandatory' if entry.mandatory else 'advisory'} |"


def _link(entry: Entry) -> str:
    if entry.name.startswith(DOUBTS):
        return f"`{entry.name}`"
    rule = entry.name.removesuffix(ON_STACKS)
    return f"[`{entry.name}`](rules/{rule}.md)"

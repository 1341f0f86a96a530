"""Catalog pages as Markdown."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.document.markdown_escape import text

if TYPE_CHECKING:
    from pulumi_gke_tpu.explain.facts.tables import Page, Table


def page_markdown(page: "Page") -> str:
    """A page as GitHub's Markdown, with a final line break."""
    parts = [f"# {text(page.title)}"]
    parts += [text(line) for line in page.lines]
    for table in page.tables:
        parts.append(f"## {text(table.title)}")
        parts.append(_table(table))
        parts += [_bullets(table.lines)] if table.lines else []
    if page.notes:
        parts += ["## Notes", _bullets(page.notes)]
    return "\n\n".join(parts) + "\n"


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {text(line)}" for line in lines)


def _table(table: "Table") -> str:
    head = " | ".join(text(item.name) or " " for item in table.columns)
    rule = " | ".join("--:" if item.right else "---" for item in table.columns)
    rows = [" | ".join("<br>".join(map(text, cell.split("\n"))) for cell in row) for row in table.rows]
    return "\n".join(f"| {line} |" for line in (head, rule, *rows))

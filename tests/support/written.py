"""What commands write: pages as text and Markdown, data as JSON, and findings in each format."""

import json
from typing import Any

from pulumi_gke_tpu.cli.writers import Screen, ShownFindings, formats_of, written
from pulumi_gke_tpu.core.text.document.model import Page
from pulumi_gke_tpu.core.text.findings import Finding

FORMATS_OF_FINDINGS = tuple(formats_of("findings"))
"""The words of ``--format``, for what must hold in each."""


def text_of(page: Page, width: int = 100) -> str:
    """A page in a terminal without colors."""
    return text(written("text", Screen(width, color=False), page=lambda: page))


def markdown_of(page: Page) -> str:
    """A page as Markdown."""
    return text(written("markdown", Screen(100, color=False), page=lambda: page))


def json_of(data: Any, indent: str = "") -> str:
    """Data as JSON in which what fits in a line is in one, and so is a list of texts. Commands write more lines."""
    line = json.dumps(data, ensure_ascii=False)
    is_list = isinstance(data, list)
    if not isinstance(data, list | dict) or len(indent) + len(line) <= 150 or (is_list and isinstance(data[0], str)):
        return line
    inner = f"{indent} "
    items = [("", item) for item in data] if is_list else [(f"{json.dumps(key)}: ", data[key]) for key in data]
    parts = f",\n{inner}".join(f"{key}{json_of(item, inner)}" for key, item in items)
    return f"{line[0]}\n{inner}{parts}\n{indent}{line[-1]}"


def findings_as(output_format: str, findings: tuple[Finding, ...], max_findings: int = 0) -> str:
    """Findings in a format, all of them unless the format is for people and has a limit."""
    shown = ShownFindings(findings, max_findings)
    return text(written(output_format, Screen(100, color=False), findings=lambda: shown))


def text(result: str | bytes) -> str:
    """The result of a format that writes text."""
    assert isinstance(result, str)
    return result

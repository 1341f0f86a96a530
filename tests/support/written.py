"""What commands write: pages as text and Markdown, and findings in each format."""

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


def findings_as(output_format: str, findings: tuple[Finding, ...], max_findings: int = 0) -> str:
    """Findings in a format, all of them unless the format is for people and has a limit."""
    shown = ShownFindings(findings, max_findings)
    return text(written(output_format, Screen(100, color=False), findings=lambda: shown))


def text(result: str | bytes) -> str:
    """The result of a format that writes text."""
    assert isinstance(result, str)
    return result

"""Pages as Markdown."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import Page


def write(page: Page, _: Screen) -> str:
    """The page as GitHub's Markdown. Text from a file of the user cannot change the markup around it."""
    return write_markdown(page.in_markdown)

"""Pages as text for a terminal."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.core.text.document.model import Page
from pulumi_gke_tpu.core.text.document.text_writer import write_text


def write(page: Page, screen: Screen) -> str:
    """The page in lines that fit the screen where words allow it."""
    return write_text(page.in_terminal, width=screen.width, color=screen.color)

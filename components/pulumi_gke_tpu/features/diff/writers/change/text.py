"""A change of plans as text for a terminal."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.page import ChangePage


def write(shown: tuple[ChangePage, bool], screen: Screen) -> str:
    """The effects, the most dangerous first. ``shown`` is the page, and whether to show every property."""
    page, resources = shown
    return change_text(page, resources=resources, width=screen.width, color=screen.color)

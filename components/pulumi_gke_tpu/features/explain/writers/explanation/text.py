"""An explanation as text for a terminal."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.explain.output.text import explain_text
from pulumi_gke_tpu.features.explain.steps import Explanation


def write(shown: tuple[Explanation, bool], screen: Screen) -> str:
    """The values with their reasons. ``shown`` is the explanation, and whether to leave out details and sources."""
    explanation, brief = shown
    return explain_text(explanation, width=screen.width, color=screen.color, brief=brief)

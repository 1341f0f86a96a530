"""A preview as text for a terminal."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.plan.preview.document import Parts, preview_text

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.registered import PlanPreview


def write(shown: "tuple[PlanPreview, Parts]", screen: Screen) -> str:
    """Clusters, slice groups, totals and findings, with the parts that the user asked for."""
    preview, parts = shown
    return preview_text(preview, parts, width=screen.width, color=screen.color)

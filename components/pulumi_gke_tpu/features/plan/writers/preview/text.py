"""A preview as text for a terminal."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.plan.preview.document import preview_text

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.result import PlanPreview


def write(shown: "tuple[PlanPreview, bool]", screen: Screen) -> str:
    """Clusters, slice groups, totals and findings. ``shown`` is the preview, and whether to list every resource."""
    preview, resources = shown
    return preview_text(preview, resources=resources, width=screen.width, color=screen.color)

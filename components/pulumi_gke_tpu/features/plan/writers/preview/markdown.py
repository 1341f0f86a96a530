"""A preview as Markdown."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.plan.preview.document import preview_markdown

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.result import PlanPreview


def write(shown: "tuple[PlanPreview, bool]", _: Screen) -> str:
    """Clusters, slice groups, totals and findings. ``shown`` is the preview, and whether to list every resource."""
    preview, resources = shown
    return preview_markdown(preview, resources=resources)

"""A preview as Markdown."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.features.plan.preview.document import Parts, preview_markdown

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.registered import PlanPreview


def write(shown: "tuple[PlanPreview, Parts]", _: Screen) -> str:
    """Clusters, slice groups, totals, prices and findings; every property only if the user asked for it."""
    preview, parts = shown
    return preview_markdown(preview, resources=parts.resources)

"""The embedded engine: what a program or plan would register, without cloud, credentials or Pulumi CLI."""

from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.graph.property_values import plain
from pulumi_gke_tpu.core.plan.base import Unknown

if TYPE_CHECKING:
    from pulumi_gke_tpu.preview.monitor import run_program
    from pulumi_gke_tpu.preview.plan import preview_plan

__all__ = ["Graph", "Options", "Resource", "Unknown", "plain", "preview_plan", "run_program"]

if not TYPE_CHECKING:  # a type checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Load what is used: only ``run_program`` needs Pulumi."""
        if name == "run_program":
            from pulumi_gke_tpu.preview.monitor import run_program

            return run_program
        if name == "preview_plan":
            from pulumi_gke_tpu.preview.plan import preview_plan

            return preview_plan
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """The names for completion, also before they are loaded."""
        return list(__all__)

"""Exports the classes of findings under their public import path."""

from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Position, Related, Severity, format_path

__all__ = ["Finding", "FindingsError", "Position", "Related", "Severity", "format_path"]

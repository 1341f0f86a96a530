"""Leads to the classes of findings, which are public under this name."""

from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Position, Related, Severity, format_path

__all__ = ["Finding", "FindingsError", "Position", "Related", "Severity", "format_path"]

"""Exports ``read_catalog`` and ``CatalogError`` under their public import path."""

from pulumi_gke_tpu.core.catalog import CatalogError, read_catalog

__all__ = ["CatalogError", "read_catalog"]

"""Leads to the catalog: ``read_catalog`` and ``CatalogError`` are public under this name."""

from pulumi_gke_tpu.core.catalog import CatalogError, read_catalog

__all__ = ["CatalogError", "read_catalog"]

"""Reads the shipped catalog, alone or with overlays on top.

A command without overlays imports only the records of the sections that it asks for: ``document.py`` has all of them.
"""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pulumi_gke_tpu.core.catalog.catalog import Catalog


def catalog_folder() -> Path:
    """Where the shipped catalog is: inside an installed wheel, or at the root of a checkout."""
    package = Path(__file__).resolve().parents[2]
    shipped = package / "_catalog"
    return shipped if shipped.is_dir() else package.parent.parent / "catalog"


def read_catalog(overlays: Iterable[Path] = ()) -> Catalog:
    """The shipped catalog, with overlay files on top in the order given.

    Without overlays, the function always returns the same object, so that loaded parts are reused.

    Raises:
        CatalogError: an overlay cannot be read, is not a catalog document, or leaves the catalog incomplete.
    """
    paths = tuple(overlays)
    if not paths:
        return _shipped()
    from pulumi_gke_tpu.core.catalog.document import read_overlay

    return catalog_with({str(path): read_overlay(path) for path in paths})


@functools.cache
def _shipped() -> Catalog:
    return Catalog(catalog_folder())


def catalog_with(overlays: Mapping[str, Mapping[str, Any]]) -> Catalog:
    """The shipped catalog with overlays that have been read, by name, on top.

    Raises:
        CatalogError: an overlay is not a catalog document, or the catalog is incomplete with it.
    """
    from pulumi_gke_tpu.core.catalog.document import check_overlays

    catalog = Catalog(catalog_folder(), overlays.values())
    check_overlays(catalog, overlays)
    return catalog

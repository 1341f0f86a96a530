"""The shipped catalog, as records and as plain data."""

from dataclasses import fields
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.document import CatalogFile


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return read_catalog()


@pytest.fixture(scope="session")
def document(catalog: Catalog) -> dict[str, Any]:
    """All sections as YAML has them."""
    return {item.name: catalog.section(item.name) for item in fields(CatalogFile)}

"""The shipped catalog, as records and as plain data."""

from dataclasses import fields
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.document import CatalogFile


@pytest.fixture(scope="session")
def document(catalog: Catalog) -> dict[str, Any]:
    """All sections as YAML has them."""
    return {item.name: catalog.section(item.name) for item in fields(CatalogFile)}

"""Catalogs with prices of one's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog


@pytest.fixture
def overlaid(tmp_path: Path) -> Callable[..., Catalog]:
    """The shipped catalog with other sections."""

    def read(**sections: Any) -> Catalog:
        path = tmp_path / "overlay.yaml"
        path.write_text(yaml.safe_dump(sections), encoding="utf-8")
        return read_catalog([path])

    return read

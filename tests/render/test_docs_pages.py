"""The generated pages under docs/ are current, and there are no others."""

import pathlib

import pytest

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.render.generated.docs_pages import docs_pages
from pulumi_gke_tpu.rules import all_rules

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGES = docs_pages(all_rules(), read_catalog().sources)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_current(name: str) -> None:
    path = DOCS / name
    assert path.is_file(), "run tools/docs.py"
    assert path.read_text(encoding="utf-8") == PAGES[name], "run tools/docs.py"


def test_no_page_is_left_over() -> None:
    assert {f"rules/{path.name}" for path in (DOCS / "rules").iterdir()} == {
        name for name in PAGES if name.startswith("rules/")
    }

"""``diff`` and ``preview`` name the page about what an update is expected to end in."""

import pathlib
from collections.abc import Callable

import pytest
from support.documents import ROOT, anchors
from support.fixtures.commands import Run

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.messages.pages import PAGE, failure_pages, words_of
from pulumi_gke_tpu.core.text.findings import Finding, Severity

BASE, HEAD = ROOT / "docs/examples/prod-before.yaml", ROOT / "stacks/prod/plan.yaml"
SMALL = ROOT / "docs/examples/incident/plan.yaml"
QUOTA = """\
version: 1
as_of: 2026-11-28
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: LIMIT}
"""


def test_each_page_has_a_section_that_exists() -> None:
    catalog = read_catalog()
    pages = failure_pages(catalog.symptoms, catalog)
    assert {page.link.partition("#")[2] for page in pages} <= anchors(ROOT / PAGE)
    text = (ROOT / PAGE).read_text(encoding="utf-8").replace("\n", " ")
    assert [page.word for page in pages if f"gke-tpu explain {page.word}" not in text] == []


def test_rules_about_capacity_have_their_page() -> None:
    catalog = read_catalog()
    expected = {"TPU811": {"quota", "stockout"}, "TPU801": {"reservation-errors"}, "TPU262": {"addresses"}}
    for rule, words in expected.items():
        assert words_of([Finding(rule, Severity.ERROR, (), "x")], catalog) == words
        assert words_of([Finding(rule, Severity.NOTE, (), "x")], catalog) == set()
    assert words_of([Finding("TPU112", Severity.ERROR, (), "x")], catalog) == set(), "the plan is refused before"


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_replacement_of_running_pools_names_the_pages(gke_tpu: Callable[..., Run], form: str) -> None:
    out = " ".join(gke_tpu("diff", BASE, HEAD, "--format", form).out.split())
    for word, section in {
        "stockout": "a-node-pool-is-in-error-or-provisioning",
        "reservation-errors": "a-node-pool-is-in-error-or-provisioning",
        "stopped": "a-job-stopped",
    }.items():
        assert f"explain {word}" in out or f'"word": "{word}"' in out
        assert f"{PAGE}#{section}" in out
    assert "explain quota" not in out


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_change_that_stops_nothing_names_none(gke_tpu: Callable[..., Run], form: str, tmp_path: pathlib.Path) -> None:
    assert PAGE not in gke_tpu("diff", SMALL, SMALL, "--format", form).out
    (tmp_path / "plan.yaml").write_text(SMALL.read_text("utf-8").replace("count: 2", "count: 3"), "utf-8")
    assert PAGE not in gke_tpu("diff", SMALL, tmp_path / "plan.yaml", "--format", form).out


def test_a_preview_names_the_page_only_if_the_quota_is_too_low(
    gke_tpu: Callable[..., Run], tmp_path: pathlib.Path
) -> None:
    inventory = tmp_path / "inventory.yaml"
    for limit, expected in (("16", True), ("1024", False)):
        inventory.write_text(QUOTA.replace("LIMIT", limit), "utf-8")
        for form in ("text", "markdown", "json"):
            done = gke_tpu("preview", SMALL, "--inventory", inventory, "--format", form)
            assert (f"{PAGE}#quota" in done.out + done.err) is expected
            changed = gke_tpu("diff", BASE, SMALL, "--inventory", inventory, "--format", form)
            assert (f"{PAGE}#quota" in changed.out) is expected

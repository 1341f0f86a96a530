"""``gke-tpu catalog``: pages, formats, widths, and what is unknown."""

import json
import pathlib
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.explain.facts.topics import TOPICS

PAGES = [(), *((name,) for name in (*read_catalog().generation_names, *read_catalog().announced, "prices", *TOPICS))]

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page[0] if page else "overview")


def test_the_overview_has_every_generation_and_the_age_of_the_catalog(gke_tpu: Any) -> None:
    catalog = read_catalog()
    run = gke_tpu("catalog")
    assert run.code == 0
    for words in (*catalog.generation_names, *catalog.announced, catalog.about.version, catalog.about.newest_evidence):
        assert words in run.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["v6e"],
            ["ct6e-standard-8t", "16x16", "us-east5-b", "flex_start", "1.31.2-gke.1115000", "hyperdisk-balanced"],
        ),
        (["v6e"], ["2 hosts of ct6e-standard-4t", "preemptible_tpu_v6e", "1.4033", "No custom topologies."]),
        (
            ["v5p"],
            [
                "each dimension is a",
                "4; more than 64 and at most 6,144 chips",
                "16x16x24",
                "N counts TensorCores, 2 per chip",
            ],
        ),
        (["trillium"], ["TPU v6e (Trillium)"]),
        (["tpu8t"], ["announced, not on GKE", "GKE does not offer it yet"]),
        (["zones"], ["us-south1-ai1b", "(AI zone)", "ct5lp (hardware)"]),
        (["prices"], ["ct6e", "us-east5", "1.4033", "2026-08-07", "2024-12-20"]),
        (["prices", "--generation", "v5e"], ["ct5lp"]),
        (["sources"], ["plan-tpus"]),
        (["versions"], ["flex_start", "1.33.0-gke.1712000"]),
        (["quota"], ["TPU_LITE_PODSLICE_V5"]),
        (["addons"], ["gcs_fuse"]),
    ],
)
def test_a_page_contains_the_facts(gke_tpu: Any, words: list[str], told: list[str]) -> None:
    run = gke_tpu("catalog", *words)
    assert run.code == 0
    for text in told:
        assert text in run.out


def test_prices_of_one_generation_have_no_other_family(gke_tpu: Any) -> None:
    assert "ct6e" not in gke_tpu("catalog", "prices", "--generation", "v5e").out


@every_page
@pytest.mark.parametrize("width", [80, 140])
def test_pages_fit_the_terminal(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch, page: Any, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = gke_tpu("catalog", *page).out.splitlines()
    assert lines
    assert [line for line in lines if len(line) > width and " " in line.strip()] == []
    assert not any(line.endswith(" ") for line in lines)


@every_page
def test_pages_have_no_color_where_there_is_no_terminal(gke_tpu: Any, page: Any) -> None:
    assert "\x1b" not in gke_tpu("catalog", *page).out


@every_page
def test_pages_as_data_carry_format_and_version(gke_tpu: Any, page: Any) -> None:
    data = json.loads(gke_tpu("catalog", *page, "--format", "json").out)
    assert data["format"] == 1
    assert data["catalog"]["version"] == read_catalog().about.version
    assert len(data) > 2


@every_page
def test_pages_as_markdown_have_even_tables(gke_tpu: Any, page: Any) -> None:
    text = gke_tpu("catalog", *page, "--format", "markdown").out
    assert text.startswith("# ")
    for block in text.split("\n\n"):
        rows = [line.replace("\\|", "").count("|") for line in block.splitlines() if line.startswith("|")]
        assert len(set(rows)) <= 1


def test_data_of_a_generation_has_every_section_of_its_families(gke_tpu: Any) -> None:
    data = json.loads(gke_tpu("catalog", "v5e", "--format", "json").out)
    for section in ("zones", "capacity", "disks"):
        assert "ct5lp" in data[section]
    assert {price["family"] for price in data["prices"]} == {"ct5lp"}
    assert data["generation"]["machine_types"]["ct5lp-hightpu-8t"]["chips"] == 8


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["v6"], ""),
        (["zonez"], "Did you mean zones?"),
        (["ct6e-standard-4t"], "gke-tpu explain ct6e-standard-4t"),
        (["prices", "--generation", "v9"], "Use one of:"),
        (["zones", "--generation", "v6e"], "--generation requires the topic prices"),
    ],
)
def test_what_is_unknown_exits_with_2_and_a_hint(gke_tpu: Any, words: list[str], told: str) -> None:
    run = gke_tpu("catalog", *words)
    assert run.code == (0 if words == ["v6"] else 2)
    assert told in run.err


def test_an_overlay_is_shown(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text(
        "prices: {prices: [{family: ct6e, region: mars-west1, model: on_demand, usd: 0.5, source: [own], "
        "as_of: '2026-11-01', confidence: high}]}\nsources: {own: {title: 'Our | list \\x1b[31m'}}\n"
    )
    assert "mars-west1" in gke_tpu("catalog", "prices", "--catalog", overlay).out
    for form in ("text", "markdown"):
        assert "\x1b" not in gke_tpu("catalog", "sources", "--catalog", overlay, "--format", form).out


@given(word=st.text(max_size=40))
def test_no_word_causes_a_traceback_or_control_characters(gke_tpu: Any, word: str) -> None:
    run = gke_tpu("catalog", "--", word)
    assert run.code in (0, 2)
    assert "internal error" not in run.err
    assert not [char for char in (run.out + run.err).replace("\n", "") if unicodedata.category(char)[0] == "C"]

"""Overlays that would leave the catalog torn are refused, with the place and the reason."""

import dataclasses
import itertools
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.each import each
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import Catalog, CatalogError, read_catalog
from pulumi_gke_tpu.core.catalog.document import CatalogFile, check_overlays

ROOT = pathlib.Path(__file__).parents[3]
WHOLE = (ROOT / "tests/acceptance/data/v9x_overlay.yaml").read_text()
FACT = "source: [unverified], as_of: 2026-12-01, confidence: high"

Overlay = Callable[[str], None]


@pytest.fixture
def overlay(tmp_path: pathlib.Path) -> Overlay:
    def read(text: str) -> None:
        path = tmp_path / "own.yaml"
        path.write_text(text)
        catalog = read_catalog([path])
        assert catalog.generation("v6e")

    return read


def without(section: str) -> str:
    """The whole overlay without one of its sections."""
    cut = re.sub(rf"^{section}:\n(?: .*\n)+", "", WHOLE, flags=re.MULTILINE)
    assert cut != WHOLE
    return cut


def test_a_complete_generation_is_taken(overlay: Overlay) -> None:
    overlay(WHOLE)


def test_a_generation_may_lack_prices(overlay: Overlay) -> None:
    overlay(without("prices"))


@pytest.mark.parametrize("section", ["zones", "capacity", "disks"])
def test_a_generation_without_a_section_is_refused(section: str, overlay: Overlay) -> None:
    with pytest.raises(CatalogError, match=rf"{section}\.families: missing family ct9x"):
        overlay(without(section))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"disks: {{families: {{ct9x: {{boot: [a], attach: [a], default_boot: a, {FACT}}}}}}}",
            "disks.families.ct9x: unknown machine family",
        ),
        (
            "prices: {prices: [{family: ct6e, region: r, model: spot, usd: 1, source: [here], "
            "as_of: '2026', confidence: low}]}",
            "prices.prices[0].source: unknown source here; add it under sources, with a title",
        ),
        (
            WHOLE.replace(
                "machine_type: ct9x-standard-2t, hosts: multi", "machine_type: ct9x-standard-8t, hosts: multi"
            ),
            "generations.v9x.topologies.rows[1]: unknown machine type ct9x-standard-8t",
        ),
        (
            "generations: {v5p: {custom_topologies: {machine_type: x}}}",
            "generations.v5p.custom_topologies: unknown machine type x",
        ),
        (WHOLE.replace("2x2x3", "1x1x3"), "1x1x3 has 3 chips, which is not a multiple of 2"),
        (WHOLE.replace("2x2x3", "2x6"), "2x6 must have 3 dimensions, as v9x"),
        (WHOLE.replace("family: ct9x, chips", "family: ct8x, chips"), "ct9x-standard-2t: unknown family ct8x"),
        (WHOLE.replace("      queued: {offer: 'no', ", "      other: {offer: 'no', "), "capacity.families.ct9x"),
        (
            re.sub(r"\n      queued: .*", "", WHOLE),
            "capacity.families.ct9x: queued missing",
        ),
    ],
)
def test_invalid_overlays_are_reported(text: str, told: str, overlay: Overlay) -> None:
    with pytest.raises(CatalogError) as refused:
        overlay(text)
    assert told in str(refused.value)


SECTIONS = [field.name for field in dataclasses.fields(CatalogFile)]


@each("section", SECTIONS)
def test_an_empty_section_is_refused(section: str) -> None:
    with pytest.raises(CatalogError, match=rf"{section}: empty section; leave it out"):
        check_overlays(Catalog(ROOT / "catalog", [{section: None}]), {"own.yaml": {section: None}})


def _numbers(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of the numbers in mappings. Lists of an overlay are added to those of the catalog."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def _each_number() -> list[tuple[tuple[str, ...], object]]:
    """A path for each record and field with a number, with a value of each wrong kind."""
    catalog = Catalog(ROOT / "catalog")
    found = {(path[0], path[-1]): path for name in SECTIONS for path in _numbers(catalog.section(name), (name,))}
    paths = [path for (section, _), path in found.items() if section not in ("provider", "object_fields")]
    return sample(itertools.product(paths, (0, -1, "4", True)), 24, lambda case: (case[0][0], repr(case[1])))


MAY_BE_ZERO = ("max_surge", "max_unavailable", "repair_seconds", "usd")


@each("path, number", _each_number)
def test_a_number_is_positive_and_a_number(path: tuple[str, ...], number: object) -> None:
    """Zero chips would divide by zero later, and quotes make a text."""
    if number == 0 and path[-1] in MAY_BE_ZERO:
        pytest.skip("zero is possible")
    overlay: Any = number
    for step in reversed(path):
        overlay = {step: overlay}
    with pytest.raises(CatalogError):
        check_overlays(Catalog(ROOT / "catalog", [overlay]), {"own.yaml": overlay})

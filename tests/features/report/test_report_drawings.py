"""The drawings of the report: whole documents for a few shapes, and what holds for each shape of each generation."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Shape, derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.features.report.drawing import bar_svg, cube_svg, draws_chips, slice_svg

CATALOG = read_catalog()
DRAWINGS = Path(__file__).parent / "data" / "drawings"
SHAPES = [
    (name, row.topology, CATALOG.generation(name).machine_types[row.machine_type].chips)
    for name in CATALOG.generation_names
    for row in CATALOG.generation(name).topologies.rows
    if "standard" in row.modes and row.documented
]


def shape(tpu: str, topology: str, chips_per_host: int | None = None) -> Shape:
    form: dict[str, Any] = {"chips_per_host": chips_per_host} if chips_per_host else {}
    group = {"tpu": tpu, "topology": topology, "zone": "us-east5-a", **form}
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"a": group}}
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}).content
    assert plan is not None
    ((_, found),) = derive(plan, CATALOG).groups()
    return found.shape


BAR = [("other", 1), ("certain", 2), ("possible", 0), ("x", 5)]
WHOLE = {
    "cube-4x4x8": cube_svg(shape("v5p", "4x4x8"), CATALOG),
    "cube-4x8x8": cube_svg(shape("v5p", "4x8x8"), CATALOG),
    "layers-2x2x4": slice_svg(shape("v5p", "2x2x4"), CATALOG),
    "layers-4x4x12": slice_svg(shape("v5p", "4x4x12"), CATALOG),
    "hosts-8x16x16": slice_svg(shape("v5p", "8x16x16"), CATALOG),
    "grid-4x8": slice_svg(shape("v6e", "4x8"), CATALOG),
    "grid-2x4": slice_svg(shape("v6e", "2x4", 8), CATALOG),
    "bar-of-10": bar_svg(BAR, 10),
    "bar-of-6": bar_svg(BAR, 6),
    "bar-of-0": bar_svg([("other", 0), ("certain", 0)], 0),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_drawing_is_the_one_that_was_looked_at(name: str) -> None:
    path = DRAWINGS / f"{name}.svg"
    assert WHOLE[name] == path.read_text(encoding="utf-8"), f"open it in a browser; if it is right, write it to {path}"


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def boxes(drawing: str, name: str) -> list[tuple[float, float, float, float]]:
    """The left, top, right and bottom sides of rectangles with a class."""
    found = re.search(rf'<path d="([^"]*)" class="{name}[^"]*"', drawing)
    parts = re.findall(r"M(\S+) (\S+)h(\S+)v(\S+)h-\S+z", found[1]) if found else []
    return [(x, y, x + w, y + h) for x, y, w, h in (map(float, part) for part in parts)]


@pytest.mark.parametrize(("tpu", "topology", "chips"), SHAPES)
def test_hosts_are_apart_and_inside_the_drawing_and_chips_inside_hosts(tpu: str, topology: str, chips: int) -> None:
    drawn = shape(tpu, topology, chips)
    text = slice_svg(drawn, CATALOG)
    width, height = numbers(text.partition('viewBox="')[2].partition('"')[0])[2:]
    hosts, all_chips = boxes(text, "hosts"), boxes(text, "chips")
    assert len(set(hosts)) == drawn.hosts
    assert all(left >= 0 and top >= 0 and right <= width and bottom <= height for left, top, right, bottom in hosts)
    assert max(right for _, _, right, _ in hosts) >= width - 8
    assert max(bottom for *_, bottom in hosts) >= height - 8
    if draws_chips(drawn):
        assert len(set(all_chips)) == drawn.chips
        inside = sum(
            left <= a and top <= b and c <= right and d <= bottom
            for left, top, right, bottom in hosts
            for a, b, c, d in all_chips
        )
        assert inside == drawn.chips
    else:
        assert all_chips == []


@given(st.lists(st.integers(-3, 50), max_size=4), st.integers(-5, 100))
def test_a_bar_is_as_long_as_the_whole_or_its_parts(sizes: list[int], whole: int) -> None:
    drawn = bar_svg([(f"part{index}", size) for index, size in enumerate(sizes)], whole)
    found = re.findall(r'x="([\d.]+)%" y="1" width="([\d.]+)%" height="12" class="part(\d)"', drawn)
    assert [int(index) for *_, index in found] == [index for index, size in enumerate(sizes) if size > 0]
    scale = max(whole, sum(sizes), 1)
    left = 0.0
    for start, width, index in found:
        assert float(start) == pytest.approx(left, abs=0.02)
        assert float(width) == pytest.approx(100 * sizes[int(index)] / scale, abs=0.02)
        left += 100 * sizes[int(index)] / scale
    assert ('class="limit"' in drawn) is (0 <= whole < scale)

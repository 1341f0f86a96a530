"""Draws slices and bars as SVG. Colors come from the style of the page."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import drawsvg

from pulumi_gke_tpu.core.catalog import Catalog, Topology

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.fleet import Shape

_MOST_CHIPS = 1024
"""The most chips that are drawn one by one; of a larger slice, only the hosts are drawn."""
_LAYERS_IN_A_ROW = 8
_LARGE, _SMALL, _HOST_ONLY = 12, 8, 3
"""The width of a chip in a grid, in a cube, and in a slice of which only the hosts are drawn."""
_LABEL = 13
"""The height of a line of text in a drawing."""
_CUBE = 112
"""The largest width and height of the picture of a cube."""
_COS, _SIN = math.cos(math.radians(30)), math.sin(math.radians(30))

_Point = tuple[float, float]


def svg(drawing: drawsvg.Drawing) -> str:
    """The markup of a drawing: numbers, and class names and words of ours."""
    return str(drawing.as_svg(header="", skip_js=True, skip_css=True)).replace("<defs>\n</defs>\n", "")


def digits(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def draws_chips(shape: "Shape") -> bool:
    """Whether the drawing of a slice has its chips, and not only its hosts."""
    return shape.chips <= _MOST_CHIPS


def cube_svg(shape: "Shape", catalog: Catalog) -> str:
    """The outside of a cube with the lengths of its sides; empty for a slice with one layer."""
    sides = _three(shape.topology)
    if min(sides) == 1:
        return ""
    unit = _CUBE / max((sides[0] + sides[1]) * _COS, (sides[0] + sides[1]) * _SIN + sides[2])
    x, y, z = (unit * side for side in sides)

    def at(a: float, b: float, c: float) -> _Point:
        return _LABEL * 2 + (a + y - b) * _COS, _LABEL / 2 + (a + b) * _SIN + (z - c)

    picture = drawsvg.Drawing(
        round((x + y) * _COS) + _LABEL * 4, round((x + y) * _SIN + z) + _LABEL * 2, class_="cube", aria_hidden="true"
    )
    faces = (
        ("top", [at(0, 0, z), at(x, 0, z), at(x, y, z), at(0, y, z)]),
        ("left", [at(0, y, z), at(x, y, z), at(x, y, 0), at(0, y, 0)]),
        ("right", [at(x, y, z), at(x, 0, z), at(x, 0, 0), at(x, y, 0)]),
    )
    for name, corners in faces:
        picture.append(drawsvg.Path(d=_polygon(corners), class_=name))
    block = _host_block(shape, catalog)
    picture.append(drawsvg.Path(d="".join(_edges(sides, block, unit, at)), class_="edge"))
    middles = (
        (sides[0], at(x / 2, y, 0), "end"),
        (sides[1], at(x, y / 2, 0), "start"),
        (sides[2], at(x, 0, z / 2), ""),
    )
    for length, (left, top), anchor in middles:
        shift = -4 if anchor == "end" else 4
        down = _LABEL if anchor else _LABEL / 3
        picture.append(
            drawsvg.Text(str(length), 11, round(left + shift), round(top + down), text_anchor=anchor or "start")
        )
    return svg(picture)


def _edges(
    sides: tuple[int, int, int], block: tuple[int, int, int], unit: float, at: Callable[[float, float, float], _Point]
) -> Iterator[str]:
    """The edges of hosts on the three visible faces."""
    x, y, z = (unit * side for side in sides)
    for a in range(0, sides[0] + 1, block[0]):
        yield _line(at(a * unit, 0, z), at(a * unit, y, z)) + _line(at(a * unit, y, z), at(a * unit, y, 0))
    for b in range(0, sides[1] + 1, block[1]):
        yield _line(at(0, b * unit, z), at(x, b * unit, z)) + _line(at(x, b * unit, z), at(x, b * unit, 0))
    for c in range(0, sides[2] + 1, block[2]):
        yield _line(at(0, y, c * unit), at(x, y, c * unit)) + _line(at(x, y, c * unit), at(x, 0, c * unit))


def _line(start: _Point, end: _Point) -> str:
    return f"M{digits(start[0])} {digits(start[1])}L{digits(end[0])} {digits(end[1])}"


def _polygon(corners: Sequence[_Point]) -> str:
    return f"M{'L'.join(f'{digits(left)} {digits(top)}' for left, top in corners)}z"


def slice_svg(shape: "Shape", catalog: Catalog) -> str:
    """The chips and hosts of one slice: a grid, or one grid for each layer of a cube.

    The block of a host is that of the single-host slice of its machine type.
    """
    columns, rows, layers = _three(shape.topology)
    width, height, depth = _host_block(shape, catalog)
    across, down, deep = columns // width, rows // height, layers // depth
    chip = _HOST_ONLY if not draws_chips(shape) else _SMALL if deep > 1 else _LARGE
    gap = 4 if draws_chips(shape) else 2
    inset = chip // 6
    side = chip - 2 * inset
    host = (width * chip + gap, height * chip + gap)
    title = _LABEL + 2 if deep > 1 else 0
    layer = (across * host[0] + 3 * gap, down * host[1] + 3 * gap + title)
    in_a_row = min(deep, _LAYERS_IN_A_ROW)
    picture = drawsvg.Drawing(
        in_a_row * layer[0] - 2 * gap, -(-deep // in_a_row) * layer[1] - 2 * gap, class_="slice", aria_hidden="true"
    )
    hosts, chips = [], []
    for number in range(deep):
        left, top = number % in_a_row * layer[0] + gap / 2, number // in_a_row * layer[1] + gap / 2
        if title:
            first, last = number * depth + 1, (number + 1) * depth
            name = f"{first}" if first == last else f"{first}-{last}"
            picture.append(drawsvg.Text(name, 11, digits(left), digits(top + _LABEL - 2)))
        for x in range(across):
            for y in range(down):
                corner = (left + x * host[0], top + title + y * host[1])
                hosts.append(_rectangle(*corner, width * chip, height * chip))
                if draws_chips(shape):
                    chips += [
                        _rectangle(corner[0] + a * chip + inset, corner[1] + b * chip + inset, side, side)
                        for a in range(width)
                        for b in range(height)
                    ]
    picture.append(drawsvg.Path(d="".join(hosts), class_="hosts" if chips else "hosts whole"))
    if chips:
        picture.append(drawsvg.Path(d="".join(chips), class_="chips"))
    return svg(picture)


def _rectangle(left: float, top: float, width: float, height: float) -> str:
    return f"M{digits(left)} {digits(top)}h{digits(width)}v{digits(height)}h-{digits(width)}z"


def bar_svg(parts: Iterable[tuple[str, int]], whole: int) -> str:
    """A bar of parts, each with a class and a size. If they exceed ``whole``, a line marks where it ends."""
    sizes = list(parts)
    scale = max(whole, sum(size for _, size in sizes), 1)
    picture = drawsvg.Drawing(100, 14, viewBox=None, class_="bar", aria_hidden="true").set_render_size("100%", 14)
    left = 0.0
    for name, size in sizes:
        if size > 0:
            width = 100 * size / scale
            picture.append(drawsvg.Rectangle(f"{digits(left)}%", 1, f"{digits(width)}%", 12, class_=name))
            left += width
    if 0 <= whole < scale:
        picture.append(drawsvg.Rectangle(f"{digits(100 * whole / scale)}%", 0, 3, 14, class_="limit"))
    return svg(picture)


def _three(topology: Topology) -> tuple[int, int, int]:
    """The dimensions, with one layer for a grid."""
    first, second, *rest = topology.dimensions
    return first, second, rest[0] if rest else 1


def _host_block(shape: "Shape", catalog: Catalog) -> tuple[int, int, int]:
    """The chips of a host by dimension: those of the single-host slice of the machine type that divides the slice."""
    sides = _three(shape.topology)
    rows = catalog.generation(shape.generation).topologies.rows
    found = [_three(Topology.parse(row.topology)) for row in rows if row.hosts == "single"]
    for block in found:
        for turned in (block, (block[1], block[0], block[2])):
            fits = all(side % part == 0 for side, part in zip(sides, turned, strict=True))
            if fits and turned[0] * turned[1] * turned[2] == shape.chips_per_host:
                return turned
    return (1, 1, 1)

"""Draws a slice as SVG: its chips in the order of the topology, grouped by host."""

from typing import TYPE_CHECKING

import drawsvg

from pulumi_gke_tpu.catalog import Catalog, Topology

if TYPE_CHECKING:
    from pulumi_gke_tpu.fleet import Shape

_CHIP = 7
_GAP = 3
_LAYER_GAP = 10
_MOST_CHIPS = 1024
"""The most chips that are drawn one by one; of a larger slice, only the hosts are drawn."""
_LAYERS_IN_A_ROW = 8


def slice_svg(shape: "Shape", catalog: Catalog) -> str:
    """The chips and hosts of one slice: a grid, or one grid for each layer of a cube.

    The block of a host is that of the single-host slice of its machine type. Colors come from the style of the page.
    """
    columns, rows, layers = _three(shape.topology)
    width, height, depth = _host_block(shape, catalog)
    across, down = columns // width, rows // height
    host = (width * _CHIP + _GAP, height * _CHIP + _GAP)
    layer = (across * host[0] + _LAYER_GAP, down * host[1] + _LAYER_GAP)
    drawn_layers = layers // depth
    in_a_row = min(drawn_layers, _LAYERS_IN_A_ROW)
    lines = -(-drawn_layers // in_a_row)
    picture = drawsvg.Drawing(in_a_row * layer[0], lines * layer[1], id_prefix="slice", class_="slice")
    for number in range(drawn_layers):
        left, top = number % in_a_row * layer[0] + _GAP, number // in_a_row * layer[1] + _GAP
        for x in range(across):
            for y in range(down):
                _draw_host(picture, left + x * host[0], top + y * host[1], (width, height), shape.chips)
    return str(picture.as_svg(header="", skip_js=True, skip_css=True))


def _draw_host(picture: drawsvg.Drawing, left: int, top: int, size: tuple[int, int], chips: int) -> None:
    columns, rows = size
    picture.append(
        drawsvg.Rectangle(
            left, top, columns * _CHIP, rows * _CHIP, rx=2, class_="host" if chips <= _MOST_CHIPS else "chip"
        )
    )
    if chips > _MOST_CHIPS:
        return
    for x in range(columns):
        for y in range(rows):
            picture.append(
                drawsvg.Rectangle(left + x * _CHIP + 1, top + y * _CHIP + 1, _CHIP - 2, _CHIP - 2, class_="chip")
            )


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

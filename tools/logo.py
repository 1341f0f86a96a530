"""Draws the logo, a slice of the catalog, as docs/static/logo.png: each square is a chip, each color a host.

usage: tools/logo.py (needs Chromium on PATH, which makes the picture of 100 x 100 pixels)
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import drawsvg

from pulumi_gke_tpu.core.catalog import Topology, read_catalog

LOGO = pathlib.Path(__file__).resolve().parents[1] / "docs" / "static" / "logo.png"
SIZE, MARGIN, GAP = 100, 5, 4
COLORS = ("#1a73e8", "#7b2ff2", "#00a3bf", "#4b5bdc")


def drawing() -> drawsvg.Drawing:
    """A v6e slice of 4x4: of its hosts, each has the chips of a single-host slice."""
    rows = read_catalog().generation("v6e").topologies.rows
    machine_type = next(row.machine_type for row in rows if row.topology == "4x4")
    host = next(row.topology for row in rows if row.hosts == "single" and row.machine_type == machine_type)
    sides, block = Topology.parse("4x4").dimensions, Topology.parse(host).dimensions
    across = sides[0] // block[0]
    chip = (SIZE - 2 * MARGIN - (sides[0] - 1) * GAP) / sides[0]
    picture = drawsvg.Drawing(SIZE, SIZE)
    for column, row in itertools.product(range(sides[0]), range(sides[1])):
        color = COLORS[row // block[1] * across + column // block[0]]
        left, top = (MARGIN + index * (chip + GAP) for index in (column, row))
        picture.append(drawsvg.Rectangle(left, top, chip, chip, rx=4, fill=color))
    return picture


def main() -> int:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "logo.svg"
        page.write_text(drawing().as_svg() or "", encoding="utf-8")
        options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--default-background-color=00000000")
        size = f"--window-size={SIZE},{SIZE}"
        command = ["chromium", *options, size, f"--screenshot={LOGO}", page.as_uri()]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())

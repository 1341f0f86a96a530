"""Writes what the real OpenTofu and provider plan for every fleet that ``gke-tpu adopt`` takes over.

``.venv/bin/python tools/adoption_recordings.py`` records all fleets, with names only these. It needs the programs of
``tests/support/terraform/binaries.py``, and neither a network nor credentials. Run it after a change of ``adopt`` or
``export`` that changes a module, and read the differences.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from support.fleets import fleets
from support.terraform.binaries import cached
from support.terraform.witness import RECORDED, recorded, witnessed, written
from support.tool_installation import UnavailableError


def main(names: list[str]) -> int:
    """Record; 1 if the programs are not here."""
    try:
        programs = cached()
    except UnavailableError as reason:
        print(reason, file=sys.stderr)
        return 1
    kept = recorded() if RECORDED.exists() else {}
    record = {}
    for fleet in fleets():
        if not (fleet.adopted or fleet.clusters):
            continue
        if names and fleet.name not in names:
            record |= {fleet.name: kept[fleet.name]} if fleet.name in kept else {}
            continue
        with tempfile.TemporaryDirectory() as folder:
            record[fleet.name] = witnessed(fleet, programs, pathlib.Path(folder))
        print(fleet.name, *(found["plan"] for found in record[fleet.name].values()))
    RECORDED.write_text(written(record), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Writes the fleets of ``tests/data/fleets/configurations``: the real provider makes each in the stand-in of the APIs.

``.venv/bin/python tools/fleet_recordings.py`` records all of them, with names only these. It needs the programs of
``tests/support/terraform/binaries.py``, and neither a network nor credentials.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from support.fleets import FOLDER, fleets
from support.terraform.binaries import cached
from support.terraform.made_fleets import answer_about
from support.tool_installation import UnavailableError


def main(names: list[str]) -> int:
    """Record; 1 if the programs are not here."""
    try:
        programs = cached()
    except UnavailableError as reason:
        print(reason, file=sys.stderr)
        return 1
    for fleet in fleets():
        if fleet.configuration is not None and fleet.name in (names or [fleet.name]):
            with tempfile.TemporaryDirectory() as folder:
                text = answer_about(fleet, programs, pathlib.Path(folder))
            (FOLDER / f"{fleet.name}.json").write_text(text, "utf-8")
            print(fleet.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Writes what the real OpenTofu and provider plan for the single edits of plans, exported before and after.

``.venv/bin/python tools/terraform_edits.py`` records the edits of all bases, with names only these. It needs the
programs of ``tests/support/terraform/binaries.py``, and neither a network nor credentials. Read the differences before
you commit them: ``tests/features/diff/terraform/test_edits.py`` compares each plan with what ``gke-tpu diff`` says.
"""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from support.editing import BASES
from support.terraform.binaries import cached
from support.terraform.edits import FOLDER, record, written
from support.tool_installation import UnavailableError


def main(names: list[str]) -> int:
    """Record; 1 if the programs are not here."""
    try:
        programs = cached()
    except UnavailableError as reason:
        print(reason, file=sys.stderr)
        return 1
    for base in names or BASES:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = record(base, programs, pathlib.Path(folder))
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{base}.json").write_text(written(found), "utf-8")
        print(f"{base}: {len(found['edits'])} edits in {time.monotonic() - begun:.0f} s")
    for left in FOLDER.glob("*.json"):
        if left.stem not in BASES:
            left.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

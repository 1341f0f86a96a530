"""Writes the plans and states that the real OpenTofu and provider make of ``tests/data/terraform/scenarios.yaml``.

``.venv/bin/python tools/terraform_recordings.py`` records all scenarios, with names only these. It needs the programs
of ``tests/support/terraform/binaries.py``, and neither a network nor credentials. Read the differences before you
commit them: they are what users of a new version of the provider see.
"""

import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from support.terraform.binaries import cached
from support.terraform.recordings import RECORDINGS, run, scenarios
from support.tool_installation import UnavailableError


def main(names: list[str]) -> int:
    """Record; 1 if the programs are not here."""
    try:
        programs = cached()
    except UnavailableError as reason:
        print(reason, file=sys.stderr)
        return 1
    known = scenarios()
    for name in names or known:
        with tempfile.TemporaryDirectory() as folder:
            files = run(known[name], programs, pathlib.Path(folder) / "configuration")
        shutil.rmtree(RECORDINGS / name, ignore_errors=True)
        for path, text in files.items():
            target = RECORDINGS / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        print(name)
    for left in RECORDINGS.iterdir():
        if left.name not in known:
            shutil.rmtree(left)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

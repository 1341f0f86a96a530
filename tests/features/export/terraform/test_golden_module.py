"""A whole module: the same plan gives the same files, counted from 0.1.0.

A difference plans a change, or a replacement, for everybody who exports again. If it is intended, describe it in
CHANGELOG.md, and write the files again: ``gke-tpu export terraform tests/features/export/data/small/plan.yaml -o
tests/features/export/data/small --force --today 2026-11-20``.
"""

import pathlib
from typing import Any

from support.documents import ROOT

FOLDER = ROOT / "tests" / "features" / "export" / "data" / "small"


def files(folder: pathlib.Path) -> dict[str, str]:
    """Every file below a folder, without the plan."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "plan.yaml")
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}


def test_the_files_are_those_of_every_version_before(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    run = gke_tpu("export", "terraform", FOLDER / "plan.yaml", "-o", tmp_path, "--today", "2026-11-20")
    assert run.code == 0
    assert files(tmp_path) == files(FOLDER)

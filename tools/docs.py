"""Writes the pages and JSON Schemas of the documentation that are generated, in the layout of docs/.

None of them is in git: tools/build_site.py puts them on the site beside the written pages.
usage: python tools/docs.py [FOLDER]
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

from change_table import changes_page

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.features.explain.reference.docs_pages import docs_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "docs"
COMMENT = ("docs/examples/prod-before.yaml", "stacks/prod/plan.yaml", "--today", "2026-11-20", "--format", "markdown")


def main() -> None:
    """Write all of it into build/docs, which is replaced, or into the new folder that the command line names."""
    parser = argparse.ArgumentParser(description="Write the generated pages and JSON Schemas of the documentation.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="new folder; default: build/docs")
    folder: pathlib.Path | None = parser.parse_args().folder
    if folder and folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty. Name a new folder.")
    written = generated()
    if folder is None:
        shutil.rmtree(BUILD, ignore_errors=True)
    write(written, folder or BUILD)


def generated() -> dict[str, str]:
    """Path below docs/ -> content of every generated file."""
    return {
        **docs_pages(all_rules(), read_catalog().sources),
        "changes.md": changes_page(),
        "examples/comment.md": _comment(),
    }


def write(files: dict[str, str], folder: pathlib.Path) -> None:
    """Write files below a folder. None may replace a file that is there: a page is either written or generated."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(content)


def _comment() -> str:
    """The comment on a pull request that the pages about diff and GitHub link."""
    command = [sys.executable, "-c", "from pulumi_gke_tpu.cli import main; main()", "diff", *COMMENT]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 1:
        raise RuntimeError(f"gke-tpu diff exits with {done.returncode}, not with 1 for a change that needs attention")
    return done.stdout


if __name__ == "__main__":
    main()

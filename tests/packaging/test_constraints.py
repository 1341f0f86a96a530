"""`constraints.txt`: one set of versions, installable with every Python that the package supports."""

import importlib.metadata
import pathlib
import re

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = pathlib.Path(__file__).parents[2]
LINES = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]
PINNED = {canonicalize_name(line.partition("==")[0]): line.partition("==")[2] for line in LINES}
OLDEST = re.search(r'^requires-python = ">=(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)


def needed(extra: str) -> set[str]:
    """Everything that is installed with an extra and with nothing; names in one spelling."""
    found: set[str] = set()
    waiting = [("pulumi-gke-tpu", {extra, ""})]
    while waiting:
        name, extras = waiting.pop()
        try:
            lines = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:  # for another Python or system
            continue
        for requirement in map(Requirement, lines):
            below = canonicalize_name(requirement.name)
            applies = requirement.marker is None or any(requirement.marker.evaluate({"extra": one}) for one in extras)
            if applies and below not in found:
                found.add(below)
                waiting.append((below, {*requirement.extras, ""}))
    return found


def test_every_line_pins_one_version_and_names_are_sorted() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert [canonicalize_name(line.partition("==")[0]) for line in LINES] == sorted(PINNED)


def test_everything_that_is_installed_is_pinned() -> None:
    assert sorted((needed("dev") | needed("docs") | needed("policy")) - PINNED.keys()) == []


def test_pinned_versions_support_the_oldest_python_except_those_that_build_the_site() -> None:
    assert OLDEST is not None
    site_only = needed("docs") - needed("dev") - needed("policy")
    too_new = []
    for name, version in PINNED.items():
        try:
            metadata = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:  # for another Python or system
            continue
        if metadata["Version"] == version and name not in site_only:
            supported = SpecifierSet(metadata["Requires-Python"] or "")
            too_new += [] if OLDEST[1] in supported else [f"{name} {version} needs Python {supported}"]
    assert too_new == []

"""`constraints.txt`: one set of versions, installable with every Python that the package supports."""

import importlib.metadata
import pathlib
import re
import sys

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = pathlib.Path(__file__).parents[2]
LINES = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]
PINNED = {canonicalize_name(line.partition("==")[0]): line.partition("==")[2] for line in LINES}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def needed(*extras: str) -> set[str]:
    """Everything that is installed with these extras, and with none; names in one spelling."""
    waiting = [
        *PROJECT["dependencies"],
        *(line for extra in extras for line in PROJECT["optional-dependencies"][extra]),
    ]
    found: set[str] = set()
    seen = set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found.add(name)
        for extra in {"", *requirement.extras} - {one for other, one in seen if other == name}:
            seen.add((name, extra))
            waiting += [line for line in _requires(name) if _applies(Requirement(line), extra)]
    return found


def _requires(name: str) -> list[str]:
    try:
        return importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:  # for another Python or system
        return []


def _applies(requirement: Requirement, extra: str) -> bool:
    """Whether it is needed with an extra, or always."""
    if requirement.marker is None:
        return extra == ""
    return requirement.marker.evaluate({"extra": extra}) and (extra == "" or "extra" in str(requirement.marker))


def test_every_line_pins_one_version_and_names_are_sorted() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert [canonicalize_name(line.partition("==")[0]) for line in LINES] == sorted(PINNED)


def test_everything_that_is_installed_is_pinned() -> None:
    assert sorted(needed("dev", "docs", "policy") - PINNED.keys()) == []


def test_pinned_versions_support_the_oldest_python_except_those_that_build_the_site() -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    site_only = needed("docs") - needed("dev", "policy")
    too_new = []
    for name, version in PINNED.items():
        try:
            metadata = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:  # for another Python or system
            continue
        if metadata["Version"] == version and name not in site_only:
            supported = SpecifierSet(metadata["Requires-Python"] or "")
            too_new += [] if oldest in supported else [f"{name} {version} needs Python {supported}"]
    assert too_new == []

"""How the source is laid out: small modules that state their purpose, and names with a meaning."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest
from support.source_files import ROOT, computing, modules

LONGEST = 600
LONGER = {"components/args.py": sys.maxsize}
"""The arguments are generated."""
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc", "tools", "base_classes"}
NOT_IMPORTABLE = ("catalog", "stacks", "tests", "benchmarks", "tools")


def test_the_first_line_says_what_the_module_is_for() -> None:
    without = [
        module.name for module in modules() if not module.text.startswith('"""') or not says_something(module.tree)
    ]
    assert without == []


def says_something(tree: ast.Module) -> bool:
    """Whether the first line of a module's documentation has more than two words."""
    return len((ast.get_docstring(tree) or "-").splitlines()[0].split()) > 2


def test_modules_are_short() -> None:
    lines = {module.name: len(module.text.splitlines()) for module in modules()}
    assert {name: count for name, count in lines.items() if count > LONGER.get(name, LONGEST)} == {}
    assert [name for name in LONGER if lines.get(name, 0) <= LONGEST] == [], "no longer needs to be an exception"


def test_names_of_modules_mean_something() -> None:
    assert [module.name for module in modules() if EMPTY_WORDS & set(re.split(r"[/_.]", module.name))] == []


def test_only_the_command_line_prints() -> None:
    prints = {"print", "input", "sys.stdout.write", "sys.stderr.write", "sys.exit", "click.echo"}
    assert [f"{module.name}: {name}" for module in computing() for name in module.calls() if name in prints] == []


@pytest.mark.parametrize("folder", NOT_IMPORTABLE)
def test_folders_that_are_not_packages(folder: str) -> None:
    assert not list((ROOT / folder).rglob("__init__.py"))


def test_every_package_has_its_file() -> None:
    folders = {(ROOT / "components" / "pulumi_gke_tpu" / module.name).parent for module in modules()}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_no_file_has_markers_of_a_merge_conflict() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    marker = re.compile(rb"^(<{7} |>{7} )", re.MULTILINE)
    assert [str(path) for path in files if marker.search(path.read_bytes())] == []


PACKAGE = ROOT / "components" / "pulumi_gke_tpu"
FEATURES = [path.parent for path in sorted((PACKAGE / "features").glob("*/__init__.py"))]


@pytest.mark.parametrize("feature", FEATURES, ids=lambda path: path.name)
def test_a_feature_says_what_it_is_where_its_data_comes_from_and_how_to_change_it(feature: pathlib.Path) -> None:
    text = (feature / "README.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        f"# {feature.name}",
        "## Data",
        "## Change it",
    ]
    assert len(text.splitlines()) <= 30


@pytest.mark.parametrize("feature", FEATURES, ids=lambda path: path.name)
def test_every_path_in_the_page_of_a_feature_exists(feature: pathlib.Path) -> None:
    """A path is below the feature, the package or the repository; capital words in it stand for any name."""
    text = (feature / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_.]+/[A-Za-z_/.]*|[a-z_]+\.(?:py|yaml))`", text) + re.findall(r"\]\(([^)]+)\)", text)
    places = (feature, PACKAGE, ROOT, ROOT / "catalog")
    missing = [name for name in named if not any(list(place.glob(re.sub("[A-Z]{3,}", "*", name))) for place in places)]
    assert named
    assert missing == []


def test_the_page_of_a_feature_names_each_feature_that_it_may_import() -> None:
    contract = (ROOT / ".importlinter").read_text(encoding="utf-8")
    pairs = set(re.findall(r"features\.(\w+)\.\S+ -> pulumi_gke_tpu\.features\.(\w+)\.", contract))
    assert ("report", "cost") in pairs
    for importer, imported in sorted(pairs):
        page = (PACKAGE / "features" / importer / "README.md").read_text(encoding="utf-8")
        assert re.search(rf"`(?:features/)?{imported}\b", page.partition("May import")[2]), (importer, imported)

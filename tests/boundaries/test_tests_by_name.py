"""The tests of a part have its name: ``tests/core/PART``, ``tests/features/FEATURE``, and for rules the module too."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE, TESTS = ROOT / "components" / "pulumi_gke_tpu", ROOT / "tests"
OF_SEVERAL_MODULES = {
    "capacity/rules/test_chip_reservations.py",
    "capacity/rules/test_inventory_guide.py",
    "check/rules/test_dynamic_slices.py",
    "check/rules/test_manifest_examples.py",
    "check/rules/test_manifest_neighbors.py",
    "check/rules/test_silent_manifests.py",
    "diff/rules/test_transition_examples.py",
}
"""Tests below ``tests/features`` of what rules of several modules do together."""


def parts(folder: pathlib.Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_dir() and any(path.rglob("*.py"))}


@pytest.mark.parametrize("layer", ["core", "features"])
def test_every_folder_of_tests_has_the_name_of_a_part(layer: str) -> None:
    named = parts(TESTS / layer)
    assert named
    assert sorted(named - parts(PACKAGE / layer)) == []


def test_every_feature_has_tests() -> None:
    assert sorted(parts(PACKAGE / "features") - parts(TESTS / "features")) == []


def test_topics_of_rules_have_the_names_of_their_packages() -> None:
    topics = parts(TESTS / "core" / "rules")
    assert topics
    assert sorted(topics - parts(PACKAGE / "core" / "rules")) == []


def without_a_module(tests: pathlib.Path, package: pathlib.Path) -> list[str]:
    """The modules of tests that have no module of rules with their name in the same folder."""
    return [
        path.relative_to(tests).as_posix()
        for path in sorted(tests.rglob("rules/**/test_*.py"))
        if not (package / path.relative_to(tests).parent / path.name.removeprefix("test_")).exists()
    ]


def test_the_tests_of_a_rule_have_the_name_of_its_module() -> None:
    core = without_a_module(TESTS / "core", PACKAGE / "core")
    assert [path for path in core if not path.startswith("rules/engine/")] == []
    assert set(without_a_module(TESTS / "features", PACKAGE / "features")) == OF_SEVERAL_MODULES

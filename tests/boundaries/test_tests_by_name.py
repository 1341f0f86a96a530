"""The tests of a part have its name: ``tests/core/PART`` and ``tests/features/FEATURE``."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE, TESTS = ROOT / "components" / "pulumi_gke_tpu", ROOT / "tests"


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

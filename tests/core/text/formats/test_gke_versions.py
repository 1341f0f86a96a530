"""GKE versions: which are complete, their parts and their order."""

import pytest

from pulumi_gke_tpu.core.text.formats.versions import GkeVersion


def test_a_version_has_its_parts_in_the_order_of_the_text() -> None:
    version = GkeVersion.parse("1.34.5-gke.3084001")
    assert (version.major, version.minor, version.patch, version.build) == (1, 34, 5, 3084001)
    assert str(version) == "1.34.5-gke.3084001"


def test_a_version_without_a_build_has_build_0() -> None:
    assert GkeVersion.parse("1.34.5") == GkeVersion.parse("1.34.5-gke.0")


@pytest.mark.parametrize("text", ["1.34", "1", "", "latest", "1.34.x", "1.34.1-gke."])
def test_a_version_without_a_patch_is_not_complete(text: str) -> None:
    with pytest.raises(ValueError, match="is not a complete GKE version"):
        GkeVersion.parse(text)


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("1.9.0", "1.10.0"),
        ("1.34.9", "1.34.10"),
        ("1.34.1-gke.9", "1.34.1-gke.10"),
        ("1.34.1-gke.9", "1.34.2"),
        ("1.34.9", "2.0.0"),
    ],
)
def test_versions_are_ordered_by_numbers(lower: str, higher: str) -> None:
    assert GkeVersion.parse(lower) < GkeVersion.parse(higher)

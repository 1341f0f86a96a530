"""Locations, paths of properties and resource labels: what their forms mean."""

import pytest

from pulumi_gke_tpu.core.text.formats.names import fits_resource_label, is_resource_label_key, region_of
from pulumi_gke_tpu.core.text.formats.property_path import contains, parse_path


@pytest.mark.parametrize(
    ("location", "region"),
    [("us-east5-b", "us-east5"), ("us-south1-ai1b", "us-south1"), ("us-east5", "us-east5"), ("nowhere", "nowhere")],
)
def test_the_region_of_a_zone_is_the_zone_without_its_end(location: str, region: str) -> None:
    assert region_of(location) == region


@pytest.mark.parametrize(
    ("around", "steps", "expected"),
    [
        ("nodeConfig", "nodeConfig", True),
        ("nodeConfig", "nodeConfig.taints[0].value", True),
        ("nodeConfig.taints[*].value", "nodeConfig.taints[3].value", True),
        ("nodeConfig.taints", "nodeConfig", False),
        ("nodeConfig", "nodeLocations", False),
    ],
)
def test_an_option_contains_its_property_and_those_in_it(around: str, steps: str, expected: bool) -> None:
    assert contains(parse_path(around), parse_path(steps)) is expected


@pytest.mark.parametrize("text", ["", "a", "5", "a-b_c", "ä", "a" * 63])
def test_google_cloud_accepts_lower_case_letters_digits_underscores_and_hyphens(text: str) -> None:
    assert fits_resource_label(text)


@pytest.mark.parametrize("text", ["A", "a.b", "a/b", "a b", "a" * 64])
def test_google_cloud_rejects_other_characters_in_a_label(text: str) -> None:
    assert not fits_resource_label(text)


@pytest.mark.parametrize("key", ["a", "a5", "team-tpu"])
def test_a_key_starts_with_a_letter(key: str) -> None:
    assert is_resource_label_key(key)


@pytest.mark.parametrize("key", ["", "5a", "-a", "_a", "A", "goog-a"])
def test_a_key_with_another_start_or_the_prefix_of_google_is_rejected(key: str) -> None:
    assert not is_resource_label_key(key)

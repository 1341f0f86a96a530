"""Lists of what is allowed: where one is cut, it says so."""

import pytest

from pulumi_gke_tpu.catalog import VersionRange
from pulumi_gke_tpu.findings.suggestions import Suggestions
from pulumi_gke_tpu.rules.inventory.offered import _newest


@pytest.mark.parametrize(
    ("choices", "last"), [(1, "c000"), (20, "c019"), (21, "c020"), (22, "and 2 more"), (1200, "and 1,180 more")]
)
def test_a_list_of_choices_that_is_cut_says_how_many_more_there_are(choices: int, last: str) -> None:
    shown = Suggestions(f"c{number:03}" for number in range(choices)).shown
    assert shown[-1] == last
    assert len(shown) <= 21


@pytest.mark.parametrize(("versions", "first"), [(1, "1.0"), (8, "1.0"), (9, "1 older"), (30, "22 older")])
def test_a_list_of_versions_that_is_cut_says_how_many_older_ones_there_are(versions: int, first: str) -> None:
    shown = _newest([VersionRange.parse(f"1.{minor}") for minor in reversed(range(versions))])
    assert shown[0] == first
    assert shown[-1] == f"1.{versions - 1}"

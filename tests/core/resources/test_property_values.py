"""Values of properties in the words and types that the provider has, without what it reports by itself."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.object_sources.described import fitted
from pulumi_gke_tpu.core.resources.values import without_reported

TYPES = {"a": "integer", "b": "boolean", "c": "string", "d": "map", "e.a": "integer", "f": "integer"}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": "4"}, {"a": 4}),
        ({"a": "four"}, {"a": "four"}),
        ({"a": 4}, {"a": 4}),
        ({"b": "true"}, {"b": True}),
        ({"b": "false"}, {"b": False}),
        ({"b": "4"}, {"b": "4"}),
        ({"c": "4"}, {"c": "4"}),
        ({"c": "true"}, {"c": "true"}),
        ({"d": {"a": "4", "b": "true"}}, {"d": {"a": "4", "b": "true"}}),
        ({"e": {"a": "4", "x": "4"}}, {"e": {"a": 4, "x": "4"}}),
        ({"f": ["1", "x"]}, {"f": [1, "x"]}),
        ({"unheard": "4"}, {"unheard": "4"}),
    ],
)
def test_text_is_the_number_or_boolean_that_the_provider_has_there(value: Any, found: Any) -> None:
    assert fitted(value, TYPES) == found


LOCATIONS = {"autoscaling": {"locationPolicy": "BALANCED", "maxNodeCount": 4}}


@pytest.mark.parametrize(
    ("values", "existing", "left"),
    [
        (LOCATIONS, LOCATIONS, {"autoscaling": {"maxNodeCount": 4}}),
        (LOCATIONS, {"autoscaling": {"locationPolicy": "ANY"}}, LOCATIONS),
        ({"autoscaling": {"locationPolicy": "ANY"}}, {"autoscaling": {"locationPolicy": "ANY"}}, None),
        ({"upgradeSettings": {"strategy": "SURGE"}}, {"upgradeSettings": {"strategy": "SURGE"}}, {}),
        ({"management": {"autoRepair": True}}, {"management": {"autoRepair": True}}, None),
        ({"nodeCount": 4, "initialNodeCount": 2}, {"initialNodeCount": 2}, {"nodeCount": 4}),
        ({"nodeCount": 4, "initialNodeCount": 2}, {"initialNodeCount": 3}, None),
        ({"initialNodeCount": 2}, {"initialNodeCount": 2}, None),
    ],
)
def test_what_the_provider_reports_by_itself_is_left_out(values: Any, existing: Any, left: Any) -> None:
    found = without_reported(values, existing, read_catalog().provider)
    assert {key: item for key, item in found.items() if item != {}} == (values if left is None else left)

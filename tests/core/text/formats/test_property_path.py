"""Paths to properties: what is at them."""

from types import MappingProxyType

from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at

DATA = {"nodeConfig": {"taints": [{"value": "a"}], "labels": MappingProxyType({"x.y/z": "b"})}, "empty": None}


def test_a_value_is_found_in_mappings_and_lists() -> None:
    assert value_at(DATA, parse_path("nodeConfig.taints[0].value")) == "a"
    assert value_at(DATA, parse_path('nodeConfig.labels["x.y/z"]')) == "b"
    assert value_at(DATA, ()) == DATA


def test_what_is_not_there_is_none() -> None:
    for path in ("other", "empty.inside", "nodeConfig.taints[1]", "nodeConfig.taints.value", "nodeConfig[0]"):
        assert value_at(DATA, parse_path(path)) is None, path
    assert value_at(DATA, ("nodeConfig", "taints", -1)) is None

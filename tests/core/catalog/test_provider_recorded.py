"""The values that GKE reports according to the catalog, compared with those that the real provider stored."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.each import each
from support.real_outputs import Real, nested, real_resources, real_types

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange

PROVIDER = read_catalog().provider
CLUSTER = "gcp:container/cluster:Cluster"
OF_POOLS = ("nodeConfig", "nodePools")
"""What a cluster shows of its node pools."""

NOT_RECORDED = {
    CLUSTER: ("anonymousAuthenticationConfig", "rbacBindingConfig"),
    "gcp:container/nodePool:NodePool": ("networkConfig.podCidrOverprovisionConfig",),
}
"""Blocks that GKE reports; the API of the recording was emulated, and did not."""


def known(token: str) -> dict[str, PropertyChange]:
    return {
        path: item
        for path, item in PROVIDER.resources[token].properties.items()
        if token != CLUSTER or path.split(".")[0] not in OF_POOLS
    }


def at(value: Any, path: str) -> Any:
    """The value of a property; of a list of blocks that of the first."""
    for name in path.split("."):
        value = value[0] if isinstance(value, list) and value else value
        value = value.get(name) if isinstance(value, dict) else None
    return value


def unwritten(real: Real) -> Iterator[tuple[str, Any]]:
    """Properties with a value in the outputs although the program did not write them, in blocks that it did write."""
    for state in real.states:
        outputs = nested(state)
        for path in known(real.type):
            block = path.rpartition(".")[0]
            found = at(outputs, path)
            written = at(real.inputs, path) is not None or (block and at(real.inputs, block) is None)
            if not written and found not in (None, "", 0, False, [], {}):
                yield path, found


@each("real", real_resources())
def test_values_that_gke_adds_are_not_a_difference(real: Real) -> None:
    properties = known(real.type)
    unexplained = {
        path: value
        for path, value in unwritten(real)
        if not properties[path].computed and properties[path].default is None and properties[path].reported is None
    }
    assert unexplained == {}


@pytest.mark.parametrize("token", real_types())
def test_a_block_that_is_always_reported_is_in_every_state(token: str) -> None:
    for path, item in known(token).items():
        if item.reported != {} or path in NOT_RECORDED.get(token, ()):
            continue
        block = path.rpartition(".")[0]
        for real in real_resources(token):
            for outputs in map(nested, real.states):
                assert isinstance(at(outputs, path), dict) or (block and at(outputs, block) is None), (str(real), path)


def test_an_autopilot_cluster_has_what_the_catalog_says() -> None:
    said = {
        path: item.reported_on_autopilot
        for path, item in known(CLUSTER).items()
        if item.reported_on_autopilot is not None
    }
    assert said
    clusters = [real for real in real_resources(CLUSTER) if real.inputs.get("enableAutopilot")]
    assert clusters
    for real in clusters:
        outputs, project = nested(real.created), real.inputs["project"]
        expected = {path: _with_project(value, project) for path, value in said.items()}
        assert {path: at(outputs, path) for path in said} == expected


def _with_project(value: Any, project: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_project(item, project) for key, item in value.items()}
    return value.replace("{project}", project) if isinstance(value, str) else value

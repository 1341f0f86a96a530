"""Faults of the SDK's host for components, for which the plugin has a provider and a servicer of its own.

Each test shows that a fault is still there. A failing test means that the SDK was fixed; when all are, its
``ComponentProvider`` can take the place of ``TpuProvider``, and its servicer that of ``TpuServicer``.
"""

import asyncio
import enum
from typing import Any, TypedDict

import pulumi
import pytest
from pulumi.errors import InputPropertiesError
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ComponentInitError, ProviderServicer
from pulumi.runtime.proto import provider_pb2
from typing_extensions import NotRequired

from pulumi_gke_tpu.features.plugin.provider import TpuProvider, TpuServicer
from pulumi_gke_tpu.features.plugin.schema import read_package

GROUP = "gke-tpu:index:TpuSlices"


class Color(enum.Enum):
    RED = "red"


class InheritedArgs(TypedDict):
    inherited: NotRequired[str]
    """Described here."""


class SampleArgs(InheritedArgs):
    count: NotRequired[int]
    flowing: NotRequired[pulumi.Input[int]]
    colors: NotRequired[list[Color]]


class Sample(pulumi.ComponentResource):
    """Rejects any arguments."""

    def __init__(self, name: str, args: SampleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        raise InputPropertiesError("2 errors", [{"property_path": "count", "reason": "too many"}])


@pytest.fixture(scope="module")
def host() -> ComponentProvider:
    return ComponentProvider([Sample], "sample")


def mapped(host: ComponentProvider, inputs: dict[str, Any]) -> dict[str, Any]:
    return host.map_inputs(inputs, host._component_defs["Sample"])


def ours(inputs: dict[str, Any]) -> dict[str, Any]:
    return read_package().arguments(GROUP, inputs)


def test_integers_stay_floats(host: ComponentProvider) -> None:
    assert isinstance(mapped(host, {"count": 2.0})["count"], float)
    assert isinstance(ours({"count": 2.0})["count"], int)


def test_an_output_for_an_integer_fails(host: ComponentProvider) -> None:
    async def later() -> pulumi.Output[Any]:
        return pulumi.Output.from_input(2.0)

    output = asyncio.run(later())
    with pytest.raises(TypeError):
        mapped(host, {"flowing": output})
    assert ours({"count": output})["count"] is output


def test_lists_of_enums_are_emptied(host: ComponentProvider) -> None:
    """The arguments here have texts instead, described with their words."""
    assert mapped(host, {"colors": ["red"]})["colors"] == [{}]
    assert ours({"taints": [{"effect": "NO_SCHEDULE"}]}) == {"taints": [{"effect": "NO_SCHEDULE"}]}


def test_unknown_keys_are_dropped(host: ComponentProvider) -> None:
    assert mapped(host, {"cuont": 2.0}) == {}
    assert ours({"cuont": 2.0}) == {"cuont": 2}


def test_errors_about_properties_are_hidden_in_another_error(host: ComponentProvider) -> None:
    """The servicer shows anything but an InputPropertiesError with a traceback."""
    with pytest.raises(ComponentInitError):
        host.construct("name", "sample:index:Sample", {})
    with pytest.raises(InputPropertiesError):
        TpuProvider().construct("name", GROUP, {})


def test_inherited_descriptions_are_lost(host: ComponentProvider) -> None:
    """Those of the package schema are put in by pulumi_gke_tpu.features.plugin.schema."""
    assert host._component_defs["Sample"].inputs["inherited"].description is None
    slices = read_package().components[GROUP]["inputProperties"]
    assert slices["topology"]["description"].startswith("Topology of one slice")


def test_custom_timeouts_are_dropped() -> None:
    timeouts = provider_pb2.ConstructRequest.CustomTimeouts(create="3h")
    request = provider_pb2.ConstructRequest(customTimeouts=timeouts)
    assert ProviderServicer._construct_options(request).custom_timeouts is None
    kept = TpuServicer._construct_options(request).custom_timeouts
    assert (kept.create, kept.update, kept.delete) == ("3h", None, None)

"""What other languages send, as arguments in Python, and paths the way back."""

import asyncio
from typing import Any

import pytest
from pulumi import Output
from pulumi.output import Unknown

from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.features.plugin.arguments import in_camel_case
from pulumi_gke_tpu.features.plugin.schema import path_as_given, read_package

STANDARD = "gke-tpu:index:StandardCluster"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"releaseChannel": "rapid"}, {"release_channel": "rapid"}),
        ({"security": {"dataplaneV2": True}}, {"security": {"dataplane_v2": True}}),
        ({"systemPool": {"minNodes": 1.0}}, {"system_pool": {"min_nodes": 1}}),
        (
            {"slices": {"myGroup": {"bootDisk": {"sizeGib": 9.5}}}},
            {"slices": {"myGroup": {"boot_disk": {"size_gib": 9.5}}}},
        ),
        ({"slices": {"a": {"indices": [0.0, 2.0]}}}, {"slices": {"a": {"indices": [0, 2]}}}),
        ({"slices": {"a": {"taints": [{"key": "someKey"}]}}}, {"slices": {"a": {"taints": [{"key": "someKey"}]}}}),
        ({"autoprovisioning": {"tpu": {"v6e": 8.0}}}, {"autoprovisioning": {"tpu": {"v6e": 8}}}),
        ({"resourceLabels": {"costCentre": "a_b"}}, {"resource_labels": {"costCentre": "a_b"}}),
        ({"extra": {"nodeConfig": {"diskSizeGb": 50.0}}}, {"extra": {"nodeConfig": {"diskSizeGb": 50}}}),
        ({"slices": {"a": {"bootDisk": None, "tpu": "v6e"}}}, {"slices": {"a": {"tpu": "v6e"}}}),
        ({"systemPool": "small"}, {"system_pool": "small"}),
        ({"slices": [{"tpu": "v6e"}]}, {"slices": [{"tpu": "v6e"}]}),
        ({"relaeseChannel": "rapid"}, {"relaeseChannel": "rapid"}),
    ],
)
def test_arguments(sent: dict[str, Any], expected: dict[str, Any]) -> None:
    made = read_package().arguments(STANDARD, sent)
    assert made == expected
    assert repr(made) == repr(expected), "equal, but not of the same types"


def test_what_is_unknown_in_a_preview_flows_on_as_an_output() -> None:
    async def made() -> dict[str, Any]:
        return read_package().arguments(STANDARD, {"kmsKey": Unknown()})

    assert isinstance(asyncio.run(made())["kms_key"], Output)


def test_every_property_comes_back_under_its_name_in_python() -> None:
    package = read_package()
    kinds = [*package.types.values(), *package.components.values()]
    names = {name for kind in kinds for part in ("properties", "inputProperties") for name in kind.get(part, ())}
    assert len(names) > 100
    assert [name for name in sorted(names) if camel_case(snake_case(name)) != name] == []


@pytest.mark.parametrize(
    ("path", "inputs", "expected"),
    [
        (("min_version",), {"minVersion": 1.3}, ("minVersion",)),
        (("boot_disk", "size_gib"), {"bootDisk": {"sizeGib": 1}}, ("bootDisk", "sizeGib")),
        (("boot_disk", "size_gib"), {"bootDisk": {}}, ("bootDisk", "sizeGib")),
        (("boot_disk", "size_gib"), {}, ("bootDisk", "sizeGib")),
        (
            ("slices", "my_group", "chips_per_host"),
            {"slices": {"my_group": {}}},
            ("slices", "my_group", "chipsPerHost"),
        ),
        (("taints", 1, "key"), {"taints": [{}]}, ("taints", 1, "key")),
        (("boot_disk", "typ"), {"boot_disk": {"typ": "x"}}, ("boot_disk", "typ")),
        (("slices", "a"), {"slices": "none"}, ("slices", "a")),
        ((), {}, ()),
    ],
)
def test_paths(path: Path, inputs: dict[str, Any], expected: Path) -> None:
    assert path_as_given(path, inputs) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("min_version takes text", "minVersion takes text"),
        ("allowed: chips_per_host: 8", "allowed: chips_per_host: 8"),
        ("chips_per_host: 8, boot_disk", "chipsPerHost: 8, bootDisk"),
        ("surge, blue_green", "surge, blue_green"),
        ("blue_green: {batch_soak: 1h}", "blueGreen: {batchSoak: 1h}"),
        ("strategy: blue_green", "strategy: blue_green"),
        ("or the value end_of_support", "or the value end_of_support"),
        ("invalid name a_group", "invalid name a_group"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert in_camel_case(text) == expected

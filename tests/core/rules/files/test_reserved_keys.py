"""Rules about keys that Pulumi reserves."""

import json
from typing import Any

import pytest
import yaml

RESERVED = "4dabf18193072939515e22adb298388d"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"extra": {"nodeConfig": {"metadata": {RESERVED: "x"}}}}),
        json.dumps({"node_labels": {RESERVED: "x"}}),
    ],
)
def test_a_key_that_pulumi_reserves_is_an_error_wherever_it_is(broken: Any, text: str) -> None:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", **json.loads(text)}
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"pretrain": group}}
    document = {"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}
    assert broken(yaml.safe_dump(document)) == ["TPU027"]


def test_a_cluster_cannot_have_the_key_that_pulumi_reserves(broken: Any) -> None:
    cluster = {"mode": "standard", "location": "us-east5", "name": "train"}
    document = {"version": 1, "project": "acme-ml", "clusters": {RESERVED: cluster}}
    assert broken(yaml.safe_dump(document)) == ["TPU027"]

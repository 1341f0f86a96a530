"""Answers of GKE that differ from those of the fleets in a property: what the plan says of it."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from support.each import each
from support.fleets import Fleet, adoptions, as_json, fleets

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.document.model import Bullets
from pulumi_gke_tpu.features.adopt.adoption import Adoption, adopt_fleets
from pulumi_gke_tpu.features.adopt.output.document import adoption_page

BY_NAME = {fleet.name: fleet for fleet in fleets()}
Change = Callable[[Any], object]


def adopted(answer: Any) -> Adoption:
    """The adoption of an answer with one project."""
    catalog = read_catalog()
    found = ResourceReader(catalog).read("answer.json", json.dumps(answer).encode())
    assert found is not None
    (adoption,) = adopt_fleets(found.found, catalog)
    return adoption


def cluster(name: str = "gcloud_cluster", **changes: Any) -> Any:
    """The answer of a fleet with other properties of the cluster."""
    return {**copy.deepcopy(as_json(BY_NAME[name])), **changes}


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    if isinstance(value, dict):
        keys = order.sample(sorted(value), len(value))
        return {key: shuffled(value[key], order) for key in keys}
    return value


@each("fleet", [fleet for fleet in fleets() if not fleet.recording], lambda fleet: fleet.name)
def test_the_order_of_keys_in_a_source_has_no_meaning(fleet: Fleet) -> None:
    plans = [adoption.plan for adoption in adoptions(fleet)]
    for seed in range(3):
        assert [adopted(shuffled(as_json(fleet), random.Random(seed))).plan] == plans


HOST = "projects/host/global/networks/shared"
OF_HOST = "projects/host/regions/us-east5/subnetworks/tpus"


@pytest.mark.parametrize("first", ["network", "networkConfig"])
@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (
            {"network": HOST, "subnetwork": OF_HOST},
            {"network": HOST, "subnetwork": OF_HOST},
        ),
        (
            {"network": "projects/acme-ml/global/networks/shared", "subnetwork": OF_HOST.replace("host", "acme-ml")},
            {"network": "shared", "subnetwork": "tpus"},
        ),
        ({}, {"network": "shared", "subnetwork": "tpus"}),
    ],
    ids=["shared VPC", "own network", "names only"],
)
def test_the_path_of_a_network_wins_over_its_name(first: str, paths: Any, expected: Any) -> None:
    answer = cluster(network="shared", subnetwork="tpus")
    answer["networkConfig"] = {"datapathProvider": "ADVANCED_DATAPATH", **paths}
    answer = {first: answer.pop(first), **answer}
    assert adopted(answer).plan["clusters"]["training"]["network"] == expected


@pytest.mark.parametrize(
    "policy",
    [
        {"provider": "PROVIDER_UNSPECIFIED"},
        {"enabled": False, "provider": "PROVIDER_UNSPECIFIED"},
        {"provider": ""},
        {},
    ],
    ids=["answer", "state", "empty", "block"],
)
def test_a_network_policy_that_is_off_is_not_in_the_plan(policy: Any) -> None:
    assert "extra" not in adopted(cluster(networkPolicy=policy)).plan["clusters"]["training"]
    on = {"enabled": True, "provider": "CALICO"}
    assert adopted(cluster(networkPolicy=on)).plan["clusters"]["training"]["extra"] == {"networkPolicy": on}


def test_what_several_node_pools_have_in_common_is_one_line() -> None:
    (_, stays, *_) = adoption_page(adoptions(BY_NAME["toolkit_v6e_static"]), ()).blocks
    assert isinstance(stays, Bullets)
    assert [line.partition(": ")[0] for line in stays.entries] == ["v6e-pool-0 and v6e-pool-1"]

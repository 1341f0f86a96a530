"""Adopted fleets in the stand-in of the provider, which checks and compares as the provider does: nothing changes."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.each import each
from support.fleets import Fleet, adoptions, fleets, put_answer, put_into, taken
from support.gcp_standin.cloud import Cloud
from support.plan_corpus import catalog
from support.recorded_clusters import as_file, recorded_clusters, with_additions
from support.sampling import sample

from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.adopt.adoption import Adoption, adopt_fleets

Json = dict[str, Any]

MOST = 24
"""Clusters that a run tries, spread over the tests of Config Connector; with ``--all`` every one."""
NOTHING_TO_ADOPT = ("cluster-124", "cluster-125", "cluster-126", "cluster-127")
"""Auto-provisioning that no plan described, and node pools in zones without v6e."""


def adopted(answer: Json) -> Iterator[Adoption]:
    found = ResourceReader(catalog()).read("cluster.json", as_file(answer))
    assert found is not None
    return (adoption for adoption in adopt_fleets(found.found, catalog()) if adoption.graph is not None)


def previews(adoption: Adoption, cloud: Cloud) -> tuple[Any, Any]:
    """What a preview changes after the import, and after another read."""
    stack, program = taken(adoption, cloud)
    first = stack.preview(program)
    stack.refresh()
    return first, stack.preview(program)


@each("fleet", [fleet for fleet in fleets() if fleet.adopted or fleet.clusters], lambda fleet: fleet.name)
@pytest.mark.parametrize("added", [("tpu", "queued", "no_ip_endpoint", "every"), ()], ids=["added", "not added"])
def test_a_fleet_is_left_as_it_is(fleet: Fleet, added: tuple[str, ...]) -> None:
    for adoption in adoptions(fleet):
        if adoption.graph is not None:
            cloud = Cloud()
            cloud.knobs.added = added
            put_into(cloud, fleet)
            assert previews(adoption, cloud) == ({}, {})


@pytest.mark.parametrize("whose", [(), ("console",)], ids=["as recorded", "made in the console"])
def test_a_recorded_cluster_is_left_as_it_is(whose: tuple[str, ...]) -> None:
    offenders = {}
    for recorded, plain in sample(recorded_clusters(), MOST, lambda item: item[0].case, of=str(whose)):
        answer = with_additions(plain, *whose)
        found = list(adopted(answer))
        if not found:
            assert recorded.id in NOTHING_TO_ADOPT
        for adoption in found:
            cloud = Cloud()
            put_answer(cloud, answer)
            changes = previews(adoption, cloud)
            if changes != ({}, {}):
                offenders[recorded.id, recorded.case] = changes
    assert offenders == {}


def test_every_recorded_cluster_has_a_tpu_node_pool() -> None:
    every = {recorded.id: answer for recorded, answer in recorded_clusters()}
    assert len(every) == 106
    assert every.keys() >= {*NOTHING_TO_ADOPT}
    assert {answer["nodePools"][-1]["name"] for answer in every.values()} == {"tpu-train"}

"""A component under another name with ``aliases``, as docs/library.md describes it."""

from collections.abc import Callable
from typing import Any

import pulumi
from support.engine.engine_cloud import Engine
from support.gcp_standin.knowledge import CLUSTER as CLUSTERS

CLUSTER: Any = {
    "project": "acme-ml",
    "location": "us-east5",
    "deletion_protection": False,
    "slices": {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}},
}


def program(component: str, former: str = "", **more: Any) -> Callable[[], None]:
    def run() -> None:
        from pulumi_gke_tpu import StandardCluster

        options = pulumi.ResourceOptions(aliases=[pulumi.Alias(name=former)] if former else None)
        StandardCluster(component, {**CLUSTER, **more}, options)

    return run


def test_an_alias_keeps_the_resources_but_not_the_name_of_the_cluster(engine: Engine) -> None:
    stack = engine.stack("prod")
    assert stack.up(program("east")).error == ""
    run = stack.up(program("west", former="east"))
    assert run.error == ""
    assert not {"create", "delete"} & set(run.ops().values())
    assert "Cluster west" in run.ops()
    assert engine.cloud.names(CLUSTERS) == ["projects/acme-ml/locations/us-east5/clusters/west"]


def test_with_its_former_name_written_the_cluster_is_kept(engine: Engine) -> None:
    stack = engine.stack("prod")
    assert stack.up(program("east")).error == ""
    kept = program("west", former="east", name="east")
    run = stack.up(kept)
    assert (run.error, run.ops()) == ("", {})
    assert stack.preview(kept).ops() == {}

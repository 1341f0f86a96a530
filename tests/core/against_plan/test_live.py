"""What a source shows of clusters and node pools: each once, with the properties that a program can set."""

from typing import Any

from support.foreign_files import answer, terraform_state
from support.raw_pools import REGIONAL

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, live_clusters, live_pools
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader

PLACE = ClusterPlace("acme-ml", "us-east5", "train")
POOL: dict[str, Any] = {
    "name": "pretrain-0",
    "cluster": "train",
    "location": "us-east5",
    "project": "acme-ml",
    "nodeConfig": {"machineType": "ct6e-standard-4t", "diskSizeGb": 200},
    "upgradeSettings": {"maxSurge": 1},
}


def resources(content: bytes) -> tuple[RawResource, ...]:
    found = ResourceReader(read_catalog()).read("fleet.json", content)
    assert found is not None
    return found.found


def both(**changes: Any) -> tuple[RawResource, ...]:
    cluster = {**REGIONAL, "name": "train", "project": "acme-ml"}
    return resources(terraform_state([(CLUSTER, "train", cluster), (NODE_POOL, "main", {**POOL, **changes})]))


def test_a_node_pool_of_several_sources_counts_once_and_the_first_counts() -> None:
    (pool,) = live_pools((*both(), *both(initialNodeCount=7)), read_catalog())
    assert (pool.place, pool.name) == (PLACE, "pretrain-0")
    assert "initialNodeCount" not in pool.values
    assert pool.import_id == "projects/acme-ml/locations/us-east5/clusters/train/nodePools/pretrain-0"


def test_what_older_sources_leave_out_is_what_gke_has() -> None:
    (pool,) = live_pools(both(), read_catalog())
    assert pool.values["nodeConfig"]["bootDisk"] == {"sizeGb": 200}
    assert pool.values["upgradeSettings"]["strategy"] == "SURGE"


def test_a_cluster_has_the_values_of_an_import() -> None:
    cluster = live_clusters(both(), read_catalog())[PLACE]
    assert cluster.import_id == PLACE.reference == "projects/acme-ml/locations/us-east5/clusters/train"
    assert cluster.values["deletionProtection"] is True
    assert not {"minMasterVersion", "nodePools", "removeDefaultNodePool", "resourceLabels"} & cluster.values.keys()


def test_a_source_without_the_cluster_of_a_node_pool_has_no_place_for_it() -> None:
    content = terraform_state([(NODE_POOL, "main", {**POOL, "location": None, "project": None})])
    (pool,) = live_pools(resources(content), read_catalog())
    assert pool.place is None


def test_only_an_answer_of_gke_has_a_status() -> None:
    cluster = {**REGIONAL, "name": "train", "project": "acme-ml"}
    content = answer([(CLUSTER, "train", cluster), (NODE_POOL, "main", POOL)])
    failed = content.replace(b'"name": "pretrain-0"', b'"name": "pretrain-0", "status": "ERROR"')
    (pool,) = live_pools(resources(failed), read_catalog())
    assert (pool.status, pool.works) == ("ERROR", False)
    (other,) = live_pools(both(), read_catalog())
    assert (other.status, other.works) == ("", True)

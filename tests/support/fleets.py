"""Foreign fleets: files in tests/data/fleets, adopted in this process, and put into the cloud of the stand-in."""

import copy
import functools
import json
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from support.gcloud_commands import cluster_of
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.knowledge import CLUSTER, POLICY, POOL, kind_of
from support.gcp_standin.state import after_creation

from pulumi_gke_tpu.core.against_plan.live import LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.adopt.adoption import Adoption, adopt_fleets

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "fleets"


@dataclass(frozen=True)
class Fleet:
    """A fleet with its origin, and what becomes of it."""

    name: str
    origin: str
    adopted: int
    """How many node pools the plans have."""
    alone: int
    """How many are left alone."""
    clusters: int = 0
    """How many clusters the plans have. The others stay with their tool."""
    recording: str = ""
    """The folder of a recording of OpenTofu, and the file in it, instead of a file of the name of the fleet."""

    out_of_capacity: tuple[str, ...] = ()
    """Node pools that GKE could not create, of a fleet with a configuration."""
    by_api: tuple[Mapping[str, Any], ...] = ()
    """Node pools that a request to the API created beside those of the configuration."""

    made: str = ""
    """The answer of the API after the commands of a fleet without a file, as JSON."""

    @property
    def configuration(self) -> pathlib.Path | None:
        """What Terraform applied to make the fleet."""
        path = FOLDER / "configurations" / f"{self.name}.tf"
        return path if path.is_file() else None

    @property
    def content(self) -> bytes:
        return self.made.encode() if self.made else self.file.read_bytes()

    @property
    def file(self) -> pathlib.Path:
        if self.recording:
            return FOLDER.parent / "terraform" / "recordings" / self.recording
        return next(FOLDER.glob(f"{self.name}.*"))


@functools.cache
def fleets() -> tuple[Fleet, ...]:
    data = yaml.safe_load((FOLDER / "fleets.yaml").read_text(encoding="utf-8"))
    commands = yaml.safe_load((FOLDER / "commands.yaml").read_text(encoding="utf-8"))
    made = (
        Fleet(
            name,
            facts["origin"],
            facts["adopted"],
            facts.get("alone", 0),
            facts.get("clusters", 0),
            made=json.dumps(cluster_of(facts)),
        )
        for name, facts in commands.items()
    )
    return (*(Fleet(name, **facts) for name, facts in data.items()), *made)


def resources(fleet: Fleet) -> tuple[RawResource, ...]:
    found = ResourceReader(read_catalog()).read(fleet.name, fleet.content)
    assert found is not None
    return found.found


def adoptions(fleet: Fleet, *, slices_only: bool = False) -> tuple[Adoption, ...]:
    return adopt_fleets(resources(fleet), read_catalog(), slices_only=slices_only)


def put_into(cloud: Cloud, fleet: Fleet) -> None:
    """The clusters and node pools of a fleet, as they are in GKE before anybody adopts them."""
    kind = kind_of(POOL)
    cloud.knobs.needs_initial_node_count = False
    of_cluster = kind_of(CLUSTER)
    clusters = live_clusters(resources(fleet), read_catalog())
    for place, live in clusters.items():
        cloud.create(of_cluster, "", place.reference, after_creation(of_cluster, copy.deepcopy(dict(live.values))))
    for pool in live_pools(resources(fleet), read_catalog()):
        if pool.place is None or not pool.works or pool.values.get("nodeConfig", {}).get("guestAccelerators"):
            continue
        if pool.place in clusters and clusters[pool.place].autopilot:
            continue
        if cloud.read(pool.place.reference) is None:
            place = {"project": pool.place.project, "location": pool.place.location, "name": pool.place.name}
            state = {**copy.deepcopy(of_cluster.reported), **place, "initialNodeCount": 1}
            cloud.create(of_cluster, "", pool.place.reference, state)
        _put_policy(cloud, pool)
        cloud.create(kind, "", pool.import_id, after_creation(kind, _inputs(dict(pool.values), pool.place.reference)))
    cloud.requests.clear()


def _put_policy(cloud: Cloud, pool: LivePool) -> None:
    """The workload policy of a node pool, with its topology."""
    placement = pool.values.get("placementPolicy", {})
    name = placement.get("policyName")
    assert pool.place is not None
    place = {"project": pool.place.project, "region": pool.place.location}
    identity = f"projects/{place['project']}/regions/{place['region']}/resourcePolicies/{name}"
    if name and cloud.read(identity) is None:
        policy = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": placement["tpuTopology"]}
        cloud.create(kind_of(POLICY), "", identity, {"name": name, **place, "workloadPolicy": policy})


_ZEROS: Mapping[str, Mapping[str, Any]] = {
    "management": {"autoRepair": False, "autoUpgrade": False},
    "upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0},
}
"""What such a block of an answer leaves out because it is zero. In a request, it would stand for the default."""


def _inputs(values: dict[str, Any], cluster: str) -> dict[str, Any]:
    values = copy.deepcopy(values)
    values |= {block: {**zeros, **values[block]} for block, zeros in _ZEROS.items() if block in values}
    if "nodeCount" in values:
        values.pop("initialNodeCount", None)
    else:
        values["nodeCount" if "autoscaling" not in values else "initialNodeCount"] = values.pop("initialNodeCount", 0)
    return {**values, "cluster": cluster}


def texts_in(value: Any) -> Iterator[str]:
    """Every text inside JSON."""
    if isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def as_json(fleet: Fleet) -> Any:
    return json.loads(fleet.content)

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
from support.gcp_standin.flattened import ZEROS, flattened
from support.gcp_standin.knowledge import CLUSTER, POLICY, POOL, kind_of
from support.gcp_standin.record import Record
from support.gcp_standin.state import after_creation
from support.gcp_standin.without_engine import Stack
from support.gke.slices import hosts_wanted
from support.google_apis.compute import Compute
from support.google_apis.container import Container, Knobs
from support.shipped import TODAY

from pulumi_gke_tpu.core.against_plan.live import live_pools
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations, key_of
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.formats.names import parse_cluster
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
    if fleet.recording or '"nodePools"' not in fleet.content.decode():
        _put_state(cloud, fleet)
    else:
        container, data = Container(Knobs(), Compute()), as_json(fleet)
        for answer in data if isinstance(data, list) else [data]:
            container.put(answer)
        for cluster in container.clusters.values():
            put_answer(cloud, container.show(cluster))
    cloud.requests.clear()


def put_answer(cloud: Cloud, answer: dict[str, Any]) -> None:
    """A cluster as the API describes it, with its node pools."""
    of_cluster, kind = kind_of(CLUSTER), kind_of(POOL)
    place = parse_cluster(answer["selfLink"])
    assert place is not None
    identity = f"projects/{place.project}/locations/{place.location}/clusters/{place.name}"
    around = {"project": place.project, "location": place.location}
    cloud.put(Record(of_cluster, identity, {**flattened(of_cluster, answer), **around}))
    for pool in answer["nodePools"]:
        state = {**flattened(kind, pool), **around, "cluster": place.name}
        _put_policy(cloud, state)
        state["nodeCount"] = state["initialNodeCount"]
        hosts, status = hosts_wanted(state), pool.get("status", "RUNNING")
        cloud.put(Record(kind, f"{identity}/nodePools/{state['name']}", state, status, hosts))


def _put_state(cloud: Cloud, fleet: Fleet) -> None:
    """The node pools of a state of Terraform, in clusters that it does not have."""
    of_cluster, kind = kind_of(CLUSTER), kind_of(POOL)
    cloud.knobs.needs_initial_node_count = False
    for pool in live_pools(resources(fleet), read_catalog()):
        assert pool.place is not None
        place = {"project": pool.place.project, "location": pool.place.location, "name": pool.place.name}
        if cloud.read(pool.place.reference) is None:
            state = {**copy.deepcopy(of_cluster.reported), **place, "initialNodeCount": 1}
            cloud.create(of_cluster, "", pool.place.reference, state)
        values = {**_inputs(dict(pool.values), pool.place.reference), **place, "name": pool.name}
        _put_policy(cloud, values)
        cloud.create(kind, "", pool.import_id, after_creation(kind, values))


def _put_policy(cloud: Cloud, pool: dict[str, Any]) -> None:
    """The workload policy of a node pool, with its topology."""
    placement = pool.get("placementPolicy", {})
    name = placement.get("policyName")
    place = {"project": pool["project"], "region": "-".join(pool["location"].split("-")[:2])}
    identity = f"projects/{place['project']}/regions/{place['region']}/resourcePolicies/{name}"
    if name and cloud.read(identity) is None:
        policy = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": placement["tpuTopology"]}
        cloud.create(kind_of(POLICY), "", identity, {"name": name, **place, "workloadPolicy": policy})


def taken(adoption: Adoption, cloud: Cloud) -> tuple[Stack, Declarations]:
    """An adopted fleet as a program, and a stack that has imported it, without the engine."""
    plan = parse_plan(adoption.plan).content
    assert plan is not None
    fleet = derive(plan, read_catalog(), TODAY)
    program = Declarations(tpu_fleet(fleet, read_catalog(), adoption.plan, "adopted"))
    stack = Stack(cloud)
    types_and_names = {urn: urn.split("::")[2:] for urn in adoption.ids}
    stack.take(
        program,
        {key_of(kind.rpartition("$")[2], name): adoption.ids[urn] for urn, (kind, name) in types_and_names.items()},
    )
    return stack, program


def _inputs(values: dict[str, Any], cluster: str) -> dict[str, Any]:
    values = copy.deepcopy(values)
    # In a request, what is left out would stand for the default.
    values |= {block: {**zeros, **values[block]} for block, zeros in ZEROS.items() if block in values}
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

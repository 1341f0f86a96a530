"""The stand-in's API: resources in memory, requests in the order they came, and knobs for what tests break."""

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.gcp_standin import api, refusals
from support.gcp_standin.echoes import put_echo
from support.gcp_standin.knowledge import CLUSTER, POLICY, POOL, SUBNETWORK, Kind, kind_of
from support.gcp_standin.record import Record
from support.gcp_standin.uses import policy_of, user_of
from support.gke.additions import ADDED
from support.gke.refusals import RefusedError, failure, size
from support.gke.slices import hosts_wanted, size_of_slice

from pulumi_gke_tpu.core.text.formats.names import parse_cluster

_LONGEST_SECONDS = 120


@dataclass(frozen=True)
class Request:
    """A write. ``resource`` is the name in the URN of what it was for."""

    resource: str
    what: str


@dataclass
class Knobs:
    """What tests turn. Pools are named by their GKE name."""

    out_of_capacity: set[str] = field(default_factory=set)
    """Pools whose creation ends in the state ERROR."""
    fail_once: set[str] = field(default_factory=set)
    """GKE names of resources whose next creation is answered with an error."""
    fail_update_once: set[str] = field(default_factory=set)
    """GKE names of pools whose next update is answered with an error."""
    slow: set[str] = field(default_factory=set)
    """GKE names of clusters and pools that GKE makes while the answer takes until the test ends."""
    error: str = "503: the service is currently unavailable: {name}, backendError"
    """How such a request is answered."""
    reports_policy_topology: bool = True
    """Whether a pool bound to a workload policy shows the topology, as the live API does."""
    added: tuple[str, ...] = ADDED
    """Which of the additions of the catalog GKE makes. ``console``: node pools are made in the console."""
    echoes: tuple[tuple[str, str, Any], ...] = ()
    """Types, paths and values that the provider stores of every resource of the type, unless it has others."""
    needs_initial_node_count: bool = True
    """Whether a Standard cluster without an initial size is refused, as the live API does."""


class Cloud:
    """Every resource of every project."""

    def __init__(self) -> None:
        self.knobs = Knobs()
        self.requests: list[Request] = []
        self.creating = threading.Event()
        """Set when the creation of a slow resource has begun."""
        self.ended = threading.Event()
        """Set when the test ends, which ends all waiting."""
        self._records: dict[str, Record] = {}
        self._lock = threading.RLock()

    # Changes and queries by tests

    def provide(self, plan: Mapping[str, Any]) -> None:
        """Create the existing clusters of a plan, which other programs own."""
        for cluster in plan["clusters"].values():
            found = parse_cluster(cluster.get("existing", ""))
            if found is not None:
                place = {"project": found.project, "location": found.location, "name": found.name}
                kind = kind_of(CLUSTER)
                state = {**copy.deepcopy(kind.reported), **place, "initialNodeCount": 1}
                self.create(kind, "", cluster["existing"], state)
        self.requests.clear()

    def kill_host(self, pool: str) -> None:
        """Take one host away, as a repair or an outage does."""
        self.pool(pool).hosts -= 1

    def lose(self, resource_id: str) -> Record:
        """Delete a resource as somebody else does; ``put`` brings it back."""
        with self._lock:
            return self._records.pop(resource_id)

    def put(self, record: Record) -> None:
        """Take a resource as it is, without asking whether the API would create it."""
        with self._lock:
            self._records[record.id] = record

    def find_capacity(self, pool: str) -> None:
        """Bring a pool that came out in ERROR up after all, as GKE does when machines become free."""
        record = self.pool(pool)
        record.status, record.hosts = "RUNNING", hosts_wanted(record.state)

    def resize(self, pool: str, hosts: int) -> None:
        """Set the live hosts, as the autoscaler does."""
        self.pool(pool).hosts = hosts

    def pool(self, name: str) -> Record:
        """The only node pool of that name.

        Raises:
            KeyError: there is none, or more than one.
        """
        found = [item for item in self._of(POOL) if item.state["name"] == name]
        if len(found) != 1:
            raise KeyError(f"{len(found)} pools are called {name}")
        return found[0]

    def names(self, token: str) -> list[str]:
        """Ids of all resources of a type, sorted."""
        return sorted(record.id for record in self._of(token))

    def sent(self, resource: str) -> list[str]:
        """The writes for one resource, in order."""
        return [request.what for request in self.requests if request.resource == resource]

    def _of(self, token: str) -> list[Record]:
        with self._lock:
            return [record for record in self._records.values() if record.kind.token == token]

    # What the provider calls

    def read(self, resource_id: str) -> Record | None:
        with self._lock:
            record = self._records.get(resource_id)
            if record is not None:
                self._answer(record)
            return None if record is None else record.copy()

    def create(self, kind: Kind, resource: str, resource_id: str, state: dict[str, Any]) -> Record:
        """Create a resource as described; a pool can get the status ERROR.

        Raises:
            RefusedError: it exists already, or the API does not take it.
        """
        with self._lock:
            if resource_id in self._records:
                raise RefusedError(409, f"resource - {resource_id} - already exists")
            self._note(resource, _creation(kind))
            name = str(state.get("name", ""))
            self._fail_once(name, self.knobs.fail_once)
            if kind.token != CLUSTER or self.knobs.needs_initial_node_count:
                refusals.of_creation(kind, state, self.cluster_of(resource_id), self._topologies())
            record = Record(kind, resource_id, state)
            self._records[resource_id] = record
            if kind.token == POOL:
                self._start_pool(record)
            self._answer(record)
            if kind.token == CLUSTER and state.get("removeDefaultNodePool"):
                self._note(resource, "DELETE NodePool")
            return record.copy()

    def wait_for(self, record: Record) -> None:
        """Wait as long as GKE takes to make a slow resource."""
        if record.kind.token in (CLUSTER, POOL) and record.state["name"] in self.knobs.slow:
            self.creating.set()
            self.ended.wait(_LONGEST_SECONDS)

    def update(self, resource: str, resource_id: str, request: str, state: dict[str, Any]) -> None:
        """Take one update request, which makes ``state`` the new state.

        Raises:
            RefusedError: the API does not take it.
        """
        with self._lock:
            self._note(resource, request)
            record = self._records.get(resource_id)
            if record is None:
                raise RefusedError(404, f"The resource {resource_id!r} was not found")
            if record.kind.token == POOL:
                self._fail_once(record.state["name"], self.knobs.fail_update_once)
                refusals.of_pool_update(request, state, record.status, self._topology(record))
                if request.endswith(":setSize") or state["nodeLocations"] != record.state["nodeLocations"]:
                    record.hosts = hosts_wanted(state)
            if record.kind.token == CLUSTER:
                refusals.of_cluster_update(record.state, state)
            if record.kind.token == SUBNETWORK:
                refusals.of_subnetwork_update(record.state, state, user_of(record, self._of(CLUSTER)))
            record.state = state

    def keep(self, resource_id: str, state: dict[str, Any]) -> None:
        """Store what only the provider knows, without a request."""
        with self._lock:
            if resource_id in self._records:
                self._records[resource_id].state = state

    def delete(self, resource: str, resource_id: str) -> None:
        """Delete a resource, and what is inside it; a missing one is not an error.

        Raises:
            RefusedError: another resource uses it.
        """
        with self._lock:
            record = self._records.get(resource_id)
            if record is None:
                return
            user = user_of(record, self._records.values())
            if user is not None:
                raise RefusedError(400, f"The resource {resource_id!r} is already being used by {user!r}")
            self._note(resource, _deletion(record.kind))
            for inside in [item for item in self._records if item.startswith(f"{resource_id}/")]:
                del self._records[inside]
            del self._records[resource_id]

    def cluster_of(self, pool_id: str) -> Record | None:
        """The cluster around a pool's id."""
        return self._records.get(pool_id.partition("/nodePools/")[0])

    # Inside

    def _note(self, resource: str, what: str) -> None:
        self.requests.append(Request(resource, what))

    def _fail_once(self, name: str, knob: set[str]) -> None:
        if name in knob:
            knob.remove(name)
            status, _, text = self.knobs.error.format(name=name).partition(": ")
            raise RefusedError(int(status), text)

    def _topologies(self) -> dict[str, str | None]:
        """Workload policy -> its topology."""
        states = [record.state for record in self._of(POLICY)]
        return {state["name"]: (state.get("workloadPolicy") or {}).get("acceleratorTopology") for state in states}

    def _start_pool(self, record: Record) -> None:
        state = record.state
        state.setdefault("nodeLocations", self._zones(record))
        pool = refusals.as_sent(state)
        reason = failure(pool, hosts_wanted(state), size(pool, self._topology(record)))
        if reason is not None or state["name"] in self.knobs.out_of_capacity:
            record.status = "ERROR"
        else:
            record.hosts = hosts_wanted(state)

    def _zones(self, record: Record) -> list[str]:
        cluster = self.cluster_of(record.id)
        assert cluster is not None, "refused before"
        return cluster.state.get("nodeLocations") or [str(cluster.state["location"])]

    def _topology(self, record: Record) -> str | None:
        """The topology of the policy that a pool is bound to."""
        return self._topologies().get(policy_of(record) or "")

    def _answer(self, record: Record) -> None:
        """Complete a state with what the API knows now."""
        self._complete(record)
        for token, path, value in self.knobs.echoes:
            if record.kind.token == token:
                put_echo(record.state, path, value)

    def _complete(self, record: Record) -> None:
        if record.kind.token != POOL:
            api.answer(record.kind, record.id, record.state, self.knobs.added)
            if record.kind.token == CLUSTER:
                record.pools = self._pools_of(record)
            return
        state = record.state
        cluster = self.cluster_of(record.id)
        assert cluster is not None, "refused before"
        zones = len(state["nodeLocations"])
        if record.status == "ERROR":
            state.setdefault("nodeCount", state.get("initialNodeCount", 0))
        elif not state.get("ignoreNodeCountChanges"):
            state["nodeCount"] = record.hosts // zones if size_of_slice(state) is None else record.hosts
        api.answer_of_pool(state, cluster.state, self.knobs.added)
        placement = state.get("placementPolicy")
        if placement and placement.get("policyName"):
            placement["type"] = ""
            if self.knobs.reports_policy_topology and not placement.get("tpuTopology"):
                placement["tpuTopology"] = self._topology(record)

    def _pools_of(self, cluster: Record) -> list[dict[str, Any]]:
        """The states of all node pools in a cluster, in the order of their creation."""
        pools = [item for item in self._of(POOL) if item.id.startswith(f"{cluster.id}/")]
        for pool in pools:
            self._answer(pool)
        made = [] if cluster.state.get("removeDefaultNodePool") else [_default_pool(cluster.state)]
        return made + [pool.state for pool in pools]


def _default_pool(cluster: dict[str, Any]) -> dict[str, Any]:
    return api.default_pool(cluster, copy.deepcopy(kind_of(POOL).reported))


def _creation(kind: Kind) -> str:
    return "POST Project:setIamPolicy" if kind.short == "IAMMember" else f"POST {kind.short}"


def _deletion(kind: Kind) -> str:
    return "POST Project:setIamPolicy" if kind.short == "IAMMember" else f"DELETE {kind.short}"

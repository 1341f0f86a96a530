"""Reads scripts with commands of gcloud as the plan of the fleet that they make.

``core/resources/gcloud_scripts.py`` reads the resources. A property becomes the key that sets it, and what no key sets
an entry of ``extra``. The graph of the plan then shows which options it repeats, and which it does not have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.node_pools import shared_keys
from pulumi_gke_tpu.core.described.part import account_of
from pulumi_gke_tpu.core.graph import model as graph_model
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.resources.gcloud_scripts import GcloudOption, GcloudScript, read_gcloud_script
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.resources.values import UNKNOWN, NotKnownError, Values
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Position, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.formats.property_path import set_value, value_at
from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART
from pulumi_gke_tpu.features.adopt.command_lines.draft import Draft
from pulumi_gke_tpu.features.adopt.command_lines.gcloud_keys import (
    DERIVED,
    StatedKeys,
    cpu_pool_keys,
    created_cluster_keys,
    policy_keys,
    slice_keys,
    system_pool_keys,
    without_unknown,
)
from pulumi_gke_tpu.features.adopt.command_lines.table import Became, OptionRow, Problem, Translation
from pulumi_gke_tpu.features.adopt.grouping import grouped
from pulumi_gke_tpu.features.adopt.open_parts import EXTRA, EXTRA_OF_CPU_POOLS, CannotAdoptError

_LONGEST = 200
_HOW_IT_RUNS: Final = "it only controls how the command runs"
_NO_KEY: Final = "no key of a plan says it"
_ACCOUNT: Final = "nodeConfig.serviceAccount"
_FIRST_NODES: Final = "it is the number at creation, which gke-tpu derives from the limits"
_SYSTEM_NODES: Final = "the system pool scales from `min_nodes` to `max_nodes`"


@dataclass(eq=False)
class _Member:
    """A node pool of the script, and where it is in the plan."""

    raw: RawResource
    live: LivePool
    kind: Resource
    section: str = ""
    key: str = ""
    stated: StatedKeys = field(default_factory=lambda: StatedKeys({}))
    planned_name: str = ""
    """Its name in GKE according to the plan."""
    reason: str = ""
    """Why the plan does not have it."""

    adopted: dict[str, Any] = field(default_factory=dict)
    """Empty: a plan makes the node pool."""

    @property
    def path(self) -> str:
        return ".".join(filter(None, (self.section, self.key)))

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def multi_host(self) -> bool:
        """Whether it is a slice of several hosts; a topology that does not exist is one of such slices."""
        return self.stated.hosts != 1

    def group(self) -> dict[str, Any]:
        return dict(self.stated.keys)


@dataclass(eq=False)
class _FleetCluster:
    """A cluster of the script, or one that it only adds node pools to."""

    name: str
    raw: RawResource | None
    live: LiveCluster | None
    location: str
    stated: StatedKeys = field(default_factory=lambda: StatedKeys({}))
    keys: dict[str, Any] = field(default_factory=dict)
    """All of them in the plan, with those of its node pools."""
    members: list[_Member] = field(default_factory=list)


def plan_of(scripts: Iterable[tuple[str, str]], catalog: Catalog, project: str = "", zone: str = "") -> Translation:
    """The plan of all commands in these scripts (name and text).

    ``project`` and ``zone`` stand for what gcloud takes from its configuration, or what the scripts do not tell.
    """
    return _FleetReader(catalog, project, zone).translation([*scripts])


class _FleetReader:
    def __init__(self, catalog: Catalog, project: str, zone: str) -> None:
        self.catalog = catalog
        self.draft = Draft(catalog, project, zone)
        self.zone = zone
        self.machines = Machines(catalog)
        self.clusters: dict[str, _FleetCluster] = {}
        self.without_location: set[str] = set()
        """The clusters whose location is not known, which is reported once."""
        self.policies: dict[str, str] = {}
        """The address of a workload policy -> its key."""

    def translation(self, scripts: Sequence[tuple[str, str]]) -> Translation:
        read = [
            (
                file,
                read_gcloud_script(
                    text, file, self.catalog.gcloud, project=self.draft.default_project, location=self.zone
                ),
            )
            for file, text in scripts
        ]
        for file, script in read:
            self._report(file, script)
        resources = [item for _, script in read for item in script.resources]
        if not resources and not self.draft.problems:
            names = ", ".join(file for file, _ in scripts)
            self.draft.problems.append(Problem("no gcloud command creates a cluster or a node pool", names, 0, 0))
        if not self.draft.problems:
            self._convert(resources)
        graph = self._proof() if not self.draft.problems else {}
        for file, script in read:
            for option in _each_place(script.options):
                self._row(option, file, graph)
            for each in script.further_flags:
                given = each.given
                row = OptionRow(each.command, given.option, "", "left out", "", given.problem, file, given.line)
                self.draft.rows.append(row)
            for name, word in script.others:
                row = OptionRow(
                    name, "(command)", "", "left out", "", "it makes neither a cluster nor a node pool", file, word.line
                )
                self.draft.rows.append(row)
        self._implied()
        return self.draft.finished()

    def _report(self, file: str, script: GcloudScript) -> None:
        for item in script.rejected:
            at = item.position
            self.draft.problems.append(Problem(item.message, file, at.line, at.column, item.fix and f"add {item.fix}"))
        if script.problem is not None:
            found = script.problem
            self.draft.problems.append(Problem(found.message, file, found.line, found.column))

    def _problem(self, message: str, at: Position, fix: str = "") -> None:
        self.draft.problems.append(Problem(message, at.file, at.line, at.column, fix))

    # From resources to keys

    def _convert(self, resources: Sequence[RawResource]) -> None:
        existing = [replace(item, action=None) for item in resources]
        pools = {id(pool.raw): pool for pool in _each_pool(existing, self.catalog)}
        for raw in existing:
            if raw.type == resource_types.CLUSTER:
                self._begin_cluster(raw)
        policies = [raw for raw in existing if raw.type == resource_types.RESOURCE_POLICY]
        for raw in existing:
            if id(raw) in pools:
                self._add_pool(raw, pools[id(raw)])
        for cluster in self.clusters.values():
            self._cluster_keys(cluster, policies)
            self._group(cluster, {raw.name: raw.values for raw in policies})
            self.draft.clusters[cluster.name] = cluster.keys
        projects = dict.fromkeys(raw.project for raw in existing if raw.project)
        if len(projects) > 1:
            self._problem(
                f"a plan has one project, and the script has {', '.join(map(printable, projects))}", _at(existing[0])
            )
        elif projects:
            self.draft.project = next(iter(projects))
        elif existing:
            self._problem("no project", _at(existing[0]), "add --project PROJECT to the command, or to gke-tpu adopt")

    def _reported_again(self, raw: RawResource, kind: str) -> bool:
        """Report a resource that an earlier command makes, too: it is not known which of the two runs."""
        again = bool(raw.name) and UNKNOWN_PART not in raw.name and not raw.values.known_text("name")
        at = _at(raw)
        places = ((each.file, each.line, each.column) for each in self.draft.problems)
        if again and (at.file, at.line, at.column) not in places:  # a command makes a cluster and its first node pool
            self._problem(f"an earlier command creates {kind} {quoted(raw.name)}, too", at, "leave one of them out")
        return again

    def _begin_cluster(self, raw: RawResource) -> None:
        if self._reported_again(raw, "cluster"):
            return
        if not raw.values.known_text("location"):
            self._problem("the location of the cluster is not known", _at(raw), "add --zone ZONE to gke-tpu adopt")
            self.without_location.add(raw.name)
            return
        if raw.name in self.clusters:
            return
        if not raw.values.known_text("name"):
            self._problem("the name of the cluster is not known", _at(raw), "write its name into the script")
            return
        project = raw.project or "project"
        live = next(iter(live_clusters([replace(raw, project=project)], self.catalog).values()), None)
        self.clusters[raw.name] = _FleetCluster(raw.name, raw, live, raw.values.text("location"))

    def _add_pool(self, raw: RawResource, live: LivePool) -> None:
        name = raw.values.known_text("cluster")
        if self._reported_again(raw, "node pool"):
            return
        if not name:
            self._problem("the cluster of the node pool is not known", _at(raw), "write its name into the script")
            return
        if name in self.without_location:
            return
        if name not in self.clusters:
            location = raw.values.known_text("location")
            if not location:
                self._problem(
                    "the location of the node pool is not known", _at(raw), "add --zone ZONE to gke-tpu adopt"
                )
                return
            self.clusters[name] = _FleetCluster(name, None, None, location)
        cluster = self.clusters[name]
        try:
            tpu = next(iter(self.machines.pools(raw.asked)), None)
        except NotKnownError:
            tpu = None
        if value_at(raw.values.data, ("nodeConfig", "machineType")) is UNKNOWN:
            member = _Member(raw, live, "CPU pool", reason="its machine type is not known")
        elif tpu is not None:
            member = _Member(raw, live, "TPU node pool", section="slices")
        elif raw.name == self.catalog.gcloud.default_pool and cluster.raw is not None:
            member = _Member(raw, live, "system pool", section="system_pool")
        else:
            member = _Member(raw, live, "CPU pool", section="cpu_pools", key=raw.name)
        cluster.members.append(member)

    def _group(self, cluster: _FleetCluster, policies: Mapping[str, Values]) -> None:
        """The node pools of a cluster as its groups and pools."""
        for member in cluster.members:
            if member.reason:
                continue
            try:
                if member.kind == "TPU node pool":
                    live = self._placed(member, cluster)
                    tpu = next(iter(self.machines.pools(replace(member.raw.asked, values=Values(live)))))
                    policy = policies.get(Values(live).known_text("placementPolicy.policyName").rpartition("/")[2])
                    member.stated = slice_keys(tpu, Values(live), self.catalog, policy)
                elif member.kind == "system pool":
                    member.stated = system_pool_keys(Values(dict(member.live.values)))
                    if member.stated.keys:
                        cluster.keys["system_pool"] = member.stated.keys
                else:
                    member.stated = cpu_pool_keys(Values(self._placed(member, cluster)))
                    if member.stated.keys["zones"] == [region_of(cluster.location)]:
                        del member.stated.keys["zones"]
                    cluster.keys.setdefault("cpu_pools", {})[member.key] = member.stated.keys
                    member.planned_name = member.key
            except (CannotAdoptError, NotKnownError) as error:
                member.reason = str(error) or "the script does not tell what decides its nodes"
                self._problem(f"node pool {printable(member.raw.name)}: {member.reason}", _at(member.raw))
        self._slice_groups(cluster)

    def _slice_groups(self, cluster: _FleetCluster) -> None:
        """Equal node pools as one group with as many slices."""
        slices = (member for member in cluster.members if member.kind == "TPU node pool" and not member.reason)
        for group in grouped(slices):
            number = len(group.members)
            keys = {key: value for key, value in group.keys.items() if key not in ("adopted", "indices", "name")}
            if "max" in keys:
                keys["count"] = {"min": keys.pop("min", 0), "max": number}
                del keys["max"]
            elif number > 1:
                keys["count"] = number
            cluster.keys.setdefault("slices", {})[group.key] = keys
            for index, member in enumerate(group.members):
                member.key, member.stated.keys = group.key, keys
                member.planned_name = f"{group.key}-{index}" if member.multi_host else group.key

    def _placed(self, member: _Member, cluster: _FleetCluster) -> dict[str, Any]:
        """The properties of a node pool in its zones: those of the cluster without its own.

        Of CPU pools without known zones, gke-tpu chooses them.
        """
        values = dict(member.live.values)
        if not values.get("nodeLocations"):
            own = cluster.live.values.get("nodeLocations") if cluster.live is not None else None
            zones = own or ([cluster.location] if cluster.location != region_of(cluster.location) else [])
            zones = zones or ([self.zone] if self.zone != region_of(self.zone) else [])
            if not zones and member.kind == "TPU node pool":
                raise CannotAdoptError("its zone is not known: add --node-locations to the command")
            values["nodeLocations"] = list(zones or [cluster.location])
        return values

    def _cluster_keys(self, cluster: _FleetCluster, policies: Sequence[RawResource]) -> None:
        used = {
            policy.rpartition("/")[2]
            for member in cluster.members
            if isinstance(policy := value_at(member.live.values, ("placementPolicy", "policyName")), str)
        }
        if cluster.raw is None or cluster.live is None:
            project = next((member.raw.project for member in cluster.members if member.raw.project), "")
            place = ClusterPlace(project, cluster.location, cluster.name)
            cluster.keys |= {"existing": place.reference, "mode": "standard"}
        else:
            values = Values(without_unknown(cluster.raw.values.data))
            cluster.stated = created_cluster_keys(values, cluster.raw.project, self.catalog)
            cluster.stated.keys["location"] = cluster.location
            account = next((each.live.values for each in cluster.members if each.kind == "system pool"), {})
            self._share(cluster, "node_service_account", account_of(Values(account), _ACCOUNT), _ACCOUNT)
        pools = [(Values(each.live.values), each.kind == "TPU node pool") for each in cluster.members]
        for key, value, source, _ in shared_keys(pools):
            if key != "private_nodes" or cluster.raw is None:
                self._share(cluster, key, value, source)
        cluster.keys |= cluster.stated.keys
        for policy in policies:
            if policy.name in used:
                self.policies[policy.origin.address] = f"clusters.{cluster.name}.workload_policies.{policy.name}"
                cluster.keys.setdefault("workload_policies", {})[policy.name] = policy_keys(Values(policy.values.data))

    def _share(self, cluster: _FleetCluster, key: str, value: str | bool, source: str) -> None:
        """Add a key of a cluster that its node pools state."""
        steps = tuple(key.split("."))
        if value != "":
            set_value(cluster.stated.keys, steps, value)
            cluster.stated.properties[steps] = source

    # What the plan makes

    def _proof(self) -> dict[str, graph_model.Resource]:
        """Address of a resource of the script -> what the plan makes of it. Properties without a key go into extra."""
        graph = self._graph()
        for cluster in self.clusters.values():
            for member in cluster.members:
                made = graph.get(member.raw.origin.address)
                if made is None:
                    continue
                allowed = EXTRA if member.section == "slices" else EXTRA_OF_CPU_POOLS
                for path in allowed:
                    steps = tuple(path.split("."))
                    wanted = value_at(member.live.values, steps)
                    if _says(wanted) and wanted != value_at(made.inputs, steps):
                        set_value(member.stated.keys.setdefault("extra", {}), steps, wanted)
        return graph

    def _graph(self) -> dict[str, graph_model.Resource]:
        plan = self.draft.finished().plan
        document = parse_plan(plan)
        if document.content is None:
            return {}
        checked = check_plan(document, self.catalog)
        if checked.fleet is None:
            return {}
        graph = fleet_graph(plan, checked.fleet, self.catalog)
        clusters, pools = clusters_by_place(graph), resources_by_place(graph)
        found: dict[str, graph_model.Resource] = {}
        for cluster in self.clusters.values():
            if cluster.raw is not None and (cluster.location, cluster.name) in clusters:
                found[cluster.raw.origin.address] = clusters[cluster.location, cluster.name]
            for member in cluster.members:
                made = pools.get((cluster.name, cluster.location, member.planned_name))
                if made is not None:
                    found[member.raw.origin.address] = made
        return found

    # The table

    def _implied(self) -> None:
        for cluster in self.clusters.values():
            for member in cluster.members:
                if member.planned_name not in ("", member.raw.name):
                    self.draft.rows.append(
                        OptionRow(
                            _command_of(member.raw),
                            "NAME",
                            printable(member.raw.name, _LONGEST),
                            "derived",
                            reason=f"gke-tpu names the node pool {printable(member.planned_name)}",
                            file=member.raw.origin.file,
                            line=_at(member.raw).line,
                        )
                    )
            if cluster.raw is None:
                row = OptionRow(
                    "gcloud container node-pools create",
                    "--cluster",
                    printable(cluster.name),
                    "key",
                    f"clusters.{cluster.name}.existing",
                    "no command creates the cluster, so the plan uses it as an existing one",
                )
                self.draft.rows.append(row)
            elif not any(member.section == "system_pool" for member in cluster.members):
                reason = "gke-tpu creates a system node pool; `system_pool` changes it"
                self.draft.rows.append(
                    OptionRow("gcloud container clusters create", "(default node pool)", "", "derived", "", reason)
                )

    def _row(self, option: GcloudOption, file: str, graph: Mapping[str, graph_model.Resource]) -> None:
        became, key, reason = self._became(option, graph)
        given = option.given
        shown = printable(given.value, _LONGEST)
        self.draft.rows.append(
            OptionRow(option.command, given.option, shown, became, printable(key, _LONGEST), reason, file, given.line)
        )

    def _became(self, option: GcloudOption, graph: Mapping[str, graph_model.Resource]) -> tuple[Became, str, str]:
        given, fact = option.given, option.fact
        if fact is None:
            wide = self.catalog.gcloud.groups["wide"]
            controls = given.option in (*wide.values, *wide.switches)
            return "left out", "", _HOW_IT_RUNS if controls else _NO_KEY
        path = fact.path
        whole = "project" if path == "project" else "" if given.problem else self.policies.get(option.resource, "")
        if whole:
            return "key", whole, ""
        owner = self._owner(option.resource)
        if given.problem or owner is None:
            return "left out", "", given.problem or "the plan does not have its resource"
        cluster, member = owner
        if member is not None and member.reason:
            return "left out", "", member.reason
        key = self._written_key(path, cluster, member)
        if key:
            return "extra" if ".extra." in key else "key", key, ""
        return self._without_key(option, path, member, graph)

    def _written_key(self, path: str, cluster: _FleetCluster, member: _Member | None) -> str:
        """The key of the plan that sets a property; empty if the plan has none."""
        above = f"clusters.{cluster.name}"
        if path in ("cluster", "name"):
            return above
        if path == "location" and member is not None:
            return f"{above}.{'existing' if 'existing' in cluster.keys else 'location'}"
        stated = member.stated if member is not None else cluster.stated
        prefix = ".".join(filter(None, (above, member.path if member is not None else "")))
        key = stated.key_of(path)
        if key:
            return f"{prefix}.{key}"
        shared = cluster.stated.key_of(path)
        if shared:
            return f"{above}.{shared}"
        is_extra = value_at(stated.keys.get("extra", {}), tuple(path.split("."))) is not None
        return f"{prefix}.extra.{path}" if is_extra else ""

    def _without_key(
        self, option: GcloudOption, path: str, member: _Member | None, graph: Mapping[str, graph_model.Resource]
    ) -> tuple[Became, str, str]:
        """What becomes of a property without a key: the plan has the same value anyway, or does not have it."""
        name = option.given.option
        if member is not None and member.kind == "system pool" and path == "nodeCount":
            return "left out", "", _SYSTEM_NODES
        made, wanted = graph.get(option.resource), self._wanted(option.resource, path)
        if made is not None and wanted is not None and value_at(made.inputs, tuple(path.split("."))) == wanted:
            return "derived", "", DERIVED.get(name, "gke-tpu sets the same value")
        if path == "nodeCount" and member is not None and "autoscaling" in member.live.values:
            return "derived", "", _FIRST_NODES
        if name in DERIVED:
            return "derived", "", DERIVED[name]
        return "left out", "", "it is the default" if option.given.value in ("false", "0") else _NO_KEY

    def _owner(self, address: str) -> tuple[_FleetCluster, _Member | None] | None:
        for cluster in self.clusters.values():
            if cluster.raw is not None and cluster.raw.origin.address == address:
                return cluster, None
            for member in cluster.members:
                if member.raw.origin.address == address:
                    return cluster, member
        return None

    def _wanted(self, address: str, path: str) -> Any:
        owner = self._owner(address)
        if owner is None:
            return None
        cluster, member = owner
        data = member.live.values if member is not None else cluster.raw.values.data if cluster.raw is not None else {}
        return value_at(data, tuple(path.split(".")))


def _each_place(options: Iterable[GcloudOption]) -> Iterator[GcloudOption]:
    """The options without those that a loop repeats with the same value."""
    seen: set[tuple[int, int, str, str]] = set()
    for option in options:
        place = (option.given.line, option.given.column, option.given.option, option.given.value)
        if place not in seen:
            seen.add(place)
            yield option


def _each_pool(resources: Sequence[RawResource], catalog: Catalog) -> Iterator[LivePool]:
    """Every node pool; of several with the same place and name, the first."""
    seen: set[tuple[str, str]] = set()
    for raw in resources:
        for pool in live_pools([raw], catalog):
            place = (str(raw.values.data.get("cluster")), raw.name)
            if place not in seen:
                seen.add(place)
                yield pool


def _says(value: Any) -> bool:
    return value not in (None, "", [], {}, False)


def _at(raw: RawResource) -> Position:
    return raw.origin.locate(())


def _command_of(raw: RawResource) -> str:
    kind = "clusters" if raw.type == resource_types.CLUSTER else "node-pools"
    return f"gcloud container {kind} create"

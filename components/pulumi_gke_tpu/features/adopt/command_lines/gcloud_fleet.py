"""Reads scripts with commands of gcloud as the plan of the fleet that they make.

``core/resources/gcloud_scripts.py`` reads the resources. A property becomes the key that sets it, and what no key sets
an entry of ``extra``. The graph of the plan then shows which options it repeats, and which it does not have.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, LivePool, live_clusters, live_pools
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.graph import model as graph_model
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.keys import plan_keys
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan import SliceGroupSpec, parse_plan
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.resources.gcloud_scripts import GcloudOption, GcloudScript, read_gcloud_script
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines, TpuPool
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Position, printable
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.adopt import cluster_inversion, cpu_inversion, inversion
from pulumi_gke_tpu.features.adopt.cluster_inversion import InvertedCluster
from pulumi_gke_tpu.features.adopt.command_lines.draft import Draft
from pulumi_gke_tpu.features.adopt.command_lines.gcloud_keys import (
    control_plane_keys,
    is_unknown,
    network_keys,
    policy_keys,
    system_pool_keys,
    without_unknown,
)
from pulumi_gke_tpu.features.adopt.command_lines.table import Became, OptionRow, Problem, Translation
from pulumi_gke_tpu.features.adopt.grouping import grouped
from pulumi_gke_tpu.features.adopt.inversion import CannotAdoptError, Inverted, set_key

_LONGEST = 200
_HOW_IT_RUNS: Final = "it only controls how the command runs"
_NO_KEY: Final = "no key of a plan says it"
_DERIVED: Final[Mapping[str, str]] = {
    "--enable-autoscaling": "it follows from the limits",
    "--enable-dataplane-v2": "every cluster of gke-tpu has Dataplane V2, unless `security.dataplane_v2` is false",
    "--enable-gvnic": "gke-tpu sets it for every TPU node pool",
    "--enable-ip-alias": "every cluster of gke-tpu is VPC-native",
    "--enable-master-authorized-networks": "`control_plane.authorized_networks` enables them",
    "--enable-multi-networking": "a cluster has it if its slices have `additional_networks`",
    "--node-locations": "the node pools of the plan have their zones",
    "--num-nodes": "it follows from the topology",
    "--scopes": "gke-tpu uses cloud-platform and limits access with IAM",
    "--workload-metadata": "it follows from Workload Identity",
    "--workload-pool": "every cluster of gke-tpu has Workload Identity, unless `security.workload_identity` is false",
}
"""Options that gke-tpu decides, although its value can be another one."""
_CAPACITY: Final = (
    "nodeConfig.flexStart",
    "nodeConfig.maxRunDuration",
    "nodeConfig.reservationAffinity.consumeReservationType",
    "nodeConfig.reservationAffinity.values",
    "nodeConfig.spot",
    "queuedProvisioning.enabled",
)
"""The properties that one key decides together."""
_PREFIX = lazy_pattern(r"clusters\.\*\.(?:(?:slices|cpu_pools)\.\*\.|system_pool\.)?")
_SYSTEM_NODES: Final = "the system pool scales from `min_nodes` to `max_nodes`"
_NOT_REPAIRED: Final = ("nodeConfig.oauthScopes",)
"""Properties whose keys only adopted node pools have."""


@dataclass(eq=False)
class _Member:
    """A node pool of the script, and where it is in the plan."""

    raw: RawResource
    live: LivePool
    kind: Resource
    section: str = ""
    key: str = ""
    keys: dict[str, Any] = field(default_factory=dict)
    planned_name: str = ""
    """Its name in GKE according to the plan."""
    reason: str = ""
    """Why the plan does not have it."""

    @property
    def path(self) -> str:
        return ".".join(filter(None, (self.section, self.key)))


@dataclass(eq=False)
class _FleetCluster:
    """A cluster of the script, or one that it only adds node pools to."""

    name: str
    raw: RawResource | None
    live: LiveCluster | None
    location: str
    keys: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    members: list[_Member] = field(default_factory=list)
    policies: dict[str, RawResource] = field(default_factory=dict)


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
        self.semantics = Semantics(catalog.provider, resource_types.NODE_POOL, catalog.disks.families)
        self.cluster_semantics = Semantics(catalog.provider, resource_types.CLUSTER, catalog.disks.families)
        self.clusters: dict[str, _FleetCluster] = {}

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
            self.draft.problems.append(Problem("no command of gcloud that makes a cluster or a node pool", names, 0, 0))
        if not self.draft.problems:
            self._convert(resources)
        graph = self._proof() if not self.draft.problems else {}
        for file, script in read:
            for option in _each_place(script.options):
                self._row(option, file, graph)
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
            self.draft.problems.append(Problem(item.message, file, at.line, at.column, item.fix))
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
            if raw.type == resource_types.NODE_POOL and id(raw) in pools:
                self._add_pool(raw, pools[id(raw)])
        for cluster in self.clusters.values():
            self._cluster_keys(cluster, policies)
            self._group(cluster)
            self.draft.clusters[cluster.name] = cluster.keys
        projects = dict.fromkeys(raw.project for raw in existing if raw.project)
        if len(projects) > 1:
            self._problem(
                f"a plan has one project, and the script has {', '.join(map(printable, projects))}", _at(existing[0])
            )
        elif projects or self.draft.default_project:
            self.draft.project = next(iter(projects), self.draft.default_project)
        elif existing:
            self._problem("no project", _at(existing[0]), "add --project PROJECT to the command, or to gke-tpu adopt")

    def _begin_cluster(self, raw: RawResource) -> None:
        if not raw.values.known_text("location"):
            self._problem("the location of the cluster is not known", _at(raw), "add --zone ZONE to gke-tpu adopt")
            return
        if raw.name in self.clusters:
            return
        project = raw.project or self.draft.default_project or "project"
        live = next(iter(live_clusters([replace(raw, project=project)], self.catalog).values()), None)
        self.clusters[raw.name] = _FleetCluster(raw.name, raw, live, raw.values.text("location"))

    def _add_pool(self, raw: RawResource, live: LivePool) -> None:
        name = raw.values.known_text("cluster")
        if not name:
            self._problem("the cluster of the node pool is not known", _at(raw), "write its name into the script")
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
        if is_unknown(raw, "nodeConfig.machineType"):
            member = _Member(raw, live, "CPU pool", reason="its machine type is not known")
        elif tpu is not None:
            member = _Member(raw, live, "TPU node pool", section="slices")
        elif raw.name == self.catalog.gcloud.default_pool and cluster.raw is not None:
            member = _Member(raw, live, "system pool", section="system_pool")
        else:
            member = _Member(raw, live, "CPU pool", section="cpu_pools", key=raw.name)
        cluster.members.append(member)

    def _group(self, cluster: _FleetCluster) -> None:
        """The node pools of a cluster as its groups and pools."""
        slices: list[tuple[_Member, Inverted]] = []
        for member in cluster.members:
            if member.reason:
                continue
            try:
                if member.kind == "TPU node pool":
                    slices.append((member, self._slices(member, cluster)))
                elif member.kind == "system pool":
                    member.keys = system_pool_keys(Values(dict(member.live.values)))
                    if member.keys:
                        cluster.keys["system_pool"] = member.keys
                else:
                    member.keys = self._cpu_pool(member, cluster)
                    cluster.keys.setdefault("cpu_pools", {})[member.key] = member.keys
                    member.planned_name = member.key
            except (CannotAdoptError, NotKnownError) as error:
                member.reason = str(error) or "the script does not tell what decides its nodes"
                self._problem(f"node pool {printable(member.raw.name)}: {member.reason}", _at(member.raw))
        self._slice_groups(cluster, {id(inverted): member for member, inverted in slices}, [each for _, each in slices])

    def _slice_groups(self, cluster: _FleetCluster, owners: Mapping[int, _Member], slices: Sequence[Inverted]) -> None:
        """Equal node pools as one group with as many slices."""
        for group in grouped(slices):
            number = len(group.members)
            keys = {key: value for key, value in group.keys.items() if key not in ("adopted", "indices", "name")}
            if "max" in keys:
                keys["count"] = {"min": keys.pop("min", 0), "max": number}
                del keys["max"]
            elif number > 1:
                keys["count"] = number
            cluster.keys.setdefault("slices", {})[group.key] = keys
            for index, inverted in enumerate(group.members):
                member = owners[id(inverted)]
                member.key, member.keys = group.key, keys
                member.planned_name = f"{group.key}-{index}" if inverted.multi_host else group.key

    def _slices(self, member: _Member, cluster: _FleetCluster) -> Inverted:
        """The keys of a slice group; a topology that GKE does not have stays, for rules to report it."""
        live = self._placed(member, cluster)
        tpu = next(iter(self.machines.pools(member.raw.asked)))
        values = Values(dict(live.values))
        try:
            found = inversion.inverted(tpu, live, self.catalog, self.semantics)
            _add_stated(found, values, inversion.REPAIRS)
            return found
        except CannotAdoptError:
            if self._is_shape(tpu, values):
                raise
            plain = {**live.values, "placementPolicy": {}, "autoscaling": None}
            topology = values.text("placementPolicy.tpuTopology")
            del plain["autoscaling"]
            found = Inverted(replace(live, values=plain), {"tpu": tpu.generation_name, "topology": topology}, 2)
            zones = sorted(values.texts("nodeLocations"))
            found.keys |= {"zone": zones[0]} if len(zones) == 1 else {"zones": zones}
            found.keys |= inversion.capacity(values)
            found.keys |= inversion.copied(SliceGroupSpec, values, self.semantics, {})
            found.keys |= inversion.labels(found, values)
            found.keys |= inversion.taints(values)
            return found

    def _is_shape(self, tpu: TpuPool, values: Values) -> bool:
        topology = values.text("placementPolicy.tpuTopology")
        if not topology:
            return tpu.machine is not None
        shape = shape_of(
            self.catalog,
            "standard",
            SliceGroupSpec(tpu=tpu.generation_name, topology=topology, machine_type=tpu.machine_type),
        )
        return isinstance(shape, Shape)

    def _placed(self, member: _Member, cluster: _FleetCluster) -> LivePool:
        """The node pool in its zones: those of the cluster without its own."""
        values = dict(member.live.values)
        if not values.get("nodeLocations"):
            own = cluster.live.values.get("nodeLocations") if cluster.live is not None else None
            zones = own or ([cluster.location] if cluster.location != region_of(cluster.location) else [])
            zones = zones or ([self.zone] if self.zone and self.zone != region_of(self.zone) else [])
            if not zones:
                raise CannotAdoptError("its zone is not known: add --node-locations to the command")
            values["nodeLocations"] = list(zones)
        return replace(member.live, values=values)

    def _cpu_pool(self, member: _Member, cluster: _FleetCluster) -> dict[str, Any]:
        """The keys of a CPU pool; without known zones, those that gke-tpu chooses."""
        try:
            live = self._placed(member, cluster)
        except CannotAdoptError:
            live = replace(member.live, values={**member.live.values, "nodeLocations": [cluster.location]})
        found = cpu_inversion.inverted_cpu_pool(live, self.semantics)
        _add_stated(found, Values(dict(live.values)), cpu_inversion.REPAIRS)
        keys = dict(found.keys)
        if keys["zones"] == [region_of(cluster.location)]:
            del keys["zones"]
        return keys

    def _cluster_keys(self, cluster: _FleetCluster, policies: Sequence[RawResource]) -> None:
        used = {
            policy.rpartition("/")[2]
            for member in cluster.members
            if isinstance(policy := value_at(member.live.values, ("placementPolicy", "policyName")), str)
        }
        if cluster.raw is None or cluster.live is None:
            project = next((member.raw.project for member in cluster.members if member.raw.project), "")
            place = ClusterPlace(project or self.draft.default_project, cluster.location, cluster.name)
            cluster.keys |= {"existing": place.reference, "mode": "standard"}
        else:
            cluster.keys |= self._created(cluster, cluster.live)
        for policy in policies:
            if policy.name in used:
                cluster.keys.setdefault("workload_policies", {})[policy.name] = policy_keys(Values(policy.values.data))

    def _created(self, cluster: _FleetCluster, live: LiveCluster) -> dict[str, Any]:
        """The keys of a cluster that the script creates; what it does not state is what gke-tpu does."""
        assert cluster.raw is not None
        values = Values(without_unknown(cluster.raw.values.data))
        mode = "autopilot" if values.flag("enableAutopilot") else "standard"
        keys: dict[str, Any] = {"mode": mode, "location": cluster.location}
        channel = values.text("releaseChannel.channel")
        if channel:
            keys["release_channel"] = "none" if channel == "UNSPECIFIED" else channel.lower()
        keys |= inversion.copied(ClusterSpec, values, self.cluster_semantics, {})
        keys |= network_keys(values)
        private = values.get("privateClusterConfig.enablePrivateNodes")
        if private is not None:
            keys["private_nodes"] = private
        keys |= control_plane_keys(values)
        security = {}
        if values.get("enableShieldedNodes") is False:
            security["shielded_nodes"] = False
        if values.text("datapathProvider") == "LEGACY_DATAPATH":
            security["dataplane_v2"] = False
        keys |= {"security": security} if security else {}
        limits = cluster_inversion.autoprovisioning(values)
        if limits:
            zones = values.texts("clusterAutoscaling.autoProvisioningLocations")
            found_zones = {"zones": list(zones)} if zones else {}
            keys["autoprovisioning"] = {**limits["autoprovisioning"], **keys.get("autoprovisioning", {}), **found_zones}
        else:
            keys.pop("autoprovisioning", None)
        words = sorted(cluster_inversion.addons(values, self.catalog, mode))
        keys |= {"addons": words} if words else {}
        labels = values.get("resourceLabels")
        keys |= {"resource_labels": labels} if labels else {}
        found = InvertedCluster(replace(live, values=values.data), {})
        try:
            keys |= cluster_inversion.maintenance(found, values, self.catalog)
        except CannotAdoptError as error:
            cluster.notes.append(str(error))
        if found.extra:
            cluster.extra |= found.extra
        for path in cluster_inversion.EXTRA:
            value = values.get(path)
            if value is not None:
                set_key(cluster.extra, tuple(path.split(".")), value)
        return {**keys, **({"extra": cluster.extra} if cluster.extra else {})}

    # What the plan makes

    def _proof(self) -> dict[str, graph_model.Resource]:
        """Address of a resource of the script -> what the plan makes of it. Properties without a key go into extra."""
        graph = self._graph()
        added = False
        for cluster in self.clusters.values():
            for member in cluster.members:
                made = graph.get(member.raw.origin.address)
                if made is None or member.section not in ("slices", "cpu_pools"):
                    continue
                allowed = inversion.EXTRA if member.section == "slices" else cpu_inversion.EXTRA_OF_CPU_POOLS
                for path in allowed:
                    steps = tuple(path.split("."))
                    wanted = value_at(member.live.values, steps)
                    if _says(wanted) and wanted != value_at(made.inputs, steps):
                        set_key(member.keys.setdefault("extra", {}), steps, wanted)
                        added = True
        return self._graph() if added else graph

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
                if member.section == "slices" and member.planned_name not in ("", member.raw.name):
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
        path = ".".join(step for step in fact.to.split(".") if not step.isdecimal())
        if path == "project":
            return "key", "project", ""
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
            return f"{above}.location"
        keys = member.keys if member is not None else cluster.keys
        prefix = ".".join(filter(None, (above, member.path if member is not None else "")))
        key = self._key_of(path, keys, member.kind if member is not None else "cluster")
        if key:
            return f"{prefix}.{key}"
        is_extra = value_at(keys.get("extra", {}), tuple(path.split("."))) is not None
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
            return "derived", "", _DERIVED.get(name, "gke-tpu sets the same value")
        if name in _DERIVED:
            return "derived", "", _DERIVED[name]
        return "left out", "", "it is the default" if option.given.value == "false" else _NO_KEY

    def _key_of(self, path: str, keys: Mapping[str, Any], kind: Resource) -> str:
        """The key of a cluster, group or pool that sets a property, or a part of it, if it is there."""
        if kind == "TPU node pool" and path in _CAPACITY:
            return "capacity" if "capacity" in keys else ""
        modeled = plan_keys().modeled(kind)
        steps = path.split(".")
        around = (modeled.get(".".join(steps[:length]), "") for length in range(len(steps), 0, -1))
        inside = (key for name, key in modeled.items() if name.startswith(f"{path}."))
        for pattern in (*around, *inside):
            key = _PREFIX.sub("", pattern)
            for name in (key, {"zone": "zones", "adopted.limits": "max_nodes"}.get(key, "")):
                if name and value_at(dict(keys), tuple(name.split("."))) is not None:
                    return name
        return ""

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


def _add_stated(found: Inverted, values: Values, repairs: Mapping[str, Callable[[Inverted, Values], None]]) -> None:
    """Add the keys of properties that the script states, beside those that every node pool shows."""
    for path, add in repairs.items():
        if values.get(path) is not None and path not in _NOT_REPAIRED:
            add(found, values)


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

"""What becomes a part of the plan: keys of its description are added until nothing differs, and then what is lost."""

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pulumi_gke_tpu.core.against_plan.live import LiveCluster, LivePool
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.clusters import cluster_keys, policy_without_key
from pulumi_gke_tpu.core.described.node_pools import cpu_pool, slice_group
from pulumi_gke_tpu.core.described.part import Keys, Part
from pulumi_gke_tpu.core.described.short import short_group, short_network
from pulumi_gke_tpu.core.graph.differences import PropertyDiff, without_unsaid
from pulumi_gke_tpu.core.graph.keys import is_within
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.resources.pools import TpuPool
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.core.text.formats.names import is_set_by_gke
from pulumi_gke_tpu.core.text.formats.property_path import set_value, value_at


class CannotAdoptError(Exception):
    """No plan describes the cluster or node pool. The message is the reason, as a clause."""


@dataclass(eq=False)
class OpenPart:
    """What exists, with the keys of its description that the plan has."""

    live: LivePool | LiveCluster
    part: Part
    allowed: Collection[str]
    """The properties that the plan may get as ``extra``."""
    shown: set[Keys]
    """The keys that the plan has."""
    dropped: set[Keys] = field(default_factory=set)
    """The keys that it cannot have, so that what they set stays as it is."""
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What a person should know, as sentences."""

    @property
    def described(self) -> dict[str, Any]:
        """The keys that the plan has, as the description spells them."""
        found: dict[str, Any] = {}
        shown = self.shown - self.dropped
        for keys, value in self._leaves():
            if keys in shown:
                set_value(found, keys, value)
        return found

    def _leaves(self) -> Iterator[tuple[Keys, Any]]:
        yield from leaves(self.part.keys)
        yield from leaves(self.part.kept)

    def _about(self, item: PropertyDiff) -> set[Keys]:
        """The keys of a property, of a part of it, or of the block around it."""
        found = {keys: self.part.origin(keys)[1] for keys, _ in self._leaves() if keys[0] != "extra"}
        path = item.plain_path
        return {keys for keys, name in found.items() if name and (is_within(path, name) or is_within(name, path))}

    def add(self, planned: Iterable[PropertyDiff]) -> None:
        """Add the keys of properties that differ, and as ``extra`` those that no key says; or leave out a key.

        Raises:
            CannotAdoptError: the plan can say none of them.
        """
        added: set[Keys] = set()
        others: list[PropertyDiff] = []
        left: list[str] = []
        for item in planned:
            if item.will is ABSENT and item.was == {}:
                raise CannotAdoptError(f"its block {item.plain_path} is empty, which no plan describes")
            about = self._about(item)
            added |= about - self.shown
            if not about & added:
                others.append(item)
        self.shown |= added
        changed = bool(added)
        for item in others:
            if not any(is_within(item.plain_path, block) for block in left):
                block = self.drop(item.plain_path)
                left += [block] if block else []
                changed |= bool(block) or self._add_extra(item)
        if others and not changed:
            names = listed([item.plain_path for item in others])
            raise CannotAdoptError(f"no key of the plan and no entry of `extra` describes {names}")

    def _add_extra(self, item: PropertyDiff) -> bool:
        """Whether a property is now in ``extra``, and was not before."""
        steps = names_of(item)
        live = value_at(self.live.values, steps)
        value = without_unsaid(live) or live
        if not self.allows(item) or value_at(self.extra, steps) == value:
            return False
        set_value(self.extra, steps, value)
        return True

    def _leave_out(self, *names: str) -> bool:
        """Whether the plan had some of these keys, and now has none."""
        lost = {keys for keys, _ in self._leaves() if keys[0] in names and keys in self.shown} - self.dropped
        self.dropped |= lost
        return bool(lost)

    def allows(self, item: PropertyDiff) -> bool:
        """Whether a property may be in ``extra``."""
        return any(is_within(item.plain_path, path) for path in self.allowed)

    def drop(self, path: str) -> str:
        """Leave out the keys of a property that the plan can go without, so that what they set stays as it is.

        The block that they set; empty if the plan has none of them.
        """
        raise NotImplementedError


@dataclass(eq=False)
class OpenPool(OpenPart):
    """A node pool."""

    live: LivePool
    hosts: int = 1
    """Of one slice."""
    lost: set[Keys] = field(default_factory=set)
    """The keys that are only kept for a replacement."""
    needed: dict[str, Any] | None = None
    """``extra`` without what is only kept for a replacement; None if it has nothing of that kind."""
    keeps: bool = True
    catalog: Catalog | None = None
    """Of a node pool with TPUs."""

    @property
    def name(self) -> str:
        """Its name in GKE."""
        return self.live.name

    @property
    def multi_host(self) -> bool:
        """Whether the node pool is one slice of several hosts."""
        return self.hosts > 1

    @property
    def adopted(self) -> dict[str, Any]:
        """The keys of what only the node pool of another tool has."""
        found: dict[str, Any] = self.described.get("adopted", {})
        return found

    @property
    def account(self) -> str:
        """The service account of the nodes; empty for the default account."""
        return str(self.part.keys.get("node_service_account", ""))

    def group(self) -> dict[str, Any]:
        """The keys of a group, or of a CPU pool, with this node pool alone, without those of its name."""
        keys = self.described
        adopted = keys.pop("adopted", True)
        if self.catalog is not None:
            keys, _ = short_group(keys, self.catalog)
        return {**keys, **({"extra": self.extra} if self.extra else {}), "adopted": adopted}

    def drop(self, path: str) -> str:
        """Leave out the labels, if GKE has set some of them."""
        labels = value_at(self.live.values, ("nodeConfig", "labels")) or {}
        foreign = sorted(key for key in labels if is_set_by_gke(key))
        if not (is_within(path, "nodeConfig.labels") and foreign and self._leave_out(*_LABELS)):
            return ""
        self.notes.append(f"The labels stay as they are, because GKE set some of them: {', '.join(foreign)}.")
        return "nodeConfig.labels"

    def keep(self, lost: Iterable[PropertyDiff]) -> bool:
        """Add what a replacement would lose: its keys, or entries of ``extra``. Whether there was something to add."""
        keys: set[Keys] = set()
        extra: list[PropertyDiff] = []
        for item in lost:
            about = self._about(item) - self.shown
            keys |= about
            if not about and self.keeps and self.allows(item):
                extra.append(item)
        if extra and self.needed is None:
            self.needed = copy.deepcopy(self.extra)
        self.shown |= keys
        self.lost |= keys
        for item in extra:
            set_value(self.extra, names_of(item), item.was)
        return bool(keys or extra)

    def take_back(self, error: Keys = ()) -> bool:
        """Take back what :meth:`keep` has added, first the key with an error. False if nothing is left."""
        wrong = {keys for keys in self.lost if error and keys[: len(error)] == error}
        if not wrong and self.needed is not None:
            self.extra, self.needed, self.keeps = self.needed, None, False
            return True
        wrong = wrong or self.lost
        self.dropped |= wrong
        self.lost = self.lost - wrong
        return bool(wrong)


_LABELS: Final = ("collection", "driver_mode", "node_labels")
_SHOWN_BY_GROUPS: Final = (
    "tpu", "topology", "slicing", "chips", "machine_type", "zone", "zones", "count", "min", "max", "capacity", *_LABELS,
    "taints", "maintenance", "placement",
)  # fmt: skip
_SHOWN_BY_CPU_POOLS: Final = ("machine_type", "nodes", "min_nodes", "max_nodes", "zones", "node_labels", "taints")
FACTS: Final = ("version", "release_channel")
"""Keys of a cluster that stays with its tool, so that rules can use them."""
_SHOWN_BY_CLUSTERS: Final = (
    "mode", "location", "adopted", *FACTS, "network", "multi_networking", "maintenance", "addons",
)  # fmt: skip
"""Keys that a plan has without a difference, too: they say what it is, or rules use them."""
_ABOUT_LIMITS: Final = (("adopted", "limits"), ("adopted", "location_policy"))

EXTRA: Final = (
    "networkConfig.networkPerformanceConfig",
    "nodeConfig.advancedMachineFeatures",
    "nodeConfig.enableConfidentialStorage",
    "nodeConfig.ephemeralStorageLocalSsdConfig",
    "nodeConfig.fastSocket",
    "nodeConfig.imageType",
    "nodeConfig.kubeletConfig",
    "nodeConfig.linuxNodeConfig.accurateTimeConfig",
    "nodeConfig.linuxNodeConfig.cgroupMode",
    "nodeConfig.linuxNodeConfig.hugepagesConfig",
    "nodeConfig.linuxNodeConfig.nodeKernelModuleLoading",
    "nodeConfig.linuxNodeConfig.swapConfig",
    "nodeConfig.linuxNodeConfig.sysctls",
    "nodeConfig.linuxNodeConfig.transparentHugepageDefrag",
    "nodeConfig.linuxNodeConfig.transparentHugepageEnabled",
    "nodeConfig.localNvmeSsdBlockConfig",
    "nodeConfig.localSsdCount",
    "nodeConfig.loggingVariant",
    "nodeConfig.minCpuPlatform",
    "nodeConfig.resourceManagerTags",
    "nodeConfig.storagePools",
    "nodeConfig.tags",
)
"""The properties that a plan may get as ``extra``. Metadata, scripts and everything that can hold a secret are not
among them."""
EXTRA_OF_CPU_POOLS: Final = (
    *EXTRA,
    "maxPodsPerNode",
    "nodeConfig.hostMaintenancePolicy",
    "nodeConfig.maxRunDuration",
    "nodeConfig.preemptible",
)
EXTRA_OF_CLUSTERS: Final = (
    "allowNetAdmin",
    "binaryAuthorization",
    "description",
    "disableL4LbFirewallReconciliation",
    "dnsConfig",
    "enableCiliumClusterwideNetworkPolicy",
    "enableFqdnNetworkPolicy",
    "enableK8sBetaApis",
    "enableKubernetesAlpha",
    "enableLegacyAbac",
    "inTransitEncryptionConfig",
    "networkPerformanceConfig",
    "networkPolicy",
    "resourceUsageExportConfig",
    "secretManagerConfig",
    "secretSyncConfig",
)


def open_slices(tpu: TpuPool, live: LivePool, catalog: Catalog, policy: Values | None = None) -> OpenPool:
    """A node pool with TPUs, and what it shows. ``policy`` is its workload policy, if a source has it.

    Raises:
        CannotAdoptError: no plan describes such a node pool.
    """
    values = Values(dict(live.values))
    part = slice_group(replace(tpu, values=values), values, catalog, reported=True, policy=policy)
    if not {"zone", "zones"} & part.keys.keys():
        raise CannotAdoptError("the source does not contain its zone")
    if part.reason:
        raise CannotAdoptError(part.reason)
    name, facts = values.text("placementPolicy.policyName"), catalog.kubernetes.pods.dynamic_slices
    topology = values.text("placementPolicy.tpuTopology")
    is_known = policy is not None or "slicing" in part.keys or tpu.generation_name not in facts.generations
    if name and not topology and not is_known:
        part.set("slicing", "dynamic", "placementPolicy.policyName")
    keys, hosts = short_group(part.keys, catalog)
    if not hosts:
        raise CannotAdoptError(f"{tpu.machine_type} forms no slice of topology {keys.get('topology', 'unknown')}")
    found = OpenPool(live, part, EXTRA, _shown(part, _SHOWN_BY_GROUPS), hosts=hosts, catalog=catalog)
    if name and not is_known and topology in ("", facts.cube_topology):
        describe = f"`gcloud compute resource-policies describe {name.rpartition('/')[2]} --format=json`"
        found.notes.append(
            f"It has the topology {topology}, which GKE also answers of cubes for dynamic slicing. If the topology "
            f"mode of its policy is {facts.mode}, adopt it with the answer of {describe}."
            if topology
            else "It has no topology of its own, as a cube for dynamic slicing. Check that the topology mode of its "
            f"policy is {facts.mode}: {describe}."
        )
    if "slicing" in part.keys:
        nodes = values.known_number("initialNodeCount")
        if nodes is not None and nodes != hosts:
            found.notes.append(
                f"It was created with {number(nodes, 'node')}, and a cube has {hosts}: without the others, GKE cannot "
                "form a slice of the whole cube."
            )
    if hosts == 1:
        _keep_nodes(found, "count")
    return found


def open_cpu_pool(live: LivePool) -> OpenPool:
    """A node pool without TPUs, and what it shows.

    Raises:
        CannotAdoptError: no plan describes such a node pool.
    """
    values = Values(dict(live.values))
    part = cpu_pool(values, values, reported=True)
    if part.reason:
        raise CannotAdoptError(part.reason)
    if not values.text("nodeConfig.machineType") or "zones" not in part.keys:
        raise CannotAdoptError("the source does not contain its machine type and zones")
    found = OpenPool(live, part, EXTRA_OF_CPU_POOLS, _shown(part, _SHOWN_BY_CPU_POOLS))
    _keep_nodes(found, "nodes")
    return found


def _keep_nodes(found: OpenPool, key: str) -> None:
    """Where the source has the number of nodes at creation only, the node pool keeps its nodes."""
    if {"max", "max_nodes"} & found.part.keys.keys() or found.live.values.get("nodeCount") is not None:
        return
    created = found.part.keys.pop(key, 0)
    found.part.kept["adopted"] = {"nodes": created, **found.part.kept.get("adopted", {})}
    found.shown.add(("adopted", "nodes"))
    found.notes.append(
        f"The source has only the number of nodes at creation, {created}. Pulumi keeps the present number until {key} "
        f"is set; a replacement creates {created}."
    )


def _shown(part: Part, names: Collection[str]) -> set[Keys]:
    return {*(keys for keys, _ in leaves(part.keys) if keys[0] in names), *_ABOUT_LIMITS}


@dataclass(eq=False)
class OpenCluster(OpenPart):
    """A cluster, without its node pools."""

    live: LiveCluster

    def cluster(self) -> dict[str, Any]:
        """Its keys."""
        return {**short_network(self.described), **({"extra": self.extra} if self.extra else {})}

    def drop(self, path: str) -> str:
        """Leave out an optional key, with a note."""
        for block, (name, note) in _OPTIONAL.items():
            if is_within(path, block) and self.leave_out(name, note):
                return block
        return ""

    def leave_out(self, name: str, note: str) -> bool:
        """Leave out an optional key. False if the plan does not have it, or cannot go without."""
        if not (name in dict(_OPTIONAL.values()) and self._leave_out(name)):
            return False
        self.notes.append(note)
        return True


_OPTIONAL: Final[Mapping[str, tuple[str, str]]] = {
    "addonsConfig": ("addons", "The add-ons stay as they are, without a key."),
    "clusterAutoscaling": (
        "autoprovisioning",
        "Node auto-provisioning stays as it is, because the plan has no key for some of its limits.",
    ),
}
"""Property -> the key of an adopted cluster without which it stays as it is, and what a person should know."""


def described_cluster(live: LiveCluster, catalog: Catalog) -> Part:
    """The description of a cluster that exists."""
    version = live.raw.values.data.get("minMasterVersion")
    values = Values({**live.values, **({"minMasterVersion": version} if version else {})})
    return cluster_keys(values, live.place.project, catalog, reported=True)


def open_cluster(live: LiveCluster, part: Part) -> OpenCluster:
    """A cluster, and what its description shows.

    Raises:
        CannotAdoptError: no plan describes such a cluster.
    """
    values = Values(dict(live.values))
    if not live.works:
        raise CannotAdoptError(f"its status is {live.status}")
    if not values.text("network"):
        raise CannotAdoptError("the source does not contain the network of the cluster")
    if values.text("networkingMode") == "ROUTES":
        raise CannotAdoptError("it is not VPC-native, which no key describes")
    found = OpenCluster(live, part, EXTRA_OF_CLUSTERS, set())
    found.shown = {keys for keys, value in leaves(part.keys) if _is_shown(keys, value, part)}
    existing = part.keys.get("network", {}).get("existing", {})
    usual = (values.text("network").rpartition("/")[2], values.text("subnetwork").rpartition("/")[2])
    if existing.get("network", "default") == "default" and existing.get("subnetwork", "default") == "default":
        found.shown = {keys for keys in found.shown if keys[0] != "network"}
    if not existing and usual != ("default", ""):
        raise CannotAdoptError("the source does not contain the subnetwork of the cluster")
    if part.reason:
        raise CannotAdoptError(part.reason)
    without_key = policy_without_key(values)
    if without_key:
        found.shown = {keys for keys in found.shown if keys[0] != "maintenance"}
        found.extra[_POLICY] = without_unsaid(_settable(live.values[_POLICY]))
        found.notes.append(f"The plan has no key for the {without_key}, so the calendar does not show it.")
    return found


_POLICY: Final = "maintenancePolicy"
_RANGES: Final = ("pods_range", "services_range")


def _is_shown(keys: Keys, value: Any, part: Part) -> bool:
    """Whether the plan has a key of a cluster without a difference."""
    if keys[0] == "security":
        return value is False and (keys[1] != "dataplane_v2" or part.values.text("datapathProvider") != "")
    if keys[0] == "autoprovisioning":
        is_whole = {"cpu", "memory_gib"} <= part.keys["autoprovisioning"].keys()
        unknown = any(key.startswith("autoprovisioning") for key in part.unknown)
        return is_whole and not unknown and keys[1] in ("cpu", "memory_gib", "tpu")
    return keys[0] in _SHOWN_BY_CLUSTERS and keys[-1] not in _RANGES


def _settable(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The policy with what a program can set: GKE computes the length of a daily window."""
    daily = policy.get("dailyMaintenanceWindow")
    return {**policy, "dailyMaintenanceWindow": {"startTime": daily.get("startTime")} if daily else None}


def leaves(tree: Mapping[str, Any], above: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """Every value but mappings with entries, with its path."""
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def names_of(item: PropertyDiff) -> Keys:
    """The names along the path of a property; a key of a map is one of them."""
    return tuple(step for step in item.steps if isinstance(step, str))

"""From a node pool to the keys of a slice group: first what a pool shows, then whatever the comparison still names."""

import copy
import datetime
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, get_args, get_origin

from pulumi_gke_tpu.core.against_plan.live import LiveCluster, LivePool
from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.settings import usual_unavailable
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.graph.differences import PropertyDiff, without_unsaid
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.copied import CopiedKey, copied_keys
from pulumi_gke_tpu.core.resources.pools import TpuPool
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.text.formats.names import is_set_by_gke, parse_reservation
from pulumi_gke_tpu.core.text.formats.oauth_scopes import short_scope
from pulumi_gke_tpu.core.text.formats.property_path import value_at

_LABELS_OF_GKE = "goog-gke"
_DEFAULT_ACCOUNT = ("", "default")


class CannotAdoptError(Exception):
    """No plan describes the cluster or node pool. The message is the reason, as a clause."""


@dataclass(eq=False)
class Inverted:
    """A node pool with the keys that describe it, which grow until nothing differs."""

    live: LivePool
    keys: dict[str, Any]
    hosts: int
    """Of one slice."""
    adopted: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What a person should know, as sentences."""
    needed: dict[str, Any] | None = None
    """``extra`` without what is only kept for a replacement; None if it has nothing of that kind."""
    keeps: bool = True

    @property
    def multi_host(self) -> bool:
        """Whether the node pool is one slice of several hosts."""
        return self.hosts > 1

    def group(self) -> dict[str, Any]:
        """The keys of a group with this node pool alone, without those of its name."""
        return {**self.keys, **({"extra": self.extra} if self.extra else {}), "adopted": self.adopted or True}

    def keep(self, lost: Iterable[PropertyDiff], allowed: Collection[str]) -> bool:
        """Add to ``extra`` what a replacement would lose; False if there is nothing to add."""
        found = [item for item in lost if self.keeps and _is_allowed(item, allowed)]
        if found and self.needed is None:
            self.needed = copy.deepcopy(self.extra)
        for item in found:
            set_key(self.extra, names_of(item), item.was)
        return bool(found)

    def keep_nothing(self) -> bool:
        """Take back what :meth:`keep` has added; False if there is nothing."""
        if self.needed is None:
            return False
        self.extra, self.needed, self.keeps = self.needed, None, False
        return True


def inverted(pool: TpuPool, live: LivePool, catalog: Catalog, semantics: Semantics) -> Inverted:
    """The keys that the properties of a node pool show.

    Raises:
        CannotAdoptError: no plan describes such a node pool.
    """
    values = Values(dict(live.values))
    shape = _shape(pool, values, catalog)
    found = Inverted(live, shape, 1)
    derived = shape_of(catalog, "standard", SliceGroupSpec(**shape))
    assert isinstance(derived, Shape)
    found.hosts = derived.hosts
    found.keys |= _zones(values)
    found.keys |= _size(found, values)
    found.keys |= capacity(values)
    found.keys |= copied(SliceGroupSpec, values, semantics, semantics.untouched(live.values))
    found.keys |= labels(found, values)
    found.keys |= taints(values)
    if values.sets("maintenancePolicies"):
        found.keys["maintenance"] = {"end_of_support": True}
    policy = values.text("placementPolicy.policyName")
    if policy and not found.multi_host:
        raise CannotAdoptError("its single host has a workload policy, which no key describes")
    if policy:
        name = policy.rpartition("/")[2]
        found.keys["placement"] = {"workload_policy": name}
        if shape.get("slicing"):
            found.notes.append(
                "It has no topology of its own, as a cube for dynamic slicing. Check that the topology mode of its "
                f"policy is PROVISION_ONLY: `gcloud compute resource-policies describe {name}`."
            )
    return found


def _shape(pool: TpuPool, values: Values, catalog: Catalog) -> dict[str, Any]:
    """Generation and topology, and the machine only where the topology has several."""
    generation = pool.generation
    if pool.machine is None:
        raise CannotAdoptError(f"the catalog has no machine type {pool.machine_type}")
    topology = values.text("placementPolicy.tpuTopology")
    cubes = catalog.kubernetes.pods.dynamic_slices.generations
    if not topology and values.text("placementPolicy.policyName") and pool.generation_name in cubes:
        return {"tpu": pool.generation_name, "slicing": "dynamic"}
    topology = topology or _single_host(generation, pool.machine_type)
    least: dict[str, Any] = {"tpu": pool.generation_name, "topology": topology}
    several: tuple[dict[str, Any], ...] = (
        {},
        {"chips_per_host": pool.machine.chips},
        {"machine_type": pool.machine_type},
    )
    for more in several:
        shape = shape_of(catalog, "standard", SliceGroupSpec(**least, **more))
        if isinstance(shape, Shape) and shape.machine_type == pool.machine_type:
            return {**least, **more}
    raise CannotAdoptError(f"{pool.machine_type} forms no slice of topology {topology or 'unknown'}")


def _single_host(generation: Generation, machine_type: str) -> str:
    chips = generation.machine_types[machine_type].chips
    rows = selectable_rows(generation, "standard", machine_type)
    return next((row.topology for row in rows if Topology.parse(row.topology).chips == chips), "")


def _zones(values: Values) -> dict[str, Any]:
    zones = sorted(values.texts("nodeLocations"))
    if not zones:
        raise CannotAdoptError("the source does not contain its zone")
    return {"zone": zones[0]} if len(zones) == 1 else {"zones": zones}


def _size(found: Inverted, values: Values) -> dict[str, Any]:
    """The number of slices. A node pool of a multi-host slice is one of them."""
    zones = len(values.texts("nodeLocations"))
    if not values.has("autoscaling"):
        if found.multi_host:
            return {}
        return _count(found, values, zones)
    fewest, most = values.number("autoscaling.minNodeCount") or 0, values.number("autoscaling.maxNodeCount") or 0
    all_fewest = values.number("autoscaling.totalMinNodeCount") or 0
    all_most = values.number("autoscaling.totalMaxNodeCount") or 0
    policy = values.text("autoscaling.locationPolicy")
    if policy:
        found.adopted["location_policy"] = policy.lower()
    if found.multi_host:
        if all_most or fewest or most != found.hosts:
            raise CannotAdoptError("the limits of its autoscaler are not 0 and the hosts of a slice")
        return {"min": 0, "max": 1}
    if not all_most:
        found.adopted["limits"] = "per_zone"
        all_fewest, all_most = fewest * zones, most * zones
    return {"count": {"min": all_fewest, "max": all_most}}


def _count(found: Inverted, values: Values, zones: int) -> dict[str, Any]:
    nodes = known_nodes(found, values, zones, "count")
    return {"count": nodes} if nodes not in (None, 1) else {}


def known_nodes(found: Inverted, values: Values, zones: int, key: str) -> int | None:
    """The number of nodes; None if the source has only that at creation. Then the node pool keeps its nodes."""
    present = values.number("nodeCount")
    if present is not None:
        return present * zones
    found.adopted["nodes"] = created = (values.number("initialNodeCount") or 0) * zones
    found.notes.append(
        f"The source has only the number of nodes at creation, {created}. Pulumi keeps the present number until {key} "
        f"is set; a replacement creates {created}."
    )
    return None


def capacity(values: Values) -> dict[str, Any]:
    """The capacity mode.

    Raises:
        CannotAdoptError: no key describes it.
    """
    if values.flag("nodeConfig.preemptible"):
        raise CannotAdoptError("its nodes are preemptible VMs, which no key describes")
    affinity = values.text("nodeConfig.reservationAffinity.consumeReservationType")
    modes: dict[str, Any] = {}
    if values.flag("nodeConfig.spot"):
        modes["spot"] = True
    if affinity == "SPECIFIC_RESERVATION":
        modes["reservation"] = _reservation(values.texts("nodeConfig.reservationAffinity.values"))
    elif affinity not in ("", "NO_RESERVATION", "UNSPECIFIED"):
        raise CannotAdoptError(f"its reservation affinity is {affinity}, which no key describes")
    queued = values.flag("queuedProvisioning.enabled")
    flex_start, duration = values.flag("nodeConfig.flexStart"), values.text("nodeConfig.maxRunDuration")
    if duration and (queued or not flex_start):
        raise CannotAdoptError(
            "its nodes have a maximum run duration, and only flex-start without queued provisioning has a key for it"
        )
    if flex_start:
        modes["flex_start"] = _flex_start(duration, queued=queued)
    elif queued:
        modes["queued"] = True
    if len(modes) > 1:
        raise CannotAdoptError(f"it combines {' and '.join(modes)}")
    if not modes:
        return {}
    ((mode, settings),) = modes.items()
    return {"capacity": mode if settings is True or not settings else modes}


def _flex_start(duration: str, *, queued: bool) -> dict[str, Any]:
    seconds = int(duration[:-1]) if re.fullmatch(r"\d{1,9}s", duration, re.ASCII) else 0
    return {
        **({"max_run_duration": _duration(seconds)} if seconds else {}),
        **({"queued": True} if queued else {}),
    }


def _duration(seconds: int) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _reservation(values: tuple[str, ...]) -> Any:
    found = parse_reservation(values[0]) if len(values) == 1 else None
    if found is None:
        raise CannotAdoptError("its reservation has a name that no key describes")
    return found.short


def copied(
    model: type[PlanModel], values: Values, semantics: Semantics, untouched: Mapping[str, Any]
) -> dict[str, Any]:
    """The keys of a model that are copied to a property, where GKE would report another value without them."""
    found: dict[str, Any] = {}
    for item in copied_keys(model):
        value = values.get(item.path)
        known = semantics.properties.get(item.path)
        usual = value_at(untouched, item.path.split(".")), known.reported if known is not None else None
        if item.names[0] == "capacity" or not value or value in usual:
            continue
        written = _word(item, value)
        if written is not None:
            set_key(found, item.names, written)
    return found


def _word(item: CopiedKey, value: Any) -> Any:
    if item.values is not None:
        return next((word for word, other in item.values.items() if other == value), None)
    if item.type is datetime.timedelta:
        return None
    return value if get_origin(item.type) is None or value in get_args(item.type) else None


def set_key(tree: dict[str, Any], steps: tuple[str, ...], value: Any) -> None:
    """Set a value inside mappings, which are made where there are none."""
    *above, last = steps
    for step in above:
        tree = tree.setdefault(step, {})
    tree[last] = value


def labels(found: Inverted, values: Values) -> dict[str, Any]:
    """The labels of the nodes, unless GKE has set some of them."""
    live = values.get("nodeConfig.labels")
    own = {key: value for key, value in live.items() if isinstance(value, str)} if isinstance(live, dict) else {}
    foreign = sorted(key for key in own if is_set_by_gke(key))
    if own and foreign:
        found.notes.append(f"Its labels stay as they are: GKE set {', '.join(foreign)} among them.")
        return {}
    return {"node_labels": own} if own else {}


def taints(values: Values) -> dict[str, Any]:
    """The taints besides those of GKE. They are for checks: an import reads no taints."""
    live = values.get("nodeConfig.taints")
    own = [
        {name: item[name] for name in ("key", "value", "effect") if item.get(name)}
        for item in (live if isinstance(live, list) else [])
        if isinstance(item, dict) and not is_set_by_gke(str(item.get("key", "")))
    ]
    return {"taints": own} if own else {}


# What the comparison still names


class Repairable(Protocol):
    """What has keys that grow until nothing differs."""

    extra: dict[str, Any]

    @property
    def live(self) -> LivePool | LiveCluster:
        """What exists."""


_Repaired = TypeVar("_Repaired", bound=Repairable)


def repair(found: Inverted, planned: tuple[PropertyDiff, ...]) -> None:
    """Add the keys for properties in which the plan of a TPU node pool still differs.

    Raises:
        CannotAdoptError: neither a key nor ``extra`` can say a property.
    """
    add_keys(found, planned, REPAIRS, EXTRA)


def add_keys(
    found: _Repaired,
    planned: tuple[PropertyDiff, ...],
    repairs: Mapping[str, Callable[[_Repaired, Values], None]],
    extra: Collection[str],
) -> None:
    """Add keys by ``repairs``, and as ``extra`` those of these properties that no key sets.

    Raises:
        CannotAdoptError: neither a key nor ``extra`` can say a property.
    """
    values = Values(dict(found.live.values))
    needed: dict[str, Callable[[_Repaired, Values], None]] = {}
    """Each once, also if several properties of a block differ."""
    for item in planned:
        block = next((path for path in repairs if is_within(item.plain_path, path)), None)
        if item.will is ABSENT and item.was == {}:
            raise CannotAdoptError(f"its block {item.plain_path} is empty, which no plan describes")
        if block is not None:
            needed[block] = repairs[block]
        elif _is_allowed(item, extra):
            live = value_at(found.live.values, names_of(item))
            set_key(found.extra, names_of(item), without_unsaid(live) or live)
        else:
            raise CannotAdoptError(f"no key and no entry of extra sets {item.plain_path} to its value")
    for add in needed.values():
        add(found, values)


def _upgrade(found: Inverted, values: Values) -> None:
    settings = values.get("upgradeSettings")
    settings = settings if isinstance(settings, dict) else {}
    if settings.get("strategy") == "BLUE_GREEN":
        upgrade: dict[str, Any] = {"strategy": "blue_green"}
        upgrade |= _blue_green(values)
    else:
        surge, unavailable = settings.get("maxSurge") or 0, settings.get("maxUnavailable") or 0
        upgrade = {"max_surge": surge}
        if unavailable != usual_unavailable(surge):
            upgrade["max_unavailable"] = unavailable
    found.keys["upgrade"] = {**found.keys.get("upgrade", {}), **upgrade}


def _blue_green(values: Values) -> dict[str, Any]:
    base = "upgradeSettings.blueGreenSettings"
    rollout = f"{base}.standardRolloutPolicy"
    percentage = values.get(f"{rollout}.batchPercentage")
    batch, nodes = values.text(f"{rollout}.batchSoakDuration"), values.number(f"{rollout}.batchNodeCount")
    pool = values.text(f"{base}.nodePoolSoakDuration")
    settings = {
        "batch_percentage": percentage,
        "batch_node_count": nodes,
        "batch_soak": batch,
        "pool_soak": pool,
    }
    written = {name: value for name, value in settings.items() if value}
    return {"blue_green": written} if written else {}


def _management(key: str, path: str) -> Callable[[Inverted, Values], None]:
    def add(found: Inverted, values: Values) -> None:
        found.keys["upgrade"] = {**found.keys.get("upgrade", {}), key: values.flag(path)}

    return add


def scopes(found: Inverted, values: Values) -> None:
    """The OAuth scopes of the nodes."""
    live = values.texts("nodeConfig.oauthScopes")
    found.adopted["oauth_scopes"] = sorted(map(short_scope, live))


def account(found: Inverted, values: Values) -> None:
    """The service account of the nodes."""
    found.keys["node_service_account"] = values.text("nodeConfig.serviceAccount")


def resource_labels(found: Inverted, values: Values) -> None:
    """The labels of Google Cloud on the machines, without those of GKE."""
    labels = values.get("nodeConfig.resourceLabels")
    every = labels if isinstance(labels, dict) else {}
    found.keys["resource_labels"] = {key: value for key, value in every.items() if not key.startswith(_LABELS_OF_GKE)}


def _interfaces(found: Inverted, values: Values) -> None:
    items = values.get("networkConfig.additionalNodeNetworkConfigs")
    found.keys["additional_networks"] = [
        {"network": item["network"], "subnetwork": item["subnetwork"]}
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and item.get("network") and item.get("subnetwork")
    ]


def _secondary_disk(found: Inverted, values: Values) -> None:
    items = values.get("nodeConfig.secondaryBootDisks")
    first = items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else {}
    mode = first.get("mode")
    disk = {"image": first.get("diskImage"), **({"mode": mode.lower()} if isinstance(mode, str) and mode else {})}
    found.keys["secondary_boot_disk"] = disk


REPAIRS: Mapping[str, Callable[[Inverted, Values], None]] = {
    "upgradeSettings": _upgrade,
    "management.autoRepair": _management("auto_repair", "management.autoRepair"),
    "management.autoUpgrade": _management("auto_upgrade", "management.autoUpgrade"),
    "nodeConfig.oauthScopes": scopes,
    "nodeConfig.serviceAccount": account,
    "nodeConfig.resourceLabels": resource_labels,
    "networkConfig.additionalNodeNetworkConfigs": _interfaces,
    "nodeConfig.secondaryBootDisks": _secondary_disk,
}
"""Property, or the block around it -> what adds its key."""

EXTRA = (
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


def names_of(item: PropertyDiff) -> tuple[str, ...]:
    """The names along the path of a property; a key of a map is one of them."""
    return tuple(step for step in item.steps if isinstance(step, str))


def _is_allowed(item: PropertyDiff, allowed: Collection[str]) -> bool:
    return any(is_within(item.plain_path, path) for path in allowed)


def is_within(inner: str, outer: str) -> bool:
    """Whether a property is another one, or inside of it."""
    return inner == outer or inner.startswith(f"{outer}.")


def account_of(found: Inverted) -> str:
    """The service account of the nodes; empty for the default account."""
    live = Values(dict(found.live.values)).text("nodeConfig.serviceAccount")
    return "" if live in _DEFAULT_ACCOUNT else live

"""From a node pool to the keys of a slice group, or of an entry in ``cpu_pools``.

It is lenient: what rules report, such as a topology that does not exist, stays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import NodeLabels
from pulumi_gke_tpu.core.catalog.records.workloads import DynamicSlices
from pulumi_gke_tpu.core.described.part import Keys, Part, account_of, entries, strings
from pulumi_gke_tpu.core.plan import CpuPoolSpec, SliceGroupSpec
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.resources.pools import AFFINITY, AFFINITY_TYPE, TpuPool, on_request
from pulumi_gke_tpu.core.resources.values import UNKNOWN, NotKnownError, Values
from pulumi_gke_tpu.core.text.formats.names import is_gke_name, is_set_by_gke, parse_reservation
from pulumi_gke_tpu.core.text.formats.oauth_scopes import short_scope
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_DURATION = lazy_pattern(r"\d{1,9}s\Z", re.ASCII)
_KEYS_OF_CAPACITY = "capacity"
_POLICY, _MODE = "placementPolicy.policyName", "workloadPolicy.acceleratorTopologyMode"


def slice_group(
    pool: TpuPool, stored: Values, catalog: Catalog, *, reported: bool, policy: Values | None = None
) -> Part:
    """The keys of a group with this node pool alone.

    ``stored`` are the properties that exist. ``reported``: GKE has set a part of the properties itself. ``policy`` is
    the workload policy of the node pool, if the source has it.
    """
    part = Part(pool.values, properties=dict(_PLACES))
    _shape(part, pool, policy, catalog.kubernetes.pods.dynamic_slices)
    _zones(part)
    _size(part, pool, stored, reported=reported)
    part.read(_KEYS_OF_CAPACITY, "nodeConfig", lambda: capacity_keys(pool))
    _capacity_places(part)
    part.copied(SliceGroupSpec, _KEYS_OF_CAPACITY)
    known = catalog.platform.names.node_labels
    part.read("collection", "nodeConfig.labels", lambda: _collection(pool.values, known))
    part.read("driver_mode", "nodeConfig.labels", lambda: _driver_mode(pool.values, known))
    part.inside["collection", "name"], part.inside["collection", "workload"] = (known.collection,), (known.workload,)
    part.inside["driver_mode",] = (known.tpu_dra_driver,)
    own = (known.collection, known.workload, known.queued, known.tpu_dra_driver, known.network_dra_driver)
    _nodes(part, own, reported=reported)
    _upgrade(part, reported=reported)
    name = pool.values.known_text("name")
    if name and not is_gke_name(name):
        part.set("name", name, "name")
    part.read("placement.workload_policy", _POLICY, lambda: pool.values.text(_POLICY).rpartition("/")[2])
    part.read("additional_networks", _INTERFACES, lambda: _interfaces(part))
    part.read("best_effort", "bestEffortProvisioning.minProvisionNodes", lambda: _best_effort(pool.values))
    part.read("host_maintenance.opportunistic", _IDLE_HOSTS, lambda: _idle_hosts(pool.values))
    part.read("secondary_boot_disk", _DISKS, lambda: _secondary_disk(pool.values.get(_DISKS)))
    part.read("maintenance.end_of_support", _END_OF_SUPPORT, lambda: _until_end_of_support(pool.values))
    part.read("extra.nodeConfig.confidentialNodes", "nodeConfig.confidentialNodes", lambda: _confidential(pool.values))
    for source in catalog.platform.nodes.unavailable:
        part.read(f"extra.{source}", source, lambda source=source: _if_set(pool.values, source))  # type: ignore[misc]
    try:
        part.reason = next(_without_keys(pool), "")
    except NotKnownError:
        part.reason = "the source does not contain a property that decides its slices"
    return part


def cpu_pool(values: Values, stored: Values, *, reported: bool) -> Part:
    """The keys of an entry in ``cpu_pools``.

    Raises:
        NotKnownError: the machine type is not known.
    """
    part = Part(values)
    try:
        if values.get("nodeConfig.guestAccelerators"):
            part.reason = "it has GPUs, which no key describes"
    except NotKnownError:  # plans of Terraform leave those of a new node pool to the provider
        part.reason = "the source does not contain whether it has GPUs"
    part.set("machine_type", values.text("nodeConfig.machineType") or "e2-medium", "nodeConfig.machineType")
    try:
        per_zone = max(1, len(values.texts("nodeLocations")))
        if values.has("autoscaling"):
            least, most = _limits(values, per_zone)
            part.set("min_nodes", least[0] or None, least[1])
            part.set("max_nodes", most[0] or 1, most[1])
            _autoscaler(part, stored, most[1])
        else:
            count, source = _count(part, "nodes", per_zone, stored)
            part.set("nodes", 1 if count is None else count, source)
    except NotKnownError:
        part.unknown.add("nodes")
        part.keys["nodes"] = 1
    _read_zones(part)
    part.copied(CpuPoolSpec, "machine_type")
    topology = "placementPolicy.tpuTopology"
    part.read(f"extra.{topology}", topology, lambda: values.text(topology))
    _nodes(part, (), reported=reported)
    return part


_SECURE_BOOT = "nodeConfig.shieldedInstanceConfig.enableSecureBoot"
_SHARED = (
    ("private_nodes", "networkConfig.enablePrivateNodes", (True, False)),
    ("security.secure_boot", _SECURE_BOOT, (False,)),
    ("security.tpu_secure_boot", _SECURE_BOOT, (True,)),
)


def shared_keys(pools: Sequence[tuple[Values, bool]]) -> Iterator[tuple[str, bool, str, int]]:
    """The keys of a cluster that all of its node pools state in the same way: value, property, and the first of them.

    ``pools`` are the properties of each node pool, and whether it has TPUs.
    """
    for key, source, of in _SHARED:
        try:
            stated = {index: values.get(source) for index, (values, tpus) in enumerate(pools) if tpus in of}
        except NotKnownError:
            continue
        first = next(iter(stated), 0)
        if isinstance(stated.get(first), bool) and all(value is stated[first] for value in stated.values()):
            yield key, stated[first], source, first


def _shape(part: Part, pool: TpuPool, policy: Values | None, facts: DynamicSlices) -> None:
    """Generation, machine type and topology. A node pool without placement has single-host slices.

    A node pool with a workload policy may have no topology of its own: that of the policy is the topology of a slice.
    Cubes for dynamic slicing have no topology, or that of their workload policy, which GKE can answer.
    """
    part.set("tpu", pool.generation_name, "nodeConfig.machineType")
    part.set("machine_type", pool.machine_type, "nodeConfig.machineType")
    try:
        topology, source = pool.values.text("placementPolicy.tpuTopology"), "placementPolicy.tpuTopology"
        cubes = place_of_cubes(pool, policy, facts)
        if cubes and topology in ("", facts.cube_topology):
            part.set("slicing", "dynamic", cubes)
            return
        if not topology and pool.values.text(_POLICY):
            if policy is None:
                raise NotKnownError  # a multi-host slice with an unknown topology, or a cube
            policy.text(_MODE)  # if it is not known, neither are these
            topology, source = policy.text("workloadPolicy.acceleratorTopology"), _POLICY
    except NotKnownError:
        part.unknown |= {"topology", "chips", "slicing"}
        return
    if topology:
        part.set("topology", topology, source)
    else:
        part.set("chips", pool.machine.chips if pool.machine else 1, "nodeConfig.machineType")


def place_of_cubes(pool: TpuPool, policy: Values | None, facts: DynamicSlices) -> str:
    """The property that makes hosts cubes, whose chips are connected when a slice is formed; empty if none does."""
    config = pool.values.get("nodeConfig")
    if strings(config.get("labels")).get(facts.mode_label) == facts.mode:
        return "nodeConfig.labels"
    return _POLICY if policy is not None and policy.known_text(_MODE).upper() == facts.mode else ""


def _zones(part: Part) -> None:
    zones = _read_zones(part)
    if zones is None:
        part.unknown.add("zone")
    elif len(zones) == 1:
        del part.keys["zones"]
        part.set("zone", zones[0], "nodeLocations")
        part.inside["zone",] = (0,)


def _read_zones(part: Part) -> Any:
    """The zones in the order of their names."""
    zones = part.read("zones", "nodeLocations", lambda: sorted(part.values.texts("nodeLocations")))
    written = part.values.get("nodeLocations") if zones else ()
    part.inside |= {("zones", index): (written.index(zone),) for index, zone in enumerate(zones or ())}
    return zones


def _size(part: Part, pool: TpuPool, stored: Values, *, reported: bool) -> None:
    """The number of slices: the hosts of a single-host node pool; one, or zero to one, if the node pool is a slice."""
    values = part.values
    try:
        per_zone = max(1, len(values.texts("nodeLocations")))
        if "chips" not in part.keys:
            _size_of_slice(part, pool, stored, reported=reported)
        elif values.has("autoscaling"):
            least, most = _limits(values, per_zone)
            part.set("min", least[0] or 0, least[1])
            part.set("max", 1 if most[0] is None else most[0], most[1])
            _autoscaler(part, stored, most[1])
        else:
            count, source = _count(part, "count", per_zone, stored)
            part.set("count", count, source)
            part.note("min", "autoscaling.totalMinNodeCount")
            part.note("max", "autoscaling.totalMaxNodeCount")
    except NotKnownError:
        part.unknown |= {"count", "min", "max"}


def _size_of_slice(part: Part, pool: TpuPool, stored: Values, *, reported: bool) -> None:
    values = part.values
    if values.has("autoscaling"):
        (least, path), (most, above) = _limits(values, 1)
        part.set("min", 1 if least else 0, path)
        part.set("max", 0 if most == 0 else 1, above)
        _autoscaler(part, stored)
        return
    count, source = _count(part, "count", 1, stored)
    part.note("count", source)
    part.note("min", "autoscaling.minNodeCount")
    part.note("max", "autoscaling.maxNodeCount")
    if count and source == "nodeCount" and not reported and on_request(pool):
        part.set("count", 1, source)  # only then a size is more than what follows from the topology


def _limits(values: Values, per_zone: int) -> tuple[tuple[int | None, str], tuple[int | None, str]]:
    """The limits of the autoscaler for all zones together, each with its property."""

    def limit(total: str, zonal: str) -> tuple[int | None, str]:
        every, each = values.number(f"autoscaling.{total}"), values.number(f"autoscaling.{zonal}")
        if every is not None and not (each and not every):
            return every, f"autoscaling.{total}"
        return None if each is None else each * per_zone, f"autoscaling.{zonal}"

    return limit("totalMinNodeCount", "minNodeCount"), limit("totalMaxNodeCount", "maxNodeCount")


def _autoscaler(part: Part, stored: Values, most: str = "") -> None:
    """What only adopted node pools have. ``most`` is the property of the upper limit, if it can be one of two."""
    policy = "autoscaling.locationPolicy"
    part.keep("adopted.location_policy", policy, lambda: stored.text(policy).lower())
    if most == "autoscaling.maxNodeCount":
        part.keep("adopted.limits", most, lambda: "per_zone")


def _count(part: Part, key: str, per_zone: int, stored: Values) -> tuple[int | None, str]:
    """The number of nodes, and its property. Where the present number is not known, the one at creation counts."""
    values, source = part.values, "nodeCount"
    try:
        if not values.has(source):
            source = "initialNodeCount"
        number = values.number(source)
    except NotKnownError:
        part.unknown.add(key)
        number = stored.known_number("initialNodeCount")
    return None if number is None or number < 0 else number * per_zone, source


def capacity_keys(pool: TpuPool) -> dict[str, Any]:
    """The capacity mode. Several at once cannot be a plan, and another rule reports them."""
    if pool.values.flag("nodeConfig.preemptible"):
        raise NotKnownError  # the older kind of Spot VMs, which the catalog does not cover
    modes = _modes(pool.values)
    if len(modes) > 1:
        raise NotKnownError
    return modes or {"on_demand": True}


def _modes(values: Values) -> dict[str, Any]:
    """Every capacity mode that a node pool asks for."""
    duration = values.text("nodeConfig.maxRunDuration")
    modes: dict[str, Any] = {}
    if values.flag("nodeConfig.spot"):
        modes["spot"] = True
    if values.text(AFFINITY_TYPE) == "SPECIFIC_RESERVATION":
        modes["reservation"] = _reservation(values.texts(f"{AFFINITY}.values"))
    queued = values.flag("queuedProvisioning.enabled")
    if values.flag("nodeConfig.flexStart"):
        modes["flex_start"] = {"queued": queued}
        if _DURATION.match(duration):
            modes["flex_start"]["max_run_duration"] = duration
    elif queued:
        modes["queued"] = True
    return modes


def _without_keys(pool: TpuPool) -> Iterator[str]:
    """What no key says of a node pool, each as a clause."""
    values = pool.values
    if pool.machine is None:
        yield f"the catalog has no machine type {pool.machine_type}"
    most, hosts = values.number("autoscaling.maxNodeCount"), pool.hosts
    if pool.multi_host and values.has("autoscaling") and (values.number("autoscaling.minNodeCount") or most != hosts):
        yield "the limits of its autoscaler are not 0 and the hosts of a slice"
    if values.flag("nodeConfig.preemptible"):
        yield "its nodes are preemptible VMs, which no key describes"
    names, modes = values.texts(f"{AFFINITY}.values"), _modes(values)
    if "reservation" in modes and (len(names) != 1 or parse_reservation(names[0]) is None):
        yield "its reservation has a name that no key describes"
    affinity = values.text(AFFINITY_TYPE)
    if affinity not in ("", "NO_RESERVATION", "UNSPECIFIED", "SPECIFIC_RESERVATION"):
        yield f"its reservation affinity is {affinity}, which no key describes"
    if values.text("nodeConfig.maxRunDuration") and modes.get("flex_start", {"queued": True})["queued"]:
        yield (
            "its nodes have a maximum run duration, and only flex-start without queued provisioning has a key for it"
        )
    if len(modes) > 1:
        yield f"it combines {' and '.join(modes)}"
    if values.text("placementPolicy.policyName") and pool.hosts == 1:
        yield "its single host has a workload policy, which no key describes"


def _reservation(values: tuple[str, ...]) -> dict[str, str]:
    found = parse_reservation(values[0]) if values else None
    return {"name": "unnamed"} if found is None else found.keys


def _capacity_places(part: Part) -> None:
    part.inside[_KEYS_OF_CAPACITY, "reservation"] = (0,)
    mode = next(iter(part.keys.get(_KEYS_OF_CAPACITY, ())), "")
    part.note(_KEYS_OF_CAPACITY, _CAPACITY.get(mode, "nodeConfig"))


def _collection(values: Values, known: NodeLabels) -> dict[str, str]:
    labels = values.get("nodeConfig.labels")
    if not isinstance(labels, dict):
        return {}
    name, workload = labels.get(known.collection), labels.get(known.workload)
    if name is UNKNOWN:
        raise NotKnownError
    if not isinstance(name, str) or not name:
        return {}
    kinds = ("high_availability", "high_throughput")
    chosen = workload.lower() if isinstance(workload, str) else ""
    return {"name": name, **({"workload": chosen} if chosen in kinds else {})}


def _driver_mode(values: Values, known: NodeLabels) -> str | None:
    labels = strings(values.get("nodeConfig.labels"))
    return "dynamic_resource_allocation" if labels.get(known.tpu_dra_driver) == "true" else None


def _nodes(part: Part, own: tuple[str, ...], *, reported: bool) -> None:
    """Labels, taints and the account of the nodes, without what GKE sets itself if the source reports that too."""

    def foreign(key: str) -> bool:
        return key in own or (reported and is_set_by_gke(key))

    part.read(
        "node_labels",
        "nodeConfig.labels",
        lambda: {
            key: value for key, value in strings(part.values.get("nodeConfig.labels")).items() if not foreign(key)
        },
    )
    labels = "nodeConfig.resourceLabels"
    part.read("resource_labels", labels, lambda: _labels_of_machines(part.values.get(labels), of_tools=False))
    part.keep("resource_labels", labels, lambda: _labels_of_machines(part.values.get(labels), of_tools=True))
    try:
        account = "nodeConfig.serviceAccount"
        part.set("node_service_account", account_of(part.values, account), account)
    except NotKnownError:
        part.keys["node_service_account"] = UNKNOWN
    try:
        _taints(part, reported=reported)
    except NotKnownError:
        part.unknown.add("taints")
    scopes = "nodeConfig.oauthScopes"
    part.keep("adopted.oauth_scopes", scopes, lambda: sorted(map(short_scope, part.values.texts(scopes))))


def _labels_of_machines(labels: Any, *, of_tools: bool) -> dict[str, Any]:
    """The labels of a person, or those with the prefix of Google that another tool has set. GKE's own are neither."""
    return {
        key: value
        for key, value in strings(labels).items()
        if key.startswith("goog-") is of_tools and not key.startswith("goog-gke")
    }


def _taints(part: Part, *, reported: bool) -> None:
    found: list[dict[str, str]] = []
    for index, item in entries(part.values.get("nodeConfig.taints")):
        one = {name: Values(item).text(name) for name in ("key", "value", "effect")}
        if reported and is_set_by_gke(one["key"]):
            continue
        for name in one:
            part.properties["taints", len(found), name] = f"nodeConfig.taints[{index}].{name}"
        part.properties["taints", len(found)] = f"nodeConfig.taints[{index}]"
        found.append({name: value for name, value in one.items() if value or name == "key"})
    part.set("taints", found, "nodeConfig.taints")


_USUAL_SURGE = (1, 0)
_GREEN = "upgradeSettings.blueGreenSettings"
_ROLLOUT = f"{_GREEN}.standardRolloutPolicy"
_IDLE_HOSTS = "nodeConfig.hostMaintenancePolicy.opportunisticMaintenanceStrategy"
_OF_IDLE_HOSTS = {
    "idle": f"{_IDLE_HOSTS}.nodeIdleTimeWindow",
    "window": f"{_IDLE_HOSTS}.maintenanceAvailabilityWindow",
    "min_nodes": f"{_IDLE_HOSTS}.minNodesPerPool",
}
_DISKS = "nodeConfig.secondaryBootDisks"
_END_OF_SUPPORT = "maintenancePolicies[0].exclusionUntilEndOfSupports[0].enabled"
_UPGRADE = {
    "strategy": "upgradeSettings.strategy",
    "max_surge": "upgradeSettings.maxSurge",
    "max_unavailable": "upgradeSettings.maxUnavailable",
    "auto_repair": "management.autoRepair",
    "auto_upgrade": "management.autoUpgrade",
    "blue_green": _GREEN,
    "blue_green.batch_percentage": f"{_ROLLOUT}.batchPercentage",
    "blue_green.batch_node_count": f"{_ROLLOUT}.batchNodeCount",
    "blue_green.batch_soak": f"{_ROLLOUT}.batchSoakDuration",
    "blue_green.pool_soak": f"{_GREEN}.nodePoolSoakDuration",
}
_OF_BLUE_GREEN = tuple(key for key in _UPGRADE if key.startswith("blue_green."))
_CAPACITY = {
    "reservation": f"{AFFINITY}.values",
    "spot": "nodeConfig.spot",
    "queued": "queuedProvisioning.enabled",
    "flex_start": "nodeConfig.flexStart",
    "flex_start.max_run_duration": "nodeConfig.maxRunDuration",
}
_PLACES: Mapping[Keys, str] = {
    tuple(key.split(".")): source
    for key, source in {
        "chips_per_host": "nodeConfig.machineType",
        "topology": "placementPolicy.tpuTopology",
        "zone": "nodeLocations",
        "secondary_boot_disk.image": f"{_DISKS}[0].diskImage",
        "secondary_boot_disk.mode": f"{_DISKS}[0].mode",
        **{f"{_KEYS_OF_CAPACITY}.{key}": source for key, source in _CAPACITY.items()},
        **{f"host_maintenance.opportunistic.{key}": source for key, source in _OF_IDLE_HOSTS.items()},
        **{f"upgrade.{key}": source for key, source in _UPGRADE.items()},
    }.items()
}
"""Key of a slice group -> the property that its value comes from, or would come from, whatever the node pool has."""


def _upgrade(part: Part, *, reported: bool) -> None:
    try:
        found, usual = _upgrade_keys(part.values, reported=reported, short_lived=_is_short_lived(part))
    except NotKnownError:
        part.unknown.add("upgrade")
        return
    for key, value in found.items():
        part.set(f"upgrade.{key}", value, _UPGRADE[key])
    for key, value in usual.items():
        part.keep(f"upgrade.{key}", _UPGRADE[key], lambda value=value: value)  # type: ignore[misc]
    part.note("upgrade", _UPGRADE["strategy"] if "strategy" in found else "upgradeSettings")


def _is_short_lived(part: Part) -> bool:
    """Whether nodes exist for a limited time, and therefore without repair."""
    return next(iter(part.keys.get(_KEYS_OF_CAPACITY, ())), "") in SHORT_LIVED


def _upgrade_keys(values: Values, *, reported: bool, short_lived: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a person would have written, and the rest, which is what GKE has where nothing is set."""
    strategy = values.text("upgradeSettings.strategy").lower()
    found: dict[str, Any] = {"strategy": strategy} if strategy in ("surge", "blue_green") else {}
    surge, unavailable = (values.number(f"upgradeSettings.{name}") for name in ("maxSurge", "maxUnavailable"))
    # GKE reports no sizes, or zeros, of a node pool with another strategy, such as one with flex-start. An import
    # of Pulumi writes them into the program.
    is_other = reported or strategy == "blue_green" or surge is None or unavailable is None
    unused = not (surge or unavailable) and is_other
    if (surge, unavailable or 0) != _USUAL_SURGE and not unused:
        found |= {} if surge is None else {"max_surge": surge}
        found |= {} if unavailable is None else {"max_unavailable": unavailable}
    management = values.get("management")
    for key, name in (("auto_repair", "autoRepair"), ("auto_upgrade", "autoUpgrade")):
        # An answer leaves out what is false. GKE, and every provider, has true where a program sets nothing.
        left_out = reported and isinstance(management, dict) and management.get(name) is None
        if values.get(f"management.{name}") is False or left_out:
            found[key] = False
        elif not reported and short_lived and values.flag(f"management.{name}"):
            found[key] = True  # elsewhere, it is what GKE has where a program sets nothing
    for key in _OF_BLUE_GREEN if values.has(_GREEN) else ():
        found[key] = values.get(_UPGRADE[key]) or None
    sizes = {} if strategy == "blue_green" else {"max_surge": surge or 0, "max_unavailable": unavailable or 0}
    usual = {**sizes, "auto_repair": True, "auto_upgrade": True}
    return found, {key: value for key, value in usual.items() if key not in found}


_INTERFACES = "networkConfig.additionalNodeNetworkConfigs"


def _interfaces(part: Part) -> list[dict[str, Any]]:
    names, found = ("network", "subnetwork"), list[dict[str, Any]]()
    for index, item in entries(part.values.get(_INTERFACES)):
        if all(map(item.get, names)):
            for name in names:
                part.properties["additional_networks", len(found), name] = f"{_INTERFACES}[{index}].{name}"
            found.append({name: item[name] for name in names})
    return found


def _if_set(values: Values, source: str) -> Any:
    return values.get(source) if values.sets(source) else None


def _best_effort(values: Values) -> int | None:
    """The number of nodes with which a node pool exists already."""
    enabled = values.flag("bestEffortProvisioning.enabled")
    return (values.number("bestEffortProvisioning.minProvisionNodes") or 0) if enabled else None


def _idle_hosts(values: Values) -> dict[str, Any]:
    found: dict[str, Any] = {key: values.text(_OF_IDLE_HOSTS[key]) for key in ("idle", "window")}
    found["min_nodes"] = values.number(_OF_IDLE_HOSTS["min_nodes"]) or 0
    return found if found["idle"] and found["window"] else {}


def _secondary_disk(disks: Any) -> dict[str, Any]:
    """The first of several."""
    for _, disk in entries(disks):
        one = Values(disk)
        found = {"image": one.text("diskImage"), "mode": one.text("mode").lower()}
        return {key: value for key, value in found.items() if value} if found["image"] else {}
    return {}


def _until_end_of_support(values: Values) -> bool | None:
    """Whether no minor upgrades happen until the end of support."""
    policies = [item for _, item in entries(values.get("maintenancePolicies"))]
    exclusions = (item for policy in policies for _, item in entries(policy.get("exclusionUntilEndOfSupports")))
    return any(item.get("enabled") is True for item in exclusions) or None


def _confidential(values: Values) -> dict[str, bool]:
    return {"enabled": True} if values.get("nodeConfig.confidentialNodes") else {}


def policy_keys(values: Values) -> Part | None:
    """The keys of an entry in ``workload_policies``; None for a policy of another kind."""
    part = Part(values)
    base = "workloadPolicy"
    try:
        if not values.has(base):
            return None
    except NotKnownError:
        return None
    part.read("topology", f"{base}.acceleratorTopology", lambda: values.text(f"{base}.acceleratorTopology"))
    words = {"topology_mode": "acceleratorTopologyMode", "type": "type", "max_topology_distance": "maxTopologyDistance"}
    for key, name in words.items():
        part.read(key, f"{base}.{name}", lambda source=f"{base}.{name}": values.text(source).lower())  # type: ignore[misc]
    return part

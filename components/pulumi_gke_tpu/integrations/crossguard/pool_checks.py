"""The rules of raw node pools, each as a check of one TPU pool.

Title, reason, fix and examples of each stand in ``rules.raw`` and ``rules.raw_relations``. A check that meets a value
which is not known yet raises ``NotKnownError``: no verdict.
"""

import re
from collections.abc import Callable, Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Severity, number, printable
from pulumi_gke_tpu.integrations.crossguard.pools import TpuPool
from pulumi_gke_tpu.integrations.crossguard.verdict import Broken
from pulumi_gke_tpu.rules.engine.rule import noted
from pulumi_gke_tpu.rules.engine.walk import about

PoolCheck = Callable[[TpuPool, Catalog], Iterator[Broken]]

_PLACEMENT = "placementPolicy"
_AFFINITY = "nodeConfig.reservationAffinity"
_AFFINITY_TYPE = f"{_AFFINITY}.consumeReservationType"
_SCALING = "autoscaling"
_PER_ZONE = ("minNodeCount", "maxNodeCount")
_TOTAL = ("totalMinNodeCount", "totalMaxNodeCount")
_SECONDS = re.compile(r"\d+(?:\.\d{1,9})?s\Z", re.ASCII)
_QUEUED_LABEL = "cloud.google.com/gke-queued"


def _labels(pool: TpuPool) -> dict[object, object]:
    labels = pool.values.get("nodeConfig.labels")
    return labels if isinstance(labels, dict) else {}


def _on_request(pool: TpuPool) -> bool:
    return pool.values.flag("nodeConfig.flexStart") or pool.values.flag("queuedProvisioning.enabled")


def _takes_reservation(pool: TpuPool) -> bool:
    return pool.values.text(_AFFINITY_TYPE) in ("SPECIFIC_RESERVATION", "ANY_RESERVATION")


def _without_policy(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    needed = pool.generation.multi_host_placement == "workload_policy"
    if needed and pool.multi_host and not pool.values.text(f"{_PLACEMENT}.policyName"):
        message = f"a slice of {number(pool.hosts or 0, 'host')} of {pool.generation_name} needs a workload policy"
        fact = noted(catalog.platform.notes, "tpu7x-workload-policy")
        yield Broken(f"{_PLACEMENT}.policyName", message, fact=fact)


def _type_beside_name(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    kind = pool.values.text(f"{_PLACEMENT}.type")
    by_policy = pool.generation.multi_host_placement == "workload_policy"
    if by_policy and kind and pool.values.text(f"{_PLACEMENT}.policyName"):
        fact = noted(catalog.platform.notes, "tpu7x-stored-placement")
        yield Broken(f"{_PLACEMENT}.type", f"{printable(kind)} is written beside a policy name", fact=fact)


def _single_host_topology(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    topology = pool.topology
    if topology is not None and pool.values.has(_PLACEMENT) and pool.hosts == 1:
        message = f"{topology} is one {pool.machine_type}, and single hosts take no topology"
        note = noted(catalog.platform.notes, "single-host-no-topology")
        fact = about(note, pool.machine_type.partition("-")[0]) if note else None
        yield Broken(f"{_PLACEMENT}.tpuTopology", message, fact=fact)


def _no_topology(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.values.text(f"{_PLACEMENT}.policyName") and not pool.values.has(f"{_PLACEMENT}.tpuTopology"):
        yield Broken(f"{_PLACEMENT}.tpuTopology", "a policy is named and the topology is missing")


def _any_reservation(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.values.text(_AFFINITY_TYPE) == "ANY_RESERVATION":
        fact = noted(catalog.capacity.notes, "reservation-affinity")
        yield Broken(_AFFINITY_TYPE, "TPUs cannot be taken from any reservation", fact=fact)


def _reserved_on_request(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if _takes_reservation(pool) and _on_request(pool):
        fact = noted(catalog.capacity.notes, "flex-start-without-reservation")
        yield Broken(_AFFINITY_TYPE, "flex-start and queued pools take no reservation", fact=fact)


def _two_modes(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.values.flag("nodeConfig.spot"):
        others = {"flex-start": pool.values.flag("nodeConfig.flexStart"), "a reservation": _takes_reservation(pool)}
        given = " and ".join(name for name, is_given in others.items() if is_given)
        if given:
            fact = noted(catalog.capacity.notes, "one-mode-per-pool")
            yield Broken("nodeConfig.spot", f"Spot VMs together with {given}", fact=fact)


def _nameless_reservation(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.values.text(_AFFINITY_TYPE) == "SPECIFIC_RESERVATION":
        missing = [name for name in ("key", "values") if not pool.values.get(f"{_AFFINITY}.{name}")]
        if missing:
            yield Broken(f"{_AFFINITY}.{missing[0]}", f"{' and '.join(missing)} of the reservation missing")


def _open_affinity(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if not pool.values.has(_AFFINITY):
        yield Broken(_AFFINITY, "the pool does not say whether it takes a reservation")


def _queued_label(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.values.flag("queuedProvisioning.enabled") and _QUEUED_LABEL not in _labels(pool):
        yield Broken("nodeConfig.labels", f"the label {_QUEUED_LABEL} is missing")


def _run_duration(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    written = pool.values.text("nodeConfig.maxRunDuration")
    if written and not _SECONDS.match(written):
        yield Broken("nodeConfig.maxRunDuration", f"{printable(written)} is no number of seconds such as 604800s")


def _total_limits(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if pool.multi_host and pool.values.number(f"{_SCALING}.totalMaxNodeCount"):
        fact = noted(catalog.platform.notes, "multi-host-per-zone-limit")
        yield Broken(f"{_SCALING}.totalMaxNodeCount", "total limits on a slice of several hosts", fact=fact)


def _wrong_size(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    hosts = pool.hosts
    if hosts is None or hosts < 2:
        return
    most = pool.values.number(f"{_SCALING}.maxNodeCount")
    sizes = {"nodeCount": 0, "initialNodeCount": 0, f"{_SCALING}.minNodeCount": 0}
    wrong = {name: pool.values.number(name) for name in sizes if pool.values.number(name) not in (None, 0, hosts)}
    if most not in (None, 0, hosts):
        wrong[f"{_SCALING}.maxNodeCount"] = most
    fact = noted(catalog.platform.notes, "multi-host-one-pool")
    for name, size in wrong.items():
        message = f"{size:,} nodes, and {pool.topology} of {pool.machine_type} is {hosts:,} hosts"
        yield Broken(name, message, fact=fact, fix=f"{name.rsplit('.', 1)[-1]}: {0 if 'min' in name else hosts}")


def _watched_count(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    ignored = pool.values.flag("ignoreNodeCountChanges") or {"nodeCount", "*"} & set(ignored_paths(pool))
    if pool.multi_host and pool.values.number("nodeCount") and not ignored:
        yield Broken("ignoreNodeCountChanges", "the node count of a slice is compared in every refresh")


def _several_zones(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    zones = pool.values.texts("nodeLocations")
    if len(set(zones)) > 1 and pool.multi_host:
        fact = noted(catalog.platform.notes, "multi-host-one-zone")
        yield Broken("nodeLocations", f"a slice in {len(set(zones))} zones", fact=fact)


def _balanced(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    written = pool.values.text(f"{_SCALING}.locationPolicy")
    spread = written not in ("", "ANY")
    if spread and (pool.multi_host or pool.values.flag("nodeConfig.spot") or _on_request(pool)):
        fact = noted(catalog.platform.notes, "multi-host-one-zone")
        yield Broken(f"{_SCALING}.locationPolicy", f"{printable(written)} instead of ANY", fact=fact)


def _two_sizes(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    if not pool.values.number("nodeCount"):
        return
    if pool.values.number("initialNodeCount"):
        yield Broken("initialNodeCount", "nodeCount and initialNodeCount are both given")
    if pool.values.has(_SCALING) and not {"nodeCount", "*"} & set(ignored_paths(pool)):
        message = "nodeCount and autoscaling are both given"
        yield Broken("nodeCount", message, severity=Severity.WARNING)


def _mixed_limits(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    per_zone = [name for name in _PER_ZONE if pool.values.number(f"{_SCALING}.{name}")]
    total = [name for name in _TOTAL if pool.values.number(f"{_SCALING}.{name}")]
    if per_zone and total:
        yield Broken(_SCALING, f"{per_zone[0]} and {total[0]} are both given")


def _image(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    facts = catalog.platform.nodes
    written = pool.values.text("nodeConfig.imageType")
    if written and written.upper() != facts.image:
        message = f"TPU nodes do not run {printable(written)}"
        yield Broken("nodeConfig.imageType", message, fact=about(facts, "image"), allowed=(facts.image,))


def _threads(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    path = "nodeConfig.advancedMachineFeatures.threadsPerCore"
    written, machine = pool.values.number(path), pool.machine
    if written and machine is not None and machine.threads_per_core not in (None, written):
        message = f"{pool.machine_type} runs with {number(machine.threads_per_core or 0, 'thread')} per core"
        yield Broken(path, message, fact=about(machine, "threads_per_core"))


def _disk_twice(pool: TpuPool, catalog: Catalog) -> Iterator[Broken]:
    for outside, inside in (("diskSizeGb", "sizeGb"), ("diskType", "diskType")):
        one, other = (pool.values.get(f"nodeConfig.{name}") for name in (outside, f"bootDisk.{inside}"))
        if one is not None and other is not None and one != other:
            message = f"{printable(one)} here and {printable(other)} in bootDisk"
            yield Broken(f"nodeConfig.{outside}", message)


def ignored_paths(pool: TpuPool) -> tuple[str, ...]:
    """The properties whose changes the program ignores."""
    return pool.resource.options.texts("ignoreChanges")


CHECKS: dict[str, PoolCheck] = {
    "TPU161": _without_policy,
    "TPU162": _type_beside_name,
    "TPU163": _single_host_topology,
    "TPU164": _no_topology,
    "TPU361": _any_reservation,
    "TPU362": _reserved_on_request,
    "TPU363": _two_modes,
    "TPU364": _nameless_reservation,
    "TPU365": _open_affinity,
    "TPU366": _queued_label,
    "TPU367": _run_duration,
    "TPU461": _total_limits,
    "TPU462": _wrong_size,
    "TPU463": _watched_count,
    "TPU464": _several_zones,
    "TPU465": _balanced,
    "TPU466": _two_sizes,
    "TPU467": _mixed_limits,
    "TPU591": _image,
    "TPU592": _threads,
    "TPU593": _disk_twice,
}

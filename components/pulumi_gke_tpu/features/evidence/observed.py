"""What a snapshot shows of the facts that only GKE knows, beside what the catalog predicts.

No text of an answer leaves this module: what is seen is one of our own words, or a word that the shipped catalog has.
What an answer does not have in its documented form is not seen, and contradicts nothing.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu._version import __version__
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.evidence import EVIDENCE_FACTS, EvidenceFact, EvidenceRun, Observation
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import node_settings
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.formats.versions import GkeVersion
from pulumi_gke_tpu.features.diff.engine.events import EngineRun
from pulumi_gke_tpu.features.diff.engine.steps import parse_urn
from pulumi_gke_tpu.features.status.folder import Snapshot

OTHER, ABSENT, REPORTED, NOT_REPORTED = "another value", "absent", "reported", "not reported"
_THREADS = "nodeConfig.advancedMachineFeatures"
_NO_DIFFERENCE = "none"
_CLUSTER = "cluster"

Seen = tuple[EvidenceFact, str, str, str]
"""Fact, what it is of, what is predicted, what is seen."""


def evidence(fleet: Fleet, snapshot: Snapshot, runs: Collection[EngineRun], catalog: Catalog) -> EvidenceRun:
    """What a run shows, fact by fact and machine family by machine family. ``catalog`` is the shipped one."""
    found: dict[tuple[EvidenceFact, str, str], set[str]] = {}
    for fact, of, predicted, seen in (*_of_fleet(fleet, snapshot, catalog), *_of_engine(fleet, runs, catalog)):
        found.setdefault((fact, of, predicted), set()).add(seen)
    order = list(EVIDENCE_FACTS)
    keys = sorted(found, key=lambda key: (order.index(key[0]), *key[1:]))
    observations = (
        Observation(fact=fact, of=of, predicted=predicted, seen=tuple(sorted(found[fact, of, predicted])))
        for fact, of, predicted in keys
    )
    return EvidenceRun(
        month=f"{snapshot.taken.year:04}-{snapshot.taken.month:02}",
        gke_tpu=__version__,
        catalog=catalog.about.version,
        observations=tuple(observations),
    )


def _of_fleet(fleet: Fleet, snapshot: Snapshot, catalog: Catalog) -> Iterator[Seen]:
    for cluster in fleet.clusters:
        pools = {text(each.get("name")): each for each in snapshot.entries("node-pools", cluster.key)}
        yield from _of_cluster(cluster, mapping(snapshot.answers.get(("cluster", cluster.key))))
        for group in filter(lambda each: _is_shipped(each, catalog), cluster.groups):
            for pool in group.pools:
                if pools.get(pool.name, {}).get("status") == "RUNNING":
                    yield from _of_pool(group, pools[pool.name], catalog)
                for node in snapshot.nodes.get((cluster.key, pool.name), ()):
                    yield from _of_node(group, node, catalog)


def _is_shipped(group: SliceGroup, catalog: Catalog) -> bool:
    """Whether the shipped catalog has the machines of a group: those of an overlay are words of its user."""
    shape = group.shape
    if shape.generation not in catalog.generation_names:
        return False
    generation = catalog.generation(shape.generation)
    return shape.family in generation.families and shape.machine_type in generation.machine_types


def _of_cluster(cluster: Cluster, answer: Mapping[str, Any]) -> Iterator[Seen]:
    endpoints = mapping(answer.get("controlPlaneEndpointsConfig"))
    if mapping(endpoints.get("ipEndpointsConfig")).get("enabled") is False:
        public = "enablePublicEndpoint" in mapping(endpoints.get("ipEndpointsConfig"))
        yield "ip-endpoint", _CLUSTER, NOT_REPORTED, REPORTED if public else NOT_REPORTED


def _of_pool(group: SliceGroup, pool: Mapping[str, Any], catalog: Catalog) -> Iterator[Seen]:
    shape, config = group.shape, mapping(pool.get("config"))
    family = shape.family
    features, taints = config.get("advancedMachineFeatures"), config.get("taints")
    if config and _is_absent_or(dict, features):
        threads = mapping(features).get("threadsPerCore")
        yield "threads-per-core", family, _predicted_threads(family, catalog), _word(threads, ("1", "2"))
    if config and _is_absent_or(list, taints):
        keys = [mapping(each).get("key") for each in items(taints)]
        there = catalog.platform.names.labels.tpu_taint in keys
        yield "pool-taint", family, REPORTED, REPORTED if there else NOT_REPORTED
    disk = text(mapping(config.get("bootDisk")).get("diskType")) or text(config.get("diskType"))
    if disk:
        known = {name for each in catalog.disks.families.values() for name in (*each.boot, *each.attach)}
        wanted = node_settings(group, catalog).boot_disk.type.value or ""
        yield "boot-disk", family, _word(wanted, known) if wanted else "", _word(disk, known)
    yield from _of_version(group, pool, catalog)
    if shape.multi_host and _is_absent_or(dict, pool.get("placementPolicy")):
        yield from _of_placement(group, mapping(pool.get("placementPolicy")))


def _of_placement(group: SliceGroup, placement: Mapping[str, Any]) -> Iterator[Seen]:
    family = group.shape.family
    topology = str(group.shape.topology)
    with_policy = group.shape.placement == "workload_policy"
    if with_policy:
        yield "placement", family, "policy", "policy" if placement.get("policyName") else "no policy"
        return
    whole = placement.get("type") == "COMPACT" and placement.get("tpuTopology") == topology
    seen = "COMPACT with topology" if whole else OTHER if placement else ABSENT
    yield "placement", family, "COMPACT with topology", seen
    if group.policy_name is None:
        yield "placement-name", family, "", REPORTED if placement.get("policyName") else NOT_REPORTED


def _of_version(group: SliceGroup, pool: Mapping[str, Any], catalog: Catalog) -> Iterator[Seen]:
    minimum = catalog.generation(group.shape.generation).families[group.shape.family].minimum_version.get("standard")
    try:
        runs = GkeVersion.parse(str(pool.get("version")))
    except ValueError:
        return
    if minimum is not None:
        known = f"{minimum} or later"
        seen = known if runs >= GkeVersion.parse(minimum) else "an earlier version"
        yield "minimum-version", group.shape.family, known, seen


def _of_node(group: SliceGroup, node: KubernetesObject, catalog: Catalog) -> Iterator[Seen]:
    shape, names = group.shape, catalog.platform.names.node_labels
    wanted = {
        names.accelerator: shape.accelerator_label,
        names.topology: str(shape.topology),
        names.accelerator_count: str(shape.chips_per_host),
    }
    wrong = [key for key, value in wanted.items() if node.labels.get(key) != value]
    yield "node-labels", shape.family, "as predicted", f"another {', '.join(wrong)}" if wrong else "as predicted"
    taint = catalog.platform.names.labels.tpu_taint
    if not _is_absent_or(list, node.spec.get("taints")):
        return
    taints = [mapping(each) for each in items(node.spec.get("taints"))]
    ours = {"key": taint, "value": "present", "effect": "NoSchedule"}
    there = any(each.get("key") == taint for each in taints)
    yield (
        "node-taint",
        shape.family,
        "present:NoSchedule",
        ("present:NoSchedule" if ours in taints else OTHER if there else ABSENT),
    )
    offered = mapping(mapping(node.data.get("status")).get("allocatable")).get(catalog.kubernetes.pods.resource.name)
    machines = catalog.generation(shape.generation).machine_types
    known = {str(each.chips) for each in machines.values()}
    if offered is not None:
        yield "chips-per-node", shape.machine_type, str(machines[shape.machine_type].chips), _word(offered, known)


def _of_engine(fleet: Fleet, runs: Collection[EngineRun], catalog: Catalog) -> Iterator[Seen]:
    """What differs of TPU node pools in a preview after the update: the names of properties, never a value."""
    shipped = (group for _, group in fleet.groups() if _is_shipped(group, catalog))
    families = {pool.key: group.shape.family for group in shipped for pool in group.pools}
    known = catalog.provider.resources[NODE_POOL].properties
    for run in runs:
        for step in run.steps:
            urn = parse_urn(step.urn)
            family = families.get(urn.name) if urn.type == NODE_POOL else None
            if family is None or step.operation not in ("same", "update", "replace"):
                continue
            for path in step.paths or [_NO_DIFFERENCE]:
                yield "second-preview", family, _NO_DIFFERENCE, _property(path, known)


def _property(path: str, known: Collection[str]) -> str:
    """The path of a property without indices and keys, as far as the catalog has it."""
    if path == _NO_DIFFERENCE:
        return path
    steps = path.partition("[")[0].split(".")
    while steps:
        name = ".".join(steps)
        if any(each == name or each.startswith(f"{name}.") for each in known):
            return name
        steps.pop()
    return "another property"


def _predicted_threads(family: str, catalog: Catalog) -> str:
    for item in catalog.gke_adds[NODE_POOL]:
        if item.path == _THREADS and item.added_to == "tpu" and family in item.families:
            return str(item.answer["threadsPerCore"])
    return ""


def _is_absent_or(form: type, value: object) -> bool:
    """Whether a part of an answer is missing, as the API leaves out empty ones, or has its documented form."""
    return value is None or isinstance(value, form)


def _word(value: object, known: Collection[str]) -> str:
    """A value that is one of the known words; every other one is only said to be another."""
    if value is None:
        return ABSENT
    return next((each for each in known if each == str(value)), OTHER)

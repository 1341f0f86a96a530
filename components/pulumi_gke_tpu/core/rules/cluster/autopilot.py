"""Checks of keys and properties on Autopilot: TPU260 and TPU281 to TPU283."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import alternative_on_autopilot, field_of, meaning_on_autopilot
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, written_keys
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, quoted

_SOURCE = "gke-tpu: effect of each plan key on Autopilot"
_NODES = "nodeConfig"


def _keys_with(context: PlanContext, meaning: str) -> Iterator[tuple[Path, PlanModel]]:
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot":
            found = written_keys(cluster.plan, cluster.path, _meaning, meaning)
            yield from (entry for entry in found if not _is_served_by_class(entry[1]))


def _is_served_by_class(part: PlanModel) -> bool:
    """Whether the keys of a part reach GKE in a ComputeClass; another rule reports those that do not."""
    return isinstance(part, SliceGroupSpec) and bool(part.fallback)


def _meaning(field: FieldInfo) -> str:
    """The rule about refused keys decides on legacy machine types."""
    meaning = meaning_on_autopilot(field)
    return "refused" if meaning == "legacy" else meaning


def _is_legacy(catalog: Catalog, part: PlanModel) -> bool:
    """Whether a group sets a machine type of a legacy family, which no other key can select."""
    if not isinstance(part, SliceGroupSpec) or part.tpu not in catalog.generation_names:
        return False
    generation = catalog.generation(part.tpu)
    machine = generation.machine_types.get(part.machine_type or "")
    return machine is not None and generation.families[machine.family].legacy


@rule(
    "TPU281",
    plans_only="a cluster in Autopilot mode has no node pools of its own",
    about=("clusters.*.mode", lambda field: _meaning(field) == "refused"),
    title="Key is not supported on Autopilot",
    why="on Autopilot, GKE manages the node pools and fixes the security settings, so the key cannot take effect",
    fix="Remove the key, or use `mode: standard`.",
    source=_SOURCE,
    failing="""
mode: autopilot
location: us-east5
system_pool: {machine_type: n2-standard-4}
slices:
  notebook: {tpu: v6e, topology: 2x2, max_pods_per_node: 32}
""",
    passing=in_cluster("""
system_pool: {machine_type: n2-standard-4}
slices:
  notebook: {tpu: v6e, topology: 2x2, zone: us-east5-b, max_pods_per_node: 32}
"""),
)
def key_not_on_autopilot(context: PlanContext) -> Iterable[Hit]:
    for path, part in _keys_with(context, "refused"):
        key = str(path[-1])
        if key == "machine_type" and _is_legacy(context.catalog, part):
            continue
        yield Hit(path, _message(key, "is not supported on Autopilot", part), fix=_replacement(context, key, part))


def _message(key: str, what: str, part: PlanModel) -> str:
    """The message about a key, with the alternative that its model names."""
    field = field_of(type(part), key)
    return f"`{key}` {what}: {alternative_on_autopilot(field)}" if field else f"`{key}` {what}"


def _replacement(context: PlanContext, key: str, part: PlanModel) -> Fix | None:
    """The key to use instead, if there is one."""
    if not isinstance(part, SliceGroupSpec):
        return None
    if key == "indices" and part.indices is not None and part.count is None:
        return SetKeys.of(count=len(part.indices))
    if key == "zones" and part.zone is None and part.zones is not None and len(part.zones) == 1:
        return SetKeys.of(zone=part.zones[0])
    if key == "machine_type" and part.tpu in context.catalog.generation_names and part.chips_per_host is None:
        machine = context.catalog.generation(part.tpu).machine_types.get(part.machine_type or "")
        return SetKeys.of(chips_per_host=machine.chips) if machine else None
    return None


@rule(
    "TPU282",
    plans_only="a cluster in Autopilot mode has no node pools of its own",
    about=(lambda field: _meaning(field) == "noted",),
    title="Key has no effect on Autopilot",
    why="Autopilot derives the properties of a node from the workload or its ComputeClass, so it ignores the key",
    fix="Remove the key. If you plan to change to Standard, keep the key and accept this note in the plan.",
    source=_SOURCE,
    severity=Severity.NOTE,
    failing="""
mode: autopilot
location: us-east5
slices:
  notebook: {tpu: v6e, topology: 2x2, boot_disk: {size_gib: 200}}
""",
    edit=("topology: 2x2, boot_disk: {size_gib: 200}", "topology: 2x2"),
)
def key_ignored_on_autopilot(context: PlanContext) -> Iterable[Hit]:
    for path, part in _keys_with(context, "noted"):
        yield Hit(path, _message(str(path[-1]), "has no effect on Autopilot", part))


@rule(
    "TPU283",
    plans_only="a cluster in Autopilot mode has no node pools of its own",
    about=of_clusters("extra"),
    title="Property conflicts with Autopilot",
    why="on an Autopilot cluster, the provider rejects this property, or GKE ignores it",
    fix="Remove the property from `extra`.",
    references=["PROVIDER_GO_SOURCE", "OBSERVED_2026_11_20"],
    failing=in_cluster("extra: {enable_intranode_visibility: true}", mode="autopilot"),
    edit=("enable_intranode_visibility: true", "allow_net_admin: true"),
)
def property_conflicts_with_autopilot(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.autopilot
    conflicts = frozenset(facts.conflicts) - {_NODES}
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot":
            for path, name in _conflicts(cluster, conflicts):
                yield Hit(path, f"property {quoted(name)} is not supported on Autopilot", fact=facts.for_item(name))


@warning(
    "TPU260",
    silent_in={"gcloud": "GKE reports the nodes of each cluster"},
    about=of_clusters("extra"),
    title="Node configuration of an Autopilot cluster",
    why="GKE makes the nodes of an Autopilot cluster and reports another configuration than this one, so each later "
    "update replaces the cluster",
    fix="Remove the property. Set service account and OAuth scopes in the defaults of node auto-provisioning.",
    references=["pulumi-gcp-2247", "terraform-google-8863"],
    failing=in_cluster(
        "extra:\n  node_config: {service_account: nodes@acme-ml.iam.gserviceaccount.com}", mode="autopilot"
    ),
    edit=("node_config: {service_account: nodes@acme-ml.iam.gserviceaccount.com}", "allow_net_admin: true"),
)
def node_config_of_autopilot_cluster(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.platform.autopilot.for_item(_NODES)
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot":
            for path, name in _conflicts(cluster, frozenset({_NODES})):
                yield Hit.unsupported(path, f"property {quoted(name)}", "Autopilot clusters", fact=fact)


def _conflicts(cluster: Cluster, conflicts: frozenset[str]) -> Iterator[tuple[Path, str]]:
    depth = max((name.count(".") for name in conflicts), default=0)

    def search(value: Mapping[str, Any], path: Path, prefix: str) -> Iterator[tuple[Path, str]]:
        for key, below in value.items():
            name = f"{prefix}{camel_case(key)}"
            if name in conflicts:
                yield (*path, key), name
            elif isinstance(below, Mapping) and name.count(".") < depth:
                yield from search(below, (*path, key), f"{name}.")

    yield from search(cluster.plan.extra, (*cluster.path, "extra"), "")

"""Nodes of a node pool of any Pulumi program, TPU591 to TPU595, and changes without effect, TPU166 to TPU168."""

import functools
import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.records.provider import Provider, replace_paths
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.resources.pools import PoolContext, at, ignored_paths
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, is_misspelled, number, printable, quoted
from pulumi_gke_tpu.core.text.formats.oauth_scopes import short_scope
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_OWN_IMAGE = "CUSTOM_CONTAINERD"


@rule(
    "TPU591",
    title="Image is not Container-Optimized OS",
    why="GKE supports TPU nodes only with Container-Optimized OS",
    fix="Remove `imageType`.",
    references=["plan-tpus", "confidential-gke-sample"],
    otherwise={Severity.WARNING: "if the image type is CUSTOM_CONTAINERD"},
    failing="nodeConfig: {machineType: ct6e-standard-4t, imageType: UBUNTU_CONTAINERD}",
    edit=("machineType: ct6e-standard-4t, imageType: UBUNTU_CONTAINERD", "machineType: ct6e-standard-4t"),
)
def unsupported_pool_image(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    facts = context.catalog.platform.nodes
    written = pool.values.text("nodeConfig.imageType")
    if written and written.upper() != facts.image:
        sample = (
            note_by_id(context.catalog.platform.notes, "custom-tpu-image") if written.upper() == _OWN_IMAGE else None
        )
        verb = "is not documented for" if sample else "is not supported with"
        yield Hit(
            at("nodeConfig.imageType"),
            f"image type {quoted(written)} {verb} TPU nodes",
            fact=sample or facts.for_item("image"),
            severity=Severity.WARNING if sample else None,
            allowed=(facts.image,),
        )


@rule(
    "TPU592",
    title="Threads per core of a TPU host are fixed",
    why="GKE sets the number of threads per core itself. Some machine types support only one thread per core, so GKE "
    "rejects two",
    fix="Remove `advancedMachineFeatures`.",
    references=["plan-tpus", "autoscaler-manager"],
    failing="nodeConfig: {machineType: ct6e-standard-8t, advancedMachineFeatures: {threadsPerCore: 2}}",
    edit=(
        "machineType: ct6e-standard-8t, advancedMachineFeatures: {threadsPerCore: 2}",
        "machineType: ct6e-standard-8t",
    ),
)
def threads_per_core_set(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    path = "nodeConfig.advancedMachineFeatures.threadsPerCore"
    written, machine = pool.values.number(path), pool.machine
    if written and machine is not None and machine.threads_per_core not in (None, written):
        message = (
            f"machine type {pool.machine_type} requires {number(machine.threads_per_core or 0, 'thread')} per core"
        )
        yield Hit(at(path), message, fact=machine.for_item("threads_per_core"))


@rule(
    "TPU593",
    title="Duplicate boot disk settings",
    why="`bootDisk` sets the same disk as `diskSizeGb` and `diskType`. If the values differ, every preview plans an "
    "update",
    fix="Keep `bootDisk`, and remove `diskSizeGb` and `diskType`.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    advisory_in_policy_pack=True,
    of_programs=True,
    failing="nodeConfig: {machineType: ct6e-standard-4t, diskSizeGb: 100, bootDisk: {sizeGb: 200}}",
    edit=("diskSizeGb: 100, bootDisk: {sizeGb: 200}", "bootDisk: {sizeGb: 200}"),
)
def duplicate_boot_disk(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    for outside, inside in (("diskSizeGb", "sizeGb"), ("diskType", "diskType")):
        one, other = (pool.values.get(f"nodeConfig.{name}") for name in (outside, f"bootDisk.{inside}"))
        if one is not None and other is not None and one != other:
            message = f"{printable(one)} conflicts with {printable(other)} in `bootDisk`"
            yield Hit(at(f"nodeConfig.{outside}"), message)


_AUTONAMED = lazy_pattern(r"-[0-9a-f]{7}\Z", re.ASCII)


@warning(
    "TPU166",
    silent_in=dict.fromkeys(("gcloud", "objects", "pulumi", "terraform"), "it is about options of a Pulumi program"),
    title="`ignoreChanges` hides changes of the slice",
    why="if `ignoreChanges` lists the topology or the machine type, Pulumi neither applies nor reports a new value "
    "in the program",
    fix="Remove these properties from `ignoreChanges`.",
    references=["OBSERVED_2026_11_20"],
    failing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {ignoreChanges: [placementPolicy]}
""",
    edit=("ignoreChanges: [placementPolicy]", "ignoreChanges: [initialNodeCount, nodeCount]"),
)
def ignored_slice_changes(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.place or not ignored_paths(pool):
        return
    fixed = [
        path for path in replace_paths(context.catalog.provider, NODE_POOL) if '"' not in path and pool.values.has(path)
    ]
    for ignored in sorted(set(ignored_paths(pool))):
        hidden = [path for path in fixed if ignored in ("*", path) or path.startswith(f"{ignored}.")]
        if hidden:
            yield Hit(at("ignoreChanges"), f"{quoted(ignored)} hides changes of {', '.join(hidden)}")


@warning(
    "TPU167",
    silent_in=dict.fromkeys(("gcloud", "objects", "pulumi", "terraform"), "it is about options of a Pulumi program"),
    title="Slice cannot be replaced",
    why="a new topology requires a replacement of the node pool. Without `replaceOnChanges`, the provider plans an "
    "update that never takes effect. Without `deleteBeforeReplace`, Pulumi creates the new node pool first, and GKE "
    "rejects it because the old node pool still has the name",
    fix="Set `replaceOnChanges` for `placementPolicy.tpuTopology`, `nodeConfig.machineType` and `nodeLocations`. "
    "Also set `deleteBeforeReplace`.",
    references=["OBSERVED_2026_11_20"],
    failing="""
pool:
  name: pretrain-0
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
options: {}
""",
    edit=("options: {}", "options: {deleteBeforeReplace: true}"),
)
def unreplaceable_slice(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.place or not pool.multi_host or pool.resource.options.flag("deleteBeforeReplace"):
        return
    name = pool.values.text("name")
    generated = name.startswith(f"{pool.resource.name}-") and _AUTONAMED.search(name)
    if name and not generated:
        yield Hit.missing(at("deleteBeforeReplace"), "`deleteBeforeReplace`", "the slice has a fixed name")


@rule(
    "TPU168",
    silent_in=dict.fromkeys(("gcloud", "objects"), "it compares what a program sets with what exists"),
    scope=Scope.STACK,
    title="Change was not applied",
    why="the property cannot change after GKE has created the node pool. The provider nevertheless plans an update "
    "and reports success, but nothing changes",
    fix="Set `replaceOnChanges` for the property, and set `deleteBeforeReplace`. Or replace the node pool with "
    "`pulumi up --replace URN`.",
    fix_in_terraform="Replace the node pool: add `replace_triggered_by` with a `terraform_data` that holds the "
    "property, or run `terraform apply -replace=ADDRESS`.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    failing="""
pool:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x8}
stored:
  nodeConfig: {machineType: ct6e-standard-4t}
  placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
    edit=("tpuTopology: 4x4", "tpuTopology: 4x8"),
)
def unapplied_change(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if context.stack is None:
        return
    for path in _unapplied(context.catalog.provider):
        asked, got = pool.values.text(path), context.stack.stored.text(path)
        if asked and got and asked != got:
            yield Hit(at(path), f"the program sets {printable(asked)}, but the node pool still has {printable(got)}")


@functools.cache
def _unapplied(provider: Provider) -> tuple[str, ...]:
    """The properties whose changes the provider plans and GKE ignores, sorted."""
    properties = provider.resources[NODE_POOL].properties.items()
    return tuple(sorted(path for path, item in properties if item.gke == "fixed" and item.change == "no-op"))


@warning(
    "TPU595",
    title="Malformed OAuth scope",
    why="no preview shows the mistake, a scope that Google does not know gives the nodes no permission, and a change "
    "of the scopes replaces the node pool",
    fix="Write `https://www.googleapis.com/auth/NAME`, or only NAME, without spaces and tabs.",
    references=["gke-hardening"],
    failing="""
nodeConfig:
  machineType: ct6e-standard-4t
  oauthScopes: ["https://www.googleapis.com/auth/cloud-plattform"]
""",
    edit=("cloud-plattform", "cloud-platform"),
)
def malformed_oauth_scope(context: PoolContext) -> Iterable[Hit]:
    usual = context.catalog.platform.hardening.oauth_scope
    for written in context.pool.values.texts("nodeConfig.oauthScopes"):
        scope = written.strip()
        name, known = short_scope(scope), short_scope(usual)
        intended = usual if name != known and is_misspelled(name, known, [known]) else scope
        if written != intended:
            yield Hit.invalid(at("nodeConfig.oauthScopes"), "OAuth scope", written, f"did you mean {intended}?")

"""TPU591 to TPU593: the nodes of a node pool of any Pulumi program."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.resources.pools import PoolContext, at
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import number, printable, quoted


@rule(
    "TPU591",
    "unsupported-pool-image",
    title="Image is not Container-Optimized OS",
    why="GKE supports TPU nodes only with Container-Optimized OS",
    fix="Remove `imageType`.",
    references=["plan-tpus"],
    basis="catalog",
    failing="nodeConfig: {machineType: ct6e-standard-4t, imageType: UBUNTU_CONTAINERD}",
    edit=("machineType: ct6e-standard-4t, imageType: UBUNTU_CONTAINERD", "machineType: ct6e-standard-4t"),
)
def unsupported_pool_image(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    facts = context.catalog.platform.nodes
    written = pool.values.text("nodeConfig.imageType")
    if written and written.upper() != facts.image:
        message = f"image type {quoted(written)} is not supported with TPU nodes"
        yield Hit(at("nodeConfig.imageType"), message, fact=facts.for_item("image"), allowed=(facts.image,))


@rule(
    "TPU592",
    "threads-per-core-set",
    title="Threads per core of a TPU host are fixed",
    why="GKE sets the number of threads per core itself. Some machine types support only one thread per core, so GKE "
    "rejects two",
    fix="Remove `advancedMachineFeatures`.",
    references=["plan-tpus", "autoscaler-manager"],
    basis="catalog",
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
    "duplicate-boot-disk",
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

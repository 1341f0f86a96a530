"""TPU594: the boot disks of nodes that GKE provisions itself."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, quoted


@rule(
    "TPU594",
    "unsupported-autoprovisioning-disk",
    about=("clusters.*.autoprovisioning.boot_disk_type", "clusters.*.autoprovisioning.tpu"),
    title="Boot disk type of auto-provisioning is not supported with a TPU machine family",
    why="Compute Engine rejects a VM that has this machine family and this type of boot disk, so GKE may be unable to "
    "create TPU nodes",
    fix="Use a type that all machine families of the TPU limits support, or remove `boot_disk_type`.",
    references=["autoscaler-machine-types", "pd-csi-labels", "gce-tpu-machines"],
    severity=Severity.WARNING,
    failing="""
mode: standard
location: us-east5
autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64}, boot_disk_type: pd-balanced}
""",
    edit=("boot_disk_type: pd-balanced", "boot_disk_type: hyperdisk-balanced"),
)
def unsupported_autoprovisioning_disk(context: PlanContext) -> Iterable[Hit]:
    catalog = context.catalog
    for cluster in context.fleet.clusters:
        written = cluster.plan.autoprovisioning
        if cluster.mode != "standard" or written is None or written.boot_disk_type is None:
            continue
        for name in written.tpu:
            if name not in catalog.generation_names:
                continue
            machines = catalog.generation(name).machine_types
            for family in dict.fromkeys(machine.partition("-")[0] for machine in machines):
                disks = catalog.disks.families.get(family)
                if disks is not None and written.boot_disk_type not in (*disks.boot, *disks.confidential_only):
                    yield Hit.unsupported(
                        (*cluster.path, "autoprovisioning", "boot_disk_type"),
                        f"boot disk type {quoted(written.boot_disk_type)}",
                        f"{family} machines ({name})",
                        fact=disks.for_item("boot"),
                        allowed=disks.boot,
                    )

"""Checks of multi-tier checkpointing: TPU651 to TPU655."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.checkpoints import Checkpointing, checkpointing
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import has_head, written_kind
from pulumi_gke_tpu.core.kinds.pods import default_requests
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_GIB = 1 << 30
_KEY = "clusters.*.kubernetes.checkpoints"
_VOLUME = "clusters.*.kubernetes.workloads.*.volumes.*.checkpoints"
_ADDONS = "addons: [high_scale_checkpointing, gcs_fuse]\n"
_SLICES = "mode: standard\nlocation: us-east5\nslices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}\n"
_CHECKPOINTS = "checkpoints: {bucket: acme-checkpoints, memory: 60Gi, project_number: 123456789012}"


def _run(keys: str = "kind: jobset", checkpoints: str = f"{_CHECKPOINTS}, ") -> str:
    volumes = "volumes: {local: {mount: /checkpoints, checkpoints: true}}"
    run = f"{{slices: pretrain, image: train, {keys}, {volumes}}}"
    return f"{_SLICES}{_ADDONS}kubernetes: {{{checkpoints}workloads: {{run: {run}}}}}"


def _configured(context: PlanContext) -> Iterator[Checkpointing]:
    yield from filter(None, map(checkpointing, context.fleet.clusters))


def _volumes(context: PlanContext) -> Iterator[tuple[Workload, Path]]:
    for workload in workloads(context):
        for name, volume in workload.plan.volumes.items():
            if volume.checkpoints:
                yield workload, (*workload.path, "volumes", name, "checkpoints")


@warning(
    "TPU651",
    about=("clusters.*.addons", _KEY),
    title="Multi-tier checkpointing requires an add-on",
    why="the add-on runs the driver of the folder in memory. Without it, the API server rejects the "
    "CheckpointConfiguration, and the Pods wait for their volume",
    fix="Add the add-on that the message names to `addons`.",
    references=["gke-multi-tier-checkpointing"],
    failing=f"{_SLICES}kubernetes: {{{_CHECKPOINTS}}}",
    passing=f"{_SLICES}{_ADDONS}kubernetes: {{{_CHECKPOINTS}}}",
)
def checkpoints_without_addon(context: PlanContext) -> Iterable[Hit]:
    known, word = context.catalog.platform.addons, context.catalog.kubernetes.storage.checkpoints.addon
    for item in _configured(context):
        written = item.cluster.plan.addons
        # The add-ons of a cluster that exists are not known, and Autopilot does not have this one.
        if item.cluster.existing or item.cluster.mode == "autopilot" or word in written:
            continue
        missing = [word, *(other for other in known[word].requires if other not in written)]
        yield Hit(
            (*item.cluster.path, "addons"),
            f"`checkpoints` requires the add-on {word} ({known[word].title})",
            fact=known[word],
            fix=SetKeys.of(addons=[*written, *missing]),
        )


@rule(
    "TPU652",
    about=(_KEY, f"{_KEY}.slices", _VOLUME),
    title="Checkpoint volume on hosts without checkpointing",
    why="only hosts of the slice groups of `checkpoints` have the folder in memory. On others, the Pods wait for their "
    "volume",
    fix="Set `checkpoints` below `kubernetes`, and add the slice group to its `slices`.",
    references=["checkpointing-controller"],
    source="gke-tpu: slice groups of the key `checkpoints`",
    failing=_run(checkpoints=""),
    passing=_run(),
)
def volume_without_checkpoints(context: PlanContext) -> Iterable[Hit]:
    machines = {item.cluster.key: item.machines for item in _configured(context)}
    for workload, path in _volumes(context):
        cluster = workload.cluster
        if cluster.key not in machines:
            yield Hit.missing(
                (*cluster.path, "kubernetes"),
                "key `checkpoints`",
                "set its bucket and its memory",
                allowed=("checkpoints",),
            )
            continue
        for group in workload.groups:
            if group.shape.machine_type not in machines[cluster.key]:
                yield Hit(
                    path,
                    f"slice group {quoted(str(group.path[-1]))} is not one of the `slices` of `checkpoints`",
                    allowed=tuple(
                        str(item.path[-1])
                        for item in cluster.groups
                        if item.shape.machine_type in machines[cluster.key]
                    ),
                )


@warning(
    "TPU653",
    about=("clusters.*.kubernetes.workloads.*.kind", _VOLUME),
    title="Multi-tier checkpointing numbers only the Pods of JobSets",
    why="the driver gives each Pod the number under which it restores checkpoints. It reads this number from a JobSet "
    "whose Pods all have chips",
    fix="Use `kind: jobset`, or mount a `bucket`.",
    references=["checkpointing-ranks", "gke-multi-tier-checkpointing"],
    failing=_run("kind: leaderworkerset"),
    passing=_run(),
)
def unnumbered_checkpoints(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.storage.checkpoints
    for workload, path in _volumes(context):
        kind = written_kind(workload)
        if kind.controller(workload) != facts.operator or has_head(workload):
            yield Hit(
                path,
                f"workload {quoted(workload.name)} is {kind.title}, whose Pods get no numbers",
                fact=facts.for_item("operator"),
                allowed=("kind: jobset",),
            )


@warning(
    "TPU654",
    about=(f"{_KEY}.memory", "clusters.*.kubernetes.workloads.*.memory"),
    title="Checkpoints and Pods exceed the memory of the host",
    why="checkpoints are in the memory of the host, which no Pod requests. If both together exceed it, the system ends "
    "processes of the workload",
    fix="Set a smaller `memory` of the workload or of `checkpoints`. Without `memory`, a Pod requests 75% of its host.",
    references=["checkpointing-controller"],
    failing=_run().replace("60Gi", "200Gi"),
    passing=_run(),
)
def checkpoints_exceed_memory(context: PlanContext) -> Iterable[Hit]:
    sizes = {item.cluster.key: item.plan.memory for item in _configured(context)}
    for workload, _ in _volumes(context):
        shape = workload.group.shape
        machine = context.catalog.generation(shape.generation).machine_types[shape.machine_type]
        own = workload.plan.memory or default_requests(workload.group, context.catalog)[1]
        folder, requested = parse_quantity(sizes.get(workload.cluster.key)), parse_quantity(own)
        if folder is None or requested is None:  # another rule reports them
            continue
        left = machine.memory_gib * _GIB - folder
        if requested <= left:
            continue
        yield Hit(
            (*workload.path, "memory"),
            f"a Pod requests {own}, checkpoints take {sizes[workload.cluster.key]}, and {shape.machine_type} has "
            f"{machine.memory_gib:,} GiB of memory",
            fact=machine.for_item("memory_gib"),
            fix=SetKeys.of(memory=f"{int(left / _GIB)}Gi") if left >= _GIB else None,
        )


@warning(
    "TPU655",
    about=(f"{_KEY}.project_number",),
    title="Plan grants no role on the bucket of checkpoints",
    why="a service account of GKE copies checkpoints to the bucket. Its name contains the number of the project, so "
    "without the number gke-tpu cannot grant the role",
    fix="Set `project_number`, which `gcloud projects describe` shows. If you grant the role yourself, accept the "
    "warning.",
    references=["xpk-checkpointing", "gke-multi-tier-checkpointing"],
    failing=_run().replace(", project_number: 123456789012", ""),
    passing=_run(),
)
def checkpoints_without_role(context: PlanContext) -> Iterable[Hit]:
    for item in _configured(context):
        if item.account(context.catalog) is None:
            yield Hit(
                item.path,
                f"no account of GKE gets a role on bucket {quoted(item.plan.bucket)}",
                fact=context.catalog.kubernetes.storage.checkpoints,
                allowed=("project_number: NUMBER",),
            )

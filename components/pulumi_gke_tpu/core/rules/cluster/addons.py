"""Checks of add-ons: TPU247 to TPU250, TPU259 and TPU650."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, SetKeys, Severity, as_only, did_you_mean, printable

_FUSE = "gcs_fuse"
_SLICE_CONTROLLER = "slice_controller"
_SLICING_NOTE = "tpu7x-dynamic-slicing"
_NO_GROUP = "and the cluster has no such group"


@rule(
    "TPU247",
    plans_only="each add-on of a cluster is a property of its own",
    about=of_clusters("addons"),
    title="Unknown add-on",
    why="gke-tpu cannot enable an add-on that it does not know",
    fix="Use an add-on that the message allows. For any other add-on, set the property of the cluster under `extra`.",
    references=["provider-cluster"],
    basis="format",
    failing=in_cluster("addons: [gcsfuse]"),
    edit=("addons: [gcsfuse]", "addons: [gcs_fuse]"),
)
def unknown_addon(context: PlanContext) -> Iterable[Hit]:
    known = context.catalog.platform.addons
    for cluster in context.fleet.clusters:
        choices = tuple(sorted(word for word, addon in known.items() if cluster.mode in addon.modes))
        for index, word in enumerate(cluster.plan.addons):
            if word not in known:
                from pulumi_gke_tpu.core.plan.reading.spellings import OTHER_ADDONS, plain  # only errors need it

                called = OTHER_ADDONS.get(plain(word).removesuffix("config"))
                near = called or did_you_mean(word, known)
                yield Hit.unknown(
                    (*cluster.path, "addons", index),
                    "add-on",
                    word,
                    given=f"addons: {printable(word)}",
                    allowed=choices,
                    fix=as_only(Replace.value(near), called is not None),
                )


@rule(
    "TPU248",
    silent_in={"gcloud": "GKE enables some add-ons of Autopilot clusters itself"},
    about=of_clusters("addons"),
    title="Add-on is not supported in this mode",
    why="GKE does not offer the add-on in this cluster mode, so the provider or GKE rejects the cluster",
    fix="Remove the add-on, or use the other cluster mode.",
    references=["provider-cluster"],
    failing=in_cluster("addons: [dns_cache]", mode="autopilot"),
    edit=("mode: autopilot", "mode: standard"),
)
def unsupported_addon(context: PlanContext) -> Iterable[Hit]:
    known = context.catalog.platform.addons
    for cluster in context.fleet.clusters:
        for index, word in enumerate(cluster.plan.addons):
            addon = known.get(word)
            if addon is not None and cluster.mode not in (*addon.modes, *addon.always_on):
                yield Hit(
                    (*cluster.path, "addons", index),
                    f"add-on {word} ({addon.title}) is not supported on {cluster.mode.title()}",
                    fact=addon,
                    allowed=tuple(sorted(name for name, item in known.items() if cluster.mode in item.modes)),
                )


@rule(
    "TPU249",
    plans_only="it is about an entry without effect",
    about=of_clusters("addons"),
    title="Add-on is always enabled",
    why="Autopilot always enables the add-on, so the entry has no effect",
    fix="Remove the add-on from the list.",
    references=["provider-cluster"],
    severity=Severity.NOTE,
    failing=in_cluster("addons: [gcs_fuse]", mode="autopilot"),
    edit=("addons: [gcs_fuse]", "addons: [ray_operator]"),
)
def always_on_addon(context: PlanContext) -> Iterable[Hit]:
    known = context.catalog.platform.addons
    for cluster in context.fleet.clusters:
        for index, word in enumerate(cluster.plan.addons):
            addon = known.get(word)
            if addon is not None and cluster.mode in addon.always_on:
                yield Hit(
                    (*cluster.path, "addons", index),
                    f"add-on {word} ({addon.title}) is always enabled in {cluster.mode.title()} clusters",
                    fact=addon,
                )


@warning(
    "TPU259",
    about=of_clusters("addons"),
    title="Slice controller without matching slices",
    why="the slice controller combines reserved tpu7x hosts into slices, and the add-on has no other use",
    fix="Add a tpu7x group with a reservation, or remove slice_controller from `addons`.",
    references=["gke-dynamic-slicing", "gke-dynamic-slicing-scheduler"],
    failing=in_cluster("""
release_channel: rapid
addons: [slice_controller]
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""),
    passing="""
mode: standard
location: us-central1
release_channel: rapid
addons: [slice_controller]
slices:
  cube: {tpu: tpu7x, slicing: dynamic, zone: us-central1-c, capacity: {reservation: {name: cubes, block: block-0001}}}
""",
)
def unused_slice_controller(context: PlanContext) -> Iterable[Hit]:
    note = note_by_id(context.catalog.platform.notes, _SLICING_NOTE)
    served = note.topics if note else ()
    for cluster in context.fleet.clusters:
        if cluster.mode != "standard" or _SLICE_CONTROLLER not in cluster.plan.addons or not served:
            continue
        groups = [group for group in cluster.plan.slices.values() if group.tpu in served]
        if any(group.capacity.mode == "reservation" for group in groups):
            continue
        yield Hit(
            (*cluster.path, "addons", cluster.plan.addons.index(_SLICE_CONTROLLER)),
            f"add-on slice_controller supports only {', '.join(served)} groups with a reservation, {_NO_GROUP}",
            fact=note,
        )


@warning(
    "TPU250",
    about=of_clusters("addons", "security.workload_identity"),
    title="Cloud Storage FUSE requires Workload Identity",
    why="the Cloud Storage FUSE driver accesses Cloud Storage as the service account of the Pod. This requires "
    "Workload Identity",
    fix="Set `workload_identity: true`, or remove gcs_fuse from `addons`.",
    references=["provider-cluster", "google-skills-storage"],
    failing=in_cluster("""
addons: [gcs_fuse]
security: {workload_identity: false}
"""),
    edit=("\nsecurity: {workload_identity: false}", ""),
)
def fuse_without_workload_identity(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        plan = cluster.plan
        if (
            cluster.mode == "standard"
            and _FUSE in plan.addons
            and not security_settings(cluster).workload_identity.value
        ):
            yield Hit(
                (*cluster.path, "security", "workload_identity"),
                "add-on gcs_fuse requires Workload Identity, which is disabled",
                fact=context.catalog.platform.addons.get(_FUSE),
                fix=SetKeys.of(workload_identity=True),
            )


@warning(
    "TPU650",
    about=of_clusters("addons"),
    title="Add-on requires another add-on",
    why="some add-ons use what another one installs: multi-tier checkpointing copies checkpoints to Cloud Storage with "
    "Cloud Storage FUSE",
    fix="Add the add-on that the message names.",
    references=["gke-multi-tier-checkpointing"],
    failing=in_cluster("addons: [high_scale_checkpointing]"),
    edit=("addons: [high_scale_checkpointing]", "addons: [high_scale_checkpointing, gcs_fuse]"),
)
def addon_requires_addon(context: PlanContext) -> Iterable[Hit]:
    known = context.catalog.platform.addons
    for cluster in context.fleet.clusters:
        written = cluster.plan.addons
        for word in dict.fromkeys(written):
            addon = known.get(word)
            for other in addon.requires if addon is not None else ():
                if other not in written and cluster.mode not in known[other].always_on:
                    yield Hit(
                        (*cluster.path, "addons"),
                        f"add-on {word} requires {other} ({known[other].title}), which the cluster does not have",
                        fact=addon,
                        fix=SetKeys.of(addons=[*written, other]),
                    )

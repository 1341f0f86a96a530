"""Checks of buckets as volumes, and of the service accounts that access them: TPU690 to TPU693."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.checkpoints import checkpointing
from pulumi_gke_tpu.core.fleet.settings import security_settings
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.plan.volumes import Bucket
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects, workloads

_SLICES = "mode: standard\nlocation: us-east5\nslices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}\n"
_ADDONS = "addons: [gcs_fuse]\n"
_ACCOUNTS = "service_accounts: {trainer: {google: create}}"
_BUCKET = "{name: acme-data}"

_BUCKET_NAME = lazy_pattern(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]\Z", re.ASCII)
_SCHEME = "gs://"


def _run(bucket: str = _BUCKET, account: str = "service_account: trainer, ") -> str:
    volumes = f"volumes: {{data: {{mount: /data, bucket: {bucket}}}}}"
    run = f"workloads: {{run: {{slices: pretrain, image: train, {account}{volumes}}}}}"
    return f"kubernetes: {{{_ACCOUNTS}, {run}}}"


def _buckets(context: PlanContext) -> Iterator[tuple[Workload, Path, Bucket]]:
    for workload in workloads(context):
        for name, volume in workload.plan.volumes.items():
            if volume.bucket is not None:
                yield workload, (*workload.path, "volumes", name, "bucket"), volume.bucket


@rule(
    "TPU690",
    about=(
        *of_clusters("addons"),
        *of_workloads("volumes.*.bucket", "volumes.*.filestore", "volumes.*.lustre", "volumes.*.parallelstore"),
    ),
    title="Volume requires an add-on",
    why="the driver that mounts the volume is an add-on of the cluster. Without it, the Pods wait for their volume",
    fix="Add the add-on that the message names to `addons`.",
    references=["google-skills-storage", "provider-cluster"],
    failing=f"{_SLICES}{_run()}",
    passing=f"{_SLICES}{_ADDONS}{_run()}",
)
def volume_without_addon(context: PlanContext) -> Iterable[Hit]:
    storage, known = context.catalog.kubernetes.storage, context.catalog.platform.addons
    drivers = {"bucket": storage.buckets.addon, **{key: item.addon for key, item in storage.file_systems.items()}}
    for objects in clusters_with_objects(context):
        cluster = objects.cluster
        if cluster.existing:  # whose add-ons are not known
            continue
        users: dict[str, Path] = {}
        for workload in objects.workloads:
            for name, volume in workload.plan.volumes.items():
                for key, addon in drivers.items():
                    if getattr(volume, key) is not None:
                        users.setdefault(addon, (*workload.path, "volumes", name, key))
        missing = [word for word in users if word not in cluster.plan.addons]
        for word in missing:
            if cluster.mode not in known[word].always_on:
                name, user = quoted(users[word][-2]), quoted(users[word][-4])
                yield Hit(
                    (*cluster.path, "addons"),
                    f"volume {name} of workload {user} requires the add-on {word} ({known[word].title})",
                    fact=known[word],
                    fix=SetKeys.of(addons=[*cluster.plan.addons, word]),
                )


@warning(
    "TPU691",
    about=(*of_clusters("kubernetes.service_accounts"), *of_workloads("service_account", "volumes.*.bucket")),
    title="Bucket without a service account that may read it",
    why="the driver accesses a bucket as the service account of the Pod. The account `default` has no roles, unless "
    "you granted some to it",
    fix="Define a service account with `google: create`, and set it as `service_account`: it gets exactly the roles "
    "that the buckets need.",
    references=["fuse-csi-authentication"],
    failing=f"{_SLICES}{_ADDONS}{_run(account='')}",
    passing=f"{_SLICES}{_ADDONS}{_run()}",
)
def bucket_without_service_account(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.storage.identity
    for workload, path, bucket in _buckets(context):
        if workload.plan.service_account is None:
            yield Hit(
                path,
                f"the Pods access bucket {quoted(bucket.name)} as the service account `default` of namespace "
                f"{quoted(workload.namespace)}, which has no roles",
                fact=fact,
                allowed=("service_account: NAME, with service_accounts: {NAME: {google: create}}",),
            )


@warning(
    "TPU692",
    about=of_clusters("kubernetes.service_accounts.*.google", "security.workload_identity"),
    title="Service accounts of Pods require Workload Identity",
    why="with Workload Identity, a Pod acts as the service account that the plan names. Without it, every Pod has the "
    "roles of its node",
    fix="Remove `workload_identity: false`, or `google`.",
    references=["fuse-csi-authentication"],
    failing=f"{_SLICES}security: {{workload_identity: false}}\nkubernetes: {{{_ACCOUNTS}}}",
    passing=f"{_SLICES}kubernetes: {{{_ACCOUNTS}}}",
)
def identity_without_workload_identity(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        plan = cluster.plan.kubernetes
        named = [name for name, item in plan.service_accounts.items() if item.google is not None] if plan else []
        off = cluster.mode == "standard" and not cluster.existing
        if named and off and not security_settings(cluster).workload_identity.value:
            yield Hit(
                (*cluster.path, "security", "workload_identity"),
                f"service account {quoted(named[0])} requires Workload Identity, which is disabled",
                fact=context.catalog.kubernetes.storage.identity,
                fix=SetKeys.of(workload_identity=True),
            )


@rule(
    "TPU693",
    about=(*of_clusters("kubernetes.checkpoints.bucket"), *of_workloads("volumes.*.bucket", "volumes.*.bucket.name")),
    title="Invalid bucket",
    why="`name` is the name of the bucket alone, `path` is a folder in it, and the driver sets some mount options "
    "itself",
    fix="Write the name without `gs://`, the folder as `path`, and only options that the driver does not set itself.",
    references=["gke-fuse-performance"],
    source="Cloud Storage: names of buckets",
    failing=f"{_SLICES}{_ADDONS}{_run('{name: gs://acme-data}')}",
    passing=f"{_SLICES}{_ADDONS}{_run()}",
)
def invalid_bucket(context: PlanContext) -> Iterable[Hit]:
    for item in filter(None, map(checkpointing, context.fleet.clusters)):
        yield from _bucket_name((*item.path, "bucket"), item.plan.bucket)
    for _, path, bucket in _buckets(context):
        yield from _bucket_name((*path, "name"), bucket.name, keeps_path=bucket.path is None)
        folder = bucket.path
        if folder is not None and (not folder.strip("/") or folder.startswith("/") or "," in folder):
            near = folder.strip("/")
            fix = SetKeys.of(path=near) if "," not in near else None
            yield Hit.invalid((*path, "path"), "folder of a bucket", folder, "use a path inside the bucket", fix=fix)
        yield from _options((*path, "mount_options"), bucket, context)


def _bucket_name(path: Path, given: str, *, keeps_path: bool = False) -> Iterator[Hit]:
    """``keeps_path``: whether the key ``path`` beside the name can take a folder that follows it."""
    if _BUCKET_NAME.match(given):
        return
    name, _, rest = given.removeprefix(_SCHEME).partition("/")
    folder = rest.strip("/")
    keys = {str(path[-1]): name, **({"path": folder} if folder else {})}
    fits = _BUCKET_NAME.match(name) and (keeps_path or not folder)
    form = "use the name alone: lower-case letters, digits, `-`, `_` and `.`"
    yield Hit.invalid(path, "bucket name", given, form, fix=SetKeys.of(keys) if fits else None)


def _options(path: Path, bucket: Bucket, context: PlanContext) -> Iterator[Hit]:
    facts = context.catalog.kubernetes.storage
    for index, option in enumerate(bucket.mount_options):
        word = re.split(r"[:=]", option.lstrip("-"), maxsplit=1)[0]
        if not option or option.startswith("-") or any(sign in option for sign in ", \t\n"):
            form = "use one option, without `--`, spaces and commas"
            yield Hit.invalid((*path, index), "mount option", option, form)
        elif word in facts.bucket_options.refused:
            yield Hit.unsupported(
                (*path, index), f"mount option {quoted(word)}", "the driver", fact=facts.bucket_options
            )
        elif word == facts.buckets.folder_option:
            yield Hit.conflict((*path, index), quoted(printable(option)), "`path`", "write the folder as `path`")

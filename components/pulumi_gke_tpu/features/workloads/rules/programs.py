"""Checks of what workloads run and where they write: images (TPU356), temporary data of Pathways (TPU357)."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys
from pulumi_gke_tpu.features.workloads.rules.pathways import images_of
from pulumi_gke_tpu.features.workloads.rules.walk import additional_containers, workloads

_PART = r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = re.compile(rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*(?::{_TAG})?(?:@{_DIGEST})?\Z", re.ASCII)
_SCHEME = re.compile(r"(?:https?|docker|oci)://", re.IGNORECASE | re.ASCII)
_BUCKET = r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]"
_SCRATCH = re.compile(rf"gs://{_BUCKET}(?:/\S*)?\Z", re.ASCII)
_BARE_SCRATCH = re.compile(rf"{_BUCKET}(?:/\S*)?\Z", re.ASCII)

_MULTI = (
    "mode: standard\nlocation: us-east5\nnetwork: create\n"
    "cpu_pools: {head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}\n"
    "slices: {serve: {tpu: v6e, topology: 4x4, zone: us-east5-b}}\n"
)


def _workload(keys: str) -> str:
    return f"kubernetes: {{workloads: {{train: {{slices: serve, {keys}}}}}}}"


@rule(
    "TPU356",
    "invalid-image",
    about=(
        "clusters.*.kubernetes.workloads.*.head.image",
        "clusters.*.kubernetes.workloads.*.image",
        "clusters.*.kubernetes.workloads.*.init_containers[].image",
        "clusters.*.kubernetes.workloads.*.pathways.proxy.image",
        "clusters.*.kubernetes.workloads.*.pathways.python_sidecar.image",
        "clusters.*.kubernetes.workloads.*.pathways.resource_manager.image",
        "clusters.*.kubernetes.workloads.*.pathways.worker.image",
        "clusters.*.kubernetes.workloads.*.sidecars[].image",
    ),
    title="Invalid reference to a container image",
    why="the container runtime reads the reference before it asks a registry. With an invalid one, Pods stay in the "
    "state InvalidImageName and hold their slices",
    fix="Write REGISTRY/PATH:TAG or REGISTRY/PATH@DIGEST, with a path in lower-case letters and without https://.",
    source="Distribution: form of references to images",
    basis="format",
    failing=f"{_MULTI}{_workload('image: https://us-docker.pkg.dev/acme-ml/train/llama')}",
    passing=f"{_MULTI}{_workload('image: us-docker.pkg.dev/acme-ml/train/llama')}",
)
def invalid_image(context: PlanContext) -> Iterable[Hit]:
    for path, image in _images(context):
        if not _IMAGE.match(image):
            meant = _meant(image)
            yield Hit.invalid(
                path,
                "image",
                image,
                allowed=("a reference such as us-docker.pkg.dev/PROJECT/REPOSITORY/IMAGE:TAG",),
                fix=SetKeys.of(image=meant),
            )


def _images(context: PlanContext) -> Iterator[tuple[Path, str]]:
    for workload in workloads(context):
        head = workload.plan.head
        for path, image in (
            ((*workload.path, "image"), workload.plan.image),
            ((*workload.path, "head", "image"), head.image if head else None),
            *(((*place, "image"), item.image) for place, item in additional_containers(workload)),
            *images_of(workload),
        ):
            if isinstance(image, str):
                yield path, image


def _meant(image: str) -> str:
    """The reference without a scheme and with a path in lower case; empty if that is none either."""
    name, colon, tag = _SCHEME.sub("", image.strip()).rpartition(":")
    bare = f"{name.lower()}:{tag}" if colon and "/" not in tag else _SCHEME.sub("", image.strip()).lower()
    return bare if _IMAGE.match(bare) else ""


@rule(
    "TPU357",
    "invalid-scratch",
    about=("clusters.*.kubernetes.workloads.*.scratch",),
    title="Temporary data of Pathways is not in Cloud Storage",
    why="the processes of Pathways share temporary data in a bucket of Cloud Storage",
    fix="Set `scratch` to gs://BUCKET or gs://BUCKET/FOLDER.",
    references=["xpk-pathways", "pathways-job-api"],
    basis="format",
    failing=f"{_MULTI}{_workload('image: train, kind: pathways, scratch: acme-tmp/pathways')}",
    passing=f"{_MULTI}{_workload('image: train, kind: pathways, scratch: gs://acme-tmp/pathways')}",
)
def invalid_scratch(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        scratch = workload.plan.scratch
        if scratch is not None and not _SCRATCH.match(scratch):
            yield Hit.invalid(
                (*workload.path, "scratch"),
                "path in Cloud Storage",
                scratch,
                allowed=("gs://BUCKET/FOLDER",),
                fix=SetKeys.of(scratch=f"gs://{scratch}") if _BARE_SCRATCH.match(scratch) else None,
            )

"""Checks of containers, of images (TPU356), and of temporary data of Pathways (TPU357)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.pods import container_names
from pulumi_gke_tpu.core.kinds.workload import MAIN_PORT
from pulumi_gke_tpu.core.objects.names import is_valid_name, reason_of_name, valid_name_like
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.pods import Probe, SecretKey
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_workloads, rule
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.pathways import images_of
from pulumi_gke_tpu.features.workloads.rules.walk import additional_containers, workloads

_LOGIC = "gke-tpu: keys of a workload"
_LONGEST = 253
_NAME_OF_PORT = "Use a short name in lower-case letters, digits and hyphens."
_SECRET = lazy_pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z", re.ASCII)
_KEY = lazy_pattern(r"[-._a-zA-Z0-9]+\Z", re.ASCII)
_SECOND = timedelta(seconds=1)

_CLUSTER = "mode: standard\nlocation: us-east5\nslices: {serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}}\n"


def _chat(keys: str) -> str:
    return f"{_CLUSTER}kubernetes: {{workloads: {{chat: {{slices: serve, image: vllm, kind: deployment, {keys}}}}}}}"


Sources = tuple[Path, Mapping[str, object], Mapping[str, SecretKey]]


def _sources(workload: Workload) -> Iterator[Sources]:
    """The containers with variables from Secrets: the path, the variables with values, and those from Secrets."""
    plan = workload.plan
    yield workload.path, plan.env, plan.env_from_secrets
    for path, item in additional_containers(workload):
        yield path, item.env, item.env_from_secrets


@rule(
    "TPU560",
    about=of_workloads("env", "env_from_secrets", "init_containers[].env_from_secrets", "sidecars[].env_from_secrets"),
    title="Environment variable has two values",
    why="a container has one value of each variable, from the plan or from a Secret",
    fix="Remove the variable from `env` or from `env_from_secrets`.",
    source=_LOGIC,
    failing=_chat("env: {TOKEN: none}, env_from_secrets: {TOKEN: {secret: hugging-face, key: token}}"),
    edit=("env: {TOKEN: none}", "env: {RUN: none}"),
)
def variable_with_two_values(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        for path, values, secrets in _sources(workload):
            for name in secrets:
                if name in values:
                    here = (*path, "env_from_secrets", name)
                    yield Hit.duplicate(here, "variable", name, "`env` has it")


@rule(
    "TPU561",
    about=of_workloads(
        "env_from_secrets",
        "gateway.tls_secret",
        "init_containers[].env_from_secrets",
        "pull_secrets",
        "sidecars[].env_from_secrets",
    ),
    title="Invalid name of a Secret or of a key in it",
    why="Kubernetes rejects the object, or creates no Pods: such a Secret cannot exist",
    fix="Use the name that `kubectl get secrets` prints, and a key that `kubectl describe secret NAME` prints.",
    references=["kubernetes-api-server"],
    source="Kubernetes: RFC 1123 names, keys of Secrets",
    failing=_chat("pull_secrets: [Registry]"),
    passing=_chat("pull_secrets: [registry]"),
)
def invalid_secret_reference(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        for path, _, secrets in _sources(workload):
            for name, source in secrets.items():
                here = (*path, "env_from_secrets", name)
                yield from _secret((*here, "secret"), source.secret)
                if not _KEY.match(source.key) or len(source.key) > _LONGEST:
                    reason = "use letters, digits, hyphens, dots and underscores"
                    yield Hit.invalid((*here, "key"), "key of a Secret", source.key or "(empty)", reason)
        if workload.plan.gateway is not None and workload.plan.gateway.tls_secret is not None:
            yield from _secret((*workload.path, "gateway", "tls_secret"), workload.plan.gateway.tls_secret)
        seen: dict[str, int] = {}
        for index, name in enumerate(workload.plan.pull_secrets):
            place = (*workload.path, "pull_secrets", index)
            yield from _secret(place, name)
            if seen.setdefault(name, index) != index:
                yield Hit.duplicate(place, "Secret", name)


def _secret(path: Path, name: str) -> Iterator[Hit]:
    if not _SECRET.match(name) or len(name) > _LONGEST:
        reason = "use lower-case letters, digits, hyphens and dots, with a letter or a digit at both ends"
        near = name.lower().replace("_", "-")
        fix = SetKeys.of({path[-1]: near}) if isinstance(path[-1], str) and _SECRET.match(near) else None
        yield Hit.invalid(path, "name of a Secret", name or "(empty)", reason, fix=fix)


@rule(
    "TPU562",
    about=of_workloads("port", "ports"),
    title="Invalid name of a port, or two ports with one number",
    why="names of ports have at most 15 characters. A Service needs another number for each of its ports, and "
    f"gke-tpu calls `port` {MAIN_PORT} in it",
    fix="Use another number for one of the two ports, or remove one.",
    references=["kubernetes-api-server"],
    source="Kubernetes: names of ports (RFC 6335)",
    failing=_chat("port: 8000, ports: {metrics: 8000}"),
    edit=("metrics: 8000", "metrics: 9090"),
)
def invalid_port(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan, path = workload.plan, (*workload.path, "ports")
        numbers = {plan.port: "`port`"} if plan.port is not None else {}
        for name, number in plan.ports.items():
            place = (*path, name)
            if not is_valid_name(name, "port"):
                near = valid_name_like(name, "port")
                fix = Rename.to(near) if near and near not in plan.ports else None
                yield Hit.invalid(
                    place, "port name", name or "(empty)", reason_of_name(name, "port"), fix=fix, advice=_NAME_OF_PORT
                )
            elif name == MAIN_PORT and plan.port is not None:
                yield Hit.conflict(
                    place,
                    f"port {quoted(name)}",
                    "`port`",
                    "it has this name in the Service",
                    advice="Rename the port.",
                )
            first = numbers.setdefault(number, f"port {quoted(name)}")
            if first != f"port {quoted(name)}":
                yield Hit.duplicate(place, "port", number, f"{first} has it")


@rule(
    "TPU563",
    about=of_workloads("port", "probes", "probes.startup"),
    title="Invalid probe",
    why="a probe connects to a port, requests an absolute path, and counts whole seconds. Kubernetes rejects others",
    fix="Set `port` of the workload or of the probe, a path that begins with `/`, and durations of at least 1s.",
    references=["kubernetes-api-server"],
    source="Kubernetes: probes of containers",
    failing=_chat("probes: {startup: {http_path: /health}}"),
    edit=("probes:", "port: 8000, probes:"),
)
def invalid_probe(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        for key in ("readiness", "startup", "liveness"):
            probe = getattr(workload.plan.probes, key, None)
            if probe is not None:
                yield from _probe((*workload.path, "probes", key), probe, workload.plan.port)


def _probe(path: Path, probe: Probe, port: int | None) -> Iterator[Hit]:
    if probe.port is None and port is None:
        yield Hit.missing(path, "port", "set `port` of the workload or of the probe")
    if probe.http_path is not None and not probe.http_path.startswith("/"):
        fix = SetKeys.of(http_path=f"/{probe.http_path}")
        yield Hit.invalid((*path, "http_path"), "path", probe.http_path or "(empty)", "begin it with `/`", fix=fix)
    for key in ("period", "timeout"):
        duration = getattr(probe, key)
        if duration is not None and duration < _SECOND:
            yield Hit.invalid((*path, key), key, format_duration(duration), "it is at least 1s")


@rule(
    "TPU567",
    about=of_workloads("init_containers[].name", "sidecars[].name"),
    title="Invalid or duplicate name of a container",
    why="the containers of a Pod have different names, also those with the chips, which gke-tpu names",
    fix="Use another name, in lower-case letters, digits and hyphens.",
    references=["kubernetes-api-server"],
    source="Kubernetes: RFC 1123 label names",
    failing=_chat("sidecars: [{name: tpu, image: proxy}]"),
    passing=_chat("sidecars: [{name: proxy, image: proxy}]"),
)
def invalid_container_name(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        used = dict.fromkeys(container_names(workload, context.catalog), "the container with the chips")
        for path, item in additional_containers(workload):
            place = (*path, "name")
            if not is_valid_name(item.name, "label"):
                near = valid_name_like(item.name, "label")
                fix = SetKeys.of(name=near) if near and near not in used else None
                reason = reason_of_name(item.name, "label")
                yield Hit.invalid(place, "container name", item.name or "(empty)", reason, fix=fix)
            elif item.name in used:
                yield Hit.duplicate(place, "container name", item.name, f"{used[item.name]} has it")
            used.setdefault(item.name, "another container")


_PART = r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = lazy_pattern(rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*(?::{_TAG})?(?:@{_DIGEST})?\Z", re.ASCII)
_SCHEME = lazy_pattern(r"(?:https?|docker|oci)://", re.IGNORECASE | re.ASCII)
_BUCKET = r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]"
_SCRATCH = lazy_pattern(rf"gs://{_BUCKET}(?:/\S*)?\Z", re.ASCII)
_BARE_SCRATCH = lazy_pattern(rf"{_BUCKET}(?:/\S*)?\Z", re.ASCII)

_MULTI = (
    "mode: standard\nlocation: us-east5\nnetwork: create\n"
    "cpu_pools: {head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}\n"
    "slices: {serve: {tpu: v6e, topology: 4x4, zone: us-east5-b}}\n"
)


def _workload(keys: str) -> str:
    return f"kubernetes: {{workloads: {{train: {{slices: serve, {keys}}}}}}}"


@rule(
    "TPU356",
    about=of_workloads(
        "head.image",
        "image",
        "init_containers[].image",
        "pathways.proxy.image",
        "pathways.python_sidecar.image",
        "pathways.resource_manager.image",
        "pathways.worker.image",
        "sidecars[].image",
    ),
    title="Invalid reference to a container image",
    why="the container runtime reads the reference before it asks a registry. With an invalid one, Pods stay in the "
    "state InvalidImageName and hold their slices",
    fix="Write REGISTRY/PATH:TAG or REGISTRY/PATH@DIGEST, with a path in lower-case letters and without https://.",
    source="Distribution: form of references to images",
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
    about=of_workloads("scratch"),
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

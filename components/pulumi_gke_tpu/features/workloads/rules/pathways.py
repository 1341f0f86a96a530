"""Checks of the servers of Pathways, and of what runs in their head: TPU640 to TPU644."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, listed, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_SERVERS = ("proxy", "resource_manager", "worker")
_OF_PROGRAM = ("image", "command", "args", "env", "env_from_secrets", "exit_codes", "head")
"""Keys of the program in the head."""
_PLAN = (
    "mode: standard\nlocation: us-east5\nnetwork: create\n"
    "cpu_pools: {head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}\n"
    "slices: {serve: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}}\n"
)


def _run(keys: str) -> str:
    return f"{_PLAN}kubernetes: {{workloads: {{run: {{slices: serve, kind: pathways, count: 2, {keys}}}}}}}"


def images_of(workload: Workload) -> Iterator[tuple[Path, str | Unknown]]:
    """The images that a workload names for servers of Pathways, and their places."""
    for key in (*_SERVERS, "python_sidecar"):
        server = getattr(workload.plan.pathways, key, None)
        if server is not None and server.image is not None:
            yield (*workload.path, "pathways", key, "image"), server.image


@rule(
    "TPU640",
    about=of_workloads("image", "pathways.headless"),
    title="Workload without a container image",
    why="the containers of a workload run an image. Only Pathways can run without a program",
    fix="Set `image`, or `headless: true` of `pathways` if the workload has the kind pathways.",
    source="gke-tpu: keys of each kind of workload",
    failing=_run("scratch: gs://acme-tmp"),
    passing=_run("pathways: {tag: jax-0.9.2, headless: true}"),
)
def missing_image(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        servers = workload.plan.pathways if "pathways" in written_kind(workload).keys else None
        if workload.plan.image is None and not (servers is not None and servers.headless):
            yield Hit.missing(workload.path, "key `image`")


@rule(
    "TPU641",
    about=of_workloads("args", "command", "env", "env_from_secrets", "image", "pathways.headless"),
    title="Headless Pathways runs no program",
    why="with `headless: true`, the head has the servers of Pathways only, and programs outside of the workload "
    "connect to its proxy. Keys of a program have no effect",
    fix="Remove the key, or `headless`. Set variables of a server with `env` below `pathways`.",
    source="gke-tpu: keys of each kind of workload",
    failing=_run("image: train, pathways: {tag: jax-0.9.2, headless: true}"),
    passing=_run("image: train, pathways: {tag: jax-0.9.2, headless: false}"),
)
def program_of_headless_workload(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        plan = workload.plan
        if plan.pathways is None or not plan.pathways.headless:
            continue
        for key in _OF_PROGRAM:
            if plan.written(key) and getattr(plan, key):
                yield Hit((*workload.path, key), f"`{key}` has no effect on Pathways with `headless: true`")


@warning(
    "TPU642",
    about=of_workloads("pathways", "pathways.tag"),
    title="Servers of Pathways without a fixed version",
    why="the tag latest is another image after each release. A worker that restarts pulls the new image while other "
    "servers run the old image, and the JAX of the program must fit the servers",
    fix="Set `tag` to the JAX version of the program, or name images by tag or digest.",
    references=["pathways-intro", "xpk-pathways-template"],
    failing=_run("image: train, pathways: {elastic: {slices: 1, max_restarts: 2}}"),
    passing=_run("image: train, pathways: {tag: jax-0.9.2, elastic: {slices: 1, max_restarts: 2}}"),
)
def moving_pathways_image(context: PlanContext) -> Iterable[Hit]:
    """Only where the plan says something about the servers: without `pathways`, they are those of XPK."""
    facts = context.catalog.kubernetes.workloads.pathways
    for workload in workloads(context):
        plan, path = workload.plan.pathways, (*workload.path, "pathways")
        if plan is None:
            continue
        named = dict(images_of(workload))
        for place, image in named.items():
            if isinstance(image, str) and _moves(image, facts.tag):
                yield Hit(place, f"image {quoted(image)} can change", fact=facts)
        google = [key for key in _SERVERS[:2] if (*path, key, "image") not in named]
        if google and (plan.tag or facts.tag) == facts.tag:
            names = listed([key.replace("_", " ") for key in google])
            where = (*path, "tag") if plan.tag is not None else path
            yield Hit(where, f"Google's image of the {names} has the tag {facts.tag}", fact=facts)


def _moves(image: str, moving: str) -> bool:
    """Whether the tag of an image, or a missing one, can mean another image tomorrow."""
    _, colon, tag = image.rpartition("/")[2].partition(":")
    return "@" not in image and (not colon or tag == moving)


@rule(
    "TPU643",
    about=of_workloads("pathways.elastic", "pathways.elastic.slices"),
    title="More slices may be missing than the workload has",
    why="`slices` of `elastic` is the number of slices that may be missing, at most all of `count`",
    fix="Set `slices` to a smaller number, or a larger `count`.",
    references=["pathways-intro"],
    basis="format",
    failing=_run("image: train, pathways: {tag: jax-0.9.2, elastic: {slices: 3, max_restarts: 2}}"),
    passing=_run("image: train, pathways: {tag: jax-0.9.2, elastic: {slices: 1, max_restarts: 2}}"),
)
def more_elastic_slices_than_slices(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        elastic = workload.plan.pathways.elastic if workload.plan.pathways is not None else None
        if elastic is not None and elastic.slices > workload.slices:
            yield Hit(
                (*workload.path, "pathways", "elastic", "slices"),
                f"{number(elastic.slices, 'slice')} may be missing, and the workload has {workload.slices:,}",
                given=f"slices: {elastic.slices}",
                allowed=(f"1 to {workload.slices:,}",),
                fix=SetKeys.of(slices=workload.slices),
            )


@rule(
    "TPU644",
    about=of_workloads("pathways.proxy.args", "pathways.resource_manager.args", "pathways.worker.args"),
    title="Flag of Pathways that gke-tpu writes",
    why="the values of these flags follow from the slices, ports and `scratch` of the workload. With a second value, "
    "the servers do not find each other, or expect other slices",
    fix="Remove the flag. `count`, `scratch` and `elastic` set these values.",
    references=["xpk-pathways-template", "pathways-job-controller"],
    failing=_run("image: train, pathways: {tag: jax-0.9.2, proxy: {args: [--num_elastic_slices=1]}}"),
    passing=_run("image: train, pathways: {tag: jax-0.9.2, proxy: {args: [--enable_metrics_collection=true]}}"),
)
def flag_of_pathways_written_twice(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.workloads.pathways
    for workload in workloads(context):
        for key in _SERVERS:
            server = getattr(workload.plan.pathways, key, None)
            for index, argument in enumerate(server.args if server is not None else ()):
                flag = "--" + argument.lstrip("-").partition("=")[0]
                if argument.startswith("-") and flag in facts.own_flags:
                    path = (*workload.path, "pathways", key, "args", index)
                    yield Hit(path, f"gke-tpu writes the flag {flag} itself", fact=facts, given=argument)

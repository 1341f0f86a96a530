"""The number of pods and the hosts of a slice: TPU728."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import count, mapping
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, SetKeys, number
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.pod_shapes import PodShape


@rule(
    "TPU728",
    "pods-do-not-match-hosts",
    title="Number of pods that does not match the hosts of the slice",
    why="a slice with several hosts works only if one pod runs on each of them; the pods wait for the missing ones",
    fix="Run one pod per host: set `parallelism` and `completions` of a Job to the hosts of the slice.",
    references=["plan-tpus", "jobset-multislice"],
    basis="catalog",
    failing=tpu_job(job="completionMode: Indexed\nparallelism: 2\ncompletions: 2"),
    passing=tpu_job(),
)
def pods_do_not_match_hosts(context: ManifestContext) -> Iterable[Hit]:
    for pod, shape, hosts in _on_several_hosts(context):
        assert shape.family is not None
        slice_ = f"a slice of {shape.family.generation_name} {shape.topology} has {number(hosts, 'host')}"
        fact = shape.family.generation.topologies
        if pod.traits.job == "own":
            wrong = _wrong_count(pod, hosts)
            if wrong is not None:
                key, given = wrong
                counts = f"`{key}` is {given}" if _job(pod).get(key) is not None else f"`{key}` is missing"
                place = pod.hit_path((*pod.controlled_by, key))
                yield Hit(place, f"{counts}, and {slice_} of {shape.chips} chips", fact=fact, fix=_fix(pod, key, hosts))
        elif pod.counted_by and pod.pods and pod.pods % hosts:
            place = pod.hit_path((*pod.controlled_by, pod.counted_by))
            pods = number(pod.pods, "replica")
            yield Hit(
                place,
                f"{pods}, and {slice_} of {shape.chips} chips",
                fact=fact,
                fix=SetKeys.of({pod.counted_by: hosts}),
            )


def _wrong_count(pod: PodTemplate, hosts: int) -> tuple[str, int] | None:
    """The first key of a Job with a wrong number, and the number; None if the numbers fit or are unknown."""
    job = _job(pod)
    parallelism = count(job.get("parallelism"), 1)
    if not parallelism:
        return None
    if parallelism % hosts:
        return "parallelism", parallelism
    if job.get("completionMode") == "Indexed" and job.get("completions") is None:
        return "completions", 0
    completions = count(job.get("completions"), parallelism)
    return ("completions", completions) if completions is not None and completions != parallelism else None


def _fix(pod: PodTemplate, key: str, hosts: int) -> Fix | None:
    """Both numbers of a Job, or only the completions if they are wrong."""
    parallelism = count(_job(pod).get("parallelism"), 1) if key == "completions" else hosts
    keys = ("parallelism", "completions") if key == "parallelism" else ("completions",)
    fix = SetKeys.of(dict.fromkeys(keys, parallelism))
    in_braces = pod.owner.file.in_braces((*pod.owner.base, *pod.controlled_by, key))
    return fix.between_braces if fix is not None and in_braces else fix


def _job(pod: PodTemplate) -> dict[str, object]:
    return mapping(pod.owner.value(*pod.controlled_by))


def _on_several_hosts(context: ManifestContext) -> Iterator[tuple[PodTemplate, PodShape, int]]:
    """Every pod template of slices with several hosts, with the number of hosts."""
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        if shape.hosts is not None and shape.hosts > 1:
            yield pod, shape, shape.hosts

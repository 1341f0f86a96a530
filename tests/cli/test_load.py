"""The work of every command grows linearly with its input: counted as calls of functions.

Three sizes give two steps; where work is linear the second step, over twice the distance, takes twice as many calls.
"""

import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from support.clones import Clone
from support.small_plans import TODAY
from support.work import function_calls

SIZES = (5, 10, 20)
LINEAR = 2.15
"""What a step of twice the length may take: twice as much, and what sorting adds."""

Arguments = tuple[str, ...]


def plan(groups: int, *, topology: str = "4x4", name: str = "group", cluster: str = "train", more: str = "") -> str:
    """A plan with one cluster. ``more`` holds further keys of every group; ``#`` is its number."""
    return (
        f"version: 1\nproject: acme-ml\nclusters:\n  {cluster}:\n    mode: standard\n    location: us-east5\n"
        "    slices:\n"
    ) + "".join(
        f"      {name}{index}: {{tpu: v6e, topology: {topology}, zone: us-east5-b{more.replace('#', str(index))}}}\n"
        for index in range(groups)
    )


def clusters(count: int, topology: str = "4x4") -> str:
    """A plan with many clusters of one group each."""
    text = plan(1, topology=topology)
    head, cluster = text.split("  train:\n")
    return head + "".join(f"  train{index}:\n{cluster}" for index in range(count))


def entries(key: str, count: int, entry: str) -> str:
    return f"{key}:\n" + "".join(f"  - {{{entry.replace('#', str(index))}}}\n" for index in range(count))


def moved(count: int) -> str:
    return entries("moved", count, "from: train/old#, to: train/group#")


def acknowledged(count: int, change: str = "replace") -> str:
    return entries("acknowledge", count, f"change: {change}, of: train/group#, reason: a larger run, until: 2026-12-01")


def accepted(count: int) -> str:
    return entries("accept", count, "rule: TPU612, of: train/group#, reason: a test, until: 2026-12-01")


RESERVED = ", capacity: {reservation: r#}"


def owned(count: int) -> str:
    return "version: 1\nas_of: 2026-11-20\n" + entries(
        "reservations",
        count,
        "name: r#, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 400",
    )


def write(name: str, text: str) -> str:
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def diff(base: Callable[[int], str], head: Callable[[int], str], *options: str) -> Callable[[int], Arguments]:
    return lambda size: ("diff", write("base.yaml", base(size)), write("head.yaml", head(size)), *options, *TODAY)


def of_plan(command: str, text: Callable[[int], str], *options: str) -> Callable[[int], Arguments]:
    return lambda size: (command, write("plan.yaml", text(size)), *options, *TODAY)


def folder(name: str, count: int, topology: str) -> str:
    """A folder with many plans."""
    shutil.rmtree(name, ignore_errors=True)
    for index in range(count):
        write(f"{name}/stack{index}/plan.yaml", plan(1, topology=topology, cluster=f"train-{index}"))
    return name


def folders(before: str, after: str, *, below: str = "") -> Callable[[int], Arguments]:
    def arguments(size: int) -> Arguments:
        folder(f"base{below}", size, before)
        folder("head", size, after)
        return ("diff", "./base", "./head", *TODAY)

    return arguments


def files(size: int) -> Arguments:
    return tuple(write(f"plan{index}.yaml", plan(1, cluster=f"train-{index}")) for index in range(size))


CASES: dict[str, Callable[[int], Arguments]] = {
    "validate groups": of_plan("validate", plan),
    "validate errors": of_plan("validate", lambda size: plan(size, topology="4x5")),
    "validate errors as SARIF": of_plan("validate", lambda size: plan(size, topology="4x5"), "--format", "sarif"),
    "validate moved": of_plan("validate", lambda size: plan(size) + moved(size)),
    "validate accept": of_plan("validate", lambda size: plan(size) + accepted(size)),
    "validate acknowledge": of_plan("validate", lambda size: plan(size) + acknowledged(size)),
    "validate plans": lambda size: ("validate", *files(size), *TODAY),
    "validate with owned capacity": lambda size: (
        *("validate", write("plan.yaml", plan(size, more=RESERVED))),
        *("--inventory", write("owned.yaml", owned(size)), *TODAY),
    ),
    "preview groups": of_plan("preview", plan, "--resources"),
    "preview clusters": of_plan("preview", clusters, "--format", "markdown"),
    "preview as JSON": of_plan("preview", plan, "--resources", "--format", "json"),
    "explain a group": lambda size: ("explain", write("plan.yaml", plan(size)), "train/group0", *TODAY),
    "explain a cluster": lambda size: ("explain", write("plan.yaml", plan(size)), "train", *TODAY),
    "explain what is not there": lambda size: ("explain", write("plan.yaml", plan(size)), "train/none", *TODAY),
    "diff replaced groups": diff(plan, lambda size: plan(size, topology="4x8"), "--resources"),
    "diff replaced clusters": diff(clusters, lambda size: clusters(size, "4x8")),
    "diff deleted groups": diff(lambda size: plan(size + 1), lambda size: plan(1), "--format", "markdown"),
    "diff renamed groups": diff(lambda size: plan(size, name="old"), plan),
    "diff moved groups": diff(lambda size: plan(size, name="old"), lambda size: plan(size) + moved(size)),
    "diff acknowledged groups": diff(
        lambda size: plan(size) + acknowledged(size),
        lambda size: plan(size, topology="4x8") + acknowledged(size),
        *("--ack-from", "base"),
    ),
    "diff of a base with errors": diff(lambda size: plan(size, topology="4x5"), plan),
    "diff with owned capacity": lambda size: (
        *diff(
            lambda size: plan(size, more=RESERVED),
            lambda size: plan(size, topology="4x8", more=RESERVED),
            *("--inventory", write("owned.yaml", owned(size))),
        )(size),
    ),
    "diff plans": folders("4x4", "4x8"),
    "diff moved plans": folders("4x4", "4x4", below="/moved"),
    "diff plans with errors before": folders("4x5", "4x4"),
    "diff plans with errors after": folders("4x4", "4x5"),
}


@pytest.fixture(autouse=True)
def inside(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


def steps(gke_tpu: Any, case: Callable[[int], Arguments]) -> tuple[int, int]:
    """How many calls more each larger size takes."""
    gke_tpu(*case(1))  # what is read once only, such as the catalog
    counts = []
    for size in SIZES:
        arguments = case(size)
        counts.append(function_calls(lambda arguments=arguments: gke_tpu(*arguments)))  # type: ignore[misc]
    return counts[1] - counts[0], counts[2] - counts[1]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_work_grows_in_proportion(gke_tpu: Any, case: Callable[[int], Arguments]) -> None:
    first, second = steps(gke_tpu, case)
    assert 0 <= second <= LINEAR * first + 500


def test_the_work_of_a_comment_grows_in_proportion(gke_tpu: Any) -> None:
    def comment(size: int) -> Arguments:
        compared = gke_tpu(*diff(plan, lambda size: plan(size, topology="4x8"), "--format", "json")(size))
        return ("comment", "--print", write("diff.json", compared.out))

    first, second = steps(gke_tpu, comment)
    assert 0 < second <= LINEAR * first


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_work_of_revisions_grows_in_proportion(gke_tpu: Any, clone: Clone) -> None:
    """Plans that change, and others of the same name as files that hold no plan."""

    def revisions(size: int) -> Arguments:
        for topology in ("4x4", "4x8"):
            folder("stacks", size, topology)
            for index in range(4 * size):
                write(f"stacks/other/file{index}.yaml", f"a: {index}\n")
            clone.commit()
        return ("diff", "HEAD~1..HEAD", *TODAY)

    first, second = steps(gke_tpu, revisions)
    assert 0 < second <= LINEAR * first


def test_work_that_grows_faster_is_noticed() -> None:
    def compare_all(size: int) -> None:
        for one in range(size):
            for other in range(size):
                max(one, other)

    counts = [function_calls(lambda size=size: compare_all(size)) for size in SIZES]  # type: ignore[misc]
    assert counts[2] - counts[1] > LINEAR * (counts[1] - counts[0])

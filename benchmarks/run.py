"""Measures what checking, previewing and comparing plans costs, as ratios against the least that it can cost.

usage: python benchmarks/run.py [--runs N] [validate] [groups] [check] [preview] [manifests] [planning] [diff] [start]
                                [foreign] [adopt] [status] [export] [uvx] [action]
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from foreign import existing, gcloud_answer, snapshot, terraform_plan
from jobs import training_jobs
from measure import GKE_TPU, ROOT, Cost, cost_of, medians
from plans import multi_host, single_host, with_workloads

PLAN = ROOT / "stacks" / "prod" / "plan.yaml"
PYDANTIC = (
    sys.executable,
    "-c",
    "import yaml, pydantic\nclass M(pydantic.BaseModel):\n    a: int\n",
)
"""The least that a program with a typed model of YAML files can cost."""
BARE = (sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "bare_program.py"))
READ_JSON = (sys.executable, "-c", "import json, sys\njson.load(open(sys.argv[1], encoding='utf-8'))\n")
FIRST_REGISTRATION = (sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "first_registration.py"))
SYSTEM_POOL = "train/system"
SLICES_OF_A_GROUP = 50


@dataclass(frozen=True)
class Figure:
    """One line of the table. ``goal`` is the largest value that is good; None where there is none."""

    name: str
    value: float
    goal: float | None
    note: str = ""


def validate(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The whole process, from start to end."""
    checking, least = medians([(*GKE_TPU, "validate", str(PLAN)), PYDANTIC], runs)
    note = f"{checking.cpu:.2f} s against {least.cpu:.2f} s"
    yield Figure("validate stacks/prod, CPU against loading yaml and pydantic", checking.cpu / least.cpu, 1.45, note)


def groups(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """How the cost of checking grows with the plan."""
    sizes = (1, 100, 1_000, 10_000)
    paths = [_written(folder / f"groups-{size}.yaml", single_host(size)) for size in sizes]
    costs = dict(zip(sizes, medians([(*GKE_TPU, "validate", path) for path in paths], runs), strict=True))
    start = costs[1].cpu
    yield Figure("validate 1,000 groups, CPU seconds more than 1 group", costs[1_000].cpu - start, 1)
    for size in sizes[1:]:
        note = f"{costs[size].cpu:.2f} s, {costs[size].memory:.0f} MiB"
        yield Figure(f"validate {size:,} groups, CPU ms for each", (costs[size].cpu - start) / size * 1000, None, note)


def check(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """Manifests alone and against a plan, and how the cost grows with their number."""
    job = _written(folder / "job.yaml", training_jobs(1))
    commands = [
        (*GKE_TPU, "validate", str(PLAN)),
        (*GKE_TPU, "check", job),
        (*GKE_TPU, "check", job, "--plan", str(PLAN)),
    ]
    validating, alone, compared = medians(commands, runs)
    note = f"{alone.cpu:.2f} s against {validating.cpu:.2f} s"
    yield Figure("check of one JobSet, CPU against a validation", alone.cpu / validating.cpu, 1.6, note)
    note = f"{compared.cpu:.2f} s against {validating.cpu:.2f} s"
    yield Figure("check of one JobSet with a plan, CPU against a validation", compared.cpu / validating.cpu, 1.6, note)
    sizes = (500, 1_000, 2_000)
    paths = [_written(folder / f"jobs-{size}.yaml", training_jobs(size)) for size in sizes]
    costs = dict(zip(sizes, medians([(*GKE_TPU, "check", path) for path in paths], runs), strict=True))
    yield Figure("check of 1,000 documents, CPU seconds", costs[1_000].cpu, 2, f"{costs[1_000].memory:.0f} MiB")
    growth = (costs[2_000].cpu - costs[1_000].cpu) / (costs[1_000].cpu - costs[500].cpu) / 2
    yield Figure("check, CPU of a document at 2,000 against 1,000", growth, 1.2, "1 is linear")
    plan = _written(folder / "groups.yaml", multi_host(1_000, 1))
    chosen = _written(folder / "chosen.yaml", training_jobs(1_000, pool="group-{number}-0"))
    (both,) = medians([(*GKE_TPU, "check", chosen, "--plan", plan)], runs)
    yield Figure("check of 1,000 documents with 1,000 groups, CPU seconds", both.cpu, 3, f"{both.memory:.0f} MiB")


def preview(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """A stack against its validation; many pools against a program written by hand that registers the same."""
    checking, shown = medians([(*GKE_TPU, "validate", str(PLAN)), (*GKE_TPU, "preview", str(PLAN))], runs)
    note = f"{shown.cpu:.2f} s against {checking.cpu:.2f} s"
    yield Figure("preview stacks/prod, CPU against its validation", shown.cpu / checking.cpu, 1.3, note)
    yield Figure("preview stacks/prod, MiB", shown.memory, 50)
    for mix in ("multi-host", "single-host"):
        path = _written(folder / "1000.yaml", _pools(mix, 1_000))
        ours, bare = medians([(*GKE_TPU, "preview", path), _bare_program(folder, path)], runs)
        yield _against_bare(f"preview of 1,000 {mix} pools", ours, bare, 0.15)
        path = _written(folder / "5000.yaml", _pools(mix, 5_000))
        (many,) = medians([(*GKE_TPU, "preview", path)], runs)
        yield Figure(f"preview of 5,000 {mix} pools, MiB", many.memory, 150, f"{many.cpu:.2f} s")
    yield from _growth("preview", folder, runs)


def manifests(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The Kubernetes objects of a plan against its validation."""
    for count in (1, 100):
        path = _written(folder / f"workloads-{count}.yaml", with_workloads(count))
        checking, written = medians([(*GKE_TPU, "validate", path), (*GKE_TPU, "manifests", path)], runs)
        note = f"{written.cpu:.2f} s against {checking.cpu:.2f} s"
        name = f"manifests of {count} workloads, CPU against validate"
        yield Figure(name, written.cpu / checking.cpu, 1.6, note)


def planning(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The search for slices, the sums over many plans, and the report of many node pools."""
    searching, validating = medians(
        [(*GKE_TPU, "recommend", "--chips", "256"), (*GKE_TPU, "validate", str(PLAN))], runs
    )
    note = f"{searching.cpu:.2f} s against {validating.cpu:.2f} s"
    yield Figure("recommend over the catalog, CPU against a validation", searching.cpu / validating.cpu, 3, note)
    counts = (250, 500, 1_000)
    folders = [_many_plans(folder / f"plans-{count}", count) for count in counts]
    costs = dict(zip(counts, medians([(*GKE_TPU, "quota", path) for path in folders], runs), strict=True))
    yield Figure("quota of 1,000 plans, CPU seconds", costs[1_000].cpu, 3, f"{costs[1_000].memory:.0f} MiB")
    growth = (costs[1_000].cpu - costs[500].cpu) / (costs[500].cpu - costs[250].cpu) / 2
    yield Figure("quota, CPU of a plan at 1,000 against 500", growth, 1.2, "1 is linear")
    plan = _written(folder / "report.yaml", multi_host(1_000 // SLICES_OF_A_GROUP, SLICES_OF_A_GROUP))
    page = folder / "report.html"
    reporting, previewing = medians(
        [(*GKE_TPU, "report", plan, "-o", str(page), "--force"), (*GKE_TPU, "preview", plan)], runs
    )
    note = f"{reporting.cpu:.2f} s against {previewing.cpu:.2f} s"
    yield Figure("report of 1,000 node pools, CPU against a preview", reporting.cpu / previewing.cpu, 2, note)
    yield Figure("report of 1,000 node pools, MB", page.stat().st_size / 1_000_000, 5)


def _many_plans(folder: pathlib.Path, count: int) -> str:
    folder.mkdir()
    for number in range(count):
        text = multi_host(1, 1).replace("  train:", f"  train-{number}:")
        _written(folder / f"plan-{number}.yaml", text)
    return str(folder)


def diff(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """Two versions of a stack against the validation of one; many pools against the program written by hand."""
    head = PLAN.read_text(encoding="utf-8")
    base = _written(folder / "base.yaml", head.replace("max: 8", "max: 6"))
    assert pathlib.Path(base).read_text(encoding="utf-8") != head
    checking, shown = medians([(*GKE_TPU, "validate", str(PLAN)), (*GKE_TPU, "diff", base, str(PLAN))], runs)
    note = f"{shown.cpu:.2f} s against {checking.cpu:.2f} s"
    yield Figure("diff of two versions of stacks/prod, CPU against a validation", shown.cpu / checking.cpu, 1.5, note)
    for mix in ("multi-host", "single-host"):
        plan = _pools(mix, 1_000)
        path = _written(folder / "head.yaml", plan)
        base = _written(
            folder / "base.yaml", plan.replace("max: 4", "max: 3").replace("topology: 4x4", "topology: 4x8")
        )
        same = _written(folder / "same.yaml", plan)
        commands = [(*GKE_TPU, "diff", base, path), (*GKE_TPU, "diff", same, path), _bare_program(folder, path)]
        two, equal, bare = medians(commands, runs)
        yield _against_bare(f"diff of 1,000 {mix} pools", two, bare, 0.35)
        yield Figure(f"diff of 1,000 {mix} pools, both sides equal", equal.cpu / two.cpu, None, f"{equal.cpu:.2f} s")
    yield from _growth("diff", folder, runs)


def start(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The program of the stacks up to its first resource, against one that loads the class of a cluster."""
    stack, bare = medians([(*FIRST_REGISTRATION, name) for name in ("stack", "bare")], runs)
    note = f"{stack.cpu:.2f} s against {bare.cpu:.2f} s, {stack.memory:.0f} MiB against {bare.memory:.0f} MiB"
    yield Figure("first resource of stacks/prod, CPU against one typed cluster", stack.cpu / bare.cpu, 1.3, note)


def foreign(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """What other tools wrote of 1,000 node pools: read and checked, and what a plan of Terraform does to them."""
    pools = _written(folder / "pools.json", gcloud_answer(1_000))
    plan = _written(folder / "pools.yaml", existing(multi_host(1_000, 1)))
    changes = _written(folder / "changes.json", terraform_plan(1_000))
    checking, validating, reading, changing, read, existing_pools, planned = medians(
        [
            (*GKE_TPU, "check", pools),
            (*GKE_TPU, "validate", plan),
            (*READ_JSON, pools),
            (*GKE_TPU, "diff", "--terraform", changes),
            (*READ_JSON, changes),
            (*GKE_TPU, "preview", pools),
            (*GKE_TPU, "preview", plan),
        ],
        runs,
    )
    note = f"{existing_pools.cpu:.2f} s against {planned.cpu:.2f} s, {existing_pools.memory:.0f} MiB"
    yield Figure(
        "preview of 1,000 raw pools, CPU against that of the plan", existing_pools.cpu / planned.cpu, 1.5, note
    )
    least = validating.cpu + reading.cpu
    note = f"{checking.cpu:.2f} s against {validating.cpu:.2f} s and {reading.cpu:.2f} s, {checking.memory:.0f} MiB"
    yield Figure("check of 1,000 raw pools, CPU against validate and JSON", checking.cpu / least, 2, note)
    least = validating.cpu + read.cpu
    note = f"{changing.cpu:.2f} s against {validating.cpu:.2f} s and {read.cpu:.2f} s, {changing.memory:.0f} MiB"
    yield Figure("diff --terraform of 1,000 pools, CPU against the same", changing.cpu / least, None, note)
    costs = [
        medians([(*GKE_TPU, *command, _written(folder / f"{size}.json", made(size)))], runs)[0].cpu
        for command, made in ((("check",), gcloud_answer), (("diff", "--terraform"), terraform_plan))
        for size in (500, 1_000, 2_000)
    ]
    for name, (few, more, many) in (("check of raw pools", costs[:3]), ("diff --terraform", costs[3:])):
        growth = (many - more) / (more - few) / 2
        yield Figure(f"{name}, CPU of a pool at 2,000 against 1,000", growth, 1.2, "1 is linear")


def adopt(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """Node pools that become a plan, against the validation of this plan."""
    for mix, slices in (("groups of 50", SLICES_OF_A_GROUP), ("groups of one", 1)):
        costs = {}
        for size in (100, 200, 400):
            source = _written(folder / "adopted.json", gcloud_answer(size // slices, slices))
            target = folder / "adopted"
            adopting = (*GKE_TPU, "adopt", source, "-o", str(target), "--force")
            cost_of(adopting)
            costs[size] = medians([adopting, (*GKE_TPU, "validate", str(target / "plan.yaml"))], runs)
        adopted, validating = costs[100]
        note = f"{adopted.cpu:.2f} s against {validating.cpu:.2f} s, {adopted.memory:.0f} MiB"
        yield Figure(f"adopt of 100 pools, {mix}, CPU against validate", adopted.cpu / validating.cpu, 5, note)
        few, more, many = (costs[size][0].cpu for size in (100, 200, 400))
        growth = (many - more) / (more - few) / 2
        yield Figure(f"adopt, {mix}, CPU of a pool at 400 against 200", growth, 1.2, "1 is linear")


_QUIET = "import contextlib\nfrom pulumi_gke_tpu.cli import main\nwith contextlib.suppress(SystemExit):\n    main()"
_ANY_CODE = (*GKE_TPU[:2], _QUIET)
"""The command, where it exits with a code that reports what it found."""


def status(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """Problems of node pools that run, from a snapshot, against the validation of their plan."""
    costs = {}
    for size in (1_000, 2_500, 5_000):
        plan, place = _written(folder / f"status-{size}.yaml", existing(multi_host(size, 1))), folder / f"status-{size}"
        place.mkdir(exist_ok=True)
        for name, content in snapshot(size).items():
            _written(place / name, content)
        commands = [(*_ANY_CODE, "status", plan, "--snapshot", str(place)), (*GKE_TPU, "validate", plan)]
        costs[size] = medians(commands, runs)
    for size in (1_000, 5_000):
        shown, validating = costs[size]
        note = f"{shown.cpu:.2f} s against {validating.cpu:.2f} s, {shown.memory:.0f} MiB"
        yield Figure(f"status of {size:,} pools, CPU against validate", shown.cpu / validating.cpu, 4, note)
    few, more, many = (costs[size][0].cpu for size in (1_000, 2_500, 5_000))
    growth = (many - more) / (more - few) * 1_500 / 2_500
    yield Figure("status, CPU of a pool at 5,000 against 2,500", growth, 1.2, "1 is linear")


def export(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The module for Terraform against a preview of the same plan."""
    target = str(folder / "terraform")
    plans = {
        "stacks/prod": str(PLAN),
        **{
            f"1,000 {mix} pools": _written(folder / f"export-{mix}.yaml", _pools(mix, 1_000))
            for mix in ("multi-host", "single-host")
        },
    }
    for name, path in plans.items():
        commands = [(*GKE_TPU, "export", "terraform", path, "-o", target, "--force"), (*GKE_TPU, "preview", path)]
        exporting, shown = medians(commands, runs)
        note = f"{exporting.cpu:.2f} s against {shown.cpu:.2f} s, {exporting.memory:.0f} MiB"
        yield Figure(f"export of {name}, CPU against preview", exporting.cpu / shown.cpu, 1.3, note)
    few, more, many = (
        medians(
            [
                (
                    *(*GKE_TPU, "export", "terraform", _written(folder / "export.yaml", single_host(size))),
                    *("-o", target, "--force"),
                )
            ],
            runs,
        )[0].cpu
        for size in (1_000, 2_000, 4_000)
    )
    growth = (many - more) / (more - few) / 2
    yield Figure("export of single-host pools, CPU of a pool at 4,000 against 2,000", growth, 1.2, "1 is linear")


def _growth(command: str, folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """How the cost of a pool grows with their number. Pools of one group share most values, so each has its own."""
    cpu = {}
    for pools in (1_000, 2_000, 4_000):
        plan = single_host(pools)
        paths = [_written(folder / "head.yaml", plan)]
        if command == "diff":
            paths.insert(0, _written(folder / "base.yaml", plan.replace("max: 4", "max: 3")))
        (cost,) = medians([(*GKE_TPU, command, *paths)], runs)
        cpu[pools] = cost.cpu
    growth = (cpu[4_000] - cpu[2_000]) / (cpu[2_000] - cpu[1_000]) / 2
    yield Figure(f"{command} of single-host pools, CPU of a pool at 4,000 against 2,000", growth, 1.2, "1 is linear")


def _pools(mix: str, pools: int) -> str:
    """A plan with that many node pools of one kind."""
    return multi_host(pools // SLICES_OF_A_GROUP, SLICES_OF_A_GROUP) if mix == "multi-host" else single_host(pools)


def _bare_program(folder: pathlib.Path, plan: str) -> tuple[str, ...]:
    """The program written by hand for the pools of a plan, checked to register the same."""
    by_hand = folder / "pools.json"
    registered = _registered(plan)
    by_hand.write_text(json.dumps(_for_bare_program(registered)), encoding="utf-8")
    _compare(registered, by_hand, folder / "inputs.json")
    return (*BARE, str(by_hand))


def _against_bare(name: str, ours: Cost, bare: Cost, goal: float) -> Figure:
    note = f"{ours.cpu:.2f} s against {bare.cpu:.2f} s, {ours.memory:.0f} MiB against {bare.memory:.0f} MiB"
    return Figure(f"{name}, CPU against a bare program", ours.cpu / bare.cpu, goal, note)


def _written(path: pathlib.Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def _registered(plan: str) -> list[dict[str, Any]]:
    """The TPU node pools that the components register for a plan, with inputs and options."""
    command = (*GKE_TPU, "preview", plan, "--format", "json", "--resources")
    resources = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["resources"]
    pools = [item for item in resources if item["type"] == "gcp:container/nodePool:NodePool"]
    return [pool for pool in pools if pool["name"] != SYSTEM_POOL]


def _for_bare_program(pools: list[dict[str, Any]]) -> dict[str, Any]:
    """The input of the bare program: names, sizes, topologies."""
    fixed = [path for path in pools[0]["options"]["replace_on_changes"] if path != "autoscaling"]
    return {
        "replace_on_changes": fixed,
        "pools": [
            {
                "key": pool["name"],
                "name": pool["inputs"]["name"],
                "topology": pool["inputs"].get("placementPolicy", {}).get("tpuTopology"),
                "hosts": pool["inputs"].get("nodeCount") or pool["inputs"]["autoscaling"]["totalMaxNodeCount"],
            }
            for pool in pools
        ],
    }


def _compare(pools: list[dict[str, Any]], by_hand: pathlib.Path, inputs: pathlib.Path) -> None:
    """Make sure that both programs register the same.

    Raises:
        SystemExit: they do not; the comparison would mean nothing.
    """
    cost_of((*BARE, str(by_hand), str(inputs)))
    bare = json.loads(inputs.read_text(encoding="utf-8"))
    ours = {pool["name"]: _plain(pool["inputs"]) for pool in pools}
    for name, expected in ours.items():
        found = _plain(bare.get(name, {}))
        found["cluster"] = expected["cluster"]
        found.setdefault("nodeConfig", {})["serviceAccount"] = expected["nodeConfig"]["serviceAccount"]
        if found != expected:
            sys.exit(f"the bare program registers another {name}:\n{found}\ninstead of\n{expected}")


def _plain(value: Any) -> Any:
    """Inputs without what is left out, and with one kind of whole number."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def uvx(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The first answer of the command where nothing is installed but uv: downloads, the build, and the validation."""
    if shutil.which("uvx") is None:
        print("uvx: not measured, uv is not installed")
        return
    kept = [f"{name}={folder / 'uv' / name}" for name in ("HOME", "UV_CACHE_DIR", "UV_TOOL_DIR")]
    fetched = ("env", *kept, "uvx", "--from", str(ROOT))
    started = time.monotonic()
    cost = cost_of((*fetched, "gke-tpu", "validate", str(PLAN)))
    seconds = time.monotonic() - started
    yield Figure("first answer of uvx, seconds with the downloads", seconds, 10, f"{cost.cpu:.2f} s of CPU")


def action(folder: pathlib.Path, runs: int) -> Iterator[Figure]:
    """The steps of the action: without its cache, and with the installation as an archive in its cache."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
    name, install, run = (step["run"] for step in steps if "run" in step)
    runner = folder / "runner"
    runner.mkdir()
    files = {variable: runner / variable for variable in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    given = {"RUNNER_TEMP": runner, "ACTION": ROOT, "COMMAND": "validate", "FILES": PLAN, "FORMAT": "github", **files}
    settings = [f"{variable}={value}" for variable, value in given.items()]
    path = f'PATH="$RUNNER_TEMP/gke-tpu/bin:{pathlib.Path(sys.executable).parent}:$PATH"'
    program = "\n".join((f"cd '{ROOT}'", path, name, "cd $RUNNER_TEMP", install, f"cd '{ROOT}'", run))
    steps_of_action = ("env", *settings, "bash", "-e", "-c", program)

    def seconds(*commands: tuple[str, ...]) -> float:
        started = time.monotonic()
        for command in commands:
            cost_of(command)
        return time.monotonic() - started

    first = seconds(steps_of_action)
    archive = str(folder / "cache.tgz")
    cost_of(("tar", "-czf", archive, "-C", str(runner), "gke-tpu"))
    shutil.rmtree(runner / "gke-tpu")
    again = seconds(("tar", "-xzf", archive, "-C", str(runner)), steps_of_action)
    size = pathlib.Path(archive).stat().st_size / 1e6
    yield Figure("steps of the action with its cache, seconds", again, 15, f"without: {first:.0f} s; {size:.0f} MB")


BENCHMARKS = {
    "validate": validate,
    "groups": groups,
    "check": check,
    "preview": preview,
    "manifests": manifests,
    "planning": planning,
    "diff": diff,
    "start": start,
    "foreign": foreign,
    "adopt": adopt,
    "status": status,
    "export": export,
    "uvx": uvx,
    "action": action,
}


def main() -> None:
    """Measure the selected figures and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each process; medians are shown (default 5)")
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], metavar="NAME", help=", ".join(BENCHMARKS))
    arguments = parser.parse_args()
    print(f"{'':62} {'figure':>7} {'goal':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or BENCHMARKS:
            for figure in BENCHMARKS[name](pathlib.Path(folder), arguments.runs):
                goal = "" if figure.goal is None else f"<= {figure.goal:g}"
                missed = "  MISSED" if figure.goal is not None and figure.value > figure.goal else ""
                print(f"{figure.name:62} {figure.value:7.2f} {goal:>6}  {figure.note}{missed}", flush=True)


if __name__ == "__main__":
    main()

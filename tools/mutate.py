"""Changes the code in one small way at a time and runs the tests that reach it: what still passes is not tested.

usage: .venv/bin/python tools/mutate.py [PACKAGE ...] [--sample N] [--seed TEXT] [--jobs N] [--record]
       .venv/bin/python tools/mutate.py [PACKAGE ...] --keys KEY ... --tests PATH ...     one that survived, again

A first run of all tests but the engine's records which test executes which line (in .cache/mutation; --record repeats
it). For each package a sample is drawn, the same one for the same code and seed. A mutation is killed when a test fails
or time runs out. Survivors that change nothing a test could see are explained in tools/mutation_survivors.yaml.
"""

import argparse
import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from types import CodeType, ModuleType

import coverage
import pytest
import yaml
from mutations import Mutation, mutated, mutations

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMPORT_ROOT = ROOT / "components"
PACKAGE = IMPORT_ROOT / "pulumi_gke_tpu"
RECORD = ROOT / ".cache" / "mutation" / "coverage"
SURVIVORS = ROOT / "tools" / "mutation_survivors.yaml"
PACKAGES = ("features/diff", "core/fleet", "core/plan", "core/graph", "components", "core/rules")
FIRST_TESTS, MOST_TESTS = 250, 1500
"""Tests per mutation at first, and for one that survives these: more of those that run a line seldom find more."""
_TESTS_OF_A_PATH = 1500
"""At most, as far as the processor time of a run is concerned."""
_PYTEST = ("-q", "-x", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header", "-W", "ignore")


def main() -> int:
    """Print the score of each package and the survivors without an explanation; 1 if there are any."""
    arguments = _arguments()
    if not arguments.tests and (arguments.record or not RECORD.exists()):
        _record()
    survivors = yaml.safe_load(SURVIVORS.read_text(encoding="utf-8")) or {}
    reached = Reached(arguments.tests)
    _import_what_is_slow()
    unexplained = 0
    for package in arguments.packages:
        found = [item for path in _modules(package) for item in mutations(ROOT, path)]
        sample = sorted(found, key=lambda item: _turn(arguments.seed, item))[: arguments.sample]
        if arguments.keys:
            sample = [item for item in found if item.key in arguments.keys]
        killed, lived = 0, []
        for mutation, survived in _tried(sorted(sample, key=lambda m: (m.path, m.number)), reached, arguments.jobs):
            killed += not survived
            if survived:
                lived.append(mutation)
                reason = survivors.get(mutation.key)
                unexplained += reason is None
                print(f"  survived {mutation}" + (f"\n    {reason}" if reason else ""), flush=True)
        share = killed / len(sample) if sample else 1
        explained = sum(item.key in survivors for item in lived)
        print(
            f"{package}: {killed} of {len(sample)} killed ({share:.0%}), {explained} of {len(lived)} survivors"
            f" explained; {len(found):,} mutations in all",
            flush=True,
        )
    return 1 if unexplained else 0


def _turn(seed: str, mutation: Mutation) -> str:
    return hashlib.sha256(f"{seed}{mutation.key}".encode()).hexdigest()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE", help="folder or module")
    parser.add_argument("--sample", type=int, default=60, help="mutations per package (default 60)")
    parser.add_argument("--seed", default="", help="another text draws another sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at the same time")
    parser.add_argument("--keys", nargs="+", metavar="KEY", help="these mutations instead of a sample")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="these tests instead of those that reach the line")
    parser.add_argument("--record", action="store_true", help="record anew which test executes which line")
    return parser.parse_args()


def _record() -> None:
    """Run all tests but those of the engine and of Kubernetes once, and keep the tests that execute each line."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    for old in RECORD.parent.glob(f"{RECORD.name}*"):
        old.unlink()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "not engine and not kubernetes and not terraform and not setup and not site",
        "-p",
        "no:randomly",
    ]
    command += ["--numprocesses", "auto", "--cov", "--cov-context", "test", "--cov-report="]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(RECORD)}, check=False)
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):  # a failing test does not count
        raise SystemExit(f"no record: pytest ended with {done.returncode}")


class Reached:
    """Which tests execute a line."""

    def __init__(self, instead: Sequence[str] | None) -> None:
        self._instead = instead
        self._data = coverage.CoverageData(str(RECORD))
        if not instead:
            self._data.read()
        self._lines: dict[str, dict[int, list[str]]] = {}

    def tests(self, mutation: Mutation, most: int) -> list[str]:
        """Ids of tests that run the lines of a mutation: first one case of each test, those of its package before."""
        if self._instead:
            return list(self._instead)
        path = mutation.path
        if path not in self._lines:
            self._lines[path] = self._data.contexts_by_lineno(path)
        lines = self._lines[path]
        names = {
            context.rpartition("|")[0]
            for line in range(mutation.line, mutation.last_line + 1)
            for context in lines.get(line, ())
        } - {""}
        if not names:
            # It runs at import: any test that uses the module may notice it.
            names = {context.rpartition("|")[0] for contexts in lines.values() for context in contexts} - {""}
        own = tuple(f"tests/{part}/" for part in pathlib.PurePath(mutation.path).parts[2:])
        cases: dict[str, list[str]] = {}
        for name in sorted(names):
            cases.setdefault(name.partition("[")[0], []).append(name)
        turns = [(turn, not name.startswith(own), name) for group in cases.values() for turn, name in enumerate(group)]
        return [name for _, _, name in sorted(turns)[:most]]


def _modules(package: str) -> Iterator[str]:
    place = PACKAGE / package
    found = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return (str(path.relative_to(ROOT)) for path in found)


def _import_what_is_slow() -> None:
    """Import what is not ours, before the processes for the mutations are forked."""
    sys.path[:0] = [str(ROOT / "tests"), str(IMPORT_ROOT)]
    for name in ("hypothesis", "pydantic", "pulumi_gcp.container", "pulumi_gcp.compute", "jsonschema"):
        importlib.import_module(name)
    assert not any(name.startswith("pulumi_gke_tpu") for name in sys.modules), "ours must be imported by each process"


@dataclass
class Run:
    """A process that runs tests with a mutation, or without any to see that they pass."""

    tests: list[str]
    mutation: Mutation | None
    without: tuple[str, ...] = ()
    """Tests among them that fail without a mutation, by id."""
    process: int = 0
    since: float = field(default_factory=time.monotonic)
    failed: str = ""
    """The first test that failed, where one did and no import before it."""
    exit_code: int = 0

    def start(self) -> None:
        """Fork; the exit code is pytest's."""
        self._answer, answer = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(answer)
            return
        code = 1
        try:
            os.close(self._answer)
            code = _run_tests(self.mutation, self.tests, self.without, answer)
        finally:
            os._exit(code)

    def end(self, status: int) -> None:
        """Take over what the process found."""
        self.exit_code = os.waitstatus_to_exitcode(status)
        with os.fdopen(self._answer, encoding="utf-8") as answer:
            self.failed = answer.read()


def _tried(sample: Sequence[Mutation], reached: Reached, jobs: int) -> Iterator[tuple[Mutation, bool]]:
    """Each mutation, and whether it survived. A test counts only if it passes without the mutation."""
    waiting = [Run(reached.tests(mutation, FIRST_TESTS), mutation) for mutation in reversed(sample)]
    for ended in _ended(waiting, jobs):
        run = ended
        assert run.mutation is not None
        while run.exit_code != 0 and not _passes(run.failed or tuple(run.tests)):
            print(f"  does not pass without a mutation: {run.failed or run.tests[:3]}", file=sys.stderr)
            run = Run(run.tests if run.failed else [], run.mutation, (*run.without, run.failed))
            next(_ended([run], 1))
        more = reached.tests(run.mutation, MOST_TESTS)
        if run.exit_code == 0 and len(run.tests) == FIRST_TESTS < len(more):
            waiting.append(Run(more, run.mutation, run.without))
            continue
        yield run.mutation, run.exit_code == 0


@functools.cache
def _passes(tests: str | tuple[str, ...]) -> bool:
    """Whether tests pass without a mutation, in such a process."""
    run = Run([tests] if isinstance(tests, str) else list(tests), None)
    return next(_ended([run], 1)).exit_code == 0


def _ended(waiting: list[Run], jobs: int) -> Iterator[Run]:
    """Runs as they end, some at the same time; one that only waits for something is ended."""
    running: dict[int, Run] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            run = waiting.pop()
            if not run.tests:
                yield run
                continue
            run.start()
            running[run.process] = run
        for process, run in list(running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                run.end(status)
                yield running.pop(process)
            elif time.monotonic() - run.since > 10 * _cpu_seconds(run.tests):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)
        time.sleep(0.02)


def _run_tests(mutation: Mutation | None, tests: Sequence[str], without: Sequence[str], answer: int) -> int:
    os.setsid()
    most = _cpu_seconds(tests)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    os.chdir(ROOT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    if mutation is not None:
        sys.meta_path.insert(0, _Mutated(mutation))
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as ids:
        ids.write("\n".join(tests))
        ids.flush()
        options = [*_PYTEST, *(f"--deselect={test}" for test in without)]
        return int(pytest.main([*options, f"@{ids.name}"], plugins=[_FirstFailure(answer)]))


def _cpu_seconds(tests: Sequence[str]) -> int:
    """Processor time after which a run counts as one that does not end; a path can hold many tests."""
    return 60 + sum(1 if "::" in test else _TESTS_OF_A_PATH for test in tests) // 4


class _FirstFailure:
    """Reports the failed test to the other process."""

    def __init__(self, answer: int) -> None:
        self._answer = answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._answer, report.nodeid.encode()[:4000])


class _Mutated(MetaPathFinder):
    """Loads one module with a mutation in it."""

    def __init__(self, mutation: Mutation) -> None:
        path = pathlib.PurePath(mutation.path).relative_to(IMPORT_ROOT.relative_to(ROOT)).with_suffix("")
        self._name = ".".join(path.parts).removesuffix(".__init__")
        self._mutation = mutation

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        file = ROOT / self._mutation.path
        code = compile(mutated(ROOT, self._mutation), str(file), "exec")
        folder = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Loader(fullname, str(file), code)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=folder)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


if __name__ == "__main__":
    sys.exit(main())

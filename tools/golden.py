"""Runs every command in every format with the code of two revisions, and shows where their outputs differ.

usage: .venv/bin/python tools/golden.py BASE HEAD [--only COMMAND] [--except COMMAND[:CASE]] [--show N] [--sample N]
                                        [--inputs base|head]

BASE and HEAD are revisions, or folders with a checkout. The inputs are those of the tests, stacks and pages of BASE.
Both sides read the same files, with a fixed day, width and environment and without a network. Exit code, standard
output, standard error and written files are compared byte by byte. The exit code is 1 if a case differs.
"""

import argparse
import collections
import difflib
import fnmatch
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
CASES = "cases.jsonl"
SHARED = {
    "COLUMNS": "100",
    "GIT_AUTHOR_DATE": "2026-11-20T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-20T00:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GKE_TPU_TRACEBACK": "1",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "PATH": os.environ.get("PATH", os.defpath),
    "PYTHONHASHSEED": "0",
    "TERM": "dumb",
    "TZ": "UTC",
}
"""The environment of both sides: nothing else of the caller's."""
_AT_ONCE = 5_000
"""The cases of one process. Its caches grow: a process that ran half of all cases took 700 MB."""
_MOST_NAMES, _MOST_LINES, _LONGEST_LINE = 20, 60, 200


def main() -> int:
    """Print the cases of each command and the differences; 1 if there are any that ``--except`` does not name."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="golden") as name:
        folder = pathlib.Path(name).resolve()
        base, head = (_side(text, folder / end) for text, end in ((arguments.base, "base"), (arguments.head, "head")))
        cases = _inputs(head if arguments.inputs == "head" else base, folder, arguments)
        if not cases:
            sys.exit("no case of these commands")
        result = Result(arguments.exceptions)
        with_base, with_head = (
            _outcomes(side, cases, folder, f"run-{number}") for number, side in enumerate((base, head))
        )
        for case, before, after in zip(cases, with_base, with_head, strict=True):
            result.add(case, before, after)
    print("\n".join(result.lines(arguments.show)))
    return 1 if result.unequal() else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("base", help="revision or folder whose outputs and inputs are the standard")
    parser.add_argument("head", help="revision or folder that is compared with it")
    parser.add_argument("--only", action="append", metavar="COMMAND", help="only this command; may be repeated")
    parser.add_argument(
        "--except",
        action="append",
        dest="exceptions",
        default=[],
        metavar="COMMAND[:CASE]",
        help="intended differences: a command, and a pattern such as '*.upgrade*' for the names of its cases",
    )
    parser.add_argument("--show", type=int, default=3, metavar="N", help="differences to show of each command")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="run about one in N cases")
    parser.add_argument("--inputs", choices=["base", "head"], default="base", help="the side whose corpora are used")
    return parser.parse_args()


@dataclass(frozen=True)
class Side:
    """One of the two revisions: its name and its files."""

    name: str
    root: pathlib.Path

    def environment(self, *more: pathlib.Path) -> dict[str, str]:
        """The environment of a process with the code of this side."""
        path = os.pathsep.join(map(str, (self.root / "components", *more)))
        return {**SHARED, "PYTHONPATH": path}


def _side(text: str, folder: pathlib.Path) -> Side:
    """The folder of that name, or the files of the revision in a new folder."""
    root = pathlib.Path(text).resolve()
    if not root.is_dir():
        archive = folder.with_suffix(".tar")
        done = subprocess.run(["git", "archive", "--output", archive, text], cwd=ROOT, check=False)
        if done.returncode:
            sys.exit(f"{text} is neither a folder nor a revision")
        shutil.unpack_archive(archive, root := folder)
        archive.unlink()
    if not (root / "components" / "pulumi_gke_tpu").is_dir():
        sys.exit(f"{text} has no components/pulumi_gke_tpu")
    return Side(text, root)


def _inputs(side: Side, folder: pathlib.Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Write the inputs for each side, and give the cases to run.

    A revision knows its own tests, so it also brings the program that reads them; older ones use the one here.
    """
    own = side.root / "tools" / "golden_corpora.py"
    inputs = folder / "inputs"
    inputs.mkdir()
    command = [sys.executable, own if own.is_file() else TOOLS / own.name, inputs]
    environment = side.environment(side.root / "tests")
    if subprocess.run(command, cwd=side.root, env=environment, check=False).returncode:
        sys.exit(f"{own.name} failed with the code of {side.name}")
    found = (json.loads(line) for line in (inputs / CASES).read_text(encoding="utf-8").splitlines())
    chosen = [
        case
        for case in found
        if (not arguments.only or case["command"] in arguments.only)
        and zlib.crc32(case["name"].encode()) % arguments.sample == 0
    ]
    (inputs / CASES).write_text("".join(f"{json.dumps(case)}\n" for case in chosen), encoding="utf-8")
    return chosen


def _outcomes(side: Side, cases: Sequence[Any], folder: pathlib.Path, name: str) -> Iterator[dict[str, Any]]:
    """The outcome of each case. A case that ends the process has an outcome too, and a new process runs the others."""
    inputs = folder / name
    shutil.copytree(folder / "inputs", inputs)
    command = [sys.executable, TOOLS / "golden_run.py", inputs / CASES, inputs]
    done = 0
    while done < len(cases):
        last = min(done + _AT_ONCE, len(cases))
        with subprocess.Popen(
            [*command, str(done), str(last)],
            cwd=side.root,
            env=side.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.endswith(b"\n"):
                    yield json.loads(line)
                    done += 1
        if done < last:
            yield {"code": f"the process ended with {process.returncode}", "traceback": ""}
            done += 1


@dataclass
class Result:
    """What the comparison found so far."""

    exceptions: Sequence[str]
    cases: dict[str, collections.Counter[str]] = field(default_factory=dict)
    """The exit codes of the base by command: a command that only fails shows nothing."""
    different: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    excepted: collections.Counter[str] = field(default_factory=collections.Counter)
    crashed: list[str] = field(default_factory=list)
    """Cases that crash in the same way on both sides."""

    def add(self, case: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
        """Compare the two outcomes of a case."""
        command, name = case["command"], f"{case['command']}:{case['name']}"
        self.cases.setdefault(command, collections.Counter())[str(before["code"]).partition(":")[0]] += 1
        traces = [outcome.pop("traceback") for outcome in (before, after)]
        if before == after:
            self.crashed += [name] * any(traces)
            return
        for pattern in self.exceptions:
            if pattern == command or fnmatch.fnmatchcase(name, pattern):
                self.excepted[pattern] += 1
                return
        self.different.setdefault(command, []).append(
            (name, [*difference(before, after), *"".join(traces).splitlines()])
        )

    def unequal(self) -> int:
        """The number of cases that differ without an exception."""
        return sum(map(len, self.different.values()))

    def lines(self, show: int) -> Iterator[str]:
        """The report: the differences by command, then the numbers."""
        for command, found in sorted(self.different.items()):
            yield f"== {command}: {len(found)} of {self.cases[command].total()} cases differ"
            for name, shown in found[:show]:
                yield from ("", name, *shown)
            rest = [name for name, _ in found[show:]]
            if rest:
                yield from ("", f"{len(rest)} more:", *rest[:_MOST_NAMES], *["..."] * (len(rest) > _MOST_NAMES), "")
        for name in self.crashed:
            yield f"crashes on both sides: {name}"
        for pattern in self.exceptions:
            yield f"intended, --except {pattern}: {self.excepted[pattern]}"
        yield f"{sum(codes.total() for codes in self.cases.values())} cases with these exit codes:"
        for command, codes in sorted(self.cases.items()):
            yield f"  {command}: {', '.join(f'{count} with {code}' for code, count in sorted(codes.items()))}"
        yield (
            f"{self.unequal()} differ"
            if self.unequal()
            else "all are equal" + " but the exceptions" * bool(self.excepted)
        )


def difference(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The unified diff of two outcomes, with long lines and a long diff cut."""
    texts = [list(_text(outcome)) for outcome in (before, after)]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, same - 3)  # what is equal before the first difference would take most of the time
    lines = list(difflib.unified_diff(*(text[start:] for text in texts), "base", "head", lineterm=""))
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..." for line in lines[:_MOST_LINES]]
    return [*cut, f"... {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else cut


def _text(outcome: dict[str, Any]) -> Iterator[str]:
    """An outcome as lines, each part below its name."""
    yield f"exit code: {outcome['code']}"
    parts = [(name, outcome.get(name, "")) for name in ("stdout", "stderr")]
    for name, content in [*parts, *sorted(outcome.get("files", {}).items())]:
        yield f"[{name}]"
        text = content.encode("latin-1").decode("utf-8", "backslashreplace")
        yield from text.replace("\r", "\\r").split("\n")


if __name__ == "__main__":
    sys.exit(main())

"""Runs a program several times, each time as a process of its own, and gives CPU seconds and peak memory."""

import os
import pathlib
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
GKE_TPU = (sys.executable, "-c", "from pulumi_gke_tpu.cli import main; main()")
"""The command, in the environment that runs the benchmark."""


@dataclass(frozen=True)
class Cost:
    """What one process used: CPU seconds of user and system together, and MiB of memory at its peak."""

    cpu: float
    memory: float


def environment() -> dict[str, str]:
    """The environment of what is measured: byte code is kept, as after an installation, in a folder of its own."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**variables, "PYTHONPYCACHEPREFIX": str(ROOT / ".cache" / "benchmarks")}


def cost_of(command: Sequence[str]) -> Cost:
    """Run a program once.

    Raises:
        RuntimeError: it fails; its output is in the message.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{output.decode(errors='replace')}")
    kib = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(usage.ru_utime + usage.ru_stime, kib / 1024)


def medians(commands: Sequence[Sequence[str]], runs: int) -> list[Cost]:
    """The median cost of each program, after a run that is not counted and leaves byte code behind.

    Programs take turns, so that a busy machine slows all of them alike.
    """
    for command in commands:
        cost_of(command)
    found: list[list[Cost]] = [[] for _ in commands]
    for _ in range(runs):
        for costs, command in zip(found, commands, strict=True):
            costs.append(cost_of(command))
    return [
        Cost(statistics.median(cost.cpu for cost in costs), statistics.median(cost.memory for cost in costs))
        for costs in found
    ]

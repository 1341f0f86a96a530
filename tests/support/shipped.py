"""The shipped stacks as programs for the engine, as they are and with changes to their plans."""

import copy
import datetime
import functools
import pathlib
import runpy
from collections.abc import Callable
from typing import Any, cast

from pulumi_gke_tpu import load_plan

STACKS = pathlib.Path(__file__).parents[2] / "stacks"
TODAY = datetime.date(2026, 11, 20)
NAMES = ("dev", "prod", "ironwood", "shared")

Plan = dict[str, Any]


def shipped_plan(name: str) -> Plan:
    """The plan of a stack as arguments on a fixed day, to be changed at will."""
    return copy.deepcopy(_shipped_plan(name))


@functools.cache
def _shipped_plan(name: str) -> Plan:
    return cast(Plan, load_plan(STACKS / name / "plan.yaml", today=TODAY))


def stack_program() -> None:
    """The program that ``pulumi up`` runs, for whatever stack it is run."""
    runpy.run_path(str(STACKS / "__main__.py"))


def program(plan: Plan, name: str = "prod") -> Callable[[], None]:
    """A plan as a program."""
    args: Any = copy.deepcopy(plan)

    def run() -> None:
        from pulumi_gke_tpu import TpuFleet

        TpuFleet(name, args)

    return run


def acknowledged(plan: Plan, change: str, of: str) -> Plan:
    """The plan with an acknowledgement that holds on that day."""
    item = {"change": change, "of": of, "reason": "wanted", "until": "2026-12-01"}
    return {**copy.deepcopy(plan), "acknowledge": [*plan.get("acknowledge", []), item]}

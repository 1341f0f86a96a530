"""The inputs and cases of tools/golden.py: folders with files, and the calls of the command in them.

Commands, options and formats are those of the command line, so new ones need no entry here.
"""

import functools
import io
import itertools
import json
import os
import pathlib
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import yaml

from pulumi_gke_tpu.cli import cli, main
from pulumi_gke_tpu.cli.commands import command_modules

TODAY = "2026-11-20"
PLAN, INVENTORY, ORGANIZATION = "plan.yaml", "inventory.yaml", "organization.yaml"
NAMED = {"inventory": INVENTORY, "organization": ORGANIZATION}
"""The name of an option -> the file that it gets, if the input has it."""
ABOUT_PLANS = ("validate", "preview", "cost", "quota", "calendar", "manifests", "report")
MORE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "validate": (("--fix",), ("--strict",)),
    "preview": (("--format", "json", "--resources"), ("--nodes", "--prices", "--resources")),
    "manifests": (("-o", "written"),),
    "export": (("--json",), ("--module",), ("--standalone", "--import")),
    "explain": (("--sources", "--prices"),),
    "diff": (("--resources",), ("--ack-from", "base", "--most-hosts", "10", "--exit-code", "--fail-on", "replace")),
    "check": (("--strict",),),
}
"""Options beside the formats that change what a command does with every input."""


@dataclass(frozen=True)
class Input:
    """A folder with files, and the day on which commands read them."""

    folder: str
    files: Mapping[str, bytes]
    today: str

    @property
    def plans(self) -> tuple[str, ...]:
        """The names of its plans."""
        return tuple(name for name in self.files if name.startswith("plan"))


class Cases:
    """Writes inputs below a folder and collects cases. The same files or the same call twice are one."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.cases: dict[tuple[str, ...], dict[str, Any]] = {}
        self.inputs: dict[tuple[Any, ...], Input] = {}

    def input(self, kind: str, name: str, files: Mapping[str, str | bytes], today: str = TODAY) -> Input:
        """The input with these files; it is written if there is none."""
        content = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        key = (today, *sorted(content.items()))
        if key in self.inputs:
            return self.inputs[key]
        slug = f"{kind}/{re.sub(r'[^A-Za-z0-9.]+', '-', name).strip('-')}"
        slugs = itertools.chain([slug], (f"{slug}-{number}" for number in itertools.count(2)))
        slug = next(each for each in slugs if not (self.folder / each).exists())
        self.inputs[key] = found = Input(slug, content, today)
        (self.folder / slug).mkdir(parents=True)
        for path, data in content.items():
            target = self.folder / slug / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return found

    def case(self, given: Input, *arguments: str) -> None:
        """One call of the command in the folder of an input."""
        name = f"{given.folder}: {shlex.join(arguments)}"
        content = {"command": arguments[0], "name": name, "folder": given.folder, "arguments": arguments}
        self.cases[(given.folder, *arguments)] = content

    def calls(self, given: Input, command: str, *words: str, more: bool = False, once: bool = False) -> None:
        """A command in every format, with ``more`` also with other options, or ``once`` in its most complete form."""
        options = [(f"--{kind}", file) for kind, file in NAMED.items() if file in given.files]
        options = [*options, ("--today", given.today)]
        known = options_of(command)
        rest = [word for pair in options if pair[0] in known and pair[0] not in words for word in pair]
        variants: list[tuple[str, ...]] = [("--format", form) for form in formats_of(command)] or [()]
        variants += MORE.get(command, ()) if more else ()
        if once:
            variants = [next((variant for variant in reversed(variants) if "json" in variant), variants[0])]
        for variant in variants:
            self.case(given, command, *words, *variant, *rest)

    def about_plan(self, given: Input, *, once: bool = False) -> None:
        """Every command about plans, in every format or once."""
        for command in ABOUT_PLANS:
            output = ("-o", "-") if command == "report" else ()
            for plans in [given.plans] if takes_several(command) else [(plan,) for plan in given.plans]:
                self.calls(given, command, *plans, *output, more=True, once=once)
        for plan in given.plans:
            self.calls(given, "export", "terraform", plan, "-o", "written", more=True, once=once)
            for item in items_of(given.files[plan]):
                self.calls(given, "explain", plan, item, more=True, once=once)

    def values(self, given: Input) -> None:
        """Each value of each item of a plan, and one that does not exist."""
        for item in items_of(given.files[PLAN]):
            shown = self.output(given, "explain", PLAN, item, "--format", "json", "--today", given.today)
            for name in dict.fromkeys(step["name"] for step in json.loads(shown)["steps"]):
                self.calls(given, "explain", PLAN, f"{item}/{name}", once=True)
            self.calls(given, "explain", PLAN, f"{item}/nothing")

    def change(self, given: Input, base: str, head: str) -> None:
        """A change, and its JSON as the input of ``comment``."""
        self.calls(given, "diff", base, head, more=True)
        diff = self.output(given, "diff", base, head, "--format", "json", "--today", given.today)
        self.case(self.input("comment", given.folder, {"diff.json": diff}), "comment", "diff.json", "--print")

    def manifests(self, given: Input, file: str, mode: str | None) -> None:
        """Manifests, against the plan beside them if there is one."""
        plan = ("--plan", PLAN) if PLAN in given.files else ()
        self.calls(given, "check", file, *plan, *(("--mode", mode) if mode else ()), more=True)

    def output(self, given: Input, *arguments: str) -> str:
        """The standard output of a call, for cases that read it."""
        here, streams = pathlib.Path.cwd(), (sys.stdout, sys.stderr)
        out, sys.stderr = io.BytesIO(), io.StringIO()
        sys.stdout = io.TextIOWrapper(out, encoding="utf-8")
        os.chdir(self.folder / given.folder)
        try:
            main(list(arguments))
        except SystemExit:
            sys.stdout.flush()
            return out.getvalue().decode()
        finally:
            os.chdir(here)
            sys.stdout, sys.stderr = streams
        raise AssertionError("the command exits")

    def missing(self) -> list[str]:
        """Commands without a case, and formats of a command without one."""
        needed = {(command, form) for command in command_modules() for form in formats_of(command) or ("",)}
        for command, *words in (case["arguments"] for case in self.cases.values()):
            given = {value for name, value in itertools.pairwise(words) if name == "--format"}
            needed -= {(command, form) for form in given or {""}}
        return sorted(" ".join(pair).strip() for pair in needed)

    def write(self) -> None:
        """Write the cases."""
        text = "".join(f"{json.dumps(case)}\n" for case in self.cases.values())
        (self.folder / "cases.jsonl").write_text(text, encoding="utf-8")


@functools.cache
def options_of(command: str) -> dict[str, click.Option]:
    """The options of a command by name."""
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    return {name: param for param in found.params if isinstance(param, click.Option) for name in param.opts}


def formats_of(command: str) -> Sequence[str]:
    """The formats of a command; none if it has only one."""
    option = options_of(command).get("--format")
    return option.type.choices if option is not None and isinstance(option.type, click.Choice) else ()


@functools.cache
def takes_several(command: str) -> bool:
    """Whether a command takes several plans."""
    found = cli.get_command(click.Context(cli), command)
    return found is not None and any(param.nargs == -1 for param in found.params)


def items_of(plan: bytes) -> Iterator[str]:
    """The clusters and slice groups of a plan, if it is one."""
    try:
        data = yaml.safe_load(plan)
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    clusters = data.get("clusters") if isinstance(data, dict) else None
    for name, cluster in clusters.items() if isinstance(clusters, dict) else ():
        yield str(name)
        groups = cluster.get("slices") if isinstance(cluster, dict) else None
        yield from (f"{name}/{group}" for group in (groups if isinstance(groups, dict) else ()))

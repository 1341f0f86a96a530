"""A resource that commands of gcloud make: its properties, and the flags that set them, with their places."""

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud, GcloudCommand, GcloudFlag
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import is_within
from pulumi_gke_tpu.core.resources.gcloud_values import SWITCHES, flag_text
from pulumi_gke_tpu.core.resources.model import Spelling
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import ScriptWord
from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes

_VALUE = lazy_pattern(r"`(--[a-z0-9-]+): ([^`]*)`")
_PROPERTY = lazy_pattern(r"\b[a-z]\w*(?:\.[a-z]\w*)+\b|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b")
_LONGEST = 300
PLACES = ("--project", "--location", "--zone", "--region", "--cluster")


@dataclass(eq=False)
class GcloudMade:
    """A resource while the commands that make and change it are read."""

    kind: str
    name: str
    command: "GcloudUsage"
    start: ScriptWord
    data: dict[str, Any]
    address: str
    cluster: str = ""
    placed: dict[str, Given] = field(default_factory=dict)
    """Path of a property -> the option that sets it."""
    flags: dict[str, str] = field(default_factory=dict)
    """Path of a property -> its flag."""
    partial: bool = False
    is_alternative: bool = False
    """Whether an earlier command has the same name: a run of the script executes one of the two, and it is not known
    beside what else."""
    changed_only: bool = False
    """Whether the script changes it, and something else made it."""

    def set(self, path: str, value: Any, given: Given | None = None) -> None:
        """Set a property; numbers in the path are indices."""
        tree: Any = self.data
        steps = path.split(".")
        for step, following in itertools.pairwise(steps):
            if isinstance(tree, list):
                tree += [{}] * (int(step) + 1 - len(tree))
                tree = tree[int(step)]
                continue
            if not isinstance(tree.get(step), dict | list):
                tree[step] = [] if following.isdecimal() else {}
            tree = tree[step]
        last = steps[-1]
        if isinstance(tree, list):
            tree.insert(int(last), value)
        elif isinstance(value, dict) and isinstance(tree.get(last), dict):
            tree[last] = {**tree[last], **value}
        else:
            tree[last] = value
        if given is not None:
            self.placed[path] = given

    def drop(self, path: str) -> None:
        """Remove a property, or an item that a list has, with the options that set it."""
        above, _, last = path.rpartition(".")
        holder = value_at(self.data, tuple(above.split(".")))
        index = int(last) if last.isdecimal() else None
        if isinstance(holder, list):
            del holder[int(last)]
        elif isinstance(holder, dict):
            holder.pop(last, None)
        kept = {}
        for name, given in self.placed.items():
            number, _, rest = (
                name.removeprefix(f"{above}.").partition(".") if name.startswith(f"{above}.") else ("",) * 3
            )
            if index is not None and number.isdecimal() and int(number) > index:
                kept[f"{above}.{int(number) - 1}.{rest}"] = given
            elif name != path and not name.startswith(f"{path}."):
                kept[name] = given
        self.placed = kept


@frozen(eq=False, slots=False)
class GcloudUsage:
    """One command of gcloud with its flags."""

    name: str
    fact: GcloudCommand
    facts: Gcloud

    @functools.cached_property
    def flags(self) -> Mapping[str, tuple[str, GcloudFlag]]:
        """Flag -> the resource that it is about, empty for that of the command, and what it sets."""
        found: dict[str, tuple[str, GcloudFlag]] = {}
        for group in map(self.facts.groups.__getitem__, self.fact.groups):
            for name, flag in group.sets.items():
                found.setdefault(name, (flag.of or group.of, flag))
        return found

    @functools.cached_property
    def takes(self) -> Mapping[str, Takes]:
        """Flag -> whether it takes a value."""
        found: dict[str, Takes] = {}
        for group in map(self.facts.groups.__getitem__, self.fact.groups):
            found |= dict.fromkeys(group.values, "value")
            found |= dict.fromkeys(group.switches, "flag")
        for name, (_, flag) in self.flags.items():
            found[name] = "flag" if flag.kind in SWITCHES else "value"
        return found

    @functools.cached_property
    def exclusive(self) -> Sequence[Sequence[str]]:
        """The flags of which the command takes one."""
        return [flags for name in self.fact.groups for flags in self.facts.groups[name].exclusive]

    @functools.cached_property
    def short(self) -> Mapping[str, str]:
        """-z -> --zone."""
        groups = (self.facts.groups[name] for name in self.fact.groups)
        return {short: name for group in groups for short, name in group.short.items()}


def flags_by_property(command: GcloudUsage, kind: str) -> dict[str, str]:
    """Property -> the flag of a command that sets it on a kind of resource."""
    about = command.fact.makes or command.fact.changes
    found: dict[str, str] = {}
    for flag, (of, fact) in command.flags.items():
        if (of or about) == kind or flag in PLACES:
            found.setdefault(_without_indices(fact.to), flag)
    return found


def _without_indices(path: str) -> str:
    return ".".join(step for step in re.sub(r"\[\d+\]", "", path).split(".") if not step.isdecimal())


def _given(made: GcloudMade, path: str) -> Given | None:
    """The option that sets a property, or a part of it, or the property around it."""
    plain = ".".join(re.sub(r"\[(\d+)\]", r".\1", path).split("."))
    steps = plain.split(".")
    for length in range(len(steps), 0, -1):
        outer = ".".join(steps[:length])
        if outer in made.placed:
            return made.placed[outer]
    bare = _without_indices(plain)
    for name, given in made.placed.items():
        placed = _without_indices(name)
        if is_within(placed, bare) or is_within(bare, placed):
            return given
    return None


def _flag_of(made: GcloudMade, path: str) -> str:
    """The flag that sets a property; empty if gcloud has none for it."""
    given = _given(made, path)
    if given is not None and given.option != "NAME":
        return given.option
    bare = _without_indices(path)
    while bare:
        if bare in made.flags:
            return made.flags[bare]
        inner = next((flag for name, flag in made.flags.items() if name.startswith(f"{bare}.")), None)
        if inner is not None and "." in bare:
            return inner
        bare = bare.rpartition(".")[0]
    return ""


def locator(made: GcloudMade, file: str, lines: Sequence[str]) -> Callable[[Path], Position]:
    """Finds the place of the flag that sets a property, otherwise that of the command."""

    def locate(path: Path) -> Position:
        given = _given(made, str(path[0])) if path else None
        at: Given | ScriptWord = given if given is not None and given.line else made.start
        return position_of(file, lines, at.line, at.column)

    return locate


def position_of(file: str, lines: Sequence[str], line: int, column: int) -> Position:
    """The place of a word, up to the blank behind it."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    word = text[column - 1 : column - 1 + _LONGEST].split(maxsplit=1)
    return Position(
        file, line, column, column + max(len(word[0]) if word else 1, 1), text if len(text) <= _LONGEST else ""
    )


def spelling_of(made: GcloudMade) -> Spelling:
    """How gcloud spells the properties of a resource."""
    ends = Counter(path.rpartition(".")[2] for path in made.flags)
    by_end = {end: flag for path, flag in made.flags.items() if ends[end := path.rpartition(".")[2]] == 1}
    if "nodeCount" in by_end:  # with autoscaling, the flag is about the first nodes
        by_end.setdefault("initialNodeCount", by_end["nodeCount"])
    facts = {flag: fact for flag, (_, fact) in made.command.flags.items()}

    def written(path: str) -> str:
        return _flag_of(made, path) or path

    def words(text: str) -> str:
        def word(match: re.Match[str]) -> str:
            if match[0] in made.flags:
                return made.flags[match[0]]
            inside = {given.option for path, given in made.placed.items() if path.startswith(f"{match[0]}.")}
            if len(inside) == 1:
                return inside.pop()
            return by_end.get(match[0].rpartition(".")[2], match[0])

        return _VALUE.sub(r"`\1=\2`", _PROPERTY.sub(word, text))

    def entry(path: str, value: object) -> str:
        end = path.rpartition(".")[2]
        if path not in made.flags and ends[end] > 1:
            return ""  # flags of several properties: `enabled`
        flag = made.flags.get(path) or by_end.get(end, "")
        return flag_text(flag, facts[flag], value) if flag in facts else f"{end}={value}"

    return Spelling(written=written, place=lambda path: (path,), words=words, entry=entry)

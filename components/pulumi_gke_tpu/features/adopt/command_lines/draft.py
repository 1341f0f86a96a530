"""The plan that command lines make, command by command."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.kubernetes import Kubernetes
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.shell import ScriptWord
from pulumi_gke_tpu.core.text.shell.arguments import CommandArguments, Given
from pulumi_gke_tpu.features.adopt.command_lines.table import Became, OptionRow, Problem, Translation

Path = str | tuple[str, ...]
"""The path of a key: text with dots, or parts of which some are names of users."""

_LONGEST = 200
_DIGITS = 15


@frozen
class SliceType:
    """What one slice is: the keys of a group that follow from a TPU type."""

    generation: str
    topology: str
    chips: int
    chips_per_host: int | None = None

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a slice group."""
        keys: dict[str, Any] = {"tpu": self.generation, "topology": self.topology}
        return keys | ({"chips_per_host": self.chips_per_host} if self.chips_per_host else {})


def whole_number(text: str) -> int | None:
    """The number that a text is; None if it is none, or a very long one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


class Draft:
    """The plan, the table and the problems so far. ``project`` and ``zone`` are for commands that do not state them."""

    def __init__(self, catalog: Catalog, project: str = "", zone: str = "") -> None:
        self.catalog = catalog
        self.project = ""
        self.default_project = project
        self.default_zone = zone
        self.clusters: dict[str, dict[str, Any]] = {}
        self.storages: dict[tuple[str, str], Mapping[str, Any]] = {}
        """Cluster and name of a storage of xpk -> the volume."""
        self.jobs: dict[tuple[str, str], list[tuple[str, str]]] = {}
        """Cluster and key of a workload -> the options of its command."""
        self.rows: list[OptionRow] = []
        self.problems: list[Problem] = []

    def put(self, cluster: str, path: Path, value: Any) -> None:
        """Set a key by its path below the cluster; a list gets the items that it lacks."""
        place = self.clusters.setdefault(cluster, {})
        *parents, last = _parts(path)
        for parent in parents:
            place = place.setdefault(parent, {})
        if isinstance(value, list):
            place[last] = [*place.get(last, ()), *(item for item in value if item not in place.get(last, ()))]
        else:
            place[last] = value

    def group_of(self, cluster: str, wanted: SliceType) -> str | None:
        """The group of a cluster that has slices of this type, or cubes of which GKE forms them."""
        facts = self.catalog.kubernetes.pods.dynamic_slices
        cubes = {} if unformable(facts, wanted.topology) else {"tpu": wanted.generation, "slicing": "dynamic"}
        groups = self.clusters.get(cluster, {}).get("slices", {})
        return next(
            (
                name
                for name, group in groups.items()
                if wanted.keys.items() <= group.items() or (cubes and cubes.items() <= group.items())
            ),
            None,
        )

    def chips_of(self, group: Mapping[str, Any]) -> int:
        """The chips of all slices of a group."""
        chips = 1
        cube = self.catalog.kubernetes.pods.dynamic_slices.cube_topology
        for side in str(group.get("topology", cube)).split("x"):
            chips *= int(side)
        count = group.get("count", 1)
        return chips * int(count["max"] if isinstance(count, dict) else count)

    def finished(self) -> Translation:
        """The plan with its keys in the usual order."""
        project = self.project or self.default_project
        clusters = {}
        for name, cluster in self.clusters.items():
            keys = {key: cluster[key] for key in ClusterSpec.model_fields if key in cluster}
            if "kubernetes" in keys:
                objects = keys["kubernetes"]
                keys["kubernetes"] = {key: objects[key] for key in Kubernetes.model_fields if key in objects}
            clusters[name] = keys
        plan = {"version": 1, "project": project, "clusters": clusters}
        names = (name for name in _keys_in(clusters) if not name.isprintable())
        broken = [
            Problem(f"the name {printable(name, _LONGEST)} has a line break or a tab", "", 0, 0) for name in names
        ]
        return Translation(plan, tuple(self.rows), (*self.problems, *broken))


class CommandReading:
    """One command: what becomes of its options."""

    def __init__(self, draft: Draft, arguments: CommandArguments, name: str, file: str, start: ScriptWord) -> None:
        self.draft = draft
        self.arguments = arguments
        self.name = name
        self.file = file
        self.start = start

    def row(self, given: Given, became: Became, *, key: str = "", reason: str = "") -> None:
        """Add a line to the table."""
        shown = printable(given.value, _LONGEST)
        key = printable(key, _LONGEST)
        self.draft.rows.append(OptionRow(self.name, given.option, shown, became, key, reason, self.file, given.line))

    def implied(self, option: str, value: str, became: Became, *, key: str = "", reason: str = "") -> None:
        """Add a line for what the tool does without an option."""
        self.draft.rows.append(
            OptionRow(self.name, option, value, became, printable(key, _LONGEST), reason, self.file, 0)
        )

    def key(self, given: Given, cluster: str, path: Path, value: Any, reason: str = "") -> None:
        """An option that becomes a key below a cluster."""
        self.draft.put(cluster, path, value)
        became: Became = "extra" if "extra" in _parts(path)[:-1] else "key"
        self.row(given, became, key=".".join(("clusters", cluster, *_parts(path))), reason=reason)

    def problem(self, message: str, given: Given | None = None, fix: str = "") -> None:
        """Report why no plan can be written."""
        line, column = (given.line, given.column) if given else (self.start.line, self.start.column)
        problem = Problem(message, self.file, line, column, fix)
        if problem not in self.draft.problems:  # an option can be read for several keys
            self.draft.problems.append(problem)

    def known(self, given: Given) -> bool:
        """Whether a value is known; reports it otherwise."""
        if given.problem:
            fix = f"write the value of {given.option} into a copy of the script"
            self.problem(f"the value of `{given.option}` is not known: {given.problem}", given, fix)
        return not given.problem

    def report_unknown(self) -> None:
        """Add what the command does not have to the table."""
        for word in self.arguments.unknown:
            meant = f"; did you mean {word.meant}?" if word.meant else ""
            tool = self.name.split()[0]
            self.draft.rows.append(
                OptionRow(
                    self.name,
                    printable(word.text.partition("=")[0], _LONGEST),
                    printable(word.text.partition("=")[2], _LONGEST),
                    "unknown",
                    reason=f"gke-tpu knows no such option of {tool}{meant}",
                    file=self.file,
                    line=word.line,
                )
            )

    def project(self) -> str:
        """The project of the command, also for the plan; empty with a problem."""
        given = self.arguments.last("--project")
        if given and not self.known(given):
            return ""
        project = given.value if given else self.draft.default_project
        if not project:
            self.problem("no project", fix="add --project PROJECT to the command, or to gke-tpu adopt")
        elif self.draft.project not in ("", project):
            self.problem(f"a plan has one project, and an earlier command has {printable(self.draft.project)}", given)
        else:
            self.draft.project = project
        if given:
            self.row(given, "key", key="project")
        return project

    def zone(self) -> str:
        """The zone of the command; empty with a problem."""
        given = self.arguments.last("--zone")
        if given and not self.known(given):
            return ""
        zone = given.value if given else self.draft.default_zone
        if not zone:
            self.problem("no zone", fix="add --zone ZONE to the command, or to gke-tpu adopt")
        return zone

    def text(self, option: str, what: str) -> str:
        """The value of an option that must have one; empty with a problem."""
        given = self.arguments.last(option)
        if given is None:
            self.problem(f"no {what}", fix=f"add {option} to the command")
            return ""
        if not self.known(given):
            return ""
        if not given.value:
            self.problem(f"`{option}` has no value", given)
        return given.value

    def number(self, option: str, otherwise: int) -> int:
        """The whole number of an option; ``otherwise`` without it or with a problem."""
        given = self.arguments.last(option)
        if given is None or not self.known(given):
            return otherwise
        number = whole_number(given.value)
        if number is None:
            self.problem(f"the value of `{option}` is not a whole number", given)
        return otherwise if number is None else number

    def each(self) -> Iterator[Given]:
        """The options, without those that a later one of the same name replaces."""
        seen: dict[str, Given] = {given.option: given for given in self.arguments.given}
        yield from seen.values()

    def all_of(self, option: str) -> Sequence[Given]:
        """Every value of an option that may be repeated."""
        return [given for given in self.arguments.given if given.option == option]


def _keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
        for item in value.values():
            yield from _keys_in(item)


def _parts(path: Path) -> tuple[str, ...]:
    return tuple(path.split(".")) if isinstance(path, str) else path

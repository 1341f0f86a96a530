"""Reads shell scripts with commands of gcloud: the clusters, node pools and workload policies that they make.

``catalog/gcloud.yaml`` says which property each flag sets. What the text of a script does not say is unknown, also
every flag that a command may have in a variable.
"""

import contextlib
import copy
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud, GcloudFlag
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.objects.document import items, text
from pulumi_gke_tpu.core.resources.embedded_scripts import EmbeddedScript
from pulumi_gke_tpu.core.resources.gcloud_defaults import set_defaults
from pulumi_gke_tpu.core.resources.gcloud_files import data_in, flags_in
from pulumi_gke_tpu.core.resources.gcloud_spelling import (
    PLACES,
    GcloudMade,
    GcloudUsage,
    flags_by_property,
    locator,
    position_of,
    spelling_of,
)
from pulumi_gke_tpu.core.resources.gcloud_values import REPEATED, BadValueError, flag_value, known
from pulumi_gke_tpu.core.resources.gcloud_words import words_of_gcloud
from pulumi_gke_tpu.core.resources.model import (
    Action,
    Origin,
    RawResource,
    Rejected,
    SourceFormat,
    Unread,
)
from pulumi_gke_tpu.core.resources.values import UNKNOWN, PartlyKnown, Values
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART, Command, HereDocument, ScriptWord, ShellProblem, read_script
from pulumi_gke_tpu.core.text.shell.arguments import CommandArguments, Given, read_arguments
from pulumi_gke_tpu.core.text.shell.expansion import SEVERAL
from pulumi_gke_tpu.core.text.shell.model import SETTINGS

TYPES: Final = {
    "cluster": resource_types.CLUSTER,
    "node pool": resource_types.NODE_POOL,
    "workload policy": resource_types.RESOURCE_POLICY,
}
_TRACKS: Final = frozenset({"alpha", "beta", "preview"})
_CONFIGURE, _DELETE = "config set", "container node-pools delete"
_LONGEST_NAME: Final = 4
_VARIABLE = lazy_pattern(r"\$(?:\w+|\{\w+\})(?=\s|\Z)", re.ASCII)
_CONFIGURED = {
    "compute/zone": "location",
    "compute/region": "location",
    "project": "project",
    "core/project": "project",
}
NO_VALUE = "it has no value"
_MOST_ALTERNATIVES = 50
_STATE: Final = (
    *("made", "options", "rejected", "others", "unread_files", "further_flags"),
    *("addresses", "configured", "next_exclusion"),
)
"""What a command changes."""
_EXCLUSIONS: Final = "maintenancePolicy.maintenanceExclusions"
_WINDOWS: Final = ("--maintenance-window", "--maintenance-window-start")
_WINDOW_PATHS: Final = ("maintenancePolicy.recurringWindow", "maintenancePolicy.dailyMaintenanceWindow")
_FLAGS_FILE: Final = "--flags-file"
_AUTOPROVISIONING: Final = {
    "resourceLimits": "resourceLimits",
    "autoprovisioningLocations": "autoProvisioningLocations",
    "autoprovisioning_locations": "autoProvisioningLocations",
    "management": "autoProvisioningDefaults.management",
    "serviceAccount": "autoProvisioningDefaults.serviceAccount",
    "scopes": "autoProvisioningDefaults.oauthScopes",
    "minCpuPlatform": "autoProvisioningDefaults.minCpuPlatform",
    "imageType": "autoProvisioningDefaults.imageType",
}
"""Key of a file of auto-provisioning -> property of the cluster below ``clusterAutoscaling``."""
Files = Callable[[str, str], str | None]
"""The text of a file that a script names, by the name of the script and the path; None if it was not given."""


@frozen(eq=False)
class GcloudOption:
    """One option of one command, and the resource property that it sets; without one, nothing that is read."""

    command: str
    given: Given
    fact: GcloudFlag | None
    resource: str
    """The address of the resource with the property."""
    start: ScriptWord
    """The first word of the command."""


@frozen(eq=False)
class GcloudScript:
    """What a script makes. ``documents`` are its here-documents."""

    resources: tuple[RawResource, ...]
    options: tuple[GcloudOption, ...]
    rejected: tuple[Rejected, ...]
    documents: tuple[HereDocument, ...]
    problem: ShellProblem | None
    others: tuple[tuple[str, ScriptWord], ...]
    """Commands of gcloud that make nothing that is read, with their places."""
    unread_files: tuple[Unread, ...] = ()
    alternatives: tuple[RawResource, ...] = ()
    """What commands make after each way through a branch, with the addresses that they also have in ``resources``."""
    further_flags: tuple[GcloudOption, ...] = ()
    """Variables with any number of flags that are not known."""
    tried: frozenset[ScriptWord] = frozenset()
    """The first words of the commands that were read after each way through the branches on which they depend."""


def read_gcloud_script(
    text: str, file: str, facts: Gcloud, *, project: str = "", location: str = "", files: Files | None = None
) -> GcloudScript:
    """The resources of a script. ``project`` and ``location`` are those of commands that do not state known ones."""
    return _ScriptReader(text, file, facts, (project, location), files).read()


def read_gcloud_parts(
    scripts: Iterable[EmbeddedScript], text: str, file: str, facts: Gcloud, files: Files | None
) -> tuple[GcloudScript, tuple[Unread, ...], Mapping[str, str]]:
    """The resources of the scripts in one file, those that end early, and the expressions that variables stand for."""
    reader = _ScriptReader(text, file, facts, files=files)
    ended = tuple(reader.follow(scripts))
    return reader.finished(), ended, reader.expressions


def read_gcloud_flags(
    command: str, name: ScriptWord, words: Sequence[ScriptWord], facts: Gcloud, cluster: str = ""
) -> GcloudScript:
    """What one command, such as ``container clusters create``, makes with these flags."""
    reader = _ScriptReader("", "", facts)
    reader.configured["cluster"] = cluster
    reader.run(reader.commands[command], [name, *words], name)
    return reader.finished()


@frozen(eq=False)
class _Use:
    """A command with the options that it has in one place."""

    command: GcloudUsage
    arguments: CommandArguments
    start: ScriptWord


class _ScriptReader:
    """Follows a script, command by command."""

    def __init__(
        self, text: str, file: str, facts: Gcloud, stand_ins: tuple[str, str] = ("", ""), files: Files | None = None
    ) -> None:
        self.files = files
        self.text = text
        self.lines = text.splitlines()
        self.file = file
        self.facts = facts
        project, location = stand_ins
        self.stand_ins = {"project": project, "location": location}
        self.configured = {**self.stand_ins, "cluster": ""}
        self.made: list[GcloudMade] = []
        self.alternatives: list[GcloudMade] = []
        self.expressions: dict[str, str] = {}
        """Variable -> the expression in whose place it is."""
        self.options: list[GcloudOption] = []
        self.rejected: dict[tuple[int, int, str], Rejected] = {}
        self.others: list[tuple[str, ScriptWord]] = []
        self.unread_files: list[Unread] = []
        self.further_flags: list[GcloudOption] = []
        self.not_tried: set[ScriptWord] = set()
        """The first words of commands that also depend on branches whose ways may exclude each other."""
        self.next_exclusion = 0
        """The index of the maintenance exclusion that a command adds to its cluster."""
        self.addresses: dict[str, int] = {}
        self.commands = {name: GcloudUsage(name, fact, facts) for name, fact in facts.commands.items()}

    def read(self) -> GcloudScript:
        script = read_script(self.text, self)
        return self.finished(script.documents, script.problem)

    def follow(self, scripts: Iterable[EmbeddedScript]) -> Iterator[Unread]:
        """Read scripts in one file, one after the other; those that cannot be read to their end are yielded."""
        for each in scripts:
            script = read_script(each.text, self, line=each.line, variables=each.variables)
            self.expressions |= each.expressions
            if script.problem is not None:
                reason = f"the commands behind it cannot be read: {script.problem.message}"
                yield Unread(self.file, reason, line=script.problem.line)

    def finished(self, documents: tuple[HereDocument, ...] = (), problem: ShellProblem | None = None) -> GcloudScript:
        """What was read until now."""
        known = {made.address for made in self.made}
        for each in self.alternatives:  # of a command that is known only in each case
            if each.name and each.address not in known:
                known.add(each.address)
                self.made.append(dataclasses.replace(each, data=copy.deepcopy(each.data), partial=True))
        resources = tuple(map(self._resource, self.made))
        rejected = tuple(self.rejected[key] for key in sorted(self.rejected))
        return GcloudScript(
            resources=resources,
            options=tuple(self.options),
            rejected=rejected,
            documents=documents,
            problem=problem,
            others=tuple(self.others),
            unread_files=tuple(self.unread_files),
            alternatives=tuple(map(self._resource, self.alternatives)),
            further_flags=tuple(self.further_flags),
            tried=frozenset(made.start for made in self.alternatives) - self.not_tried,
        )

    # The commands as the script runs them

    def output_of(self, words: Sequence[ScriptWord]) -> str | None:
        """What ``gcloud config get`` writes."""
        texts = [word.text for word in words]
        if texts[:2] == ["gcloud", "config"] and texts[2:3] in (["get"], ["get-value"]) and len(texts) > 3:  # noqa: PLR2004
            key = _CONFIGURED.get(texts[3], "")
            return self.configured.get(key) or None
        return None

    def file_named(self, path: str) -> str | None:
        """The text of a file that a script names."""
        return self.files(self.file, path) if self.files is not None else None

    @contextlib.contextmanager
    def alternative(self) -> Iterator[None]:
        """Keep what commands make apart: it is one of several things that one command makes."""
        kept = {name: getattr(self, name) for name in _STATE}
        for name, value in kept.items():
            setattr(self, name, copy.copy(value))
        yield
        if len(self.alternatives) < _MOST_ALTERNATIVES:
            self.alternatives += self.made[len(kept["made"]) :]
        options = (*self.options[len(kept["options"]) :], *self.further_flags[len(kept["further_flags"]) :])
        self.not_tried |= {each.start for each in options if each.given.problem.endswith(SEVERAL)}
        for name, value in kept.items():
            setattr(self, name, value)

    def ran(self, command: Command) -> None:
        """Read a command, if it is one of gcloud."""
        words = words_of_gcloud(command)
        if not words:
            return
        name, rest = self._named(words)
        start = words[0]
        before = self.configured
        self.configured = before | {SETTINGS[name]: value for name, value in command.settings.items()}
        self._ran(name, rest, start)
        kept = {SETTINGS[name] for name in command.settings}
        self.configured = {key: before[key] if key in kept else value for key, value in self.configured.items()}

    def _ran(self, name: str, rest: list[ScriptWord], start: ScriptWord) -> None:
        if name == _CONFIGURE:
            self._configure(rest)
        elif name in self.commands:
            self.run(self.commands[name], rest, start)
        elif name == _DELETE:
            self._delete(rest)
        elif name.partition(" ")[0] in ("container", "compute"):
            self.others.append((" ".join(("gcloud", *name.split()[:3])), start))

    def _named(self, words: Sequence[ScriptWord]) -> tuple[str, list[ScriptWord]]:
        """The name of a command with its groups, as far as it is read, and the words behind it and between them."""
        wide = self.facts.groups["wide"]
        path: list[str] = []
        rest: list[ScriptWord] = []
        index = 1
        names = (*self.commands, _CONFIGURE, _DELETE)
        while index < len(words) and len(path) < _LONGEST_NAME and " ".join(path) not in names:
            word = words[index]
            index += 1
            if word.text.startswith("-"):
                rest.append(word)
                if (word.text in wide.values or word.text in wide.sets) and index < len(words):
                    rest.append(words[index])
                    index += 1
            elif path or word.text not in _TRACKS:
                path.append(word.text)
        return " ".join(path), [*rest, *words[index:]]

    def _configure(self, rest: Sequence[ScriptWord]) -> None:
        words = [word for word in rest if not word.text.startswith("-")]
        if len(words) > 1:
            key = "cluster" if words[0].text == "container/cluster" else _CONFIGURED.get(words[0].text, "")
            if key:
                self.configured[key] = words[1].text

    def _delete(self, rest: Sequence[ScriptWord]) -> None:
        """Leave out the node pool that a new cluster has, if the script deletes it."""
        arguments = read_arguments(rest, {"--cluster": "value", "--quiet": "flag"}, positional=True, abbreviated=False)
        name = arguments.positional[0].text if arguments.positional else ""
        cluster = arguments.value("--cluster") or self.configured["cluster"]
        if name == self.facts.default_pool:
            gone = ("node pool", name, cluster)
            self.made = [each for each in self.made if (each.kind, each.name, each.cluster) != gone]

    def run(self, command: GcloudUsage, words: Sequence[ScriptWord], start: ScriptWord) -> None:
        """Read one command, with the words behind its name."""
        words = [*self._with_flags_files(words)]
        arguments = read_arguments(words, command.takes, command.short, positional=True, abbreviated=False)
        if arguments.has("--help"):
            return
        self._reject_unknown(command, arguments)
        about = command.fact.makes or command.fact.changes
        name = arguments.positional[0] if arguments.positional else None
        several = [word for word in words if word.several and not (word is name and self._is_one_variable(word))]
        partial = bool(several)
        if name is None:
            if not partial:
                self._reject(f"gcloud {command.name} needs the name of the {about}", start)
            return
        target = self._target(command, about, name, arguments, start)
        target.partial = target.partial or partial
        flags = filter(arguments.positional.__contains__, several)
        self.further_flags += (_further(command, word, target, start) for word in flags)
        pool = self._pool_of(command, target, arguments, start)
        if about == "cluster":
            self._start_maintenance(target, arguments)
        used: dict[str, list[Given]] = {}
        for given in arguments.given:
            used.setdefault(given.option, []).append(given)
        for option, every in used.items():
            of, fact = command.flags.get(option, ("", None))
            owner = target if of in ("", about) else pool
            shown = every if fact is not None and fact.kind in REPEATED else every[-1:]
            for given in shown:
                self.options.append(
                    GcloudOption(
                        f"gcloud {command.name}", given, fact, owner.address if owner is not None else "", start
                    )
                )
            if fact is None or owner is None or option in PLACES:
                continue
            self._set(owner, fact, shown)
            if option == "--node-locations" and about == "cluster" and pool is not None:
                self._set(pool, fact, shown)
        self._require(command, arguments, start, partial=partial)

    def _is_one_variable(self, word: ScriptWord) -> bool:
        """Whether a word is a variable but not an array: in the place of a name, it is one word."""
        line = self.lines[word.line - 1] if 0 < word.line <= len(self.lines) else ""
        return _VARIABLE.match(line, word.column - 1) is not None

    def _with_flags_files(self, words: Sequence[ScriptWord]) -> Iterator[ScriptWord]:
        """The words of a command with the flags in its files of flags, each at the place where the file is named."""
        waiting = iter(words)
        for word in waiting:
            name, equals, path = word.text.partition("=")
            if name != _FLAGS_FILE:
                yield word
                continue
            named = ScriptWord(path, word.line, word.column) if equals else next(waiting, None)
            flags = flags_in(self.file_named(named.text)) if named is not None else None
            if flags is None:
                reason = "the file of flags is not among the given files, or is none"
                yield ScriptWord(UNKNOWN_PART, word.line, word.column, reason, several=True)
                given = named.text if named is not None else ""
                self.unread_files.append(Unread(self.file, reason, f"{_FLAGS_FILE}={given}", word.line))
            else:
                yield from (ScriptWord(flag, word.line, word.column) for flag in flags)

    # Targets

    def _target(
        self, command: GcloudUsage, about: str, name: ScriptWord, arguments: CommandArguments, start: ScriptWord
    ) -> GcloudMade:
        cluster = arguments.last("--cluster")
        of = (cluster.value if cluster else self.configured["cluster"]) if about == "node pool" else ""
        if command.fact.changes:
            found = self._find(about, name.text, of)
            if found is not None:
                found.flags |= flags_by_property(command, about)
                return found
        return self._new(_Use(command, arguments, start), about, name, of)

    def _find(self, kind: str, name: str, cluster: str) -> GcloudMade | None:
        if UNKNOWN_PART in name + cluster:
            return None
        matches = (made for made in reversed(self.made) if made.kind == kind and made.name == name)
        return next((made for made in matches if made.cluster == cluster), None)

    def _new(self, use: "_Use", kind: str, name: ScriptWord, cluster: str) -> GcloudMade:
        command = use.command
        address = "/".join(filter(None, (cluster, name.text))) or kind
        self.addresses[address] = again = self.addresses.get(address, 0) + 1
        made = GcloudMade(
            kind=kind,
            name=name.text,
            command=command,
            start=use.start,
            data={},
            address=address if again == 1 else f"{address} ({again})",
            cluster=cluster,
            flags=flags_by_property(command, kind),
            partial=bool(command.fact.changes),
            changed_only=bool(command.fact.changes),
        )
        if command.fact.changes and UNKNOWN_PART in name.text:  # it may change any that has an unknown name
            for other in self.made:
                other.partial = other.partial or (other.kind == kind and UNKNOWN_PART in other.name)
        place = Given("NAME", name.text, name.line, name.column, name.problem)
        made.is_alternative = again > 1
        made.set("name", UNKNOWN if made.is_alternative else known(name.text), place)
        self._place(made, use.arguments)
        for path, value in command.fact.fixed.items():
            made.set(path, value)
        self.made.append(made)
        return made

    def _place(self, made: GcloudMade, arguments: CommandArguments) -> None:
        """The project, location and cluster, also those of the configuration of gcloud."""
        project = arguments.last("--project")
        value = project.value if project else self.configured["project"]
        if UNKNOWN_PART in value:
            value = self.stand_ins["project"] or value
        if value:
            made.set("project", known(value), project)
        given = next((found for name in ("--location", "--zone", "--region") if (found := arguments.last(name))), None)
        key = "region" if made.kind == "workload policy" else "location"
        place = given.value if given else self.configured["location"]
        if UNKNOWN_PART in place:
            place = self.stand_ins["location"] or place
        made.set(key, known(place) if place else UNKNOWN, given)
        if made.kind == "node pool":
            is_known = made.cluster and not made.is_alternative
            made.set("cluster", known(made.cluster) if is_known else UNKNOWN, arguments.last("--cluster"))

    def _pool_of(
        self, command: GcloudUsage, target: GcloudMade, arguments: CommandArguments, start: ScriptWord
    ) -> GcloudMade | None:
        """The node pool that a command for a cluster is about as well."""
        if target.kind != "cluster":
            return target if target.kind == "node pool" else None
        if command.fact.makes:
            if not any(of == "node pool" for of, _ in command.flags.values()):
                return None
            name = arguments.value("--node-pool-name") or self.facts.default_pool
        else:
            given = arguments.last("--node-pool")
            uses = any(command.flags.get(item.option, ("", None))[0] == "node pool" for item in arguments.given)
            name = given.value if given else self.facts.default_pool if uses else ""
            if not name:
                return None
            found = self._find("node pool", name, target.name)
            if found is not None:
                found.flags |= flags_by_property(command, "node pool")
                return found
        word = ScriptWord(name, start.line, start.column)
        pool = self._new(_Use(command, arguments, start), "node pool", word, target.name)
        pool.partial = pool.partial or target.partial
        return pool

    # Options

    def _start_maintenance(self, made: GcloudMade, arguments: CommandArguments) -> None:
        """Take away the windows and exclusions that a command replaces or removes; others stay beside what it adds."""
        if arguments.has("--clear-maintenance-window") or any(map(arguments.last, _WINDOWS)):
            for path in _WINDOW_PATHS:
                made.drop(path)
        removed = arguments.last("--remove-maintenance-exclusion")
        exclusions = _list_at(made.data, _EXCLUSIONS)
        if removed is not None:
            for index in reversed(range(len(exclusions))):
                if exclusions[index].get("exclusionName") in (removed.value, UNKNOWN):
                    made.drop(f"{_EXCLUSIONS}.{index}")
        self.next_exclusion = len(exclusions)

    def _set(self, made: GcloudMade, fact: GcloudFlag, every: Sequence[Given]) -> None:
        to = fact.to.replace(f"{_EXCLUSIONS}.0", f"{_EXCLUSIONS}.{self.next_exclusion}")
        for given in every:
            if fact.kind == "file" and self._set_file(made, given):
                continue
            try:
                value = flag_value(fact, given.value or (UNKNOWN_PART if given.problem else ""), self.facts)
            except BadValueError as error:
                message = f"`{given.option}` takes {error}, not `{printable(given.value, 60)}`"
                self._reject(message, given)
                made.set(to, UNKNOWN, given)
                continue
            if value is None:
                continue
            if fact.kind == "limit":
                self._limit(made, fact, value, given)
            elif fact.kind == "items":
                made.set(f"{to}.{len(_list_at(made.data, to))}", value, given)
            else:
                made.set(to, value, given)

    def _set_file(self, made: GcloudMade, given: Given) -> bool:
        """Set what a file of auto-provisioning states; whether it is there."""
        content = data_in(self.file_named(given.value))
        if not isinstance(content, dict):
            return False
        for key, value in content.items():
            steps = _AUTOPROVISIONING.get(key)
            if steps is not None:
                made.set(f"clusterAutoscaling.{steps}", value, given)
        return True

    def _limit(self, made: GcloudMade, fact: GcloudFlag, value: Any, given: Given) -> None:
        if value is UNKNOWN:
            made.set(fact.to, UNKNOWN, given)
            return
        limits = _list_at(made.data, fact.to)
        for index, limit in enumerate(limits):
            if isinstance(limit, dict) and limit.get("resourceType") == value["resourceType"]:
                limits[index] = {**limit, **value}
                made.placed[f"{fact.to}.{index}"] = given
                return
        made.set(f"{fact.to}.{len(limits)}", value, given)

    def _reject_unknown(self, command: GcloudUsage, arguments: CommandArguments) -> None:
        for word in arguments.unknown:
            name = word.text.partition("=")[0]
            if UNKNOWN_PART in name or name == "--":
                continue
            self._reject(
                f"gcloud {command.name} has no flag `{printable(name, 60)}`",
                word,
                (word.meant,) if word.meant else (),
                f"{word.meant}{word.text[len(name) :]}" if word.meant else "",
            )

    def _require(self, command: GcloudUsage, arguments: CommandArguments, start: ScriptWord, *, partial: bool) -> None:
        """What gcloud itself checks of a command."""
        if partial:
            return
        if command.fact.makes == "node pool" and not arguments.last("--cluster") and not self.configured["cluster"]:
            self._reject(f"gcloud {command.name} needs `--cluster`", start, fix="--cluster=CLUSTER")
        affinity, reservation = arguments.last("--reservation-affinity"), arguments.last("--reservation")
        if reservation and (affinity is None or (not affinity.problem and affinity.value != "specific")):
            self._reject(
                "`--reservation` needs `--reservation-affinity=specific`",
                reservation,
                fix="--reservation-affinity=specific",
            )
        if affinity and affinity.value == "specific" and reservation is None:
            self._reject("`--reservation-affinity=specific` needs `--reservation`", affinity, fix="--reservation=NAME")
        self._refuse_together(command, arguments)
        for given in arguments.given:
            if given.problem == NO_VALUE:
                self._reject(f"`{given.option}` has no value", given)

    def _refuse_together(self, command: GcloudUsage, arguments: CommandArguments) -> None:
        """Flags of which gcloud takes one."""
        for flags in command.exclusive:
            given = {item.option: item for item in arguments.given if item.option in flags and item.value != "false"}
            if len(given) > 1:
                *_, first, second = sorted(given.values(), key=lambda item: (item.line, item.column))
                self._reject(f"`{second.option}` cannot be used with `{first.option}`", second)

    def _reject(self, message: str, at: Given | ScriptWord | Any, allowed: tuple[str, ...] = (), fix: str = "") -> None:
        position = position_of(self.file, self.lines, at.line, at.column)
        self.rejected.setdefault((at.line, at.column, message), Rejected(message, position, allowed, fix))

    # The resources

    def _resource(self, made: GcloudMade) -> RawResource:
        if made.kind == "node pool":
            set_defaults(made, self.facts)
        data = PartlyKnown.of(made.data) if made.partial else made.data
        project = text(data.get("project"))
        action = Action(("update",) if made.changed_only else ("create",))
        locate = locator(made, self.file, self.lines)
        return RawResource(
            type=TYPES[made.kind],
            name=made.name,
            values=Values(data),
            origin=Origin(SourceFormat.GCLOUD_SCRIPT, self.file, made.address, locate),
            project=project,
            action=action,
            spelling=spelling_of(made),
        )


def _further(command: GcloudUsage, word: ScriptWord, target: GcloudMade, start: ScriptWord) -> GcloudOption:
    given = Given("further flags", word.text, word.line, word.column, word.problem)
    return GcloudOption(f"gcloud {command.name}", given, None, target.address, start)


def _list_at(data: dict[str, Any], path: str) -> list[Any]:
    return items(value_at(data, tuple(path.split("."))))

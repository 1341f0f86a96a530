"""What workloads of every tool have in common: the cluster and the slices that they run on, and their priority."""

import itertools
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.shell import UNKNOWN_PART
from pulumi_gke_tpu.core.text.shell.arguments import Given
from pulumi_gke_tpu.core.text.shell.expansion import BY_COMMAND
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading, Path, SliceType, whole_number

GROUP = "np"


def first_zone(created: Mapping[str, Any]) -> str:
    """The zone of the first slice group of a cluster; empty if it has none."""
    return next((str(keys.get("zone", "")) for keys in created.get("slices", {}).values()), "")


class JobReading(CommandReading):
    """One command that starts a workload."""

    cluster: str
    workload: str

    def job_name(self, option: str) -> str:
        """The name of the workload; empty with a problem.

        Scripts add the output of a command, such as the date, so that each run has a name of its own. The workload of
        the plan has what is the same in every run.
        """
        given = self.arguments.last(option)
        parts = given.value.split(UNKNOWN_PART) if given is not None and given.problem == BY_COMMAND else ()
        name = "-".join(filter(None, (part.strip("-") for part in parts)))
        return name or self.text(option, "name of the workload")

    def name_job(self, name: str, cluster: str) -> None:
        """Choose the key of the workload: the name, with a number if an earlier command has it with other options."""
        given = [(item.option, item.value) for item in self.each()]
        keys = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        self.cluster = cluster
        self.workload = next(key for key in keys if self.draft.jobs.setdefault((cluster, key), given) == given)
        self.is_renamed = self.workload != name

    def name_row(self, given: Given) -> None:
        """The option with the name becomes the key of the workload."""
        reasons = {
            "the name without the output of a command": bool(given.problem),
            "an earlier command has a workload of this name": self.is_renamed,
        }
        self.job_row(given, (), "; ".join(reason for reason, applies in reasons.items() if applies))

    def path(self, path: Path) -> tuple[str, ...]:
        """The path of a key of the workload, below the cluster."""
        below = path.split(".") if isinstance(path, str) else path
        return ("kubernetes", "workloads", self.workload, *below)

    def set(self, path: Path, value: Any) -> None:
        """Set a key of the workload."""
        self.draft.put(self.cluster, self.path(path), value)

    def job_key(self, given: Given, path: Path, value: Any, reason: str = "") -> None:
        """An option that becomes a key of the workload."""
        self.key(given, self.cluster, self.path(path), value, reason)

    def job_row(self, given: Given, path: Path, reason: str = "") -> None:
        """An option that is part of a key of the workload."""
        self.row(given, "key", key=".".join(("clusters", self.cluster, *self.path(path))), reason=reason)

    def place(self, location: str, project: str) -> None:
        """Make sure that the plan has the cluster. One that no command creates exists already."""
        if self.cluster in self.draft.clusters:
            return
        self.draft.put(self.cluster, "existing", f"projects/{project}/locations/{location}/clusters/{self.cluster}")
        self.draft.put(self.cluster, "mode", "standard")
        self.implied(
            "(cluster)",
            printable(self.cluster),
            "key",
            key=f"clusters.{self.cluster}.existing",
            reason="no command creates the cluster, so the plan uses it as an existing one",
        )

    def group(self, kind: SliceType, zone: str, count: int, capacity: Any) -> str:
        """The group of slices for the workload; in a cluster of others, one is added."""
        found = self.draft.group_of(self.cluster, kind)
        groups = self.draft.clusters[self.cluster].get("slices", {})
        if found is not None:
            if "slicing" in groups[found]:
                self.set("topology", kind.topology)
            return found
        name = next(name for name in (GROUP, *(f"{GROUP}-{index}" for index in range(2, 1000))) if name not in groups)
        keys = kind.keys | {"zone": zone}
        if count > 1:
            keys["count"] = count
        if capacity:
            keys["capacity"] = capacity
        self.draft.put(self.cluster, f"slices.{name}", keys)
        self.implied(
            "(slices)",
            f"{kind.generation} {kind.topology}",
            "key",
            key=f"clusters.{self.cluster}.slices.{name}",
            reason="no command creates slices of this type, so the plan does",
        )
        return name

    def queue(self, name: str) -> None:
        """Put the workload into a queue that holds every slice of the cluster."""
        self.set("queue", name)
        chips = {key: self.draft.chips_of(group) for key, group in self.draft.clusters[self.cluster]["slices"].items()}
        self.draft.put(self.cluster, ("kubernetes", "queues", name), {"chips": chips})

    def priority(self, given: Given) -> None:
        """A priority class, with the value that the tools give it."""
        values = self.draft.catalog.other_tools.priority_classes.values
        if given.value in values:
            self.draft.put(self.cluster, f"kubernetes.priority_classes.{given.value}", {"value": values[given.value]})
            self.job_key(given, "priority", given.value)
        else:
            reason = "the plan has no value for this priority class; add it to priority_classes"
            self.row(given, "left out", reason=reason)

    def environment(self, option: str) -> None:
        """Each --env NAME=VALUE."""
        for given in self.all_of(option):
            if not self.known(given):
                continue
            name, equals, value = given.value.partition("=")
            if equals:
                self.set(("env", name), value)
                shown = Given(option, name, given.line, given.column)
                self.job_row(shown, f"env.{name}")
            else:
                self.row(given, "left out", reason="its value is in the environment of your shell; add it to `env`")

    def seconds(self, given: Given) -> str | None:
        """A duration of seconds; None with a problem."""
        number = whole_number(given.value)
        if number is None:
            self.problem(f"the value of `{given.option}` is not a whole number", given)
        return None if number is None else f"{number}s"

"""What a snapshot of a fleet reads, and the permissions that this needs."""

from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Fact, Record

_LISTS = {"list", "list-errors", "get-iam-policy"}
"""The words of commands whose answer is a list."""


class GcloudRead(Fact):
    """A command of gcloud that only reads. Parts such as ``{cluster}`` stand for names of the plan."""

    title: str
    of: Literal["cluster", "project", "quota", "reservation", "block"]
    """What it reads once for each."""
    command: tuple[str, ...]
    fields: tuple[str, ...] = ()
    """The fields of the answer that are written; without any, the whole answer."""
    properties: str = ""
    """The type of resource whose settable properties are written too."""
    left_out: tuple[str, ...] = ()
    """Those of these properties that are never written."""
    permissions: tuple[str, ...]

    @property
    def is_list(self) -> bool:
        """Whether the answer is a list."""
        return not _LISTS.isdisjoint(self.command)


class ListedFields(Record):
    """The fields of the entries of a list."""

    texts: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class KubectlRead(Fact):
    """A kind of objects that kubectl lists, and the fields that are written."""

    texts: tuple[str, ...] = ()
    """Fields with words of controllers, names and times, which need no escapes in JSON."""
    values: tuple[str, ...] = ()
    """Fields with mappings, lists, numbers and truth values."""
    lists: dict[str, ListedFields] = field(default_factory=dict)
    whole: bool = False
    """Whether the objects are written as they are."""
    permission: str


class Reads(Record):
    """Everything that a snapshot reads."""

    gcloud: dict[str, GcloudRead]
    kubectl: dict[str, KubectlRead]

    def of_file(self, name: str) -> tuple[str, str] | None:
        """The read that fills a file of a snapshot, and the cluster or the project that it is about."""
        ending = ".jsonl" if name.endswith(".jsonl") else ".json"
        for read in self.kubectl if ending == ".jsonl" else self.gcloud:
            start = f"{read.partition('.')[0]}-"
            if name.startswith(start) and name.endswith(ending) and len(name) > len(start + ending):
                return read, name.removeprefix(start).removesuffix(ending)
        return None

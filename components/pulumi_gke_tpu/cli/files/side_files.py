"""The files of one side of a comparison, on disk or in a revision, with size limits."""

import os
import pathlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

import click

from pulumi_gke_tpu.cli.files.plan_files import ENDINGS, has_plan_name, holds_plan, largest, read_input
from pulumi_gke_tpu.cli.files.revisions import Closed, Repository, RevisionError
from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.core.text.findings import printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST, UnreadableError, read_bytes, too_large
from pulumi_gke_tpu.core.workflows.check import STORED_ENDING, PlanFile

MOST_PLANS = 1_000
"""The maximum number of plans of a side."""
LARGEST_PLANS = 50_000_000
"""The maximum size in bytes of all plans of a side."""
LARGEST_SEARCHED = 500_000_000
"""The maximum size in bytes of all YAML files of a side that are searched for plans."""

_HIDDEN = lazy_pattern(r"(?:.*/)?\.", re.DOTALL)


class SideFiles(Protocol):
    """The files of a side that can be plans. The key of a file is its path below the side, empty for a single file."""

    @property
    def names(self) -> Mapping[str, str]:
        """Key -> name of the file."""

    @property
    def closed(self) -> Mapping[str, Closed]:
        """Symbolic links and submodules, by name."""

    @property
    def is_folder(self) -> bool | None:
        """Whether the side is a folder; None if it does not exist."""

    def named(self, key: str) -> str:
        """The name, with slashes, that the file of a key has or would have on this side."""

    def holding_plans(self, keys: Collection[str]) -> Iterator[str]:
        """The keys whose files contain plans."""

    def read(self, keys: Collection[str]) -> Iterator[tuple[str, PlanFile]]:
        """The files of some keys."""


class DiskFiles:
    """A file, or every YAML file below a folder, without hidden folders and files; nothing if the path is deleted."""

    def __init__(self, path: pathlib.Path, *, deleted: bool = False) -> None:
        self._path = path
        self.is_folder: bool | None = None if deleted else path.is_dir()
        self.names: dict[str, str] = {}
        self.closed: dict[str, Closed] = {}
        if deleted:
            return
        if not self.is_folder:
            self.names[""] = str(path)
            return
        for place, folders, files in os.walk(path, onerror=_refuse):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in folders:
                folder = pathlib.Path(place, name)
                if folder.is_symlink():
                    self.closed[folder.as_posix()] = Closed("symbolic link", os.fsencode(os.readlink(folder)))
            for name in sorted(files):
                if name.endswith(ENDINGS) and not name.startswith("."):
                    file = pathlib.Path(place, name)
                    self.names[file.relative_to(path).as_posix()] = str(file)

    def named(self, key: str) -> str:
        """Give the path of the file, with slashes, whether it exists or not."""
        return (self._path / key).as_posix()

    def holding_plans(self, keys: Collection[str]) -> Iterator[str]:
        """Give the keys whose files hold plans."""
        searched = _Sum(LARGEST_SEARCHED, f"YAML files below {printable_path(self._path)}")
        for key in keys:
            try:
                content = read_bytes(self._path / key)
            except UnreadableError:
                continue
            searched.add(len(content))
            if holds_plan(content):
                yield key

    def read(self, keys: Collection[str]) -> Iterator[tuple[str, PlanFile]]:
        """Read the files of some keys."""
        together = _Sum(LARGEST_PLANS, f"plans below {printable_path(self._path)}")
        for key in keys:
            path = self._path / key
            try:
                content = read_bytes(path, largest(path.name))
            except UnreadableError as error:
                if path.name.endswith(STORED_ENDING) or not os.path.lexists(path):
                    raise click.UsageError(f"cannot read {printable_path(path)}: {error}") from None
                yield key, PlanFile(str(path), os.fsencode(path), str(error))
                continue
            if self.is_folder:
                together.add(len(content))
            yield key, PlanFile(str(path), content)


class StreamFiles:
    """The one plan that standard input has."""

    is_folder: bool | None = False

    def __init__(self) -> None:
        content = read_input(STDIN, LARGEST + 1)
        self._plan = PlanFile(STDIN_NAME, content, too_large() if len(content) > LARGEST else "")
        self.names = {"": STDIN_NAME}
        self.closed: dict[str, Closed] = {}

    def named(self, key: str) -> str:
        """Give the name of standard input, which has no other files."""
        return key or STDIN_NAME

    def holding_plans(self, keys: Collection[str]) -> Iterator[str]:
        """Give all keys: what is not a plan is an error."""
        return iter(keys)

    def read(self, keys: Collection[str]) -> Iterator[tuple[str, PlanFile]]:
        """Give the plan."""
        return ((key, self._plan) for key in keys)


class RevisionFiles:
    """The files of a commit below some paths; keys are paths relative to ``below``, which can also be a file."""

    def __init__(
        self, repository: Repository, commit: str, paths: Sequence[str], below: str, *, hidden: bool = True
    ) -> None:
        tree = repository.tree(commit, paths, ENDINGS)
        single = below in tree.files or below in tree.closed
        start = len(below) + 1 if below else 0
        keys = ((path[start:], path) for path in tree.files)
        self._repository, self._commit, self._below, self._ids = repository, commit, below, tree.files
        self.is_folder = None if tree.empty else not single
        self.names = {key: path for key, path in keys if hidden or not _HIDDEN.match(key)}
        self.closed = tree.closed

    def named(self, key: str) -> str:
        """Give the path of the file, with slashes, whether it exists or not."""
        return f"{self._below}/{key}" if self._below and key else self._below or key

    def holding_plans(self, keys: Collection[str]) -> Iterator[str]:
        """Give the keys whose files hold plans."""
        named = [(key, self._ids[self.names[key]]) for key in keys]
        sizes = self._repository.sizes(sorted({id_ for _, id_ in named}))
        small = [id_ for id_, size in sizes.items() if size <= LARGEST]
        searched = _Sum(LARGEST_SEARCHED, f"YAML files in {self._commit[:12]}")
        for id_ in small:
            searched.add(sizes[id_])
        plans = {id_ for id_, content in self._repository.contents(small) if holds_plan(content)}
        return (key for key, id_ in named if id_ in plans)

    def read(self, keys: Collection[str]) -> Iterator[tuple[str, PlanFile]]:
        """Read the files of some keys."""
        ids = {key: self._ids[self.names[key]] for key in keys}
        sizes = self._repository.sizes(sorted(set(ids.values())))
        small = {key for key, id_ in ids.items() if sizes[id_] <= largest(self.names[key])}
        together = _Sum(LARGEST_PLANS, f"plans in {self._commit[:12]}")
        for key in small if self.is_folder else ():
            together.add(sizes[ids[key]])
        contents = dict(self._repository.contents(sorted({ids[key] for key in small})))
        for key, id_ in ids.items():
            name = self.names[key]
            if key in small:
                yield key, PlanFile(name, contents[id_])
            elif name.endswith(STORED_ENDING):
                raise RevisionError(f"{printable_path(name)} in {self._commit[:12]}: {too_large(largest(name))}")
            else:
                yield key, PlanFile(name, id_.encode(), too_large())


def plan_keys(files: SideFiles, shown: str) -> set[str]:
    """The keys of the plans of a side, including symbolic links of a revision with the name of a plan.

    ``shown`` is the name of the side in messages.

    Raises:
        click.UsageError: there are more than ``MOST_PLANS``.
    """
    found: set[str] = set()
    for key in _plan_keys(files):
        found.add(key)
        if len(found) > MOST_PLANS:
            raise click.UsageError(
                f"{shown} exceeds the limit of {MOST_PLANS:,} plans; name a folder with fewer plans."
            )
    return found


def _plan_keys(files: SideFiles) -> Iterator[str]:
    by_name = {key for key, name in files.names.items() if not files.is_folder or has_plan_name(name)}
    yield from by_name
    whole, start = files.named(""), len(files.named("x")) - 1
    yield from (name[start:] for name in files.closed if name == whole or has_plan_name(name))
    yield from files.holding_plans([key for key in files.names if key not in by_name])


def _refuse(error: OSError) -> None:
    raise error


class _Sum:
    """A sum of sizes with a limit."""

    def __init__(self, limit: int, files: str) -> None:
        self._limit, self._files, self._total = limit, files, 0

    def add(self, size: int) -> None:
        """Add a size.

        Raises:
            click.UsageError: the sum exceeds the limit.
        """
        self._total += size
        if self._total > self._limit:
            raise click.UsageError(
                f"The {self._files} exceed the limit of {self._limit // 1_000_000} MB; name a smaller folder."
            )

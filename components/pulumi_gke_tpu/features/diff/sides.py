"""The two sides of a comparison: files, folders or revisions, the plans in them, and previews of the engine."""

import dataclasses
import os
import pathlib
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.files.plan_files import WHAT_IS_A_PLAN, read_file, read_input
from pulumi_gke_tpu.cli.files.revisions import (
    NoGitError,
    NoRepositoryError,
    Repository,
    RevisionError,
    folders_of,
    is_revision,
)
from pulumi_gke_tpu.cli.files.side_files import DiskFiles, RevisionFiles, SideFiles, StreamFiles, plan_keys
from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import listed, number, printable, printable_path, quoted
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.workflows.check import PlanFile

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.resources.model import Resources
    from pulumi_gke_tpu.core.resources.read import ResourceReader
    from pulumi_gke_tpu.features.diff.engine.events import EngineRun

_RANGE = lazy_pattern(r"(?P<base>[^:]*?)(?<![/\\])(?P<dots>\.{2,3})(?P<head>[^.:/\\][^:]*)?\Z", re.DOTALL)
_SHOWN = 3
_PATH = lazy_pattern(r"\.{0,2}[/\\]")


@frozen
class Side:
    """The name of a side and its files by key. Files of both sides with the same key are compared."""

    name: str
    files: Mapping[str, PlanFile]


@frozen
class Sides:
    """Both sides, and the source of facts and inventory."""

    base: Side
    head: Side
    skipped: tuple[str, ...]
    """YAML files that are not plans."""
    notes: tuple[str, ...] = ()
    """Notes about the sides for the report."""
    facts: "_Wanted | None" = None
    """The base, if it is a revision."""
    proposed: "_Wanted | None" = None
    """The head, if the base is a revision."""

    def fact_file(self, path: str) -> PlanFile:
        """Read a file of facts or an inventory; if the base is a revision, from the base.

        Otherwise a change could bring its own facts. ``REVISION:PATH`` selects another revision. A path outside of the
        repository is read from disk.

        Raises:
            click.ClickException: the file does not exist.
            OSError: the file cannot be read.
        """
        if self.facts is None or self.facts.repository is None:
            return PlanFile(path, read_file(pathlib.Path(path)))
        return self._of_revision(path, self.facts.repository, self.facts.commit)

    def proposed_file(self, path: str) -> PlanFile | None:
        """The same file after the change; None if the change cannot contain another one.

        Raises:
            click.ClickException: the file does not exist after the change.
            OSError: the file cannot be read.
        """
        head = self.proposed
        if self.facts is None or self.facts.repository is None or head is None or ":" in path:
            return None
        try:
            self.facts.repository.inside(path)
        except RevisionError:
            return None
        if head.repository is None:
            return PlanFile(path, read_file(pathlib.Path(path)))
        return self._of_revision(path, head.repository, head.commit)

    @staticmethod
    def _of_revision(path: str, repository: Repository, commit: str) -> PlanFile:
        revision, colon, inside = path.partition(":")
        if colon:
            commit, inside = repository.commit(revision), _from_root(repository, inside)
        else:
            try:
                inside = repository.inside(path)
            except RevisionError:
                return PlanFile(path, read_file(pathlib.Path(path)))
        files = RevisionFiles(repository, commit, [inside], inside)
        if files.is_folder is not False or "" not in files.names:
            raise RevisionError(
                f"{printable_path(path)} is not in the base {commit[:12]}, where gke-tpu reads facts and the "
                f"inventory; use HEAD:{printable_path(inside)} for the file of this change"
            )
        ((_, file),) = files.read([""])
        if file.problem:
            raise RevisionError(f"cannot read {printable_path(path)} in {commit[:12]}: {file.problem}")
        return dataclasses.replace(file, name=path)


@frozen
class SideOptions:
    """The options that select sides."""

    base_rev: str | None
    """The base revision, even if a file has the same name."""
    head_rev: str | None
    """The head revision, even if a file has the same name."""
    merge_base: bool
    """Whether to compare from the merge base of both revisions."""


def sides_of(arguments: Sequence[str], asked: SideOptions) -> Sides:
    """The sides for the arguments and options of the command.

    Raises:
        click.ClickException: the arguments are invalid. The message contains the reason and a fix.
        OSError: a file cannot be read.
    """
    base, head, paths = _wanted(arguments, asked)
    if paths and not (base.whole and head.whole):
        raise click.UsageError("Paths after the two sides require two revisions, but one side is a path.")
    found = [_files(side, other, paths) for side, other in ((base, head), (head, base))]
    if {found[0].is_folder, found[1].is_folder} == {True, False}:
        raise click.UsageError(f"Cannot compare a folder with a file: {base.shown} and {head.shown}.")
    # A file that is a plan on one side counts as a plan on the other side too, even if it is damaged there.
    plans = plan_keys(found[0], base.shown) | plan_keys(found[1], head.shown)
    if not plans:
        raise click.UsageError(_no_plan(base, head, paths, found))
    sides = [Side(side.name, _read(files, plans)) for side, files in zip((base, head), found, strict=True)]
    skipped = {name for files in found for key, name in files.names.items() if key not in plans}
    notes = (*_odd(base, head), *(_not_followed(found[0], found[1]) if base.commit and head.commit else ()))
    return Sides(sides[0], sides[1], tuple(sorted(skipped)), notes, base if base.repository else None, head)


def only_facts(base_rev: str | None) -> Sides:
    """Nothing to compare, and the base revision as the source of facts, if one is given.

    Raises:
        click.ClickException: the revision does not exist.
    """
    nothing = Side("", {})
    return Sides(nothing, nothing, (), facts=None if base_rev is None else _revision(base_rev))


def _no_plan(base: "_Wanted", head: "_Wanted", paths: Sequence[str], found: Sequence[SideFiles]) -> str:
    where = f" below {', '.join(map(printable_path, paths))}" if paths else ""
    closed = {name: closed.kind for files in found for name, closed in files.closed.items()}
    followed = "".join(
        f" gke-tpu does not follow the {closed[name]} {printable_path(name)}." for name in sorted(closed)[:1]
    )
    return f"No plan in {base.shown} or {head.shown}{where}. {WHAT_IS_A_PLAN}{followed}"


def _odd(base: "_Wanted", head: "_Wanted") -> tuple[str, ...]:
    if base.commit and base.commit == head.commit and base.path == head.path:
        return (f"Both sides are the same commit, {base.commit[:12]}.",)
    return ()


def _not_followed(base: SideFiles, head: SideFiles) -> tuple[str, ...]:
    """A note about changed symbolic links and submodules, whose targets are not compared."""
    both = base.closed.keys() | head.closed.keys()
    changed = sorted(name for name in both if base.closed.get(name) != head.closed.get(name))
    if not changed:
        return ()
    shown = listed([printable_path(name) for name in changed], most=_SHOWN)
    return (f"Not compared: plans behind changed symbolic links and submodules: {shown}.",)


@frozen
class _Wanted:
    """A requested side: a path on disk, or a commit with an optional path in it."""

    name: str
    path: str | None
    repository: Repository | None = None
    commit: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is a revision without a path."""
        return self.path is None

    @property
    def is_stream(self) -> bool:
        """Whether it is standard input."""
        return self.repository is None and self.path == STDIN

    @property
    def shown(self) -> str:
        return printable_path(self.name)


def _wanted(arguments: Sequence[str], asked: SideOptions) -> tuple[_Wanted, _Wanted, Sequence[str]]:
    left = list(arguments)
    if asked.base_rev is None and asked.head_rev is None and left:
        spread = _spread(left[0])
        if spread:
            return (*_range(spread["base"], spread["head"] or "HEAD", spread["dots"]), left[1:])
    sides: list[_Wanted] = []
    for option, revision in (("--base-rev", asked.base_rev), ("--head-rev", asked.head_rev)):
        given = revision if revision is not None else left.pop(0) if left else None
        if given is None:
            raise click.UsageError("Missing side: use BASE HEAD (files, folders or revisions) or BASE...HEAD.")
        if not given:
            raise click.UsageError("Empty side: use a file, a folder or a revision. In CI, a variable may be empty.")
        if revision is not None:
            sides.append(_revision(given))
        elif sides and not _names_revision(given) and _is_deleted(given, sides[0]):
            sides.append(_Wanted(given, given))
        else:
            sides.append(_one(given, option))
    base, head = sides
    if asked.merge_base:
        if base.repository is None or head.repository is None:
            raise click.UsageError("--merge-base requires two revisions.")
        base = _from_merge_base(base, head)
    return base, head, left


def _spread(argument: str) -> re.Match[str] | None:
    """The parts of ``BASE...HEAD`` or ``BASE..HEAD``; None for other arguments.

    Raises:
        click.UsageError: the range has no base, or a file has the same name. If such a file had priority, the author
            of a change could replace the comparison with a folder.
    """
    spread = None if _is_path(argument) else _RANGE.match(argument)
    if spread is None:
        return None
    shown = printable_path(argument)
    if not spread["base"]:
        raise click.UsageError(
            f"{shown} has no base; use BASE...HEAD, such as main...HEAD. In CI, a variable may be empty."
        )
    if os.path.lexists(argument):
        base, head = printable(spread["base"]), printable(spread["head"] or "HEAD")
        merge_base = " --merge-base" if spread["dots"] == "..." else ""
        raise click.UsageError(
            f"{shown} is ambiguous: both a range of revisions and a path. Use "
            f"`--base-rev {base} --head-rev {head}{merge_base}` for the revisions, or `./{shown}` for the path."
        )
    return spread


def _is_path(argument: str) -> bool:
    """Whether an argument can only be a path, because git does not accept it as a revision."""
    return argument in (".", "..") or bool(_PATH.match(argument))


def _range(base: str, head: str, dots: str) -> tuple[_Wanted, _Wanted]:
    before, after = _revision(base), _revision(head)
    return (_from_merge_base(before, after) if dots == "..." else before), after


def _from_merge_base(base: _Wanted, head: _Wanted) -> _Wanted:
    assert base.repository is not None
    commit = base.repository.merge_base(base.commit, head.commit)
    return dataclasses.replace(base, name=f"{base.name} (merge base {commit[:12]})", commit=commit)


def _one(argument: str, option: str) -> _Wanted:
    """The side for an argument: an existing path, otherwise a revision. An argument that is both is an error."""
    if argument == STDIN:
        return _Wanted(STDIN_NAME, STDIN)
    if _is_path(argument):
        return _Wanted(argument, argument)
    if not os.path.lexists(argument):
        try:
            return _revision(argument)
        except (NoGitError, NoRepositoryError) as error:
            raise RevisionError(
                f"{printable_path(argument)}: no such file, and not a revision: {error.message}"
            ) from None
    if _names_revision(argument):
        shown = printable_path(argument)
        raise click.UsageError(
            f"{shown} is ambiguous: both a revision and a path. Use `{option} {shown}` for the revision, or "
            f"`./{shown}` for the path."
        )
    return _Wanted(argument, argument)


def _names_revision(argument: str) -> bool:
    return is_revision(pathlib.Path(), argument.partition(":")[0])


def _is_deleted(path: str, other: _Wanted) -> bool:
    """Whether a path does not exist on disk, but the revision on the other side contains it."""
    if other.repository is None or os.path.lexists(path):
        return False
    try:
        inside = other.repository.inside(path)
    except RevisionError:
        return False
    return RevisionFiles(other.repository, other.commit, [inside], inside).is_folder is not None


def _revision(argument: str) -> _Wanted:
    """``REVISION`` or ``REVISION:PATH``."""
    repository = Repository.around(pathlib.Path())
    revision, colon, path = argument.partition(":")
    inside = _from_root(repository, path) if colon else None
    return _Wanted(argument, inside, repository, repository.commit(revision))


def _from_root(repository: Repository, path: str) -> str:
    """The path after a colon: relative to the root, as in git, or relative to the current folder with ``./``."""
    if path.startswith(("./", "../")):
        return repository.inside(path)
    found = posixpath.normpath(path or ".").lstrip("/")
    return "" if found == "." else found


def _files(side: _Wanted, other: _Wanted, paths: Sequence[str]) -> SideFiles:
    """The files of a side. ``paths`` or a path on the other side limit a revision to these paths."""
    repository = side.repository
    if repository is None:
        assert side.path is not None
        if side.is_stream:
            return StreamFiles()
        return DiskFiles(pathlib.Path(side.path), deleted=_is_deleted(side.path, other))
    if side.path is None and other.path is None:
        return RevisionFiles(repository, side.commit, [repository.inside(path) for path in paths], "")
    if side.path is not None:
        below = side.path
    elif other.is_stream:
        raise click.UsageError(f"Standard input is one plan: name the file in the revision, {side.shown}:PATH.")
    else:
        assert other.path is not None
        below = repository.inside(other.path) if other.repository is None else other.path
    files = RevisionFiles(repository, side.commit, [below], below, hidden=other.repository is not None)
    if side.path is not None and files.is_folder is None and not files.closed:
        raise RevisionError(f"{printable_path(side.path or side.name)} is not in the revision {side.shown}")
    return files


def _read(files: SideFiles, plans: Collection[str]) -> Mapping[str, PlanFile]:
    """Read the plans of a side, including files that only the other side identifies as plans."""
    found = dict(files.read([key for key in files.names if key in plans]))
    for key in sorted(plans - found.keys()) if files.closed else ():
        name = files.named(key)
        above = next((place for place in (name, *folders_of(name)) if place in files.closed), None)
        if above is not None:
            closed = files.closed[above]
            path = "the file" if above == name else quoted(above)
            problem = f"{path} is a {closed.kind}, and gke-tpu does not follow {closed.kind}s"
            found[key] = PlanFile(name, closed.content, problem)
    return found


_LARGEST_PLAN = 256_000_000
"""Bytes of the largest plan file of Terraform."""
_HOW = "use the output of `terraform show -json PLAN`, where PLAN is a file of `terraform plan -out PLAN`"


def read_terraform_plans(paths: tuple[str, ...], catalog: "Catalog") -> "Mapping[str, Resources]":
    """Read plan files of Terraform by their names; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read, or is not a plan of Terraform.
    """
    from pulumi_gke_tpu.core.resources.read import ResourceReader

    if len(set(paths)) < len(paths):
        raise click.UsageError("--terraform: duplicate file")
    reader = ResourceReader(catalog)
    return {path: _terraform_plan(path, reader) for path in paths}


def _terraform_plan(path: str, reader: "ResourceReader") -> "Resources":
    name = "standard input" if path == STDIN else printable_path(path)
    content = read_input(path, _LARGEST_PLAN + 1)
    if len(content) > _LARGEST_PLAN:
        raise click.UsageError(f"--terraform {name}: larger than {number(_LARGEST_PLAN, 'byte')}")
    try:
        found = reader.read(path, content)
    except JsonError as error:
        raise click.UsageError(f"--terraform {name}: {error}; {_HOW}") from None
    if found is None or found.plan is None:
        sources = found.found[:1] if found is not None else ()
        what = f"a {sources[0].origin.source.value}, not a plan" if sources else "not a plan"
        raise click.UsageError(f"--terraform {name}: it is {what} of Terraform; {_HOW}")
    return found


def read_runs(paths: tuple[str, ...]) -> "tuple[EngineRun, ...]":
    """Read one preview from each file; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read or does not contain a preview.
    """
    if not paths:
        return ()
    from pulumi_gke_tpu.features.diff.engine.events import LARGEST, read_engine_events
    from pulumi_gke_tpu.features.diff.engine.json import EventsError

    if len(set(paths)) < len(paths):
        raise click.UsageError("--engine-events: duplicate file")
    runs = []
    for path in paths:
        try:
            runs.append(read_engine_events(read_input(path, LARGEST + 1)))
        except click.UsageError as error:
            raise click.UsageError(f"--engine-events: {error.message}") from None
        except EventsError as error:
            raise click.UsageError(f"--engine-events {printable_path(path)}: {error}") from None
    return tuple(runs)

"""What the two sides of a comparison are: files, folders, or revisions of a repository; and which plans they hold."""

import dataclasses
import os
import pathlib
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import click

from pulumi_gke_tpu.cli.files.git import NoGitError, RevisionError
from pulumi_gke_tpu.cli.files.plan_files import is_called_plan, read_file
from pulumi_gke_tpu.cli.files.revisions import NoRepositoryError, Repository, folders_of, is_revision
from pulumi_gke_tpu.cli.files.side_files import MOST_PLANS, DiskFiles, Files, RevisionFiles
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.render.change.words import listed
from pulumi_gke_tpu.workflows.plan_file import PlanFile

_RANGE = re.compile(r"(?P<base>[^:]*?)(?<![/\\])(?P<dots>\.{2,3})(?P<head>[^.:/\\][^:]*)?\Z", re.DOTALL)
_SHOWN = 3
_PATH = re.compile(r"\.{0,2}[/\\]")


@dataclass(frozen=True, slots=True)
class Side:
    """One side: how it is called, and its files by a key. Files of both sides with the same key belong together."""

    name: str
    files: Mapping[str, PlanFile]


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides, and from where facts and owned capacity are read."""

    base: Side
    head: Side
    skipped: tuple[str, ...]
    """YAML files that are no plans."""
    notes: tuple[str, ...] = ()
    """What is odd about the sides."""
    facts: "_Wanted | None" = None
    """The base, where it is a revision."""

    def fact_file(self, path: str) -> PlanFile:
        """A file of facts or of owned capacity, from the base where that is a revision.

        A change could otherwise bring along what it is judged by. ``REVISION:PATH`` asks for another revision, and a
        path outside of the repository is read from disk.

        Raises:
            click.ClickException: there is no such file.
            OSError: it cannot be read.
        """
        if self.facts is None or self.facts.repository is None:
            return PlanFile(path, read_file(pathlib.Path(path)))
        repository, commit = self.facts.repository, self.facts.commit
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
                f"{printable(path)} is not in {commit[:12]}; facts and owned capacity are read from the base, so that "
                f"no change brings its own; write HEAD:{printable(inside)} to take those of this change"
            )
        ((_, file),) = files.read([""])
        if file.problem:
            raise RevisionError(f"{printable(path)} in {commit[:12]} cannot be read: {file.problem}")
        return dataclasses.replace(file, name=path)


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that name sides."""

    base_rev: str | None = None
    """A revision for the base, whatever files have its name."""
    head_rev: str | None = None
    """A revision for the head, whatever files have its name."""
    merge_base: bool = False
    """Whether the base is the merge base of both revisions."""


def sides_of(arguments: Sequence[str], asked: Asked = Asked()) -> Sides:
    """The sides that the command's arguments and options mean.

    Raises:
        click.ClickException: they mean none. The message says why and what to write.
        OSError: a file cannot be read.
    """
    base, head, paths = _wanted(arguments, asked)
    if paths and not (base.whole and head.whole):
        raise click.UsageError("Paths after the two sides narrow revisions down; here a side is a path itself.")
    found = [_files(side, other, paths) for side, other in ((base, head), (head, base))]
    if {found[0].is_folder, found[1].is_folder} == {True, False}:
        raise click.UsageError(f"{base.shown} and {head.shown}: one is a folder, the other a file; give two of a kind.")
    # What is a plan on one side is one on the other, also when it can no longer be known for one.
    plans = _plans(found[0], base) | _plans(found[1], head)
    if not plans:
        raise click.UsageError(_no_plan(base, head, paths, found))
    sides = [Side(side.name, _read(files, plans)) for side, files in zip((base, head), found, strict=True)]
    skipped = {name for files in found for key, name in files.names.items() if key not in plans}
    notes = (*_odd(base, head), *(_not_followed(found[0], found[1]) if base.commit and head.commit else ()))
    return Sides(sides[0], sides[1], tuple(sorted(skipped)), notes, base if base.repository else None)


def _no_plan(base: "_Wanted", head: "_Wanted", paths: Sequence[str], found: Sequence[Files]) -> str:
    where = f" below {', '.join(map(printable, paths))}" if paths else ""
    closed = {name: closed.kind for files in found for name, closed in files.closed.items()}
    followed = "".join(f" {printable(name)} is a {closed[name]}, which is not followed." for name in sorted(closed)[:1])
    return (
        f"There is no plan in {base.shown} or {head.shown}{where}: a file called plan.yaml, or "
        f"a YAML file with the keys version and clusters.{followed}"
    )


def _odd(base: "_Wanted", head: "_Wanted") -> tuple[str, ...]:
    if base.commit and base.commit == head.commit and base.path == head.path:
        return (f"Both sides are the commit {base.commit[:12]}.",)
    return ()


def _not_followed(base: Files, head: Files) -> tuple[str, ...]:
    """Links and submodules that the change touches: what they lead to is not compared."""
    both = base.closed.keys() | head.closed.keys()
    changed = sorted(name for name in both if base.closed.get(name) != head.closed.get(name))
    if not changed:
        return ()
    shown = listed([printable(name) for name in changed], _SHOWN)
    return (f"Changed symbolic links and submodules are not followed, so their plans are not compared: {shown}.",)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A side as it is asked for: a path on disk, or a commit with the path in it, if one is given."""

    name: str
    path: str | None
    repository: Repository | None = None
    commit: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is a revision without a path."""
        return self.path is None

    @property
    def shown(self) -> str:
        return printable(self.name)


def _wanted(arguments: Sequence[str], asked: Asked) -> tuple[_Wanted, _Wanted, Sequence[str]]:
    left = list(arguments)
    if asked.base_rev is None and asked.head_rev is None and left:
        spread = _spread(left[0])
        if spread:
            return (*_range(spread["base"], spread["head"] or "HEAD", spread["dots"]), left[1:])
    sides: list[_Wanted] = []
    for option, revision in (("--base-rev", asked.base_rev), ("--head-rev", asked.head_rev)):
        given = revision if revision is not None else left.pop(0) if left else None
        if given is None:
            raise click.UsageError("Two sides are needed: BASE HEAD (files, folders or revisions), or BASE...HEAD.")
        if not given:
            raise click.UsageError(
                "A side is empty; write a file, a folder or a revision. In CI a variable may be empty."
            )
        sides.append(_one(given, option) if revision is None else _revision(given))
    base, head = sides
    if asked.merge_base:
        if base.repository is None or head.repository is None:
            raise click.UsageError("--merge-base needs a revision on both sides.")
        base = _from_merge_base(base, head)
    return base, head, left


def _spread(argument: str) -> re.Match[str] | None:
    """The parts of ``BASE...HEAD`` or ``BASE..HEAD``; None for any other argument.

    Raises:
        click.UsageError: it has no base, or is the path of a file as well. Whoever writes a change names its files:
            if these came first, a change could put a folder in the place of the comparison.
    """
    spread = None if _is_path(argument) else _RANGE.match(argument)
    if spread is None:
        return None
    shown = printable(argument)
    if not spread["base"]:
        raise click.UsageError(
            f"{shown} has no base; write BASE...HEAD, such as main...HEAD. In CI a variable may be empty."
        )
    if os.path.lexists(argument):
        base, head = printable(spread["base"]), printable(spread["head"] or "HEAD")
        merge_base = " --merge-base" if spread["dots"] == "..." else ""
        raise click.UsageError(
            f"{shown} is ambiguous: a path has the name of this range of revisions. Write "
            f"`--base-rev {base} --head-rev {head}{merge_base}` for the revisions, or `./{shown}` for the path."
        )
    return spread


def _is_path(argument: str) -> bool:
    """Whether an argument can be a path only, since git does not read it as a revision."""
    return argument in (".", "..") or bool(_PATH.match(argument))


def _range(base: str, head: str, dots: str) -> tuple[_Wanted, _Wanted]:
    before, after = _revision(base), _revision(head)
    return (_from_merge_base(before, after) if dots == "..." else before), after


def _from_merge_base(base: _Wanted, head: _Wanted) -> _Wanted:
    assert base.repository is not None
    commit = base.repository.merge_base(base.commit, head.commit)
    return dataclasses.replace(base, name=f"{base.name} (merge base {commit[:12]})", commit=commit)


def _one(argument: str, option: str) -> _Wanted:
    """The side that an argument means: a path that exists, or else a revision. What is both is refused."""
    if _is_path(argument):
        return _Wanted(argument, argument)
    if not os.path.lexists(argument):
        try:
            return _revision(argument)
        except (NoGitError, NoRepositoryError) as error:
            raise RevisionError(f"{printable(argument)}: no such file; and for a revision: {error.message}") from None
    if is_revision(pathlib.Path(), argument.partition(":")[0]):
        shown = printable(argument)
        raise click.UsageError(
            f"{shown} is ambiguous: both a revision and a path. Write `{option} {shown}` for the revision, or "
            f"`./{shown}` for the path."
        )
    return _Wanted(argument, argument)


def _revision(argument: str) -> _Wanted:
    """``REVISION`` or ``REVISION:PATH``."""
    repository = Repository.around(pathlib.Path())
    revision, colon, path = argument.partition(":")
    inside = _from_root(repository, path) if colon else None
    return _Wanted(argument, inside, repository, repository.commit(revision))


def _from_root(repository: Repository, path: str) -> str:
    """A path after a colon: from the root, as git has it, or from here with ``./`` in front."""
    if path.startswith(("./", "../")):
        return repository.inside(path)
    found = posixpath.normpath(path or ".").lstrip("/")
    return "" if found == "." else found


def _files(side: _Wanted, other: _Wanted, paths: Sequence[str]) -> Files:
    """The files of a side. ``paths`` narrow revisions down, and so does a path on the other side."""
    repository = side.repository
    if repository is None:
        assert side.path is not None
        return DiskFiles(pathlib.Path(side.path))
    if side.path is None and other.path is None:
        return RevisionFiles(repository, side.commit, [repository.inside(path) for path in paths], "")
    if side.path is not None:
        below = side.path
    else:
        assert other.path is not None
        below = repository.inside(other.path) if other.repository is None else other.path
    files = RevisionFiles(repository, side.commit, [below], below, hidden=other.repository is not None)
    if side.path is not None and files.is_folder is None and not files.closed:
        raise RevisionError(f"{printable(side.path or side.name)} is not in the revision {side.shown}")
    return files


def _plans(files: Files, side: _Wanted) -> set[str]:
    """The keys of a side's plans. A symbolic link of a revision is one by its name."""
    found: set[str] = set()
    for key in _plan_keys(files):
        found.add(key)
        if len(found) > MOST_PLANS:
            raise click.UsageError(
                f"{side.shown} has more than {MOST_PLANS:,} plans, the most that can be compared at once; name a "
                "folder with fewer."
            )
    return found


def _plan_keys(files: Files) -> Iterator[str]:
    by_name = {key for key, name in files.names.items() if not files.is_folder or is_called_plan(name)}
    yield from by_name
    whole, start = files.named(""), len(files.named("x")) - 1
    yield from (name[start:] for name in files.closed if name == whole or is_called_plan(name))
    yield from files.holding_plans([key for key in files.names if key not in by_name])


def _read(files: Files, plans: Collection[str]) -> Mapping[str, PlanFile]:
    """The plans of a side, also those that are known from the other side alone."""
    found = dict(files.read([key for key in files.names if key in plans]))
    for key in sorted(plans - found.keys()) if files.closed else ():
        name = files.named(key)
        above = next((place for place in (name, *folders_of(name)) if place in files.closed), None)
        if above is not None:
            closed = files.closed[above]
            what = "it" if above == name else f"`{printable(above)}`"
            problem = f"{what} is a {closed.kind}, and {closed.kind}s are not followed"
            found[key] = PlanFile(name, closed.content, problem)
    return found

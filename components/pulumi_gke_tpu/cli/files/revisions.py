"""Reads files of git revisions: never the work tree or the index, and nothing that a repository names is run."""

import itertools
import os
import pathlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from pulumi_gke_tpu.cli.files.git import LACKING, RevisionError, ask, conversation
from pulumi_gke_tpu.findings import printable

LARGEST_LISTING = 200_000_000
"""How many bytes the list of a revision's files may have: about two million files."""

_LONGEST_PATH = 100_000
_CHUNK = 1 << 16
_ASKED_AT_ONCE = 50
"""So few ids that they fit into a pipe, whatever its size is."""
_AMBIGUOUS = b" is ambiguous"
_FULL_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENTRY = re.compile(rb"(\d{6}) \w+ ([0-9a-f]{40,64})\t(.*)", re.DOTALL)
_CLOSED = {b"120000": "symbolic link", b"160000": "submodule"}
_DEEPER = "fetch more history: git fetch --unshallow, or in a GitHub workflow `fetch-depth: 0` for actions/checkout"


class NoRepositoryError(RevisionError):
    """There is no repository to read revisions from."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A path that is not looked into: a symbolic link or a submodule."""

    kind: str
    content: bytes
    """What it points to, in some form: two links of the same content are the same."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What a revision holds below some paths; all paths are from the root."""

    files: Mapping[str, str]
    """The id of each file's content."""
    closed: Mapping[str, Closed]
    empty: bool
    """Whether there is nothing at the paths or below."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, seen from a folder in its work tree."""

    root: pathlib.Path
    prefix: str
    """The folder, from the root; empty for the root itself."""

    @classmethod
    def around(cls, folder: pathlib.Path) -> "Repository":
        """The repository that a folder is in.

        Raises:
            NoRepositoryError: there is none, or it cannot be used.
            RevisionError: there is no git.
        """
        answer = ask(folder, "rev-parse", "--show-toplevel")
        if answer.code:
            if b"not a git repository" in answer.err:
                raise NoRepositoryError(
                    f"{printable(folder)} is in no git repository; give two files or folders instead"
                )
            raise NoRepositoryError(f"git cannot use the repository around {printable(folder)}: {answer.reason}")
        root = pathlib.Path(os.fsdecode(answer.out[:-1]))
        here = pathlib.Path(os.path.realpath(folder))
        found = next((place for place in (here, *here.parents) if os.path.lexists(place / ".git")), None)
        if found is None or not os.path.samefile(found, root):
            raise NoRepositoryError(
                f"the configuration of the repository around {printable(folder)} sets its work tree to "
                f"{printable(root)} (core.worktree), so paths here are not those of its revisions; remove that setting"
            )
        return cls(found, "" if here == found else here.relative_to(found).as_posix())

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision means.

        Raises:
            RevisionError: there is no such commit here, or several things have this name.
        """
        shown = printable(revision, 100)
        if not revision or revision.startswith("-") or not revision.isprintable() or ":" in revision:
            given = shown or "an empty text"
            raise RevisionError(f"{given} is no revision; write a branch, a tag or a commit")
        answer = ask(self.root, "rev-parse", "--verify", f"{revision}^{{commit}}")
        if _AMBIGUOUS in answer.err and not _FULL_ID.match(revision):
            raise RevisionError(
                f"{shown} is ambiguous: more than one branch, tag or commit has this name; write the full name, such "
                f"as refs/heads/{shown}, refs/tags/{shown} or refs/remotes/origin/main, or the full id of the commit"
            )
        if answer.code:
            raise RevisionError(
                f"{shown}: no such file, and no such revision in {printable(self.root)}; a branch of a server has to "
                f"be fetched first (git fetch origin), and a checkout in CI often has one commit only: {_DEEPER}"
            )
        return answer.out.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The id of the commit from which two commits went apart.

        Raises:
            RevisionError: the history here does not reach back to it.
        """
        answer = ask(self.root, "merge-base", one, other)
        if answer.code == 0:
            return answer.out.decode().split()[0]
        if answer.code > 1:
            raise RevisionError(f"git finds no merge base: {answer.reason}; {_DEEPER}")
        if ask(self.root, "rev-parse", "--is-shallow-repository").out.strip() == b"true":
            raise RevisionError(f"this clone is shallow and does not reach back to the merge base; {_DEEPER}")
        raise RevisionError("the two revisions have no history in common; compare them with two dots instead of three")

    def inside(self, path: str) -> str:
        """A path as given, from the root; empty for the root itself.

        Symbolic links are not followed: the path counts, not what the work tree has at it.

        Raises:
            RevisionError: it leads out of the repository.
        """
        try:
            os.fsencode(path)
        except ValueError:
            raise RevisionError(f"{printable(path)} is no path") from None
        whole = os.path.normpath(self.root / self.prefix / path)
        # The repository may be named by another path than its own, such as that of a link to it.
        for place in reversed((pathlib.Path(whole), *pathlib.Path(whole).parents)):
            if os.path.exists(place) and os.path.samefile(place, self.root):
                found = os.path.relpath(whole, place).replace(os.sep, "/")
                return "" if found == "." else found
        raise RevisionError(f"{printable(path)} is outside of the repository {printable(self.root)}")

    def tree(self, commit: str, paths: Sequence[str], endings: tuple[str, ...]) -> Tree:
        """The files of a commit that have one of some endings or are one of the paths themselves.

        Only those below the paths; all where none is given. What is closed is listed too, also above the paths.

        Raises:
            RevisionError: git cannot list them, or they are too many.
        """
        wanted = [] if "" in paths else list(paths)
        above = {folder for path in wanted for folder in folders_of(path)}
        suffixes = tuple(map(os.fsencode, endings))
        exact = frozenset(map(os.fsencode, wanted))
        files: dict[str, str] = {}
        closed: dict[str, Closed] = {}
        empty = True
        for mode, id_, name in self._entries(commit, ("-r",), wanted):
            empty = False
            if mode in _CLOSED:
                closed[os.fsdecode(name)] = Closed(_CLOSED[mode], id_)
            elif name.endswith(suffixes) or name in exact:
                files[os.fsdecode(name)] = id_.decode()
        for mode, id_, name in self._entries(commit, (), sorted(above)) if above else ():
            if mode in _CLOSED:
                closed[os.fsdecode(name)] = Closed(_CLOSED[mode], id_)
        return Tree(files, closed, empty)

    def _entries(
        self, commit: str, options: tuple[str, ...], paths: Sequence[str]
    ) -> Iterator[tuple[bytes, bytes, bytes]]:
        with conversation(self.root, "ls-tree", *options, "-z", "--full-tree", commit, "--", *paths) as (_, out):
            for entry in _records(out, commit):
                match = _ENTRY.fullmatch(entry)
                if match is None:
                    raise RevisionError(f"git cannot list the files of {commit[:12]}: {printable(entry, 100)}")
                mode, id_, name = match.groups()
                yield mode, id_, name

    def sizes(self, ids: Collection[str]) -> dict[str, int]:
        """How many bytes contents have.

        Raises:
            RevisionError: the clone lacks some.
        """
        found: dict[str, int] = {}
        for words, _ in self._contents(ids, "--batch-check"):
            match words:
                case [id_, _, size]:
                    found[id_.decode()] = int(size)
                case _:
                    raise RevisionError(LACKING)
        return found

    def contents(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Contents by id, one after the other; the clone has them.

        Raises:
            RevisionError: git cannot read one.
        """
        for words, out in self._contents(ids, "--batch"):
            try:
                id_, _, size = words
            except ValueError:
                answer = printable(b" ".join(words).decode(errors="replace"), 100)
                raise RevisionError(f"git cannot read {answer}") from None
            content = out.read(int(size) + 1)
            if len(content) > int(size):  # else git has ended, and `conversation` says why
                yield id_.decode(), content[:-1]

    def _contents(self, ids: Iterable[str], option: str) -> Iterator[tuple[list[bytes], IO[bytes]]]:
        """The words of git's answer for each id, and where the content follows."""
        wanted = iter(ids)
        with conversation(self.root, "cat-file", option) as (given, out):
            while some := list(itertools.islice(wanted, _ASKED_AT_ONCE)):
                try:
                    given.write("".join(f"{id_}\n" for id_ in some).encode())
                    given.flush()
                except BrokenPipeError:
                    return
                for _ in some:
                    line = out.readline()
                    if not line:
                        return
                    yield line.split(), out


def is_revision(folder: pathlib.Path, text: str) -> bool:
    """Whether git reads a text as a revision of the repository that a folder is in."""
    if not text or text.startswith("-") or "\0" in text:
        return False
    try:
        return ask(folder, "rev-parse", "--verify", "--quiet", f"{text}^{{commit}}").code == 0
    except RevisionError:
        return False


def folders_of(path: str) -> Iterator[str]:
    """Every folder that a path with slashes is in."""
    for match in re.finditer("/", path):
        yield path[: match.start()]


def _records(stream: IO[bytes], commit: str) -> Iterator[bytes]:
    """What is separated by zero bytes, without ever holding more than a chunk of it."""
    rest, total = b"", 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        *whole, rest = (rest + chunk).split(b"\0")
        if total > LARGEST_LISTING or len(rest) > _LONGEST_PATH:
            raise RevisionError(
                f"the commit {commit[:12]} has too many files to list (more than {LARGEST_LISTING // 1_000_000} MB of "
                "names); name the folder of the plans, such as: gke-tpu diff --base-rev main --head-rev HEAD stacks"
            )
        yield from whole

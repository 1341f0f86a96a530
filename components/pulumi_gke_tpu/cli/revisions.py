"""Reads files of git revisions: never the work tree or the index, and nothing that a repository names is run."""

import os
import pathlib
import posixpath
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import click

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.yamlfile.file import LARGEST

_SECONDS = 120
_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "protocol.allow=never"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.warnAmbiguousRefs=true"),
)
"""No helper, hook, transport or repository inside the repository is started by what is read here."""
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_AMBIGUOUS = b" is ambiguous"
_FULL_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENTRY = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]{40,64})\t(.*)", re.DOTALL)
_LINK, _MODULE = b"120000", b"160000"
_DEEPER = "fetch more history: git fetch --unshallow, or in a GitHub workflow `fetch-depth: 0` for actions/checkout"


class RevisionError(click.ClickException):
    """Git cannot answer. The message says why and what to do."""

    exit_code = 2


class NoRepositoryError(RevisionError):
    """There is no repository to read revisions from."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a revision below some paths. ``files`` gives the id of each content, by path from the root."""

    files: Mapping[str, str]
    links: Mapping[str, str]
    """Symbolic links, which are not followed: path -> id of what holds the name of their target."""


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
            NoRepositoryError: there is none, or git refuses it.
            RevisionError: there is no git.
        """
        code, out, err = _git(folder, "rev-parse", "--show-toplevel", "--show-prefix")
        if code:
            said = _last_line(err)
            if "not a git repository" in said:
                raise NoRepositoryError(
                    f"{printable(folder)} is in no git repository; give two files or folders instead"
                )
            raise NoRepositoryError(f"git cannot use the repository around {printable(folder)}: {said}")
        root, prefix = os.fsdecode(out).split("\n")[:2]
        return cls(pathlib.Path(root), prefix.rstrip("/"))

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision means.

        Raises:
            RevisionError: there is no such commit here, or several things have this name.
        """
        shown = printable(revision, 100)
        if not revision or revision.startswith("-") or not revision.isprintable() or ":" in revision:
            given = shown or "an empty text"
            raise RevisionError(f"{given} is no revision; write a branch, a tag or a commit")
        code, out, err = _git(self.root, "rev-parse", "--verify", f"{revision}^{{commit}}")
        if _AMBIGUOUS in err and not _FULL_ID.match(revision):
            raise RevisionError(
                f"{shown} is ambiguous: more than one branch, tag or commit has this name; write the full name, such "
                f"as refs/heads/{shown}, refs/tags/{shown} or refs/remotes/origin/main, or the full id of the commit"
            )
        if code:
            raise RevisionError(
                f"{shown}: no such file, and no such revision in {printable(self.root)}; a branch of a server has to "
                f"be fetched first (git fetch origin), and a checkout in CI often has one commit only: {_DEEPER}"
            )
        return out.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The id of the commit from which two commits went apart.

        Raises:
            RevisionError: the history here does not reach back to it.
        """
        code, out, err = _git(self.root, "merge-base", one, other)
        if code == 0:
            return out.decode().split()[0]
        if code > 1:
            raise RevisionError(f"git finds no merge base: {_last_line(err)}; {_DEEPER}")
        _, shallow, _ = _git(self.root, "rev-parse", "--is-shallow-repository")
        if shallow.strip() == b"true":
            raise RevisionError(f"this clone is shallow and does not reach back to the merge base; {_DEEPER}")
        raise RevisionError("the two revisions have no history in common; compare them with two dots instead of three")

    def inside(self, path: str) -> str:
        """A path as given, from the root; empty for the root itself.

        Raises:
            RevisionError: it leads out of the repository.
        """
        given = path
        if os.path.isabs(path):
            path = os.path.relpath(os.path.realpath(path), os.path.realpath(self.root)).replace(os.sep, "/")
        else:
            path = posixpath.join(self.prefix, path.replace(os.sep, "/"))
        found = posixpath.normpath(path)
        if found.startswith("../"):
            # It may lead out of the repository and back in, by the name of the repository's folder.
            found = os.path.relpath(os.path.normpath(self.root / path), self.root).replace(os.sep, "/")
        if found == ".." or found.startswith("../"):
            raise RevisionError(f"{printable(given)} is outside of the repository {printable(self.root)}")
        return "" if found == "." else found

    def tree(self, commit: str, paths: Sequence[str]) -> Tree:
        """Every file of a commit below some paths from the root; of all, where none is given."""
        wanted = [path for path in paths if path]
        if paths and len(wanted) < len(paths):
            wanted = []
        code, out, err = _git(self.root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted)
        if code:
            raise RevisionError(f"git cannot list the files of {commit[:12]}: {_last_line(err)}")
        files: dict[str, str] = {}
        links: dict[str, str] = {}
        for entry in filter(None, out.split(b"\0")):
            match = _ENTRY.fullmatch(entry)
            assert match is not None
            mode, kind, content, name = match.groups()
            if mode == _LINK:
                links[os.fsdecode(name)] = content.decode()
            elif mode != _MODULE and kind == b"blob":
                files[os.fsdecode(name)] = content.decode()
        return Tree(files, links)

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Contents by id; those that are larger than a plan may be are empty.

        Raises:
            RevisionError: the clone lacks some.
        """
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        small = [name for name, size in self._sizes(wanted).items() if size <= LARGEST]
        found = dict.fromkeys(wanted, b"")
        _, out, _ = _git(self.root, "cat-file", "--batch", stdin="\n".join(small).encode() + b"\n")
        at = 0
        for name in small:
            end = out.index(b"\n", at)
            size = int(out[at:end].rsplit(b" ", 1)[1])
            found[name] = out[end + 1 : end + 1 + size]
            at = end + size + 2
        return found

    def _sizes(self, ids: Sequence[str]) -> dict[str, int]:
        _, out, _ = _git(self.root, "cat-file", "--batch-check", stdin="\n".join(ids).encode() + b"\n")
        lines = [line.split() for line in out.decode().splitlines()]
        if len(lines) != len(ids) or any(len(line) != 3 for line in lines):
            raise RevisionError("the clone lacks the content of some files; clone again without --filter")
        return {name: int(size) for name, _, size in lines}


def is_revision(folder: pathlib.Path, text: str) -> bool:
    """Whether git reads a text as a revision of the repository that a folder is in."""
    if not text or text.startswith("-") or "\0" in text:
        return False
    try:
        code, _, _ = _git(folder, "rev-parse", "--verify", "--quiet", f"{text}^{{commit}}")
    except RevisionError:
        return False
    return code == 0


def _git(folder: pathlib.Path, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    try:
        done = subprocess.run(
            ["git", *_OPTIONS, *arguments],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            input=stdin,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise RevisionError("git is needed to read revisions, and there is none on PATH") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"git {arguments[0]} did not answer within {_SECONDS} s") from None
    return done.returncode, done.stdout, done.stderr


def _last_line(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return printable(lines[-1] if lines else "it says nothing", 300)

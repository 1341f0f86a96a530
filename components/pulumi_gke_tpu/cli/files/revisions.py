"""Files of revisions of a Git repository."""

import contextlib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import IO

import click

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable, printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

SECONDS = 120
"""The time limit of a git process."""

_FETCHED = (b"promisor", b"transport '")
"""Parts of git's messages after an attempt to fetch missing content. If SIGPIPE ends git before its own message, only
the message of the transport appears.
"""
LACKING = "this clone does not contain the content of some files; clone again without --filter"

_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.commitGraph=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.warnAmbiguousRefs=true"),
    *("-c", "protocol.allow=never"),
    *("-c", "safe.bareRepository=explicit"),
)
"""Disables helpers, hooks, transports, nested repositories and replaced history."""
_ENVIRONMENT = {
    "LC_ALL": "C",
    # Overrides `protocol.ext.allow` in the repository's configuration, which would override `protocol.allow`.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_KEPT = lazy_pattern(r"GIT_(?:CEILING_DIRECTORIES|CONFIG_\w+|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)\Z")
"""Variables with the user's settings. gke-tpu drops all other variables of git: they select another repository
(``GIT_DIR`` in a hook) or change git's output."""
_LONGEST_MESSAGE = 4096


class RevisionError(click.ClickException):
    """Git cannot answer. The message contains the reason and the next step."""

    exit_code = 2


class NoGitError(RevisionError):
    """Git is not installed."""


@frozen
class Answer:
    """The output and exit code of a git process."""

    code: int
    out: bytes
    err: bytes

    @property
    def reason(self) -> str:
        """The error message in one line, safe to print."""
        return _reason(self.err)


def ask(folder: pathlib.Path, *arguments: str) -> Answer:
    """Run git and wait for its answer, which must be short.

    Raises:
        RevisionError: git is not installed or does not finish.
    """
    with _started(folder, arguments) as process:
        out, err = process.communicate()
    return Answer(process.returncode, out, err)


@contextlib.contextmanager
def conversation(folder: pathlib.Path, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run git and yield its standard input and output. At the end of the block, git is terminated.

    Raises:
        RevisionError: git is not installed, fails or does not finish. Its output is then incomplete.
    """
    err = bytearray()
    with _started(folder, arguments) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        listener = threading.Thread(target=_keep_the_end, args=(process.stderr, err), daemon=True)
        listener.start()
        yield process.stdin, process.stdout
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.read()
        code = process.wait()
        listener.join()
    if code and any(sign in err for sign in _FETCHED):
        raise RevisionError(LACKING)
    if code:
        raise RevisionError(f"git {arguments[0]} failed: {_reason(bytes(err))}")


@contextlib.contextmanager
def _started(folder: pathlib.Path, arguments: tuple[str, ...]) -> Iterator["subprocess.Popen[bytes]"]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.match(name)}
    try:
        process = subprocess.Popen(
            ["git", *_OPTIONS, *arguments],
            cwd=folder,
            env={**kept, **_ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise NoGitError("git is not on PATH, and gke-tpu needs it to read revisions") from None
    except ValueError:
        raise RevisionError("a name contains characters that are invalid in files and revisions") from None
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(SECONDS, stop)
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.returncode is None:
            _kill(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        process.wait()
        if late.is_set():
            raise RevisionError(f"git {arguments[0]} did not finish within {SECONDS} s")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill git and its child processes, so that no pipe stays open."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _keep_the_end(stream: IO[bytes], kept: bytearray) -> None:
    with contextlib.suppress(OSError, ValueError):
        while chunk := stream.read(_LONGEST_MESSAGE):
            kept += chunk
            del kept[:-_LONGEST_MESSAGE]


def _reason(err: bytes) -> str:
    """Git's last error in one line, safe to print, with the lines after it: a list or a hint."""
    text = err.decode(errors="replace")
    start = max(text.rfind("fatal: "), text.rfind("error: "), 0)
    return printable(" ".join(text[start:].split()) or "no error message", 500)


LARGEST_LISTING = 200_000_000
"""The maximum size in bytes of the list of files in a revision: about two million files."""

_LONGEST_PATH = 100_000
_CHUNK = 1 << 16
_ASKED_AT_ONCE = 50
"""The number of ids in a request: few enough for a pipe of any size."""
_AMBIGUOUS = b" is ambiguous"
_FULL_ID = lazy_pattern(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENTRY = lazy_pattern(rb"(\d{6}) \w+ ([0-9a-f]{40,64})\t(.*)", re.DOTALL)
_CLOSED = {b"120000": "symbolic link", b"160000": "submodule"}
_DEEPER = "fetch more history: git fetch --unshallow, or in a GitHub workflow `fetch-depth: 0` for actions/checkout"


class NoRepositoryError(RevisionError):
    """The folder is not in a git repository."""


@frozen
class Closed:
    """A path that gke-tpu does not follow: a symbolic link or a submodule."""

    kind: str
    content: bytes
    """The id of the target: two links with the same content are equal."""


@frozen
class RevisionTree:
    """The files of a revision below some paths; all paths are relative to the root."""

    files: Mapping[str, str]
    """Path -> id of the content."""
    closed: Mapping[str, Closed]
    empty: bool
    """Whether nothing exists at the paths or below them."""


@frozen
class Repository:
    """A repository and a folder in its work tree."""

    root: pathlib.Path
    prefix: str
    """The folder relative to the root; empty for the root."""

    @classmethod
    def around(cls, folder: pathlib.Path) -> "Repository":
        """The repository that contains a folder.

        Raises:
            NoRepositoryError: the folder is not in a repository, or git cannot use it.
            RevisionError: git is not installed.
        """
        answer = ask(folder, "rev-parse", "--show-toplevel")
        if answer.code:
            if b"not a git repository" in answer.err:
                raise NoRepositoryError(
                    f"{printable_path(folder)} is not in a git repository; compare two files or folders instead"
                )
            raise NoRepositoryError(f"git cannot use the repository around {printable_path(folder)}: {answer.reason}")
        root = pathlib.Path(os.fsdecode(answer.out[:-1]))
        here = pathlib.Path(os.path.realpath(folder))
        found = next((place for place in (here, *here.parents) if os.path.lexists(place / ".git")), None)
        if found is None or not os.path.samefile(found, root):
            raise NoRepositoryError(
                f"the repository around {printable_path(folder)} sets core.worktree to {printable_path(root)}, so "
                "paths here differ from the paths in its revisions; remove this setting"
            )
        return cls(found, "" if here == found else here.relative_to(found).as_posix())

    def commit(self, revision: str) -> str:
        """The id of the commit of a revision.

        Raises:
            RevisionError: the revision is unknown or ambiguous.
        """
        shown = printable(revision, 100)
        if not revision or revision.startswith("-") or not revision.isprintable() or ":" in revision:
            raise RevisionError(f"invalid revision {shown or '(empty)'}; use a branch, a tag or a commit")
        answer = ask(self.root, "rev-parse", "--verify", f"{revision}^{{commit}}")
        if _AMBIGUOUS in answer.err and not _FULL_ID.match(revision):
            raise RevisionError(
                f"{shown} is ambiguous: more than one branch, tag or commit has this name; use the full name, such "
                f"as refs/heads/{shown}, refs/tags/{shown} or refs/remotes/origin/main, or the full hash of the commit"
            )
        if answer.code:
            raise RevisionError(
                f"{shown}: no such file, and no such revision in {printable_path(self.root)}; fetch a remote branch "
                f"first (git fetch origin); a checkout in CI often contains only one commit: {_DEEPER}"
            )
        return answer.out.decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The id of the merge base of two commits.

        Raises:
            RevisionError: the clone does not contain the merge base.
        """
        answer = ask(self.root, "merge-base", one, other)
        if answer.code == 0:
            return answer.out.decode().split()[0]
        if answer.code > 1:
            raise RevisionError(f"git finds no merge base: {answer.reason}; {_DEEPER}")
        if ask(self.root, "rev-parse", "--is-shallow-repository").out.strip() == b"true":
            raise RevisionError(f"this shallow clone does not contain the merge base; {_DEEPER}")
        raise RevisionError("the two revisions have no merge base; use two dots instead of three")

    def inside(self, path: str) -> str:
        """The path relative to the root; empty for the root.

        The function does not follow symbolic links, because the path is looked up in a revision.

        Raises:
            RevisionError: the path leads out of the repository.
        """
        try:
            os.fsencode(path)
        except ValueError:
            raise RevisionError(f"invalid path {printable_path(path)}") from None
        whole = os.path.normpath(self.root / self.prefix / path)
        # The path can contain a symbolic link to the repository.
        for place in reversed((pathlib.Path(whole), *pathlib.Path(whole).parents)):
            if os.path.exists(place) and os.path.samefile(place, self.root):
                found = os.path.relpath(whole, place).replace(os.sep, "/")
                return "" if found == "." else found
        raise RevisionError(f"{printable_path(path)} is outside of the repository {printable_path(self.root)}")

    def tree(self, commit: str, paths: Sequence[str], endings: tuple[str, ...]) -> RevisionTree:
        """The files of a commit below some paths (all, without paths) with one of some endings, or at one of the paths.

        ``closed`` also contains symbolic links and submodules above the paths.

        Raises:
            RevisionError: git cannot list the files, or their number exceeds the limit.
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
        return RevisionTree(files, closed, empty)

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
        """The size of each content in bytes.

        Raises:
            RevisionError: the clone does not contain all of them.
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
        """Yield ids with their contents; the clone must contain all of them.

        Raises:
            RevisionError: git cannot read a content.
        """
        for words, out in self._contents(ids, "--batch"):
            try:
                id_, _, size = words
            except ValueError:
                answer = printable(b" ".join(words).decode(errors="replace"), 100)
                raise RevisionError(f"git cannot read {answer}") from None
            content = out.read(int(size) + 1)
            if len(content) > int(size):  # else git has ended, and `conversation` raises the error
                yield id_.decode(), content[:-1]

    def _contents(self, ids: Iterable[str], option: str) -> Iterator[tuple[list[bytes], IO[bytes]]]:
        """For each id, the fields of git's answer, and the stream with the content."""
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
    """Whether git accepts a text as a revision of the repository that contains a folder."""
    if not text or text.startswith("-") or "\0" in text:
        return False
    try:
        return ask(folder, "rev-parse", "--verify", "--quiet", f"{text}^{{commit}}").code == 0
    except RevisionError:
        return False


def folders_of(path: str) -> Iterator[str]:
    """All parent folders of a path with slashes."""
    for match in re.finditer("/", path):
        yield path[: match.start()]


def _records(stream: IO[bytes], commit: str) -> Iterator[bytes]:
    """Yield records separated by zero bytes, with at most one chunk in memory."""
    rest, total = b"", 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        *whole, rest = (rest + chunk).split(b"\0")
        if total > LARGEST_LISTING or len(rest) > _LONGEST_PATH:
            raise RevisionError(
                f"the commit {commit[:12]} has too many files (more than {LARGEST_LISTING // 1_000_000} MB of names); "
                "name the folder of the plans, such as: gke-tpu diff --base-rev main --head-rev HEAD stacks"
            )
        yield from whole

"""Finds the Pulumi CLI: on PATH, in the project's cache folder, installed there, or built by Go.

As a program: gets it now, so that tests need not wait for it later.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

HERE = pathlib.Path(__file__).parent
CACHE = HERE.parents[2] / ".cache"
MODULE = "github.com/pulumi/pulumi/pkg/v3"
REACHABLE_SECONDS, INSTALL_SECONDS, BUILD_SECONDS = 8, 240, 1500

_REACHABLE = "import urllib.request as r; r.urlopen('https://get.pulumi.com/install.sh', timeout=5).read(1)"
_INSTALL = """
import sys
from pulumi.automation import PulumiCommand
from semver import VersionInfo
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""


class NoCliError(Exception):
    """There is no Pulumi CLI; the message lists what was tried and why each way failed."""


Tell = Callable[[str], None]
"""Gets a line before anything that takes long."""


def _nobody(text: str) -> None:
    """Discards every message."""


@dataclass(frozen=True)
class PulumiCli:
    """A usable CLI: ``root/bin/pulumi``."""

    root: pathlib.Path
    found: str
    """How it was found: on PATH, cached, installed or built."""


def wanted_version(folder: pathlib.Path) -> str:
    """The version that the tool dependency in ``go.mod`` names, without the leading v.

    Raises:
        ValueError: there is no such line.
    """
    line = re.search(rf"^\s*(?:require\s+)?{re.escape(MODULE)}\s+v(\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    if line is None:
        raise ValueError(f"{folder / 'go.mod'} does not name {MODULE}")
    return line.group(1)


def find_pulumi(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = _nobody) -> PulumiCli:
    """The first available CLI. ``folder`` contains ``go.mod``; installed or built files are in ``cache``.

    Safe in several processes at once: one of them installs or builds; the others wait, and if it fails they fail with
    it.

    Raises:
        NoCliError: none can be had.
    """
    version = wanted_version(folder)
    root = cache / "pulumi" / version
    with _alone(cache / "pulumi" / "lock", tell) as turn:
        found = _present(root, cache)
        if found is not None:
            return found
        if turn.others_failure:
            raise NoCliError(turn.others_failure)
        tell(f"No Pulumi CLI here yet: getting {version} into {root.parent} takes up to 10 minutes, once.")
        failures = []
        for way, make in (("installed", _install), ("built", _build)):
            try:
                make(folder, root, version)
            except NoCliError as failure:
                failures.append(str(failure))
            else:
                return PulumiCli(root, way)
        reason = f"no Pulumi CLI: not on PATH; not in {root}; {'; '.join(failures)}"
        turn.tell_those_who_wait(reason)
    raise NoCliError(reason)


def _present(root: pathlib.Path, cache: pathlib.Path) -> PulumiCli | None:
    on_path = shutil.which("pulumi")
    if on_path is not None:
        return PulumiCli(_in_a_folder_called_bin(pathlib.Path(on_path), cache / "pulumi" / "on-path"), "on PATH")
    return PulumiCli(root, "cached") if (root / "bin" / "pulumi").is_file() else None


def _install(folder: pathlib.Path, root: pathlib.Path, version: str) -> None:
    """Download a release; a network that refuses or swallows connections is noticed within seconds."""
    _run([sys.executable, "-c", _REACHABLE], REACHABLE_SECONDS, "not installed, get.pulumi.com is out of reach")
    partial = root.with_name(f"{version}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    _run([sys.executable, "-c", _INSTALL, str(partial), version], INSTALL_SECONDS, "not installed")
    partial.rename(root)


def _build(folder: pathlib.Path, root: pathlib.Path, version: str) -> None:
    """Build the tool dependency: about five minutes with empty caches of Go, seconds with full ones."""
    go = shutil.which("go")
    if go is None:
        raise NoCliError("not built, there is no Go")
    (root / "bin").mkdir(parents=True, exist_ok=True)
    partial = root / "bin" / "pulumi.partial"
    stamp = f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{version}"
    command = [go, "build", "-mod=readonly", "-ldflags", stamp, "-o", str(partial), f"{MODULE}/cmd/pulumi"]
    _run(command, BUILD_SECONDS, "not built", folder, {"CGO_ENABLED": "0"})
    partial.rename(root / "bin" / "pulumi")


def _run(
    command: list[str],
    seconds: int,
    problem: str,
    folder: pathlib.Path | None = None,
    environment: dict[str, str] | None = None,
) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoCliError(f"{problem}: no answer within {seconds} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise NoCliError(f"{problem}: {last}")


def _in_a_folder_called_bin(program: pathlib.Path, root: pathlib.Path) -> pathlib.Path:
    """The Automation API finds the CLI only as ``root/bin/pulumi``; gives the root."""
    if program.parent.name == "bin":
        return program.parent.parent
    (root / "bin").mkdir(parents=True, exist_ok=True)
    link = root / "bin" / "pulumi"
    link.unlink(missing_ok=True)
    link.symlink_to(program)
    return root


@dataclass(frozen=True)
class _Turn:
    """This process's turn. ``others_failure`` is why the process failed that this one waited for, if it did."""

    file: TextIO
    others_failure: str

    def tell_those_who_wait(self, reason: str) -> None:
        self.file.write(reason)


@contextlib.contextmanager
def _alone(lock: pathlib.Path, tell: Tell) -> Iterator[_Turn]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+") as file:
        waited = False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("Waiting for the Pulumi CLI, which another process is getting.")
            fcntl.flock(file, fcntl.LOCK_EX)
            waited = True
        file.seek(0)
        failure = file.read()
        if not waited:
            file.truncate(0)
        yield _Turn(file, failure if waited else "")


def main() -> int:
    """Get the CLI and print its path; 1 if none is available."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what it started, too
    try:
        cli = find_pulumi(HERE, CACHE, lambda text: print(text, file=sys.stderr))
    except NoCliError as reason:
        print(reason, file=sys.stderr)
        return 1
    print(f"{cli.root / 'bin' / 'pulumi'} ({cli.found})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

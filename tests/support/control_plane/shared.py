"""One control plane for all processes of a test run.

It takes seconds to start and a gigabyte of memory, so the processes of pytest-xdist share one. The first process that
needs it starts a supervisor. Every process that uses it holds a shared lock on one file; the supervisor waits for the
exclusive lock, which it gets when the last of them has released its lock or has died, and then kills the programs.

As a program: the supervisor. Arguments: the folder with the programs and the folder of the run.
"""

import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # for calls as a program
from support.control_plane.processes import Address, control_plane
from support.tool_installation import UnavailableError

_START_SECONDS = 400


@contextlib.contextmanager
def shared_control_plane(programs: pathlib.Path, folder: pathlib.Path) -> Iterator[Address]:
    """The control plane of the run that has this folder.

    Raises:
        UnavailableError: it does not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "users").open("a") as users:
        with locked(folder / "start"):
            # Waits while a supervisor that has lost all users ends; afterwards, none ends before this process.
            fcntl.flock(users, fcntl.LOCK_SH)
            address = _running(folder) or _start(programs, folder)
        yield address


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """One process at a time."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _running(folder: pathlib.Path) -> Address | None:
    with contextlib.suppress(FileNotFoundError):
        return Address.read((folder / "address").read_text(encoding="utf-8"))
    return None


def _start(programs: pathlib.Path, folder: pathlib.Path) -> Address:
    with (folder / "supervisor.log").open("wb") as log:
        supervisor = subprocess.Popen(
            [sys.executable, __file__, str(programs), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # an interrupt in the terminal ends the tests first
        )
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        address = _running(folder)
        if address is not None:
            supervisor.returncode = 0  # it outlives this process, which must not wait for it
            return address
        if supervisor.poll() is not None:
            words = (folder / "supervisor.log").read_text(encoding="utf-8", errors="replace").strip()
            raise UnavailableError(f"no Kubernetes control plane: {(words or 'no output').splitlines()[-1]}")
        time.sleep(0.05)
    supervisor.kill()
    raise UnavailableError(f"no Kubernetes control plane: not started within {_START_SECONDS} s")


def main(programs: str, folder: str) -> None:
    """Supervise until no process uses the control plane any more."""
    run = pathlib.Path(folder)
    data = run / str(os.getpid())
    try:
        with (run / "users").open("a") as users, control_plane(pathlib.Path(programs), data) as address:
            partial = run / "address.partial"
            partial.write_text(address.written(), encoding="utf-8")
            partial.rename(run / "address")
            fcntl.flock(users, fcntl.LOCK_EX)
            (run / "address").unlink()
    except UnavailableError as reason:
        sys.exit(str(reason))
    finally:
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

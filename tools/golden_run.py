"""Runs the cases of tools/golden.py in one process and writes the outcome of each as a line of JSON.

usage: python tools/golden_run.py CASES INPUTS FIRST LAST

CASES is the file with all cases, and INPUTS the folder with their inputs. It runs the cases from number FIRST, with 0
for the first one of the file, up to but without LAST. Files that a case writes are deleted again. The package is the
one on PYTHONPATH.
"""

import contextlib
import gc
import io
import json
import os
import pathlib
import shutil
import signal
import sys
import traceback
from typing import Any

SECONDS = 120
"""The longest time of a case. SIGALRM then ends the process, and ``golden.py`` continues with the next case."""
_CRASH = "crash"
_NEW_OBJECTS = 200_000


def main() -> None:
    """Run the cases, and keep the standard output of the process for the outcomes."""
    cases, inputs = map(pathlib.Path, sys.argv[1:3])
    first, last = map(int, sys.argv[3:5])
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.addaudithook(_refuse_network)
    gc.set_threshold(_NEW_OBJECTS, 20, 100)
    for line in cases.read_text(encoding="utf-8").splitlines()[first:last]:
        case = json.loads(line)
        signal.alarm(SECONDS)
        text = json.dumps(outcome(inputs / case["folder"], case["arguments"]))
        channel.write(f"{text.replace(str(inputs), 'INPUTS')}\n")
        channel.flush()


def outcome(folder: pathlib.Path, arguments: list[str]) -> dict[str, Any]:
    """Exit code, output and written files of a command in a folder; bytes are written as Latin-1."""
    before = _files(folder)
    os.chdir(folder)
    code, out, err, trace = _call(arguments)
    after = _files(folder)
    changed = {
        name: (content or b"").decode("latin-1") for name, content in after.items() if before.get(name) != content
    }
    files = {**changed, **dict.fromkeys(before.keys() - after.keys(), "(deleted)")}
    if files:
        _restore(folder, before, after)
    return {"code": code, "stdout": out, "stderr": err, "files": files, "traceback": trace}


def _call(arguments: list[str]) -> tuple[int | str, str, str, str]:
    """Exit code, stdout, stderr and traceback of a command in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape") for _ in range(3)]
    before, trace = (sys.stdin, sys.stdout, sys.stderr), ""
    sys.stdin, sys.stdout, sys.stderr = streams
    code: int | str = 0
    try:
        from pulumi_gke_tpu.cli import main as command

        command(arguments)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else str(stop.code or 0)
    except Exception as error:
        code, trace = f"{_CRASH}: {type(error).__name__}: {error}", traceback.format_exc()
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    for stream in streams[1:]:
        stream.flush()
    _, out, err = (stream.buffer.getvalue().decode("latin-1") for stream in streams)  # type: ignore[attr-defined]
    return code, out, err, trace


def _files(folder: pathlib.Path) -> dict[str, bytes | None]:
    """Every path below a folder except Git's, and its content; None for a folder."""
    found = {}
    for place, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        inside = pathlib.Path(place).relative_to(folder)
        found.update(dict.fromkeys((f"{inside / name}/" for name in folders), None))
        found.update({str(inside / name): pathlib.Path(place, name).read_bytes() for name in names})
    return found


def _restore(folder: pathlib.Path, before: dict[str, bytes | None], after: dict[str, bytes | None]) -> None:
    for name in after.keys() - before.keys():
        with contextlib.suppress(FileNotFoundError):  # it was in a new folder
            shutil.rmtree(folder / name) if name.endswith("/") else (folder / name).unlink()
    for name, content in before.items():
        if content is None:
            (folder / name).mkdir(exist_ok=True)
        elif after.get(name) != content:
            (folder / name).write_bytes(content)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError(f"no network: {event}{arguments[1:]}")


if __name__ == "__main__":
    main()

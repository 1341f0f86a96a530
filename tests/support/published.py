"""This project as people get it: a repository with a tag, and new environments in which pip installs from it.

The repository is served on loopback in place of https://github.com/OWNER/pulumi-gke-tpu. pip may look at no index,
builds with the build tools of this environment, and installs no dependencies: as in :mod:`installed_wheel`, a ``.pth``
file leads to those that are there.
"""

import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from support.installed_wheel import ROOT, Installed, environment, run

from pulumi_gke_tpu import __version__

needs_git = pytest.mark.skipif(
    shutil.which("git") is None and os.environ.get("CI") != "true", reason="git is not installed"
)
"""For tests with repositories; in CI they fail without git."""
PLACEHOLDER = "https://github.com/OWNER/pulumi-gke-tpu"
TAG = f"v{__version__}"
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_COMPILE": "1",  # most modules are not imported
    "PIP_NO_BUILD_ISOLATION": "0",  # 0 means that there is no isolation
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}
_PARTS = (
    *("catalog", "components", "tools", "action.yml", "constraints.txt", "pyproject.toml", "README.md", "LICENSE"),
    ".pre-commit-hooks.yaml",
)


def repository(folder: pathlib.Path) -> pathlib.Path:
    """A repository with what is built and used from it, tagged."""
    work = folder / "work"
    work.mkdir()
    for part in _PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, work / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, work / part)
    git(work, "init", "--quiet", "--initial-branch=main")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "--message=release")
    git(work, "tag", TAG)
    return work


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[tuple[str, str]]:
    """This repository as a server gives it: its URL and its commit."""
    work, site = repository(folder), folder / "site"
    git(folder, "clone", "--quiet", "--bare", str(work), str(site / "OWNER" / "pulumi-gke-tpu"))
    git(site / "OWNER" / "pulumi-gke-tpu", "update-server-info")  # for a server that serves files only
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Silent, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/OWNER/pulumi-gke-tpu", git(work, "rev-parse", "HEAD").strip()
        finally:
            server.shutdown()
            thread.join()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        """Nothing."""


def git(folder: pathlib.Path, *arguments: str) -> str:
    """What git writes; with a name, and without the settings of this machine."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", *who, *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **settings}, check=True, capture_output=True, text=True
    ).stdout


def interpreter(folder: pathlib.Path) -> pathlib.Path:
    """A folder for PATH with an interpreter. Environments that it makes find what is installed here, as pip's do."""
    programs = folder / "python"
    if not programs.exists():
        made = environment(folder / "setup python")
        programs.mkdir()
        for name in ("python", "python3"):
            (programs / name).write_text(_SHIM.format(python=made.python, paths=made.site / "dependencies.pth"))
            (programs / name).chmod(0o755)
        (programs / "gke-tpu").symlink_to(made.command)  # there as soon as pip has installed it
    return programs


_SHIM = """#!/bin/sh
case " $* " in
*" -m venv "*) # with pip from the paths, since unpacking it again takes seconds
    "{python}" "$@" --without-pip || exit
    for last; do :; done
    for site in "$last"/lib/python*/site-packages; do cp "{paths}" "$site/"; done
    ;;
*) exec "{python}" "$@" ;;
esac
"""


def pip(target: Installed, *arguments: object, cwd: pathlib.Path) -> str:
    """Run pip for an environment."""
    return run(sys.executable, "-m", "pip", "--python", target.python, *arguments, cwd=cwd, **OFFLINE)

"""Installs packages from npm once, for tests that use Node.js."""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import subprocess

import pytest

INSTALL_SECONDS = 300


class NoNodeError(Exception):
    """JavaScript programs cannot be run; the message says why."""


def required_packages(manifest: pathlib.Path, cache: pathlib.Path) -> pathlib.Path:
    """The same as ``find_packages``. Without packages the test is skipped; in CI it fails."""
    try:
        return find_packages(manifest, cache)
    except NoNodeError as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must run the tests in JavaScript, but there is {reason}", pytrace=False)
        pytest.skip(str(reason))


def find_packages(manifest: pathlib.Path, cache: pathlib.Path) -> pathlib.Path:
    """The folder ``node_modules`` with the package of a ``package.json``, installed into ``cache`` once.

    Raises:
        NoNodeError: there is no Node.js, or the packages cannot be installed.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NoNodeError(f"no JavaScript: {program} is not on PATH")
    ((name, version),) = json.loads(manifest.read_text(encoding="utf-8"))["dependencies"].items()
    installed = cache / "npm" / f"{name.rpartition('/')[2]}-{version}"
    installed.parent.mkdir(parents=True, exist_ok=True)
    with (installed.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.is_dir():
            _install(manifest, installed)
    return installed / "node_modules"


def _install(manifest: pathlib.Path, folder: pathlib.Path) -> None:
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    shutil.copy(manifest, partial / "package.json")
    options = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1")
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            ["npm", "install", *options],
            cwd=partial,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
            raise NoNodeError(f"no JavaScript: its packages are not installed, and npm says: {last}")
        partial.rename(folder)
        return
    raise NoNodeError(f"no JavaScript: npm did not install its packages within {INSTALL_SECONDS} s")

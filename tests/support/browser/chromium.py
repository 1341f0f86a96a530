"""Finds Chromium, or installs it in CI."""

import fcntl
import os
import pathlib
import shutil
import subprocess

import pytest

CACHE = pathlib.Path(__file__).parents[3] / ".cache"


def chromium() -> str:
    """The program. Without it the test is skipped; in CI it is installed as a Debian package, else the test fails."""
    found = _program()
    if found is None and os.environ.get("CI") == "true":
        CACHE.mkdir(exist_ok=True)
        with (CACHE / "chromium.lock").open("w") as lock:  # of several processes one installs, and the others wait
            fcntl.flock(lock, fcntl.LOCK_EX)
            reason = "" if _program() else _install()
        found = _program()
        if found is None:
            pytest.fail(f"CI must run the tests in a browser, but there is no chromium: {reason}", pytrace=False)
    if found is None:
        pytest.skip("no chromium on PATH")
    return found


def _program() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def _install() -> str:
    """Install the Debian package; why that failed, if it did."""
    apt = [*([] if os.geteuid() == 0 else ["sudo", "-n"]), "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        try:
            done = subprocess.run(
                [*apt, *words],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=900,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        if done.returncode:
            return done.stdout[-500:]
    return ""

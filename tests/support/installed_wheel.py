"""Builds the wheel and installs it into an environment, far from the checkout.

The wheel is installed into a new virtual environment without network, within seconds. Its dependencies are not
installed again: a ``.pth`` file leads to the site-packages of the environment that runs the tests. A folder that is
named in a ``.pth`` file gives its packages, but its own ``.pth`` files are not read, so the editable installation of
the checkout that is among them stays out of reach; and the environment's own site-packages, with the wheel, are
searched first. That the wheel names the dependencies that it needs is held against their list by a test of its own.
"""

import os
import pathlib
import subprocess
import sys
import sysconfig
from dataclasses import dataclass

import pytest
from support.built_once import built_once

from pulumi_gke_tpu import __version__

ROOT = pathlib.Path(__file__).parents[2]
NAME = f"gke_tpu-{__version__}"
WHEEL = f"{NAME}-py3-none-any.whl"
FOR_PULUMI = ROOT / "distributions" / "pulumi-gke-tpu"


@dataclass(frozen=True)
class Installed:
    """A virtual environment in a folder. Called with words, it runs the command in an empty folder."""

    root: pathlib.Path

    @property
    def python(self) -> pathlib.Path:
        return self.root / "environment" / "bin" / "python"

    @property
    def command(self) -> pathlib.Path:
        return self.python.with_name("gke-tpu")

    @property
    def site(self) -> pathlib.Path:
        (site,) = self.root.glob("environment/lib/python*/site-packages")
        return site.resolve()

    @property
    def folder(self) -> pathlib.Path:
        return self.root / "elsewhere"

    def __call__(self, *arguments: object) -> str:
        return run(self.command, *arguments, cwd=self.folder)


def run(*command: object, cwd: pathlib.Path, **variables: str) -> str:
    """What a program writes. It sees nothing of the checkout: no PYTHONPATH, another working directory."""
    done = attempt(*command, cwd=cwd, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def attempt(*command: object, cwd: pathlib.Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The same for a program that may fail."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**environment, "PYTHONUTF8": "1", **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def build(folder: pathlib.Path, *options: object) -> None:
    """Build the checkout, or the project that is named, with the build tools of this environment."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, *(options or [ROOT]), cwd=ROOT.parent)


def built_wheel(factory: pytest.TempPathFactory) -> pathlib.Path:
    """The wheel of the checkout, built once for all tests."""
    return built_once(factory, "wheel", lambda folder: build(folder, "--wheel", ROOT)) / WHEEL


def built_for_pulumi(factory: pytest.TempPathFactory) -> pathlib.Path:
    """The wheel of the distribution that adds the libraries for Pulumi, built once for all tests."""
    return built_once(factory, "for pulumi", lambda folder: build(folder, "--wheel", FOR_PULUMI)) / f"pulumi_{WHEEL}"


def installed_once(factory: pytest.TempPathFactory) -> Installed:
    """An environment with the wheel that all tests share, so none may change a file in it."""
    return Installed(built_once(factory, "installed", lambda folder: environment(folder, built_wheel(factory))))


def environment(folder: pathlib.Path, *wheels: pathlib.Path) -> Installed:
    """A new environment with these wheels, in which everything that the library needs can be imported."""
    new = Installed(folder)
    new.folder.mkdir(parents=True)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "environment", cwd=folder)
    if wheels:
        pip = (sys.executable, "-m", "pip", "--python", new.python, "install", "--quiet")
        run(*pip, "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", *wheels, cwd=folder)
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (new.site / "dependencies.pth").write_text("\n".join(sorted(paths)) + "\n", encoding="utf-8")
    return new

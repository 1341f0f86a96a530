"""Builds the wheel and installs it into an environment of its own, far from the checkout.

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

from pulumi_gke_tpu import __version__

ROOT = pathlib.Path(__file__).parents[2]
NAME = f"gke_tpu-{__version__}"
WHEEL = f"{NAME}-py3-none-any.whl"
FOR_PULUMI = ROOT / "distributions" / "pulumi-gke-tpu"


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel. Called with words, it runs the command in an empty folder."""

    python: pathlib.Path
    command: pathlib.Path
    site: pathlib.Path
    folder: pathlib.Path

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


def build(folder: pathlib.Path, *options: str) -> pathlib.Path:
    """Build the checkout with the build tools of this environment; gives the wheel."""
    run(sys.executable, "-m", "build", "--no-isolation", ROOT, "--outdir", folder, *options, cwd=ROOT.parent)
    return folder / WHEEL


def build_for_pulumi(folder: pathlib.Path) -> pathlib.Path:
    """Build the distribution that adds the libraries for Pulumi; gives its wheel."""
    run(sys.executable, "-m", "build", "--no-isolation", FOR_PULUMI, "--outdir", folder, cwd=ROOT.parent)
    return folder / f"pulumi_{WHEEL}"


def install(folder: pathlib.Path, *wheels: pathlib.Path) -> Installed:
    """A new environment in a folder, with these wheels."""
    environment, elsewhere = folder / "environment", folder / "elsewhere"
    elsewhere.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=folder)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    (site,) = {*environment.glob("lib/python*/site-packages"), *environment.glob("Lib/site-packages")}
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet")
    run(*pip, "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", *wheels, cwd=folder)
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(paths)) + "\n", encoding="utf-8")
    return Installed(scripts / "python", scripts / "gke-tpu", site.resolve(), elsewhere)

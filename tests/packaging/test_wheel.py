"""The distribution: what is in the wheel and in the sdist, and that an installed wheel works far from the checkout.

The wheel is installed into a new virtual environment without network. Its dependencies are not installed again: a
``.pth`` file leads to the site-packages of the environment that runs the tests. A folder that is named in a ``.pth``
file gives its packages, but its own ``.pth`` files are not read, so the editable installation of the checkout that is
among them stays out of reach; and the environment's own site-packages, with the wheel, are searched first.
"""

import email
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass

import pytest

from pulumi_gke_tpu import __version__

ROOT = pathlib.Path(__file__).parents[2]
PLAN = ROOT / "stacks" / "dev" / "plan.yaml"
NAME = f"pulumi_gke_tpu-{__version__}"
MACHINE_PATHS = re.compile(rb"/(?:home|root|Users|tmp)/\w|[A-Z]:\\\\?Users")


@dataclass(frozen=True)
class Built:
    """The files of a build."""

    sdist: pathlib.Path
    wheel: pathlib.Path
    """Made from the sdist."""
    direct: pathlib.Path
    """Made from the checkout."""


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
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**environment, "PYTHONUTF8": "1", **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A build of everything, with the build tools of this environment."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--no-isolation", ROOT, "--outdir")
    run(*build, folder, cwd=folder)
    run(*build, folder / "direct", "--wheel", cwd=folder)
    wheel = f"{NAME}-py3-none-any.whl"
    return Built(folder / f"{NAME}.tar.gz", folder / wheel, folder / "direct" / wheel)


@pytest.fixture(scope="module")
def contents(built: Built) -> dict[str, bytes]:
    """The files of the wheel."""
    return _contents(built.wheel)


def _contents(wheel: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed."""
    folder = tmp_path_factory.mktemp("installed")
    environment, elsewhere = folder / "environment", folder / "elsewhere"
    elsewhere.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=folder)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    (site,) = {*environment.glob("lib/python*/site-packages"), *environment.glob("Lib/site-packages")}
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet")
    run(*pip, "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", built.wheel, cwd=folder)
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(paths)) + "\n", encoding="utf-8")
    return Installed(scripts / "python", scripts / "gke-tpu", site.resolve(), elsewhere)


# What is inside


def test_the_wheel_holds_the_package_the_catalog_and_nothing_else(contents: dict[str, bytes]) -> None:
    package = {f"pulumi_gke_tpu/{name}": data for name, data in files(ROOT / "components" / "pulumi_gke_tpu").items()}
    facts = {f"pulumi_gke_tpu/_catalog/{name}": data for name, data in files(ROOT / "catalog").items()}
    own = f"{NAME}.dist-info/"
    assert {name: data for name, data in contents.items() if not name.startswith(own)} == package | facts
    assert {"pulumi_gke_tpu/py.typed", "pulumi_gke_tpu/report/schemas/findings.schema.json"} <= package.keys()
    assert {"pulumi_gke_tpu/_catalog/zones.yaml", "pulumi_gke_tpu/_catalog/generations/v6e.yaml"} <= facts.keys()


def files(folder: pathlib.Path) -> dict[str, bytes]:
    """The files below a folder by name, without byte code."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_carries_the_licence(contents: dict[str, bytes]) -> None:
    assert contents[f"{NAME}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_no_file_names_a_path_of_the_machine_that_built_it(contents: dict[str, bytes]) -> None:
    here = {str(path).encode() for path in (ROOT, pathlib.Path.home(), sys.prefix, sys.base_prefix)} - {b"/usr", b"/"}
    named = {
        name for name, data in contents.items() if MACHINE_PATHS.search(data) or any(path in data for path in here)
    }
    assert sorted(named) == []


def test_the_sdist_holds_what_is_needed_to_build_and_test(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {name.split("/")[0] for name in names} >= {"catalog", "components", "stacks", "tests", "pyproject.toml"}
    assert {"LICENSE", "README.md", "PKG-INFO", "tests/packaging/test_wheel.py"} <= names
    unwanted = {".venv", ".git", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache", ".cache", "dist"}
    assert not [name for name in names if unwanted & set(name.split("/"))]


def test_the_sdist_and_the_checkout_build_the_same_wheel(built: Built) -> None:
    def digests(wheel: pathlib.Path) -> dict[str, str]:
        return {name: hashlib.sha256(data).hexdigest() for name, data in _contents(wheel).items()}

    assert digests(built.wheel) == digests(built.direct)


# What it says of itself


def test_metadata(contents: dict[str, bytes]) -> None:
    metadata = email.message_from_bytes(contents[f"{NAME}.dist-info/METADATA"])
    assert metadata["Name"] == "pulumi-gke-tpu"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    needed = {
        re.split(r"[<>=!~;\s]", line)[0] for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line
    }
    assert needed == {"click", "pulumi", "pulumi-gcp", "pydantic", "pyyaml", "rich"}


def test_the_command_is_an_entry_point(contents: dict[str, bytes]) -> None:
    points = contents[f"{NAME}.dist-info/entry_points.txt"].decode()
    assert points.split() == ["[console_scripts]", "gke-tpu", "=", "pulumi_gke_tpu.cli:main"]


# That it works


def test_the_installed_package_is_that_of_the_wheel(installed: Installed) -> None:
    program = (
        "import pulumi_gke_tpu, pulumi_gke_tpu.catalog.reader as reader;"
        "print(pulumi_gke_tpu.__file__); print(reader.catalog_folder())"
    )
    package, catalog = run(installed.python, "-c", program, cwd=installed.folder).splitlines()
    assert pathlib.Path(package).resolve() == installed.site / "pulumi_gke_tpu" / "__init__.py"
    assert pathlib.Path(catalog) == installed.site / "pulumi_gke_tpu" / "_catalog"


def test_version(installed: Installed) -> None:
    assert installed("--version") == f"gke-tpu, version {__version__}\n"


def test_validate(installed: Installed) -> None:
    assert installed("validate", PLAN) == "no findings\n"


def test_preview(installed: Installed) -> None:
    (cluster,) = json.loads(installed("preview", PLAN, "--format", "json"))["clusters"]
    assert cluster["name"] == "dev"


@pytest.mark.parametrize("name", ["plan", "inventory", "catalog", "findings", "preview"])
def test_schema(installed: Installed, name: str) -> None:
    assert json.loads(installed("schema", name))["$schema"]


def test_the_catalog_is_that_of_the_wheel(installed: Installed) -> None:
    about = installed.site / "pulumi_gke_tpu" / "_catalog" / "about.yaml"
    text = about.read_text(encoding="utf-8")
    try:
        about.write_text(re.sub(r"(?m)^version: .*", 'version: "2099-01-01"', text), encoding="utf-8")
        assert "2099-01-01" in installed("catalog")
    finally:
        about.write_text(text, encoding="utf-8")

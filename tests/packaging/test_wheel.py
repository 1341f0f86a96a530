"""The wheel and the sdist: complete, free of what belongs to a checkout, and usable from anywhere."""

import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile

import pytest

from pulumi_gke_tpu import __version__

ROOT = pathlib.Path(__file__).parents[2]
PLAN = """\
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5, slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
        text=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built: pathlib.Path) -> pathlib.Path:
    (path,) = built.glob("*.whl")
    return path


def test_the_wheel_holds_the_package_and_the_catalog_and_nothing_else(wheel: pathlib.Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {f"pulumi_gke_tpu/_catalog/{path.relative_to(ROOT / 'catalog')}" for path in _files("catalog")}
    package = {
        f"pulumi_gke_tpu/{path.relative_to(ROOT / 'components' / 'pulumi_gke_tpu')}"
        for path in _files("components/pulumi_gke_tpu")
    }
    rest = {name for name in names if not re.match(r"pulumi_gke_tpu-[^/]+\.dist-info/", name)}
    assert rest == shipped | package
    assert "pulumi_gke_tpu/py.typed" in names


def test_nothing_in_it_names_the_machine_it_was_built_on(built: pathlib.Path, wheel: pathlib.Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    contents = {name: zipfile.ZipFile(wheel).read(name) for name in zipfile.ZipFile(wheel).namelist()}
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            contents[member.name] = file.read() if file else b""
    assert not [name for name, content in contents.items() if str(ROOT).encode() + b"/" in content]


def test_it_runs_where_only_the_wheel_is(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A fresh environment with the wheel; its dependencies are those of this one, so that nothing is downloaded."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    packages = pathlib.Path(
        subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel],
        check=True,
    )
    # Only the folder itself: .pth files in it, such as the editable install of this checkout, are not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    plan = tmp_path / "elsewhere" / "plan.yaml"
    plan.parent.mkdir()
    plan.write_text(PLAN)

    def gke_tpu(*arguments: str) -> str:
        return subprocess.run(
            [environment / "bin" / "gke-tpu", *arguments],
            cwd=plan.parent,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    assert gke_tpu("--version").strip() == f"gke-tpu, version {__version__}"
    assert gke_tpu("validate", "plan.yaml") == "no findings\n"
    pools = json.loads(gke_tpu("preview", "plan.yaml", "--format", "json"))["clusters"][0]["slices"][0]["pools"]
    assert [pool["hosts"] for pool in pools] == [{"min": 4, "max": 4}]
    where = "from pulumi_gke_tpu.catalog.reader import catalog_folder; print(catalog_folder())"
    folder = subprocess.check_output([python, "-I", "-c", where], text=True, cwd=plan.parent).strip()
    assert pathlib.Path(folder) == (packages / "pulumi_gke_tpu" / "_catalog").resolve()
    for name in ("plan", "findings", "preview", "inventory", "catalog"):
        json.loads(gke_tpu("schema", name))


def _files(folder: str) -> list[pathlib.Path]:
    """What git tracks below a folder."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder], cwd=ROOT, text=True
    )
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]

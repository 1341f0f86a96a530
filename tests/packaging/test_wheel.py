"""The distribution: what is in the wheel and in the sdist, and that an installed wheel works far from the checkout."""

import configparser
import email
import hashlib
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib
from support.built_once import built_once
from support.documents import anchors
from support.installed_wheel import (
    NAME,
    ROOT,
    WHEEL,
    Installed,
    build,
    built_for_pulumi,
    built_wheel,
    environment,
    installed_once,
    run,
)
from support.markdown_structure import links
from support.published import PLACEHOLDER

from pulumi_gke_tpu import __version__
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

PLAN = ROOT / "stacks" / "dev" / "plan.yaml"
LOCAL = {
    ".git",
    ".venv",
    ".cache",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".import_linter_cache",
    "build",
    "dist",
}
"""What is in a checkout only; everything else is needed by some test."""
MACHINE_PATHS = re.compile(rb"/(?:home|root|Users)/\w|/tmp/(?!(?:sidecar|libtpu_lockfile)\b)\w|[A-Z]:\\\\?Users")
"""``/tmp/sidecar`` is the folder that workers of Pathways share with their sidecar, in their containers."""

PREPARE = """
import pathlib, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {installed} and name.partition(".")[0] not in {required}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, "components")
from pulumi_gke_tpu.core.text.yamlfile.file import read_prepared
print(len(read_prepared(pathlib.Path("catalog/about.yaml"))))
"""
IMPORTED_AS = {
    "hatch-fancy-pypi-readme": "hatch_fancy_pypi_readme",
    "pyyaml": "yaml",
    "typing-extensions": "typing_extensions",
}


@dataclass(frozen=True)
class Built:
    """The files of a build from the sdist."""

    sdist: pathlib.Path
    wheel: pathlib.Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = built_once(tmp_path_factory, "dist", build)
    return Built(folder / f"{NAME}.tar.gz", folder / WHEEL)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the wheel."""
    return _contents(built_wheel(tmp_path_factory))


@pytest.fixture(scope="module")
def for_pulumi(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the wheel that adds the libraries for Pulumi."""
    return _contents(built_for_pulumi(tmp_path_factory))


def _contents(wheel: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed."""
    return installed_once(tmp_path_factory)


# What is inside


def test_the_wheel_holds_the_package_the_catalog_and_nothing_else(contents: dict[str, bytes]) -> None:
    package = {f"pulumi_gke_tpu/{name}": data for name, data in files(ROOT / "components" / "pulumi_gke_tpu").items()}
    facts = {f"pulumi_gke_tpu/_catalog/{name}": data for name, data in files(ROOT / "catalog").items()}
    own = f"{NAME}.dist-info/"
    assert {name: data for name, data in contents.items() if not name.startswith(own)} == package | facts
    assert {
        "pulumi_gke_tpu/py.typed",
        "pulumi_gke_tpu/pulumi-plugin.json",
    } <= package.keys()
    assert {"pulumi_gke_tpu/_catalog/zones.yaml", "pulumi_gke_tpu/_catalog/generations/v6e.yaml"} <= facts.keys()


def test_the_wheel_brings_every_catalog_file_in_its_prepared_form(contents: dict[str, bytes]) -> None:
    facts = [pathlib.PurePosixPath(name) for name in contents if "/_catalog/" in name and name.endswith(".yaml")]
    assert len(facts) > 15
    for path in facts:
        prepared = json.loads(contents[str(path.parent / "_prepared" / f"{path.stem}.json")])
        assert prepared["made_from"].endswith(hashlib.sha256(contents[str(path)]).hexdigest())
        assert prepared["content"] == parse_yaml(contents[str(path)], path.name).data


def files(folder: pathlib.Path) -> dict[str, bytes]:
    """The files below a folder by name, without byte code."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_contains_the_license(contents: dict[str, bytes]) -> None:
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
    assert {name.split("/")[0] for name in names} >= {
        "catalog",
        "components",
        "distributions",
        "stacks",
        "tests",
        "pyproject.toml",
    }
    assert {"LICENSE", "README.md", "PKG-INFO", "action.yml", "tests/packaging/test_wheel.py"} <= names
    assert {f"components/{name}" for name in ("PulumiPlugin.yaml", "__main__.py", "requirements.txt")} <= names
    assert {path.name for path in ROOT.iterdir()} - {name.split("/")[0] for name in names} <= LOCAL
    unwanted = {".venv", ".git", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache", ".cache", "dist"}
    assert not [name for name in names if unwanted & set(name.split("/"))]


def test_the_sdist_and_the_checkout_build_the_same_wheel(built: Built, contents: dict[str, bytes]) -> None:
    assert _contents(built.wheel) == contents


# The metadata


def test_metadata(contents: dict[str, bytes]) -> None:
    metadata = email.message_from_bytes(contents[f"{NAME}.dist-info/METADATA"])
    assert metadata["Name"] == "gke-tpu"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    needed = {
        re.split(r"[<>=!~;\s]", line)[0] for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line
    }
    assert needed == {"click", "pydantic", "pyyaml", "typing-extensions"}


def test_both_distributions_say_for_whom_they_are_and_where_to_ask(
    contents: dict[str, bytes], for_pulumi: dict[str, bytes]
) -> None:
    for text in (contents[f"{NAME}.dist-info/METADATA"], for_pulumi[f"pulumi_{NAME}.dist-info/METADATA"]):
        metadata = email.message_from_bytes(text)
        classifiers = metadata.get_all("Classifier", [])
        versions = {line.rpartition(" ")[2] for line in classifiers if re.search(r"Python :: 3\.\d+$", line)}
        assert versions == {"3.10", "3.11", "3.12", "3.13"}
        topics = {line.partition(" ::")[0] for line in classifiers}
        assert {"Development Status", "Intended Audience", "Operating System", "Topic", "Typing"} <= topics
        urls = {line.partition(",")[0] for line in metadata.get_all("Project-URL", [])}
        assert urls == {"Documentation", "Source", "Changelog", "Issues"}
        assert metadata["Author"] == "The pulumi-gke-tpu authors"
        assert metadata["Keywords"]
        assert metadata["License-Expression"] == "Apache-2.0"
        assert metadata.get_content_type() == "text/plain"
        assert metadata["Description-Content-Type"] == "text/markdown"


def test_every_link_of_the_description_leads_to_a_file_of_this_version_or_to_a_site(contents: dict[str, bytes]) -> None:
    text = email.message_from_bytes(contents[f"{NAME}.dist-info/METADATA"]).get_payload()
    found = links(text)
    files = [link.partition(f"{PLACEHOLDER}/blob/v{__version__}/")[2] for link in found if link.startswith(PLACEHOLDER)]
    assert len(files) > 15
    assert [name for name in files if not leads_somewhere(name)] == []
    for wrong in ("docs/no.md", "docs", "docs/diff.md#no-such-heading", "README.md#"):
        assert not leads_somewhere(wrong)
    assert [link for link in found if not link.startswith("https://")] == []
    pages = [link.partition(".github.io/pulumi-gke-tpu/")[2] for link in found if ".github.io/" in link]
    assert [page for page in pages if page and not (ROOT / page).with_suffix(".md").is_file()] == []


def leads_somewhere(link: str) -> bool:
    """Whether a path in the repository is a file, and its anchor that of one of the headings there."""
    name, hash_, anchor = link.partition("#")
    page = ROOT / name
    return page.is_file() and (not hash_ or anchor in anchors(page))


def test_the_description_begins_with_an_installation_and_needs_no_checkout(contents: dict[str, bytes]) -> None:
    """Readers of PyPI do not have the files of the repository."""
    metadata = email.message_from_bytes(contents[f"{NAME}.dist-info/METADATA"])
    text = metadata.get_payload()
    assert text[text.index("```console") :].splitlines()[1].startswith(f"$ pip install {metadata['Name']} ")
    session = text[text.index("```console") : text.index("## How it works")]
    assert not [word for word in ("tools/", "docs/examples/", ".venv", "checkout") if word in session]


def test_the_distribution_for_pulumi_is_the_same_with_the_extra(for_pulumi: dict[str, bytes]) -> None:
    own = f"pulumi_{NAME}.dist-info/"
    assert all(name.startswith(own) for name in for_pulumi), "every file belongs to gke-tpu"
    metadata = email.message_from_bytes(for_pulumi[f"{own}METADATA"])
    assert metadata["Version"] == __version__
    assert metadata.get_all("Requires-Dist") == [f"gke-tpu[pulumi]=={__version__}"]


def test_the_commands_are_entry_points(contents: dict[str, bytes]) -> None:
    points = configparser.ConfigParser()
    points.read_string(contents[f"{NAME}.dist-info/entry_points.txt"].decode())
    assert set(points["console_scripts"]) == {"gke-tpu", "gke-tpu-policy", "pulumi-resource-gke-tpu"}
    assert points["console_scripts"]["gke-tpu"] == "pulumi_gke_tpu.cli:main"


# That it works


def test_the_installed_package_is_that_of_the_wheel(installed: Installed) -> None:
    program = (
        "import pulumi_gke_tpu, pulumi_gke_tpu.core.catalog.shipped as reader;"
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


def test_diff(installed: Installed) -> None:
    assert "no change" in installed("diff", PLAN, PLAN)


def test_the_plugin_for_other_languages_tells_where_it_listens(installed: Installed) -> None:
    plugin = installed.command.with_name("pulumi-resource-gke-tpu")
    with subprocess.Popen([plugin, "127.0.0.1:1"], stdout=subprocess.PIPE, text=True, cwd=installed.folder) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().strip().isdigit()
        finally:
            process.terminate()


def test_every_schema_is_that_of_the_checkout(installed: Installed) -> None:
    program = (
        "import json; from pulumi_gke_tpu.core.output.schemas import all_schemas;"
        "print(json.dumps({name: made() for name, made in all_schemas().items()}))"
    )
    assert json.loads(run(installed.python, "-c", program, cwd=installed.folder)) == {
        name: json.loads(json.dumps(made())) for name, made in all_schemas().items()
    }


def test_the_catalog_is_that_of_the_wheel(tmp_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    own = environment(tmp_path / "own", built_wheel(tmp_path_factory))
    about = own.site / "pulumi_gke_tpu" / "_catalog" / "about.yaml"
    text = about.read_text(encoding="utf-8")
    about.write_text(re.sub(r"(?m)^version: .*", 'version: "2099-01-01"', text), encoding="utf-8")
    assert "2099-01-01" in own("catalog")


def test_a_build_needs_only_what_it_requires() -> None:
    """An isolated build, as pip runs it, has nothing else installed. The build hook reads the catalog."""
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    names = [re.split(r"[<>=]", line)[0] for line in requires]
    required = {IMPORTED_AS.get(name, name) for name in names} | {"_yaml"}
    installed = set(importlib.metadata.packages_distributions()) - {"pulumi_gke_tpu"}
    assert required & installed >= {"yaml", "hatchling"}
    program = PREPARE.format(installed=installed, required=required)
    assert int(run(sys.executable, "-c", program, cwd=ROOT)) > 0

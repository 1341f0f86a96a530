"""Checks that a tag can be released, builds what it publishes, and prints the notes of the release.

``build`` needs the packages build, hatchling and hatch-fancy-pypi-readme, the other commands need Python only.
"""

import argparse
import datetime
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
_PROJECTS = ("pyproject.toml", "distributions/pulumi-gke-tpu/pyproject.toml")
_SYSTEMS = ("darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64")
_PULUMI_FOR_JAVA = "1.16.2"
_MAVEN_PLUGINS = (
    ("compiler", "3.13.0", ""),
    ("resources", "3.3.1", ""),
    ("jar", "3.4.2", ""),
    ("source", "3.3.1", "jar-no-fork"),
    ("javadoc", "3.11.2", "jar"),
)
"""Name, version and goal of each plugin of Maven that the SDK for Java is built with."""
_WHEEL = "-py3-none-any.whl"
_HOSTS = r"(?:[\w-]+\.github\.io|github\.com/[\w-]+|raw\.githubusercontent\.com/[\w-]+)"
_ADDRESSES = re.compile(rf"https://{_HOSTS}/pulumi-gke-tpu\b")
_REPOSITORIES = re.compile(r"(?:(?<![/\w.])github\.com/|\buses: |\"repoSlug\": \")([\w.-]+/pulumi-gke-tpu)\b")
"""The repository without an address: in modules of Go, steps of workflows and listings."""
_PUBLISHER = re.compile(r"\"publisher\": \"([^\"]*)\"")


def main() -> int:
    """Run the command; 1 if the tag cannot be released."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="Report everything that prevents the release of a tag.")
    check.add_argument("tag", help="for example v0.1.0")
    check.add_argument("repository", help="OWNER/NAME on GitHub")
    built = commands.add_parser("build", help="Build the sdist and the wheel of both distributions.")
    built.add_argument("folder", type=pathlib.Path, help="where the four files are written; new or empty")
    plugin = commands.add_parser("plugin", help="Pack the plugin for each system, as the engine downloads it.")
    plugin.add_argument("wheel", type=pathlib.Path, help="the wheel of gke-tpu")
    plugin.add_argument("folder", type=pathlib.Path, help="where the archives are written")
    commands.add_parser("pom", help="Print the project file with which Maven builds the SDK for Java.")
    notes = commands.add_parser("notes", help="Print the section of a version in CHANGELOG.md.")
    notes.add_argument("tag")
    given = parser.parse_args()
    if given.command == "notes":
        print(section(ROOT, given.tag.removeprefix("v")))
        return 0
    if given.command == "pom":
        print(pom(ROOT))
        return 0
    if given.command == "plugin":
        pack_plugin(ROOT, given.wheel, given.folder)
        return 0
    if given.command == "build":
        found = list(build(ROOT, given.folder))
    else:
        found = list(problems(ROOT, given.tag, given.repository))
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if found else 0


def problems(root: pathlib.Path, tag: str, repository: str) -> Iterator[str]:
    """Everything that prevents a release."""
    version = _version(root)
    if tag != f"v{version}":
        yield f"the tag is {tag}, but the version in _version.py is {version}: tag the commit as v{version}"
    date = re.search(rf"^## {re.escape(version)} - (.*)$", _changelog(root), re.MULTILINE)
    if date is None or not section(root, version):
        yield f"CHANGELOG.md has no section with text for {version}: add '## {version} - YYYY-MM-DD'"
    elif not _is_date(date[1]):
        yield f"CHANGELOG.md names no date for {version}: write '## {version} - YYYY-MM-DD'"
    yield from _problems_of_projects(root, repository)
    for path in _linking(root):
        text = path.read_text(encoding="utf-8")
        yield from (f"{path.relative_to(root)} {problem}: replace it" for problem in _other_names(text, repository))
        for address in sorted(set(_ADDRESSES.findall(text))):
            if f"{address}/".lower() not in _places(repository):
                yield f"{path.relative_to(root)} links {address}, but the repository is {repository}: replace it"


def _other_names(text: str, repository: str) -> Iterator[str]:
    """Names of another repository, and of another publisher, in a file."""
    for name in sorted(set(_REPOSITORIES.findall(text))):
        if name.lower() != repository.lower():
            yield f"names {name}, but the repository is {repository}"
    owner = repository.partition("/")[0]
    for name in sorted(set(_PUBLISHER.findall(text))):
        if name.lower() != owner.lower():
            yield f"names the publisher {name}, but the owner is {owner}"


def build(root: pathlib.Path, folder: pathlib.Path) -> Iterator[str]:
    """Build both distributions into a folder, and report a build that failed or wrote other files."""
    if folder.exists() and any(folder.iterdir()):
        yield f"{folder} is not empty: name a new folder"
        return
    for project in _PROJECTS:
        source = (root / project).parent
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(source)]
        if subprocess.run(command, check=False).returncode:
            yield f"{project} cannot be built"
            return
    version = _version(root)
    names = {f"{name}-{version}{end}" for name in ("gke_tpu", "pulumi_gke_tpu") for end in (".tar.gz", _WHEEL)}
    if names != (found := {path.name for path in folder.iterdir()}):
        yield f"the build wrote {', '.join(sorted(found))} instead of {', '.join(sorted(names))}"


def pack_plugin(root: pathlib.Path, wheel: pathlib.Path, folder: pathlib.Path) -> None:
    """Write the archives that the engine looks for under ``pluginDownloadURL``: the wheel, and how Python starts it.

    The engine unpacks one, and installs the requirements beside it. All systems get the same files.
    """
    requirement = f"./{wheel.name}[kubernetes]\n".encode()
    parts = {name: (root / "components" / name).read_bytes() for name in ("PulumiPlugin.yaml", "__main__.py")}
    parts |= {"requirements.txt": requirement, wheel.name: wheel.read_bytes()}
    folder.mkdir(parents=True, exist_ok=True)
    for system in _SYSTEMS:
        target = folder / f"pulumi-resource-gke-tpu-v{_version(root)}-{system}.tar.gz"
        # Without the time and the name of the file, equal contents are equal archives.
        with (
            target.open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            for name, content in sorted(parts.items()):
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(content), 0o644
                archive.addfile(member, io.BytesIO(content))


def pom(root: pathlib.Path) -> str:
    """The project file of the SDK for Java, which the generator writes for Pulumi's own packages only.

    It has what Maven Central requires of each package, and builds the archives that Central requires.
    """
    schema = json.loads((root / "components/pulumi_gke_tpu/features/plugin/schema.json").read_text(encoding="utf-8"))
    owner = schema["repository"].split("/")[-2]
    project = ET.Element("project", xmlns="http://maven.apache.org/POM/4.0.0")
    place = {"groupId": f"io.github.{owner.lower()}", "artifactId": schema["name"], "version": schema["version"]}
    license_url = "https://www.apache.org/licenses/LICENSE-2.0.txt"
    dependencies = {"com.pulumi:pulumi": _PULUMI_FOR_JAVA, **schema["language"]["java"]["dependencies"]}
    written: dict[str, object] = {
        "modelVersion": "4.0.0",
        **place,
        "name": schema["displayName"],
        "description": schema["description"],
        "url": schema["homepage"],
        "licenses": [{"license": {"name": schema["license"], "url": license_url}}],
        "developers": [{"developer": {"id": owner, "url": f"https://github.com/{owner}"}}],
        "scm": {"connection": f"scm:git:{schema['repository']}.git", "url": schema["repository"]},
        "properties": {
            "maven.compiler.release": "11",
            "project.build.sourceEncoding": "UTF-8",
            "maven.javadoc.failOnError": "false",
        },
        "dependencies": [
            {"dependency": {**dict(zip(("groupId", "artifactId"), name.split(":"), strict=True)), "version": version}}
            for name, version in dependencies.items()
        ],
        "build": {
            "plugins": [
                {
                    "plugin": {
                        "artifactId": f"maven-{name}-plugin",
                        "version": version,
                        **({"executions": [{"execution": {"goals": [{"goal": goal}]}}]} if goal else {}),
                    }
                }
                for name, version, goal in _MAVEN_PLUGINS
            ]
        },
    }
    _add(project, written)
    ET.indent(project)
    return ET.tostring(project, encoding="unicode", xml_declaration=True)


def _add(parent: ET.Element, value: object) -> None:
    """A mapping as elements, a list as the elements of its mappings one after the other, anything else as text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _add(ET.SubElement(parent, name), inner)
    elif isinstance(value, list):
        for inner in value:
            _add(parent, inner)
    else:
        parent.text = str(value)


def _problems_of_projects(root: pathlib.Path, repository: str) -> Iterator[str]:
    for project in _PROJECTS:
        for url in addresses(root / project):
            if not f"{url}/".lower().startswith(_places(repository)):
                yield f"{project} links {url}, but the repository is {repository}: correct the address"


def section(root: pathlib.Path, version: str) -> str:
    """What CHANGELOG.md lists for a version, without its heading; empty if there is nothing."""
    found = re.search(
        rf"^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", _changelog(root), re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


def addresses(project: pathlib.Path) -> list[str]:
    """The addresses in a pyproject.toml."""
    return re.findall(r"https://[^\s\"')]+", project.read_text(encoding="utf-8"))


def site(root: pathlib.Path) -> str:
    """The address of the documentation site, with a slash at its end."""
    found = re.search(r'^Documentation = "(.+)"$', (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError("pyproject.toml has no address of the documentation")
    return found[1]


def _linking(root: pathlib.Path) -> Iterator[pathlib.Path]:
    """The files that can name an address of the site: pages, examples, and the code that writes schemas."""
    yield from sorted(root.glob("*.md"))
    yield from sorted(root.glob("distributions/*/README.md"))
    ends = {"docs": ("md", "yaml", "json", "rb"), "components": ("py", "json"), "templates": ("yaml", "txt")}
    for folder, found in ends.items():
        for end in found:
            yield from sorted((root / folder).rglob(f"*.{end}"))


def _places(repository: str) -> tuple[str, ...]:
    """What addresses of the repository begin with."""
    hosts = ("https://github.com", "https://raw.githubusercontent.com")
    return (_pages(repository), *(f"{host}/{repository}/".lower() for host in hosts))


def _pages(repository: str) -> str:
    """The address of the repository's GitHub Pages."""
    owner, _, name = repository.partition("/")
    return f"https://{owner}.github.io/{name}/".lower()


def _version(root: pathlib.Path) -> str:
    text = (root / "components" / "pulumi_gke_tpu" / "_version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ValueError("_version.py has no line __version__ = ...")
    return found[1]


def _changelog(root: pathlib.Path) -> str:
    return (root / "CHANGELOG.md").read_text(encoding="utf-8")


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())

"""Releases: what prevents one, and the workflow, job by job. GitHub, PyPI and the Pulumi CLI have stand-ins."""

import os
import pathlib
import re
import runpy
import shutil
import tarfile
from collections.abc import Iterator, Mapping

import pytest
import yaml
from support.installed_wheel import NAME, WHEEL
from support.published import OFFLINE, PLACEHOLDER, TAG, interpreter
from support.workflow_runner import Runner

from pulumi_gke_tpu import __version__

ROOT = pathlib.Path(__file__).parents[2]
RELEASE = runpy.run_path(str(ROOT / "tools" / "release.py"))
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]
SITE = RELEASE["site"](ROOT)
SCHEMAS = "components/pulumi_gke_tpu/core/plan/schema.py"
"""What writes the ``$id`` of schemas."""
PROJECTS = ("pyproject.toml", "distributions/pulumi-gke-tpu/pyproject.toml")
REPOSITORY = "acme-ml/pulumi-gke-tpu"
SECTION = f"## {__version__} - 2026-12-01\n\n### Added\n\n- The first release.\n"
DOCS = "pulumi-gke-tpu-docs.tar.gz"
SYSTEMS = ("darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64")
LANGUAGES = ("nodejs", "go", "dotnet", "java")


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    """What the owner of a repository tags: with a section of the changelog, and links to the repository."""
    folder = tmp_path / "checkout"
    for name in ("components", "catalog", "distributions", "docs", "stacks", "templates", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    for name in PROJECTS:
        edit(folder / name, "OWNER", "acme-ml")
    pages = (*folder.glob("distributions/*/README.md"), *(folder / "docs").rglob("*.*"))
    for path in [
        folder / "README.md",
        *pages,
        *(folder / "components").rglob("*.*"),
        *(folder / "templates").rglob("*.*"),
    ]:
        if path.suffix in (".md", ".yaml", ".py", ".json", ".rb", ".txt") and "OWNER" in (
            text := path.read_text(encoding="utf-8")
        ):
            path.write_text(text.replace("OWNER", "acme-ml"), encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(
        f"# Changelog\n\n{SECTION}\n## 0.0.1 - 2026-01-01\n\n- Older.\n", encoding="utf-8"
    )
    return folder


def edit(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def problems(checkout: pathlib.Path, tag: str = TAG, repository: str = REPOSITORY) -> list[str]:
    return list(RELEASE["problems"](checkout, tag, repository))


# What prevents a release


def test_a_tag_of_the_version_with_a_section_and_links_can_be_released(checkout: pathlib.Path) -> None:
    assert problems(checkout) == []


def test_the_tag_must_be_the_version(checkout: pathlib.Path) -> None:
    (problem,) = problems(checkout, "v9.9.9")
    assert problem == f"the tag is v9.9.9, but the version in _version.py is {__version__}: tag the commit as {TAG}"


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("## Unreleased\n\n- Something.\n", "no section with text"),
        (f"## {__version__} - 2026-12-01\n", "no section with text"),
        (f"## {__version__}1 - 2026-12-01\n\n- Something.\n", "no section with text"),
        (f"## {__version__}-rc.1 - 2026-12-01\n\n- Something.\n", "no section with text"),
        (f"## {__version__} - soon\n\n- Something.\n", "names no date"),
    ],
)
def test_the_changelog_must_describe_the_version(section: str, expected: str, checkout: pathlib.Path) -> None:
    edit(checkout / "CHANGELOG.md", SECTION, section)
    (problem,) = problems(checkout)
    assert expected in problem
    assert f"'## {__version__} - YYYY-MM-DD'" in problem


def test_links_must_lead_to_the_repository(checkout: pathlib.Path) -> None:
    for name in PROJECTS:
        shutil.copy(ROOT / name, checkout / name)
    found = problems(checkout)
    assert len(found) == sum(len(RELEASE["addresses"](ROOT / name)) for name in PROJECTS) >= 7
    assert all("OWNER" in problem and "correct the address" in problem for problem in found)
    assert not any(" links " in problem for problem in problems(ROOT, repository="OWNER/pulumi-gke-tpu"))


@pytest.mark.parametrize(
    "name",
    ["docs/README.md", "docs/organization.md", "docs/examples/organization.yaml", "docs/schemas/README.md", SCHEMAS],
)
def test_pages_examples_and_schemas_must_name_the_repository(name: str, checkout: pathlib.Path) -> None:
    shutil.copy(ROOT / name, checkout / name)
    assert f"{name} links {SITE[:-1]}, but the repository is {REPOSITORY}: replace it" in problems(checkout)


def test_the_schema_of_the_package_must_name_the_repository(checkout: pathlib.Path) -> None:
    name = "components/pulumi_gke_tpu/features/plugin/schema.json"
    shutil.copy(ROOT / name, checkout / name)
    hosts = (f"{SITE[:-1]}", "https://github.com/OWNER/pulumi-gke-tpu")
    raw = "https://raw.githubusercontent.com/OWNER/pulumi-gke-tpu"
    links = [f"{name} links {host}, but the repository is {REPOSITORY}: replace it" for host in (*hosts, raw)]
    assert sorted(problems(checkout)) == sorted(links)


def test_links_name_the_repository_as_the_pages_do() -> None:
    urls = {url for name in PROJECTS for url in RELEASE["addresses"](ROOT / name)}
    assert {url for url in urls if not url.startswith(PLACEHOLDER)} == {"https://OWNER.github.io/pulumi-gke-tpu/"}
    assert PLACEHOLDER in urls
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"https://github\.com/[\w.-]+/pulumi-gke-tpu\b", page)) == {PLACEHOLDER}


def test_notes_are_the_section_without_its_heading(checkout: pathlib.Path) -> None:
    assert RELEASE["section"](checkout, __version__) == "### Added\n\n- The first release."
    assert RELEASE["section"](checkout, "0.0.1") == "- Older."


def test_the_version_of_the_checkout_has_its_date_and_notes_of_one_page() -> None:
    """What remains to be done for a tag is to name the owner of the repository."""
    assert problems(ROOT, repository="OWNER/pulumi-gke-tpu") == []
    notes = RELEASE["section"](ROOT, __version__)
    assert notes.startswith("The first release.")
    assert len(notes.splitlines()) < 80


def test_nothing_is_built_into_a_folder_with_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = RELEASE["build"](ROOT, tmp_path)
    assert problem == f"{tmp_path} is not empty: name a new folder"


# The workflow


class Release:
    """Runs the jobs of the workflow for a tag, with what each passes on to the next."""

    def __init__(self, checkout: pathlib.Path, folder: pathlib.Path) -> None:
        self.checkout, self.folder = checkout, folder
        self.artifacts = folder / "artifacts"
        self.attested: list[str] = []
        self.published: list[str] = []

    def run(self, name: str, tag: str = TAG) -> Runner:
        actions = {
            "actions/checkout": self._check_out,
            "actions/setup-python": lambda runner, given: None,
            "actions/upload-artifact": self._upload,
            "actions/download-artifact": self._download,
            "actions/attest-build-provenance": self._attest,
            "pypa/gh-action-pypi-publish": self._publish,
            "pulumi/actions": lambda runner, given: self._program(runner, "pulumi", _PULUMI),
        }
        github = {"ref_name": tag, "repository": REPOSITORY, "token": "a token"}
        path = os.pathsep.join([str(interpreter(self.folder)), os.environ["PATH"]])
        runner = Runner(self.folder / name, actions, {"github": github}, {**OFFLINE, "PATH": path})
        self._program(runner, "gh", _GH)
        runner.run_job(JOBS[name])
        return runner

    def _program(self, runner: Runner, name: str, text: str) -> None:
        folder = runner.root / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        runner.paths.insert(0, str(folder))

    def _check_out(self, runner: Runner, given: Mapping[str, str]) -> None:
        shutil.copytree(self.checkout, runner.workspace, dirs_exist_ok=True)

    def _upload(self, runner: Runner, given: Mapping[str, str]) -> None:
        assert given["if-no-files-found"] == "error"
        shutil.copytree(given["path"], self.artifacts / given["name"])

    def _download(self, runner: Runner, given: Mapping[str, str]) -> None:
        source = self.artifacts / given["name"] if "name" in given else self.artifacts
        shutil.copytree(source, runner.workspace / given["path"])

    def _attest(self, runner: Runner, given: Mapping[str, str]) -> None:
        for pattern in map(str.strip, given["subject-path"].splitlines()):
            folder, name = os.path.split(pattern)
            found = sorted(path.name for path in pathlib.Path(folder).glob(name))
            assert found, pattern
            self.attested += found

    def _publish(self, runner: Runner, given: Mapping[str, str]) -> None:
        assert set(given) == {"packages-dir"}, "no user, no password, no other index"
        self.published += sorted(path.name for path in (runner.workspace / given["packages-dir"]).iterdir())


_PULUMI = """#!/bin/sh
# Writes what the generator writes for a language: a folder of that name.
[ $# = 7 ] && [ "$1 $2 $4 $6" = "package gen-sdk --language --out" ] && [ -f "$3" ] || exit 9
mkdir "$7/$5" && cp "$3" "$7/$5/schema.json"
"""
_GH = """#!/bin/sh
[ "$GH_TOKEN" = "a token" ] && [ -n "$GH_REPO" ] || exit 9
printf '%s\\n' "$@"
for last; do [ -f "$last" ] || case "$last" in /*) exit 8 ;; esac; done
"""


def write_site(script: pathlib.Path) -> None:
    """A stand-in for the script that builds the site, which takes minutes; test_site.py runs the real one."""
    assert 'build_site.py" "$@"' in script.read_text(encoding="utf-8"), "it passes its argument on"
    script.write_text('#!/bin/sh\n[ $# = 1 ] && mkdir "$1" && echo page > "$1/index.html"\n', encoding="utf-8")


@pytest.fixture
def release(checkout: pathlib.Path, tmp_path: pathlib.Path) -> Release:
    return Release(checkout, tmp_path)


def passed(runner: Runner) -> bool:
    return [step.status for step in runner.steps] == [0] * len(runner.steps)


@pytest.mark.setup
def test_a_release_publishes_what_was_built_and_attested(release: Release) -> None:
    build = release.run("build")
    assert passed(build), build.steps
    said = {step.name: step.out for step in build.steps}
    assert "no findings" in said["Try the wheels"]
    assert "usage: pulumi-resource-gke-tpu" in said["Try the plugin"]
    files = [f"{NAME}.tar.gz", WHEEL, f"pulumi_{NAME}.tar.gz", f"pulumi_{WHEEL}"]
    assert sorted(path.name for path in (release.artifacts / "dist").iterdir()) == sorted(files)

    plugins = sorted(path.name for path in (release.artifacts / "plugin").iterdir())
    assert plugins == [f"pulumi-resource-gke-tpu-{TAG}-{system}.tar.gz" for system in SYSTEMS], "as the engine asks"

    sdks = release.run("sdks")
    assert passed(sdks), sdks.steps
    archives = sorted(f"pulumi-gke-tpu-sdk-{language}.tar.gz" for language in LANGUAGES)
    assert sorted(path.name for path in (release.artifacts / "sdks").iterdir()) == archives
    with tarfile.open(release.artifacts / "sdks" / "pulumi-gke-tpu-sdk-go.tar.gz") as archive:
        assert sorted(archive.getnames()) == ["go", "go/schema.json"]
        assert {member.mtime for member in archive} == {0}

    write_site(release.checkout / "tools" / "site")
    docs = release.run("docs")
    assert passed(docs), docs.steps
    with tarfile.open(release.artifacts / "docs" / DOCS) as archive:
        assert sorted(archive.getnames()) == ["pulumi-gke-tpu-docs", "pulumi-gke-tpu-docs/index.html"]

    release.run("attest")
    assert sorted(release.attested) == sorted([*files, *plugins, *archives, DOCS])
    release.run("pypi")
    assert release.published == sorted(files)

    (created,) = release.run("github").steps
    assert created.status == 0, created
    words = created.out.splitlines()
    assert words[:5] == ["release", "create", TAG, "--verify-tag", "--title"]
    notes = pathlib.Path(words[words.index("--notes-file") + 1])
    assert notes.read_text(encoding="utf-8") == "### Added\n\n- The first release.\n"
    assert sorted(pathlib.Path(word).name for word in words[8:]) == sorted([*files, *plugins, *archives, DOCS])


def test_nothing_is_built_for_a_tag_that_cannot_be_released(release: Release) -> None:
    runner = release.run("build", "v9.9.9")
    assert [step.status for step in runner.steps] == [1]
    assert runner.steps[0].err.startswith("error: the tag is v9.9.9")
    assert not release.artifacts.exists()


def ancestors(name: str) -> Iterator[str]:
    needs = JOBS[name].get("needs", [])
    for job in [needs] if isinstance(needs, str) else needs:
        yield job
        yield from ancestors(job)


@pytest.mark.parametrize("name", ["attest", "pypi", "github"])
def test_jobs_that_publish_wait_for_the_tests_and_run_nothing_of_the_repository(name: str) -> None:
    assert {"test", "build", "sdks", "docs"} <= set(ancestors(name))
    steps = JOBS[name]["steps"]
    assert not any(step.get("uses", "").startswith("actions/checkout@") for step in steps)
    assert all(step["run"].startswith("gh release create") for step in steps if "run" in step)


def test_each_job_has_only_the_permissions_that_it_uses() -> None:
    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "sdks": {"contents": "read"},
        "docs": {"contents": "read"},
        "attest": {"id-token": "write", "attestations": "write"},
        "pypi": {"id-token": "write"},
        "github": {"contents": "write"},
    }
    assert JOBS["pypi"]["environment"]["name"] == "pypi", "PyPI trusts this environment only"


def test_only_tags_start_it() -> None:
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}}, "`on`, which YAML 1.1 reads as true"


def test_no_value_becomes_part_of_a_script() -> None:
    scripts = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_every_job_is_carried_out_here_except_the_tests() -> None:
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'release\.run\("(\w+)"', text)) == set(JOBS) - {"test"}
    assert [step["run"] for step in JOBS["test"]["steps"] if "run" in step] == [".ci/run"]

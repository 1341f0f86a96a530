"""Releases: what prevents one, and the workflow, job by job.

GitHub, PyPI and the generators and compilers of other languages have stand-ins; ``tests/engine/test_sdks.py`` runs real
ones. npm, git, Go and gpg are real, and their registries are on loopback or in folders.
"""

import base64
import contextlib
import glob
import hashlib
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import tarfile
import threading
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import yaml
from support.installed_wheel import NAME, WHEEL
from support.published import OFFLINE, PLACEHOLDER, TAG, git, interpreter
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
SDKS = {
    "npm": [f"pulumi-gke-tpu-{__version__}.tgz"],
    "nuget": [f"PulumiGkeTpu.{__version__}.nupkg"],
    "maven": [f"gke-tpu-{__version__}{end}" for end in ("-javadoc.jar", "-sources.jar", ".jar", ".pom")],
    "go": ["pulumi-gke-tpu-sdk-go.tar.gz"],
}
"""The packages of other languages, by registry."""
PACKAGES = sorted(name for names in SDKS.values() for name in names)
MODULE = f"github.com/{REPOSITORY}/sdk/go"


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
    names = [
        f"{name} names OWNER/pulumi-gke-tpu, but the repository is {REPOSITORY}: replace it",
        f"{name} names the publisher OWNER, but the owner is acme-ml: replace it",
    ]
    assert sorted(problems(checkout)) == sorted((*links, *names))


@pytest.mark.parametrize(
    "name",
    [
        "docs/_index.md",
        "docs/installation-configuration.md",
        "docs/contributing/listings/package-list.json",
        "README.md",
    ],
)
def test_modules_steps_and_listings_must_name_the_repository(name: str, checkout: pathlib.Path) -> None:
    shutil.copy(ROOT / name, checkout / name)
    assert f"{name} names OWNER/pulumi-gke-tpu, but the repository is {REPOSITORY}: replace it" in problems(checkout)


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
        self.signing_key = ""
        self.npm_settings = ""

    def run(self, name: str, tag: str = TAG, **variables: str) -> Runner:
        """``variables`` are added to those of all steps."""
        actions = {
            "actions/checkout": self._check_out,
            "actions/setup-python": lambda runner, given: None,
            "actions/upload-artifact": self._upload,
            "actions/download-artifact": self._download,
            "actions/attest-build-provenance": self._attest,
            "pypa/gh-action-pypi-publish": self._publish,
            "pulumi/actions": self._install_generators,
            "actions/setup-node": self._install_node,
            "NuGet/login": self._log_in,
        }
        owner, _, _ = REPOSITORY.partition("/")
        contexts = {
            "github": {"ref_name": tag, "repository": REPOSITORY, "repository_owner": owner, "token": "a token"},
            "vars": {"NUGET_USER": "a user"},
            "secrets": {"MAVEN_TOKEN": "a token for Maven", "MAVEN_SIGNING_KEY": self.signing_key},
        }
        path = os.pathsep.join([str(interpreter(self.folder)), os.environ["PATH"]])
        runner = Runner(self.folder / name, actions, contexts, {**OFFLINE, "PATH": path, **variables})
        for program, text in _PROGRAMS.items():
            runner.add_program(program, text)
        runner.run_job(JOBS[name])
        return runner

    def _install_generators(self, runner: Runner, given: Mapping[str, str]) -> None:
        """The CLI of Pulumi, and what the image of GitHub has."""
        for program, text in _BUILDERS.items():
            runner.add_program(program, text)

    def _install_node(self, runner: Runner, given: Mapping[str, str]) -> None:
        assert given["registry-url"] == "https://registry.npmjs.org"
        assert int(given["node-version"]) >= 24, "npm 11.5.1 or later"
        runner.environment["NPM_CONFIG_USERCONFIG"] = str(runner.temp / ".npmrc")
        (runner.temp / ".npmrc").write_text(self.npm_settings)

    def _log_in(self, runner: Runner, given: Mapping[str, str]) -> None:
        assert given == {"user": "a user"}, "no other server, and no key to store"
        runner.contexts["steps"]["login"] = {"outputs": {"NUGET_API_KEY": "a key for an hour"}}

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
            found = sorted(pathlib.Path(path).name for path in glob.glob(pattern))
            assert found, pattern
            self.attested += found

    def _publish(self, runner: Runner, given: Mapping[str, str]) -> None:
        assert set(given) == {"packages-dir"}, "no user, no password, no other index"
        self.published += sorted(path.name for path in (runner.workspace / given["packages-dir"]).iterdir())


_BUILDERS = {
    "pulumi": """#!/bin/sh
# Writes a part of what the generator writes for a language, into a folder of that name.
[ $# = 7 ] && [ "$1 $2 $4 $6" = "package gen-sdk --language --out" ] && [ -f "$3" ] || exit 9
mkdir "$7/$5" && cd "$7/$5"
case $5 in
nodejs)
    python - "$3" > package.json <<'END'
import json, sys
schema = json.load(open(sys.argv[1]))
print(json.dumps({"name": schema["language"]["nodejs"]["packageName"], **{
    key: schema[key] for key in ("version", "repository", "license")}}))
END
    echo "Short." > README.md ;;
go) mkdir -p gketpu
    base=$(sed -n 's/.*"importBasePath": "\\(.*\\)".*/\\1/p' "$3")
    printf 'package gketpu\\n\\nimport _ "%s/internal"\\n' "$base" > gketpu/init.go
    mkdir gketpu/internal && echo "package internal" > gketpu/internal/internal.go ;;
esac
""",
    "npm": f"""#!/bin/sh
# Installs and compiles nothing; packs by the real npm.
case "$1" in
install) [ -f package.json ] ;;
run) [ "$2" = build ] && mkdir bin && echo "exports.ok = 1" > bin/index.js ;;
*) exec "{shutil.which("npm")}" "$@" ;;
esac
""",
    "dotnet": f"""#!/bin/sh
[ "$1 $2 $3" = "pack --configuration Release" ] && [ "$5" = --output ] || exit 9
touch "$6/${{4#-p:PackageId=}}.{__version__}.nupkg"
""",
    "mvn": """#!/bin/sh
# The archives that the project file asks for.
[ "$*" = "--batch-mode --quiet package" ] || exit 9
name=$(python -c 'import xml.etree.ElementTree as E
root = E.parse("pom.xml").getroot()
print("-".join(root.findtext("{*}" + key) for key in ("artifactId", "version")))')
mkdir target && for end in "" -sources -javadoc; do echo "$end" > "target/$name$end.jar"; done
""",
}
_PROGRAMS = {
    "gh": """#!/bin/sh
[ "$GH_TOKEN" = "a token" ] || exit 9
[ "$*" = "auth setup-git" ] && exit
[ -n "$GH_REPO" ] || exit 9
printf '%s\\n' "$@"
for last; do [ -f "$last" ] || case "$last" in /*) exit 8 ;; esac; done
""",
    "dotnet": """#!/bin/sh
printf '%s\\n' "$@"
[ -f "$3" ]
""",
    "curl": """#!/bin/sh
printf '%s\\n' "$@"
cat
""",
}


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

    assert passed(sdks := release.run("sdks")), sdks.steps
    made = {path.name: sorted(each.name for each in path.iterdir()) for path in (release.artifacts / "sdks").iterdir()}
    assert made == SDKS
    with tarfile.open(release.artifacts / "sdks" / "go" / "pulumi-gke-tpu-sdk-go.tar.gz") as archive:
        assert {"go/LICENSE", "go/go.mod", "go/gketpu/init.go"} <= set(archive.getnames())
        assert {member.mtime for member in archive} == {0}

    write_site(release.checkout / "tools" / "site")
    docs = release.run("docs")
    assert passed(docs), docs.steps
    with tarfile.open(release.artifacts / "docs" / DOCS) as archive:
        assert sorted(archive.getnames()) == ["pulumi-gke-tpu-docs", "pulumi-gke-tpu-docs/index.html"]

    release.run("attest")
    assert sorted(release.attested) == sorted([*files, *plugins, *PACKAGES, DOCS])
    release.run("pypi")
    assert release.published == sorted(files)

    (created,) = release.run("github").steps
    assert created.status == 0, created
    words = created.out.splitlines()
    assert words[:5] == ["release", "create", TAG, "--verify-tag", "--title"]
    notes = pathlib.Path(words[words.index("--notes-file") + 1])
    assert notes.read_text(encoding="utf-8") == "### Added\n\n- The first release.\n"
    assert sorted(pathlib.Path(word).name for word in words[8:]) == sorted([*files, *plugins, *PACKAGES, DOCS])


def test_nothing_is_built_for_a_tag_that_cannot_be_released(release: Release) -> None:
    runner = release.run("build", "v9.9.9")
    assert [step.status for step in runner.steps] == [1]
    assert runner.steps[0].err.startswith("error: the tag is v9.9.9")
    assert not release.artifacts.exists()


# The packages of other languages


@pytest.fixture
def built(release: Release) -> Release:
    """After the job that makes the packages."""
    for program in ("npm", "go", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    runner = release.run("sdks")
    assert passed(runner), runner.steps
    return release


@contextlib.contextmanager
def npm_registry() -> Iterator[tuple[str, list[Any]]]:
    """A registry on loopback that has no packages; gives its address, and what is published."""
    published: list[Any] = []

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(404)

        def do_PUT(self) -> None:
            published.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(201)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}", published
        finally:
            server.shutdown()
            thread.join()


def test_npm_gets_the_package_that_was_built(built: Release) -> None:
    with npm_registry() as (place, published):
        built.npm_settings = f"registry=http://{place}/\n//{place}/:_authToken=of-the-workflow\n"
        (step,) = built.run("npm").steps
    assert step.status == 0, step
    (document,) = published
    assert (document["name"], document["dist-tags"]) == ("pulumi-gke-tpu", {"latest": __version__})
    about = document["versions"][__version__]
    assert about["repository"]["url"] == f"git+https://github.com/{REPOSITORY}.git", "else npm refuses the provenance"
    ((name, attached),) = document["_attachments"].items()
    assert [name] == SDKS["npm"]
    content = (built.artifacts / "sdks" / "npm" / name).read_bytes()
    assert base64.b64decode(attached["data"]) == content
    assert about["dist"]["integrity"] == f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"


def test_nuget_gets_the_package_with_a_key_for_an_hour(built: Release) -> None:
    (step,) = built.run("nuget").steps
    assert step.status == 0, step
    package = f"./sdks/nuget/{SDKS['nuget'][0]}"
    source = ["--source", "https://api.nuget.org/v3/index.json"]
    assert step.out.split("\n")[:-1] == ["nuget", "push", package, "--api-key", "a key for an hour", *source]


def test_maven_central_gets_a_signed_bundle(built: Release, tmp_path: pathlib.Path) -> None:
    """Each file with signature and checksums, in the folders of a Maven repository; the token is in no argument."""
    home = tmp_path / "gpg"
    home.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet"]
    key = ["--passphrase", "", "--quick-generate-key", "release@example.com", "ed25519", "sign", "never"]
    subprocess.run([*gpg, *key], check=True, capture_output=True)
    built.signing_key = subprocess.run(
        [*gpg, "--armor", "--export-secret-keys"], check=True, capture_output=True, text=True
    ).stdout
    (tmp_path / "runner").mkdir(mode=0o700)
    runner = built.run("maven", GNUPGHOME=str(tmp_path / "runner"))
    (step,) = runner.steps
    assert step.status == 0, step
    *arguments, header = step.out.splitlines()
    assert header == "Authorization: Bearer a token for Maven"
    assert "a token for Maven" not in arguments
    address = f"https://central.sonatype.com/api/v1/publisher/upload?name=gke-tpu-{TAG}&publishingType=AUTOMATIC"
    assert arguments[-1] == address
    place = f"io/github/acme-ml/gke-tpu/{__version__}"
    with zipfile.ZipFile(runner.workspace / "bundle.zip") as bundle:
        names = {name for name in bundle.namelist() if not name.endswith("/")}
        ends = ("", ".asc", ".md5", ".sha1")
        assert names == {f"{place}/{name}{end}" for name in SDKS["maven"] for end in ends}
        bundle.extractall(tmp_path / "bundle")
    for name in SDKS["maven"]:
        file = tmp_path / "bundle" / place / name
        for kind in ("md5", "sha1"):
            assert (
                file.with_name(f"{name}.{kind}").read_text().strip() == hashlib.new(kind, file.read_bytes()).hexdigest()
            )
        subprocess.run([*gpg, "--verify", f"{file}.asc", str(file)], check=True, capture_output=True)


def test_the_project_file_has_what_maven_central_requires(checkout: pathlib.Path) -> None:
    root = ET.fromstring(RELEASE["pom"](checkout))
    said = {element.tag.partition("}")[2]: element for element in root}
    assert {"groupId", "artifactId", "version", "name", "description", "url", "licenses", "developers", "scm"} <= set(
        said
    )
    assert said["groupId"].text == "io.github.acme-ml", "the namespace that GitHub proves"
    assert not (said["version"].text or "").endswith("SNAPSHOT")
    goals = {goal.text for goal in root.iterfind(".//{*}goal")}
    assert goals == {"jar", "jar-no-fork"}, "javadoc and sources"
    versions = [dependency.findtext("{*}version") for dependency in root.iterfind(".//{*}dependency")]
    assert len(versions) == 2
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version or "") for version in versions)


def test_go_finds_the_module_in_the_tag_that_the_release_pushes(built: Release, tmp_path: pathlib.Path) -> None:
    """Real git pushes the tag, and the real command ``go`` looks for the module where a user's program names it."""
    repository = tmp_path / "github" / REPOSITORY
    repository.mkdir(parents=True)
    git(repository, "init", "--quiet", "--bare")
    settings = tmp_path / "gitconfig"
    # The address that the workflow pushes to, and the one that Go derives from the path of the module.
    settings.write_text(f'[url "{tmp_path}/github/"]\n\tinsteadOf = https://github.com/\n')
    runner = built.run("go", GIT_CONFIG_GLOBAL=str(settings))
    (step,) = runner.steps
    assert step.status == 0, step
    assert git(repository, "tag").split() == [f"sdk/go/{TAG}"]
    assert git(repository, "branch").split() == [], "no branch gets generated files"

    user = tmp_path / "user"
    user.mkdir()
    variables = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": str(settings),
        "GOPROXY": "direct",
        "GONOSUMDB": "*",
        "GOFLAGS": "-modcacherw",
        "GOMODCACHE": str(tmp_path / "modules"),
        "GOTOOLCHAIN": "local",
    }
    done = subprocess.run(
        ["go", "mod", "download", "-json", f"{MODULE}@{TAG}"],
        cwd=user,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    folder = pathlib.Path(json.loads(done.stdout)["Dir"])
    assert sorted(path.name for path in folder.iterdir()) == ["LICENSE", "gketpu", "go.mod"]
    assert f'"{MODULE}/gketpu/internal"' in (folder / "gketpu" / "init.go").read_text()


def ancestors(name: str) -> Iterator[str]:
    needs = JOBS[name].get("needs", [])
    for job in [needs] if isinstance(needs, str) else needs:
        yield job
        yield from ancestors(job)


@pytest.mark.parametrize("name", ["attest", "pypi", "npm", "nuget", "maven", "go", "github"])
def test_jobs_that_publish_wait_for_the_tests_and_run_nothing_of_the_repository(name: str) -> None:
    assert {"test", "build", "sdks", "docs"} <= set(ancestors(name))
    steps = JOBS[name]["steps"]
    assert not any(step.get("uses", "").startswith("actions/checkout@") for step in steps)
    scripts = [step["run"] for step in steps if "run" in step]
    assert not any(re.search(r"tools/|python|pip|npm (ci|install|run)", script) for script in scripts)


@pytest.mark.parametrize("name", ["npm", "nuget", "maven"])
def test_registries_that_need_an_account_get_nothing_until_the_owner_names_them(name: str) -> None:
    assert JOBS[name]["if"] == f"contains(vars.PUBLISH, '{name}')"
    assert all(name not in ancestors(other) for other in JOBS), "a release does not wait for them"


def test_each_job_has_only_the_permissions_that_it_uses() -> None:
    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "test": {"contents": "read"},
        "build": {"contents": "read"},
        "sdks": {"contents": "read"},
        "docs": {"contents": "read"},
        "attest": {"id-token": "write", "attestations": "write"},
        "pypi": {"id-token": "write"},
        "npm": {"id-token": "write"},
        "nuget": {"id-token": "write"},
        "maven": {},
        "go": {"contents": "write"},
        "github": {"contents": "write"},
    }
    for name in ("pypi", "npm", "nuget", "maven"):
        assert JOBS[name]["environment"]["name"] == name, "the registry trusts this environment only"
    secrets = {name: set(re.findall(r"secrets\.(\w+)", str(job))) for name, job in JOBS.items()}
    assert {name: found for name, found in secrets.items() if found} == {"maven": {"MAVEN_SIGNING_KEY", "MAVEN_TOKEN"}}


def test_only_tags_start_it() -> None:
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}}, "`on`, which YAML 1.1 reads as true"


def test_no_value_becomes_part_of_a_script() -> None:
    scripts = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_every_job_is_carried_out_here_except_the_tests() -> None:
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'(?:release|built)\.run\("(\w+)"', text)) == set(JOBS) - {"test"}
    assert [step["run"] for step in JOBS["test"]["steps"] if "run" in step] == [".ci/run"]

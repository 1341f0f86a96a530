"""Where the tests get the programs of the control plane from, and what they report where there are none."""

import functools
import hashlib
import io
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support import tool_installation
from support.control_plane import binaries
from support.control_plane.binaries import ETCD_MODULE, HERE, MODULE, PROGRAMS, find_control_plane
from support.small_checkout import NOWHERE, run_pytest, small_checkout
from support.tool_installation import UnavailableError, module_version

VERSION, ETCD_VERSION = module_version(HERE, MODULE), module_version(HERE, ETCD_MODULE)
GO = """#!/bin/sh
while [ "$1" != "-o" ]; do shift; done
for name in server kube-apiserver kube-controller-manager kube-scheduler; do echo built > "$2$name"; done
"""


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A PATH with nothing on it but what a test adds, and a network that refuses."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(binaries, "KUBERNETES_RELEASES", NOWHERE)
    monkeypatch.setattr(binaries, "ETCD_RELEASES", NOWHERE)
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / ".cache"


def add_go(path: pathlib.Path, text: str = GO) -> None:
    (path / "go").write_text(text)
    (path / "go").chmod(0o755)


def test_the_programs_are_built_once_and_kept(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    messages: list[str] = []
    programs = find_control_plane(HERE, cache, messages.append)
    assert {file.name for file in programs.iterdir()} == set(PROGRAMS)
    assert find_control_plane(HERE, cache, messages.append) == programs == cache / "kubernetes" / VERSION
    assert [message.split(" takes ")[0] for message in messages] == [
        f"No Kubernetes control plane here yet: getting {VERSION}"
    ]


def test_what_an_interrupted_build_left_is_built_again(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    for folder in (VERSION, f"{VERSION}.partial"):
        (cache / "kubernetes" / folder).mkdir(parents=True)
        (cache / "kubernetes" / folder / "etcd").write_text("half")
    programs = find_control_plane(HERE, cache)
    assert [(programs / name).read_text() for name in PROGRAMS] == ["built\n"] * 4
    assert [folder.name for folder in programs.parent.iterdir() if folder.is_dir()] == [VERSION]


def test_a_failed_build_is_reported_with_its_reason_and_leaves_no_programs(
    path: pathlib.Path, cache: pathlib.Path
) -> None:
    add_go(path, "#!/bin/sh\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError, match="no Kubernetes control plane: not in ") as error:
        find_control_plane(HERE, cache)
    assert f"; not downloaded, {NOWHERE}/v{VERSION}/bin/linux/" in str(error.value)
    assert "Connection refused" in str(error.value)
    assert str(error.value).endswith("; not built: no such module")
    assert [folder for folder in (cache / "kubernetes").iterdir() if folder.is_dir()] == []


def test_a_long_build_says_how_far_it_is(
    path: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_installation, "PROGRESS_SECONDS", 0.05)
    go_on = cache.parent / "go on"
    compiling = f"echo k8s.io/a\necho k8s.io/b\nwhile [ ! -e '{go_on}' ]; do read x < /dev/null; done"
    add_go(path, f"#!/bin/sh\n{compiling}\n{GO}")
    messages: list[str] = []

    def tell(text: str) -> None:
        messages.append(text)
        if "2 packages" in text:
            go_on.touch()

    find_control_plane(HERE, cache, tell)
    assert "Building the Kubernetes control plane: 0 min, 2 packages are compiled." in messages


# Releases


@pytest.fixture
def releases(
    tmp_path: pathlib.Path, path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., list[str]]]:
    """Publishes files on loopback in place of dl.k8s.io and GitHub; gives the list of what is asked for."""
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    folder = tmp_path / "releases"
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            asked.append(self.path.rpartition("/")[2])

    def publish(**changed: bytes | None) -> list[str]:
        for name, content in (released() | {name.replace("__", "/"): value for name, value in changed.items()}).items():
            if content is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
        return asked

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setattr(binaries, "KUBERNETES_RELEASES", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setattr(binaries, "ETCD_RELEASES", f"http://127.0.0.1:{server.server_port}")
        yield publish
        server.shutdown()


KUBERNETES, ETCD = f"v{VERSION}/bin/linux/amd64", f"etcd-v{ETCD_VERSION}-linux-amd64"
ARCHIVE, CHECKSUMS = f"v{ETCD_VERSION}/{ETCD}.tar.gz", f"v{ETCD_VERSION}/SHA256SUMS"


def packed(name: str) -> bytes:
    """An archive with one file."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(b"released etcd")
        archive.addfile(member, io.BytesIO(b"released etcd"))
    return content.getvalue()


def sums(archive: bytes) -> bytes:
    return f"{'0' * 64}  other.tar.gz\n{hashlib.sha256(archive).hexdigest()}  {ETCD}.tar.gz\n".encode()


def released() -> dict[str, bytes]:
    """Every file that the two projects publish, by its path."""
    archive = packed(f"{ETCD}/etcd")
    found = {ARCHIVE: archive, CHECKSUMS: sums(archive)}
    for name in PROGRAMS[1:]:
        found[f"{KUBERNETES}/{name}"] = f"released {name}".encode()
        found[f"{KUBERNETES}/{name}.sha256"] = hashlib.sha256(f"released {name}".encode()).hexdigest().encode()
    return found


def test_released_programs_are_downloaded_and_nothing_is_built(
    releases: Callable[..., list[str]], path: pathlib.Path, cache: pathlib.Path
) -> None:
    add_go(path)
    asked = releases()
    programs = find_control_plane(HERE, cache)
    assert {file.name for file in programs.iterdir()} == {*PROGRAMS}
    assert [(programs / name).read_text() for name in PROGRAMS] == [f"released {name}" for name in PROGRAMS]
    assert all(os.access(programs / name, os.X_OK) for name in PROGRAMS)
    assert len(asked) == 8
    assert find_control_plane(HERE, cache) == programs
    assert len(asked) == 8, "they are kept"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({f"{KUBERNETES}/kube-scheduler": b"damaged"}, "kube-scheduler has the checksum "),
        ({f"{KUBERNETES}/kube-scheduler": None}, "kube-scheduler: HTTP Error 404"),
        ({f"{KUBERNETES}/kube-apiserver.sha256": None}, "kube-apiserver.sha256 is out of reach"),
        ({f"{KUBERNETES}/kube-apiserver.sha256": b"<html>"}, "no checksum of "),
        ({CHECKSUMS: b""}, "no checksum of "),
        ({ARCHIVE: packed(f"{ETCD}/etcd")[:-20]}, f"{ETCD}.tar.gz has the checksum "),
        ({ARCHIVE: packed("etcd"), CHECKSUMS: sums(packed("etcd"))}, f"no etcd in {ETCD}.tar.gz"),
        ({ARCHIVE: b"text", CHECKSUMS: sums(b"text")}, f"no etcd in {ETCD}.tar.gz"),
    ],
)
def test_programs_are_built_if_a_release_is_incomplete_or_damaged(
    changed: dict[str, bytes | None],
    reason: str,
    releases: Callable[..., list[str]],
    path: pathlib.Path,
    cache: pathlib.Path,
) -> None:
    releases(**changed)
    with pytest.raises(UnavailableError) as error:
        find_control_plane(HERE, cache)
    assert reason in str(error.value)
    assert str(error.value).endswith("; not built, there is no Go")
    add_go(path)
    programs = find_control_plane(HERE, cache)
    assert {file.name: file.read_text() for file in programs.iterdir()} == dict.fromkeys(PROGRAMS, "built\n")


@pytest.mark.parametrize(("system", "machine"), [("Darwin", "arm64"), ("Linux", "riscv64")])
def test_where_there_is_no_release_nothing_is_downloaded(
    system: str,
    machine: str,
    releases: Callable[..., list[str]],
    path: pathlib.Path,
    cache: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    asked = releases()
    with pytest.raises(UnavailableError, match=f"not downloaded, there is no release for {system} on {machine};"):
        find_control_plane(HERE, cache)
    assert asked == []


def test_a_download_says_how_far_it_is(
    releases: Callable[..., list[str]], cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_installation, "PROGRESS_SECONDS", 0.0)
    content = b"x" * (3 << 20)
    checksum = hashlib.sha256(content).hexdigest().encode()
    releases(**{f"{KUBERNETES}/kube-apiserver": content, f"{KUBERNETES}/kube-apiserver.sha256": checksum})
    messages: list[str] = []
    find_control_plane(HERE, cache, messages.append)
    assert [text for text in messages if text.startswith("kube-apiserver:")] == [
        f"kube-apiserver: {part} of 3 MB are downloaded." for part in (1, 2, 3)
    ]


# A run of the tests without the programs


@pytest.fixture
def elsewhere(tmp_path: pathlib.Path) -> pathlib.Path:
    """Another checkout, with an empty cache, one test that needs the control plane and one that does not."""
    return small_checkout(tmp_path, "kubernetes", "def test_real(programs): pass")


def test_without_go_the_tests_are_skipped_with_the_reason(elsewhere: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, path="")
    assert (status, "1 passed, 1 skipped" in output) == (0, True), output
    assert "not built, there is no Go" in next(line for line in output.splitlines() if line.startswith("SKIPPED"))


def test_in_ci_tests_that_cannot_run_fail(elsewhere: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, path="", CI="true")
    assert (status, "1 passed, 1 error" in output) == (1, True), output
    assert "CI must run the kubernetes tests, but there is no Kubernetes control plane: not in" in output


def test_the_tests_come_last_and_a_build_is_announced(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    add_go(path)
    status, output = run_pytest(elsewhere, path=f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert (status, "2 passed" in output) == (0, True), output
    assert output.index("test_plain") < output.index("test_real")
    assert "No Kubernetes control plane here yet" in output
    assert "Leave these tests out with -m 'not kubernetes'" in output


def test_without_these_tests_nothing_is_built(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, "-m", "not kubernetes", path=str(path), CI="true")
    assert (status, "1 passed, 1 deselected" in output) == (0, True), output
    assert not (elsewhere / ".cache").exists()


def test_the_program_prints_the_folder_of_the_programs(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    add_go(path)
    done = subprocess.run(
        [sys.executable, "tests/support/control_plane/binaries.py"],
        cwd=elsewhere,
        env={**os.environ, "PATH": f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin", "https_proxy": NOWHERE},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(elsewhere / ".cache" / "kubernetes" / VERSION)

"""Where the tests get the Pulumi CLI from, and their message if there is none."""

import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

import pytest
from support import tool_installation
from support.engine import pulumi_cli
from support.engine.pulumi_cli import HERE, MODULE, find_pulumi
from support.small_checkout import run_pytest, small_checkout
from support.tool_installation import Tell, UnavailableError, module_version

GO = '#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done\necho built > "$2"\n'


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A PATH with nothing on it, and a network that refuses."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(pulumi_cli, "REACHABLE", "http://127.0.0.1:9/get.pulumi.com")
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / ".cache"


def program(path: pathlib.Path, text: str = "#!/bin/sh\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_the_version_is_in_go_mod(tmp_path: pathlib.Path) -> None:
    assert module_version(HERE, MODULE).count(".") == 2
    (tmp_path / "go.mod").write_text("module x\n")
    with pytest.raises(ValueError, match="does not name"):
        module_version(tmp_path, MODULE)


def test_path_comes_first(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "pulumi")
    program(cache / "pulumi" / module_version(HERE, MODULE) / "bin" / "pulumi")
    found = find_pulumi(HERE, cache)
    assert (found.found, found.root) == ("on PATH", path.parent)


def test_a_folder_of_another_name_is_linked(tmp_path: pathlib.Path, path: pathlib.Path, cache: pathlib.Path) -> None:
    program(tmp_path / "tools" / "pulumi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "tools"))
        found = find_pulumi(HERE, cache)
    assert (found.root / "bin" / "pulumi").resolve() == (tmp_path / "tools" / "pulumi").resolve()


def test_then_the_cache(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", "#!/bin/sh\nexit 1\n")
    program(cache / "pulumi" / module_version(HERE, MODULE) / "bin" / "pulumi")
    assert find_pulumi(HERE, cache).found == "cached"


def test_then_it_is_built_and_kept(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", GO)
    assert find_pulumi(HERE, cache).found == "built"
    assert find_pulumi(HERE, cache).found == "cached"


def test_without_any_cli_the_reasons_are_listed(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", "#!/bin/sh\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError) as error:
        find_pulumi(HERE, cache)
    assert "not on PATH" in str(error.value)
    assert "get.pulumi.com is out of reach: " in str(error.value)
    assert "Connection refused" in str(error.value)
    assert "not built: no such module" in str(error.value)


def test_a_network_that_hangs_is_given_up(
    path: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_installation, "REACHABLE_SECONDS", 1)
    program(path / "go", GO)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(pulumi_cli, "REACHABLE", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        start = time.monotonic()
        assert find_pulumi(HERE, cache).found == "built"
    assert time.monotonic() - start < 30


def test_a_long_download_is_announced(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", GO)
    said: list[str] = []
    find_pulumi(HERE, cache, said.append)
    find_pulumi(HERE, cache, said.append)
    assert [line.split(":")[0] for line in said] == ["No Pulumi CLI here yet"]


def test_who_waits_for_a_failure_does_not_try_again(path: pathlib.Path, cache: pathlib.Path) -> None:
    tries, started = cache.parent / "tries", cache.parent / "started"
    os.mkfifo(started)
    program(path / "go", f"#!/bin/sh\necho >> '{tries}'\necho > '{started}'\necho no such module >&2\nexit 1\n")
    reasons, said = [], threading.Event()

    def find(tell: Tell) -> None:
        try:
            find_pulumi(HERE, cache, tell)
        except UnavailableError as reason:
            reasons.append(str(reason))

    first = threading.Thread(target=find, args=(lambda text: None,))
    second = threading.Thread(target=find, args=(lambda text: said.set(),))
    first.start()
    while not tries.exists():
        time.sleep(0.01)
    second.start()
    assert said.wait(30)
    started.read_text()  # the build continues only if its output is read
    first.join()
    second.join()
    assert len(tries.read_text().splitlines()) == 1
    assert reasons[0] == reasons[1]


# The effect on a run of the tests


@pytest.fixture
def elsewhere(tmp_path: pathlib.Path) -> pathlib.Path:
    """Another checkout, with an empty cache, one test that needs the CLI and one that does not."""
    return small_checkout(tmp_path, "engine", "def test_real(cli): print('with', cli.found)")


def test_without_a_cli_the_tests_are_skipped_with_the_reason(elsewhere: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, path="")
    assert (status, "1 passed, 1 skipped" in output) == (0, True), output
    skipped = next(line for line in output.splitlines() if line.startswith("SKIPPED"))
    for reason in (
        "no Pulumi CLI: not on PATH",
        "get.pulumi.com/install.sh is out of reach",
        "not built, there is no Go",
    ):
        assert reason in skipped


def test_in_ci_that_is_a_failure(elsewhere: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, path="", CI="true")
    assert (status, "1 passed, 1 error" in output) == (1, True), output
    assert "CI must run the engine tests, but there is no Pulumi CLI: not on PATH" in output


def test_they_come_last_and_a_build_is_announced(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    (path / "go").write_text(GO)
    (path / "go").chmod(0o755)
    status, output = run_pytest(elsewhere, path=f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert (status, "2 passed" in output) == (0, True), output
    assert output.index("test_plain") < output.index("test_real")
    assert "No Pulumi CLI here yet: getting" in output
    assert "Leave these tests out with -m 'not engine'" in output


def test_who_leaves_them_out_does_not_wait(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    status, output = run_pytest(elsewhere, "-m", "not engine", path=str(path), CI="true")
    assert (status, "1 passed, 1 deselected" in output) == (0, True), output
    assert not (elsewhere / ".cache").exists()


def test_as_a_program_it_says_where_the_cli_is(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    (path / "go").write_text(GO)
    (path / "go").chmod(0o755)
    command = [sys.executable, "tests/support/engine/pulumi_cli.py"]
    environment = {
        **os.environ,
        "PATH": f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "https_proxy": "http://127.0.0.1:9",
    }
    done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{elsewhere / '.cache/pulumi' / module_version(HERE, MODULE) / 'bin/pulumi'} (built)"

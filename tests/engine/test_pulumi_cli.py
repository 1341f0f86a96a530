"""Where the tests get the Pulumi CLI from, and what they say where there is none."""

import pathlib
import time

import pulumi_cli
import pytest
from pulumi_cli import NoCliError, find_pulumi, wanted_version

HERE = pathlib.Path(__file__).parent
GO = '#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done\necho built > "$2"\n'


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A PATH with nothing on it, and a network that refuses."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(pulumi_cli, "_REACHABLE", "raise SystemExit('refused')")
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / ".cache"


def program(path: pathlib.Path, text: str = "#!/bin/sh\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_the_version_stands_in_go_mod(tmp_path: pathlib.Path) -> None:
    assert wanted_version(HERE).count(".") == 2
    (tmp_path / "go.mod").write_text("module x\n")
    with pytest.raises(ValueError, match="does not name"):
        wanted_version(tmp_path)


def test_path_comes_first(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "pulumi")
    program(cache / "pulumi" / wanted_version(HERE) / "bin" / "pulumi")
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
    program(cache / "pulumi" / wanted_version(HERE) / "bin" / "pulumi")
    assert find_pulumi(HERE, cache).found == "cached"


def test_then_it_is_built_and_kept(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", GO)
    assert find_pulumi(HERE, cache).found == "built"
    assert find_pulumi(HERE, cache).found == "cached"


def test_without_any_the_reasons_are_told(path: pathlib.Path, cache: pathlib.Path) -> None:
    program(path / "go", "#!/bin/sh\necho no such module >&2\nexit 1\n")
    with pytest.raises(NoCliError) as error:
        find_pulumi(HERE, cache)
    assert "not on PATH" in str(error.value)
    assert "out of reach: refused" in str(error.value)
    assert "not built: no such module" in str(error.value)


def test_a_network_that_hangs_is_given_up(
    path: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulumi_cli, "_REACHABLE", "import time; time.sleep(60)")
    monkeypatch.setattr(pulumi_cli, "REACHABLE_SECONDS", 1)
    program(path / "go", GO)
    start = time.monotonic()
    assert find_pulumi(HERE, cache).found == "built"
    assert time.monotonic() - start < 30

"""Where the definitions of the kinds of operators come from, and what is reported if they are nowhere."""

import functools
import http.server
import pathlib
import threading
from collections.abc import Iterator

import pytest
from support.control_plane.crds import CHECKPOINTING, NAMES, PATHS, find_crd, find_crds
from support.tool_installation import UnavailableError

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GKE_TPU_CRDS", raising=False)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def write(folder: pathlib.Path, names: tuple[str, ...] = NAMES) -> pathlib.Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"from: {folder.name}\n", encoding="utf-8")
    return folder


@pytest.fixture
def site(tmp_path: pathlib.Path) -> Iterator[str]:
    """The projects on loopback."""
    folder = write(tmp_path / "site", (*PATHS, CHECKPOINTING))
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


def test_a_named_folder_comes_first(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GKE_TPU_CRDS", str(write(tmp_path / "named")))
    found = find_crds(write(tmp_path / "beside"), tmp_path / ".cache", NOWHERE)
    assert found == [{"from": "named"}] * len(NAMES)


def test_a_named_folder_without_all_files_is_an_error(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GKE_TPU_CRDS", str(write(tmp_path / "named", NAMES[1:])))
    with pytest.raises(UnavailableError, match=r"no CRDs in .*named; GKE_TPU_CRDS can name another folder$"):
        find_crds(write(tmp_path / "beside"), tmp_path / ".cache", NOWHERE)


def test_then_comes_the_folder_beside_the_checkout(tmp_path: pathlib.Path) -> None:
    found = find_crds(write(tmp_path / "beside"), tmp_path / ".cache", NOWHERE)
    assert found == [{"from": "beside"}] * len(NAMES)


def test_else_they_are_downloaded_once_and_kept(tmp_path: pathlib.Path, site: str) -> None:
    beside, cache = tmp_path / "beside", tmp_path / ".cache"
    assert find_crds(beside, cache, site) == [{"from": "site"}] * len(NAMES)
    assert find_crds(beside, cache, NOWHERE) == [{"from": "site"}] * len(NAMES)


def test_a_download_that_stops_leaves_nothing(tmp_path: pathlib.Path, site: str) -> None:
    (tmp_path / "site" / PATHS[-1]).unlink()
    with pytest.raises(UnavailableError, match="not downloaded: HTTP Error 404"):
        find_crds(tmp_path / "beside", tmp_path / ".cache", site)
    assert not (tmp_path / ".cache" / "kubernetes" / "crds").exists()


def test_without_them_the_reasons_are_listed(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UnavailableError, match=r"no CRDs in .*beside and .*crds; .*; not downloaded: .*refused"):
        find_crds(tmp_path / "beside", tmp_path / ".cache", NOWHERE)


def test_one_more_definition_is_downloaded_once_and_kept(tmp_path: pathlib.Path, site: str) -> None:
    assert find_crd(CHECKPOINTING, tmp_path / ".cache", site) == {"from": "site"}
    assert find_crd(CHECKPOINTING, tmp_path / ".cache", NOWHERE) == {"from": "site"}
    with pytest.raises(UnavailableError, match=r"no .*checkpointconfiguration\.yaml; not downloaded: .*refused"):
        find_crd(CHECKPOINTING, tmp_path / "empty", NOWHERE)

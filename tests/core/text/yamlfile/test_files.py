"""Files that cannot be read: the reason is given, and nothing waits or reads more than it must."""

import os
import pathlib

import pytest

from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, parse_yaml, read_yaml


def reason(path: pathlib.Path) -> str:
    with pytest.raises(YamlProblem) as caught:
        read_yaml(path, "plan.yaml")
    (found,) = caught.value.findings
    assert found.rule == "TPU001"
    assert str(caught.value) == f"plan.yaml:1:1: {found.message}"
    return found.message.removeprefix("cannot read the file: ")


def test_name_is_the_path_unless_given(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("a: 1\n")
    assert read_yaml(path).name == str(path)
    assert read_yaml(path, "other").name == "other"
    assert read_yaml(path).data == {"a": 1}


def test_link_to_a_file_is_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real.yaml").write_text("a: 1\n")
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert read_yaml(tmp_path / "link.yaml").data == {"a": 1}


def test_missing(tmp_path: pathlib.Path) -> None:
    assert reason(tmp_path / "missing.yaml") == "no such file or directory"
    assert reason(tmp_path / "a\0b") == "embedded null byte"
    assert "too long" in reason(tmp_path / ("x" * 5000))


def test_directory(tmp_path: pathlib.Path) -> None:
    assert reason(tmp_path) == "it is a directory"


def test_link_in_a_circle(tmp_path: pathlib.Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in reason(tmp_path / "loop")


def test_fifo_does_not_wait_for_a_writer(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    assert reason(path) == "it is not a regular file"


def test_fifo_that_takes_the_place_of_a_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, regular = tmp_path / "fifo", tmp_path / "plan.yaml"
    os.mkfifo(path)
    regular.write_text("a: 1")
    status = regular.stat()
    monkeypatch.setattr("os.stat", lambda *_args, **_more: status)
    assert reason(path) == "it is not a regular file"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_device(device: str) -> None:
    assert reason(pathlib.Path(device)) == "it is not a regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_without_permission(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    assert reason(path) == "permission denied"


def test_error_while_opening(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("a: 1")

    def refuse(*_args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    assert reason(path) == "permission denied"


def test_huge_file_is_refused_by_its_size(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.yaml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    monkeypatch.setattr("os.read", None)
    assert reason(path) == "it is larger than 5 MB"


def test_file_that_grows_is_not_read_to_its_end(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, small = tmp_path / "plan.yaml", tmp_path / "small.yaml"
    path.write_bytes(b"#" * 5_000_001)
    small.write_text("a: 1")
    status = small.stat()
    monkeypatch.setattr("os.stat", lambda *_args, **_more: status)
    monkeypatch.setattr("os.fstat", lambda *_args, **_more: status)
    assert reason(path) == "it is larger than 5 MB"


def test_limit_holds_for_content_too() -> None:
    assert parse_yaml(b"a: 1 #" + b"x" * 4_999_994, "").data == {"a": 1}
    with pytest.raises(YamlProblem, match="larger than 5 MB"):
        parse_yaml(b"a: 1 #" + b"x" * 4_999_995, "")

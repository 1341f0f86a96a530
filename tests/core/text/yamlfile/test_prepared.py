"""YAML files of our own in their prepared form: the same data, never older than the YAML, and never needed."""

import json
import pathlib

import pytest

from pulumi_gke_tpu.core.catalog.shipped import catalog_folder
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, read_yaml
from pulumi_gke_tpu.core.text.yamlfile.file import FOLDER, read_prepared

TEXT = "zones:\n  us-east5-b: [v6e]\nnumber: 1\nempty:\n"
CONTENT = {"zones": {"us-east5-b": ["v6e"]}, "number": 1, "empty": None}
FILES = sorted(path for path in catalog_folder().rglob("*.yaml"))


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "zones.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def prepared(file: pathlib.Path) -> pathlib.Path:
    return file.parent / FOLDER / f"{file.stem}.json"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_catalog_reads_the_same_from_its_prepared_form(path: pathlib.Path) -> None:
    read_prepared(path)
    stored = json.loads(prepared(path).read_bytes())
    # repr tells 1 from 1.0 and true, and shows the order of keys.
    assert repr(read_prepared(path)) == repr(stored["content"]) == repr(read_yaml(path).data)


def test_the_prepared_form_is_what_is_read(file: pathlib.Path) -> None:
    assert read_prepared(file) == CONTENT
    stored = json.loads(prepared(file).read_bytes())
    prepared(file).write_text(json.dumps({**stored, "content": "prepared"}), encoding="utf-8")
    assert read_prepared(file) == "prepared"


def test_an_edit_of_the_yaml_makes_it_again(file: pathlib.Path) -> None:
    read_prepared(file)
    file.write_text(TEXT.replace("number: 1", "number: 2"), encoding="utf-8")
    assert read_prepared(file) == {**CONTENT, "number": 2}
    assert json.loads(prepared(file).read_bytes())["content"]["number"] == 2


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"\xff", b"[]", b"1", b'{"content": 1}', b'{"made_from": 1, "content": 1}']
)
def test_a_damaged_prepared_form_is_made_again(file: pathlib.Path, damaged: bytes) -> None:
    read_prepared(file)
    whole = prepared(file).read_bytes()
    prepared(file).write_bytes(damaged)
    assert read_prepared(file) == CONTENT
    assert prepared(file).read_bytes() == whole


def test_without_a_place_to_write_the_yaml_is_read_each_time(file: pathlib.Path) -> None:
    (file.parent / FOLDER).write_text("a file where the folder should be", encoding="utf-8")
    assert read_prepared(file) == read_prepared(file) == CONTENT


def test_nothing_else_is_left_behind(file: pathlib.Path) -> None:
    read_prepared(file)
    assert sorted(path.relative_to(file.parent).as_posix() for path in file.parent.rglob("*")) == [
        FOLDER,
        f"{FOLDER}/zones.json",
        "zones.yaml",
    ]


def test_broken_yaml_is_reported_although_an_older_text_was_prepared(file: pathlib.Path) -> None:
    read_prepared(file)
    file.write_text("zones: [\n", encoding="utf-8")
    with pytest.raises(YamlProblem):
        read_prepared(file)

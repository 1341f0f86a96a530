"""The registry of formats: a file is a format, for every command that writes this kind of content."""

import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from support.small_plans import BASE, REPLACING

from pulumi_gke_tpu.cli import writers
from pulumi_gke_tpu.cli.writers import Screen, formats_of, written
from pulumi_gke_tpu.core.modules import in_features, names_in

NEW = '''"""Findings as a count."""


def write(shown, screen):
    """The number of findings."""
    return f"{len(shown.findings)} in {screen.width}"
'''


@pytest.fixture
def new_format(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Iterator[str]:
    """A package of writers with one more format of findings, and nothing else that names it."""
    folder = tmp_path / "more_writers" / "findings"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    (folder / "counted.py").write_text(NEW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    packages = (*in_features("writers"), "more_writers")
    monkeypatch.setattr(writers, "in_features", lambda _: packages)
    clear()
    yield "counted"
    clear()
    for name in [name for name in sys.modules if name.startswith("more_writers")]:
        del sys.modules[name]


def clear() -> None:
    """Forget which files there are."""
    names_in.cache_clear()
    writers._writers.cache_clear()
    formats_of.cache_clear()


def test_a_format_is_one_file(new_format: str) -> None:
    assert new_format in formats_of("findings")
    assert new_format in formats_of("change", "data", "findings")
    assert new_format not in formats_of("page", "data")
    shown = writers_findings()
    assert written(new_format, Screen(77, color=False), findings=lambda: shown) == "0 in 77"


def writers_findings() -> Any:
    """No findings, as commands show them."""
    from pulumi_gke_tpu.cli.writers.findings import ShownFindings

    return ShownFindings(())


@pytest.mark.parametrize(
    ("kinds", "formats"),
    [
        (("page", "data"), ["text", "json", "markdown"]),
        (("page", "data", "calendar"), ["text", "icalendar", "json", "markdown"]),
        (("preview", "data"), ["text", "json", "markdown"]),
        (("findings",), ["text", "github", "gitlab", "json", "junit", "sarif"]),
        (("change", "data", "findings"), ["text", "github", "gitlab", "json", "junit", "markdown", "sarif"]),
        (("explanation", "data"), ["text", "json"]),
    ],
)
def test_text_is_the_first_format(kinds: tuple[str, ...], formats: list[str]) -> None:
    assert list(formats_of(*kinds)) == formats


def test_the_first_kind_of_content_with_a_format_writes_it() -> None:
    """The text of a change, not that of its findings."""
    found = formats_of("change", "data", "findings")
    assert {name: kind for name, (kind, _) in found.items()} == {
        "text": "change",
        "markdown": "change",
        "json": "data",
        "github": "findings",
        "gitlab": "findings",
        "junit": "findings",
        "sarif": "findings",
    }


def test_listing_the_formats_imports_no_writer() -> None:
    before = set(sys.modules)
    clear()
    listed = [module for name in ("page", "findings", "calendar") for _, module in formats_of(name).values()]
    assert len(listed) >= 8
    assert not set(listed) & (set(sys.modules) - before)


def test_content_of_another_kind_is_not_computed() -> None:
    def never() -> None:
        raise AssertionError("not needed")

    text = written("json", Screen(80, color=False), page=never, data=lambda: {"a": 1})
    assert json.loads(text) == {"a": 1}


def test_the_findings_of_a_change_have_the_formats_of_findings(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    base, head = tmp_path / "base.yaml", tmp_path / "head.yaml"
    base.write_text(BASE, encoding="utf-8")
    head.write_text(REPLACING.replace("topology: ", "topology: 9"), encoding="utf-8")
    entries = json.loads(gke_tpu("diff", base, head, "--format", "gitlab").out)
    rules = {entry["check_name"] for entry in entries}
    assert rules
    annotations = gke_tpu("diff", base, head, "--format", "github").out
    assert all(f"title={rule}" in annotations for rule in rules)

"""The formats of commands."""

import json
import pathlib
from typing import Any

import pytest
from support.small_plans import BASE, REPLACING

from pulumi_gke_tpu.cli.writers import Screen, ShownFindings, formats_of, written


@pytest.mark.parametrize(
    ("kinds", "formats"),
    [
        (("page", "data"), ["text", "json", "markdown"]),
        (("page", "data", "icalendar"), ["text", "icalendar", "json", "markdown"]),
        (("text", "markdown", "data"), ["text", "json", "markdown"]),
        (("findings",), ["text", "github", "gitlab", "json", "junit", "sarif"]),
        (("text", "markdown", "data", "findings"), ["text", "github", "gitlab", "json", "junit", "markdown", "sarif"]),
        (("text", "data"), ["text", "json"]),
    ],
)
def test_text_is_the_first_format(kinds: tuple[str, ...], formats: list[str]) -> None:
    assert list(formats_of(*kinds)) == formats


def test_a_format_of_the_command_comes_before_that_of_its_findings() -> None:
    """The text of a change, not that of its findings."""
    offered = {"text": lambda screen: f"{screen.width}", "findings": lambda: ShownFindings(())}
    assert written("text", Screen(77, color=False), **offered) == "77"
    assert json.loads(written("json", Screen(77, color=False), **offered))["findings"] == []


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

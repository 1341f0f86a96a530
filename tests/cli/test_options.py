"""Settings that commands share: color, width, the date, JSON text, and which findings fail a command."""

import datetime
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from pulumi_gke_tpu.cli.options import clock, screen
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text


class Stream(io.StringIO):
    """An output that is a terminal or none."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "environment", "color"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm"}, True),
        (False, {}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_color_is_for_terminals_without_no_color(
    terminal: bool, environment: dict[str, str], color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", Stream(terminal))
    assert screen().color is color


def test_a_closed_output_has_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    assert screen().color is False


@pytest.mark.parametrize(
    ("columns", "width"), [("1", 40), ("40", 40), ("41", 41), ("90", 90), ("140", 140), ("999", 140)]
)
def test_the_output_is_as_wide_as_the_terminal_between_40_and_140_columns(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert screen().width == width


def test_a_given_date_replaces_the_current_one() -> None:
    day = datetime.date(2026, 12, 1)
    assert clock(day) == day


def test_json_keeps_characters_and_is_indented_by_two_spaces() -> None:
    text = json_text({"name": "träger"})
    assert text == '{\n  "name": "träger"\n}'
    assert json.loads(text) == {"name": "träger"}


def test_help_names_the_number_of_findings_that_are_shown(gke_tpu: Callable[..., Any]) -> None:
    assert f"[default: {MOST_SHOWN}; " in " ".join(gke_tpu("validate", "--help").out.split())

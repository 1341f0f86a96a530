"""JSON of every command: how it is written, whatever it contains."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
DAY = ("--today", "2026-11-20")
PLAN = (
    "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
    "      a: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}\n"
    "      'größe': {tpu: v6e, topology: 4x5, zone: us-east5-b}\n"
)
RIGHT = PLAN.rpartition("      'größe'")[0]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (("validate", "wrong"), "größe"),
        (("preview", "plan"), "plän.yaml"),
        (("cost", "plan"), "plän.yaml"),
        (("quota", "plan"), "plän.yaml"),
        (("calendar", "plan"), "plän.yaml"),
        (("diff", "plan", "plan"), ""),
        (("explain", "plan", "c/a"), ""),
        (("recommend", "--chips", "32", "--use", "serving", "--tpu", "v6e"), "×"),
        (("rule", "TPU112"), ""),
        (("catalog", "zones"), ""),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_json_has_an_indent_of_two_spaces_and_text_as_it_is(
    gke_tpu: GkeTpu, tmp_path: Path, command: tuple[str, ...], text: str
) -> None:
    files = {"plan": (tmp_path / "plän.yaml", RIGHT), "wrong": (tmp_path / "wrong.yaml", PLAN)}
    for path, content in files.values():
        path.write_text(content, encoding="utf-8")
    words = [files[word][0] if word in files else word for word in command]
    day = DAY if command[0] not in {"rule", "catalog"} else ()
    out = gke_tpu(*words, "--format", "json", *day).out
    assert out == json.dumps(json.loads(out), indent=2, ensure_ascii=False) + "\n"
    assert text in out

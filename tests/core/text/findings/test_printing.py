"""Invisible characters are found, escaped and rejected, including those that Python regards as printable."""

import datetime
import pathlib
import sys
import unicodedata

import pytest

from pulumi_gke_tpu.core.plan import parse_plan, read_plan
from pulumi_gke_tpu.core.text.findings import Finding, first_unseen, is_visible, printable, quoted

PLAN = """\
version: 1
project: acme-ml
clusters:
  train: {{mode: autopilot, location: us-central1, slices: {{main: {{tpu: v6e, topology: 2x2}}}}}}
accept:
  - {{rule: TPU203, reason: "{reason}", until: 2026-12-01}}
"""

# Every assigned character with the property Default_Ignorable_Code_Point (Unicode 15.1) that is not a control or format
# character, and those whose glyph is empty.
RENDERS_AS_NOTHING = {
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0),
    *range(0xE0100, 0xE01F0),
    *(0x2800, 0x13441, 0x13442, 0x16FE4, 0x1D159),
}


def findings_of(reason: str, folder: pathlib.Path) -> tuple[Finding, ...]:
    path = folder / "plan.yaml"
    path.write_text(PLAN.format(reason=reason), encoding="utf-8")
    return read_plan(path, "plan.yaml").findings


@pytest.mark.parametrize(
    "code", [0x034F, 0x115F, 0x1160, 0x180B, 0x2800, 0x3164, 0xFE0F, 0xFFA0, 0xE0100, 0x16FE4, 0x1D159]
)
def test_a_reason_with_a_character_that_renders_as_nothing_is_refused(code: int, tmp_path: pathlib.Path) -> None:
    (finding,) = findings_of(f"x{chr(code)}y", tmp_path)
    assert finding.rule == "TPU010"
    assert f"U+{code:04X}" in finding.message
    assert finding.fix == '"xy"'


@pytest.mark.parametrize("code", [0x3164, 0x2800, 0x200B, 0xAD])
def test_a_name_with_a_character_that_renders_as_nothing_is_refused(code: int, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.format(reason="x").replace("main:", f"ma{chr(code)}in:"), encoding="utf-8")
    assert [finding.rule for finding in read_plan(path, "plan.yaml").findings] == ["TPU010"]


@pytest.mark.parametrize("reason", ["", " ", "\u00a0", "\u3000 \u2003"])
def test_a_reason_of_spaces_is_empty(reason: str, tmp_path: pathlib.Path) -> None:
    (finding,) = findings_of(reason, tmp_path)
    assert (finding.rule, finding.message) == ("TPU023", "`reason` must not be empty")


@pytest.mark.parametrize("reason", ["größer", "日本語", "naïve — “ok”", "a\u00a0b", "x\u0301", "⚠ hot"])
def test_other_scripts_and_signs_are_fine(reason: str, tmp_path: pathlib.Path) -> None:
    assert findings_of(reason, tmp_path) == ()


def test_every_character_that_renders_as_nothing_is_unseen() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        hidden = (
            code in RENDERS_AS_NOTHING
            or unicodedata.category(char)[0] == "C"
            or unicodedata.category(char) in ("Zl", "Zp")
        )
        assert is_visible(char) is not hidden, hex(code)


def test_what_is_unseen_is_escaped_and_the_rest_stays() -> None:
    assert printable("a\u3164b\u2800c\ufe0fd\u034fe") == "a\\u3164b\\u2800c\\ufe0fd\\u034fe"
    assert printable("a\U000e0100") == "a\\U000e0100"
    assert printable("größer") == "größer"
    assert first_unseen("a\nb", "\n") is None
    assert first_unseen("a\nb") == "\n"


def test_a_reason_from_a_program_must_not_be_blank_either() -> None:
    data = {
        "version": 1,
        "project": "acme-ml",
        "clusters": {"dev": {"mode": "autopilot", "location": "us-central1"}},
        "accept": [{"rule": "TPU203", "reason": " ", "until": datetime.date(2026, 12, 1)}],
    }
    assert [finding.message for finding in parse_plan(data).findings] == ["`reason` must not be empty"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("us-east5", "`us-east5`"),
        (5, "`5`"),
        ("a`b`", "`a'b'`"),
        ("\x1b[31m", "`\\x1b[31m`"),
        ("x" * 101, f"`{'x' * 100}…`"),
    ],
)
def test_a_quoted_value_has_only_the_backquotes_around_it(value: object, expected: str) -> None:
    assert quoted(value) == expected

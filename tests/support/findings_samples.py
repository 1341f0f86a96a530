"""Findings to show: a few of every kind, and hostile ones that no form may let break out."""

import unicodedata
from dataclasses import replace

from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity, Verbatim

ERROR = Finding(
    rule="TPU112",
    severity=Severity.ERROR,
    path=("clusters", "train-east", "slices", "sweep", "topology"),
    message="v6e has no topology 4x3",
    given="topology: 4x3",
    allowed=("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"),
    why="GKE refuses the node pool; there are no custom 2D topologies",
    change=Verbatim("topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12"),
    source="Plan TPUs in GKE, read 2026-11-20",
    position=Position("stacks/prod/plan.yaml", 31, 19, 22, "        topology: 4x3"),
)
WARNING = Finding(
    rule="TPU205",
    severity=Severity.WARNING,
    path=("clusters", "train-east", "slices", "my group", "zone"),
    message="no list names zone us-east5-c for v6e",
    given="zone: us-east5-c",
)
NOTE = Finding(
    rule="TPU401",
    severity=Severity.NOTE,
    path=(),
    message="the plan has no slices",
    position=Position("stacks/prod/plan.yaml", 1, 1, 2),
)
NAMELESS = replace(WARNING, position=Position("", 3, 4, 5, "zone: us-east5-c"))
ACCEPTED = replace(WARNING, accepted="confirmed by support, until 2026-12-01")
MULTI_LINE = replace(
    WARNING,
    change=Verbatim(
        "acknowledge:\n  - change: replace\n\n    of: train-east/pretrain # a line that is wider than forty columns\n"
    ),
)

_PIECES = st.sampled_from(
    [
        *("\n", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\x1b]0;t\x07", "\x7f", "\x85", "\x9b", "\u2028", "\ufeff"),
        *("\u202e", "\u200f", "\u200b", "\ud800", "\udc80", "\ue000", "\u0301", "\u00a0", "\u3000", "日本", "…"),
        *("::", ":", "::error::", "::stop-commands::x", "##", "[", "##[error]", "##vso[x]", "%0A", "%0D", "%", ","),
        *("|", "  | ", "^", "a](b)", "[a](http://example.com)", "{0}", "{", "}", "\\", "\\x1b", "/", "..", '"', "="),
        *(" ", "  ", "word", "topology: 4x3"),
    ]
)
HOSTILE = st.lists(_PIECES, max_size=12).map("".join) | st.text(st.characters(), max_size=30)
_STEPS = HOSTILE | st.integers(0, 9)
_POSITIONS = st.builds(
    lambda file, line, column, length, text: Position(file, line, column, column + length, text),
    HOSTILE,
    st.integers(1, 10**6),
    st.integers(1, 60),
    st.integers(1, 30),
    HOSTILE,
)
HOSTILE_FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.sampled_from(["TPU001", "TPU112"]),
        severity=st.sampled_from(Severity),
        path=st.lists(_STEPS, max_size=4).map(tuple),
        message=HOSTILE,
        given=HOSTILE,
        allowed=st.lists(HOSTILE, max_size=4).map(tuple),
        why=HOSTILE,
        change=HOSTILE.map(Verbatim),
        source=HOSTILE,
        position=st.none() | _POSITIONS,
        accepted=HOSTILE,
    ),
    max_size=4,
)


def disturbing(text: str) -> list[str]:
    """The characters of a text that can disturb a terminal."""
    return [char for char in text if unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp")]


def every_text(data: object) -> list[str]:
    """Every text in plain data, keys included."""
    if isinstance(data, str):
        return [data]
    if isinstance(data, dict):
        return [text for pair in data.items() for part in pair for text in every_text(part)]
    if isinstance(data, list):
        return [text for part in data for text in every_text(part)]
    return []

"""The values of fixes, read from YAML to paste."""

import pytest

from pulumi_gke_tpu.core.text.findings.fixes import Entry, Fix, Rename, Replace, SetKeys, fix_of


def keys(*entries: tuple[str, str]) -> SetKeys:
    return SetKeys(tuple(Entry(key, text) for key, text in entries))


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("", None),
        ("topology:", Rename("topology")),
        ('"on":', Rename('"on"')),
        ("4x4", Replace("4x4")),
        ("[SAT, SUN]", Replace("[SAT, SUN]")),
        ("{a: 1}", Replace("{a: 1}")),
        ("topology: 4x4", keys(("topology", "topology: 4x4"))),
        ('"on": call', keys(("on", '"on": call'))),
        ('"a\\"b": c', keys(('a"b', '"a\\"b": c'))),
        ("tpu: v6e\ntopology: 4x4", keys(("tpu", "tpu: v6e"), ("topology", "topology: 4x4"))),
        ("count:\n  min: 0\n  max: 2", keys(("count", "count:\n  min: 0\n  max: 2"))),
        ('"on":\n  min: 0', keys(("on", '"on":\n  min: 0'))),
        ("count:\n  min: 0\nzone: a", Replace("count:\n  min: 0\nzone: a")),
    ],
)
def test_the_text_of_a_fix_has_one_meaning(text: str, fix: Fix | None) -> None:
    assert fix_of(text) == fix
    assert fix is None or fix.text == text

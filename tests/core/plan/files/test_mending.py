"""A fix in its place in the text of a plan: the layout and the comments around it stay."""

from pulumi_gke_tpu.core.plan.files.mending import mended
from pulumi_gke_tpu.core.text.findings import EntryText, MoveBelow, SetKeys

HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def test_entries_that_move_one_level_deeper_keep_their_lines_and_the_next_entry() -> None:
    maintenance = (
        "    maintenance:\n"
        "      start: 2026-12-01T00:00:00Z  # the first night\n"
        "      duration: 4h\n"
        "      exclusions: {}\n"
    )
    whole = {"exclusions": {}, "window": {"start": "2026-12-01T00:00:00Z", "duration": "4h"}}
    names = (("start", "start"), ("duration", "duration"))
    fix = MoveBelow(EntryText("maintenance", whole), "window", names)
    assert mended(HEAD + maintenance, 7, 5, len("maintenance"), fix) == HEAD + (
        "    maintenance:\n"
        "      window:\n"
        "        start: 2026-12-01T00:00:00Z  # the first night\n"
        "        duration: 4h\n"
        "      exclusions: {}\n"
    )


def test_a_fix_that_names_an_outer_key_replaces_the_whole_entry_of_that_key() -> None:
    group = "    slices:\n      main:\n        tpu: v6e\n        count:\n          min: 1\n          max: 0\n"
    pasted = mended(HEAD + group + "        topology: 2x2\n", 12, 11, len("max: 0"), SetKeys((EntryText("count", 2),)))
    assert pasted == f"{HEAD}    slices:\n      main:\n        tpu: v6e\n        count: 2\n        topology: 2x2\n"

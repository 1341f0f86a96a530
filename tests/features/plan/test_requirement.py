"""``requirements.txt``: pinned to what the installer recorded, without secrets, and never the name alone."""

import json
from typing import Any

import pytest

from pulumi_gke_tpu.features.plan.requirement import names_a_commit, requirements_text

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HASH = "a" * 64
GIT = {"vcs": "git", "requested_revision": "v0.1.0", "commit_id": COMMIT}
HOST = "https://github.com/OWNER/pulumi-gke-tpu"


def last_line(direct_url: dict[str, Any]) -> str:
    return requirements_text(json.dumps(direct_url)).splitlines()[-1]


@pytest.mark.parametrize(
    ("direct_url", "line"),
    [
        ({"url": HOST, "vcs_info": GIT}, f"gke-tpu[pulumi] @ git+{HOST}@{COMMIT}"),
        ({"url": "ssh://git@h/x", "vcs_info": GIT}, f"gke-tpu[pulumi] @ git+ssh://git@h/x@{COMMIT}"),
        ({"url": HOST, "vcs_info": GIT, "subdirectory": "a"}, f"gke-tpu[pulumi] @ git+{HOST}@{COMMIT}#subdirectory=a"),
        ({"url": "file:///a%20b", "vcs_info": GIT}, f"gke-tpu[pulumi] @ git+file:///a%20b@{COMMIT}"),
        ({"url": "https://h/x.whl", "archive_info": {}}, "gke-tpu[pulumi] @ https://h/x.whl"),
        (
            {"url": "https://h/x.whl", "archive_info": {"hashes": {"sha256": HASH}}},
            f"gke-tpu[pulumi] @ https://h/x.whl#sha256={HASH}",
        ),
        (
            {"url": "file:///x.whl", "archive_info": {"hash": f"sha256={HASH}"}},
            f"gke-tpu[pulumi] @ file:///x.whl#sha256={HASH}",
        ),
        ({"url": "file:///a%20b", "dir_info": {}}, "gke-tpu[pulumi] @ file:///a%20b"),
        ({"url": "file:///a%20b", "dir_info": {"editable": True}}, "--editable file:///a%20b[pulumi]"),
    ],
)
def test_the_source_is_named_with_what_pins_it(direct_url: dict[str, Any], line: str) -> None:
    text = requirements_text(json.dumps(direct_url))
    assert text.endswith(f"{line}\n")
    assert names_a_commit(text) == ("file:" not in line)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@h/x", "git+https://h/x@"),
        ("https://token@h/x", "git+https://h/x@"),
        ("https://${USER}:${TOKEN}@h/x", "git+https://${USER}:${TOKEN}@h/x@"),
        ("https://${TOKEN}@h/x", "git+https://${TOKEN}@h/x@"),
        ("ssh://git:secret@h/x", "git+ssh://h/x@"),
    ],
)
def test_no_secret_is_written(url: str, shown: str) -> None:
    assert shown in last_line({"url": url, "vcs_info": GIT})


@pytest.mark.parametrize(
    "direct_url",
    [
        None,
        "",
        "[",
        "[" * 100_000,
        "[]",
        "{}",
        '{"url": "https://h/x"}',
        '{"url": 1, "dir_info": {}}',
        '{"url": "https://[/x", "dir_info": {}}',
        '{"url": "ftp://h/x", "dir_info": {}}',
        '{"url": "https://h/x\\nevil", "dir_info": {}}',
        '{"url": "https://h/x evil", "dir_info": {}}',
        '{"url": "file:///x", "dir_info": []}',
        json.dumps({"url": HOST, "vcs_info": {"vcs": "git", "commit_id": "a\nevil"}}),
        json.dumps({"url": HOST, "vcs_info": {"vcs": "rm -rf", "commit_id": COMMIT}}),
        json.dumps({"url": HOST, "vcs_info": {"vcs": "git"}}),
    ],
)
def test_an_unknown_source_leaves_a_place_to_fill_in(direct_url: str | None) -> None:
    text = requirements_text(direct_url)
    assert text.splitlines()[-1] == "gke-tpu[pulumi] @ git+https://github.com/OWNER/pulumi-gke-tpu@COMMIT"
    assert not names_a_commit(text)

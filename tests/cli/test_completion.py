"""What a shell completes, asked as a shell asks: by variables of the environment."""

import os
import pathlib
import shlex
import subprocess
import sys

import pytest
from support.sampling import sample

ROOT = pathlib.Path(__file__).parents[2]
PROD = ROOT / "stacks" / "prod" / "plan.yaml"
PROGRAM = "from pulumi_gke_tpu.cli import main; main()"


def completed(*words: object, incomplete: str = "") -> list[tuple[str, str]]:
    """The kind and text of each entry that fish gets."""
    environment = {
        **os.environ,
        "_GKE_TPU_COMPLETE": "fish_complete",
        "COMP_WORDS": shlex.join(["gke-tpu", *map(str, words)]),
        "COMP_CWORD": incomplete,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.stderr == ""
    entries = (line.split("\t")[0].split(",", 1) for line in done.stdout.splitlines() if line)
    return [(kind, value) for kind, value in entries]


def words_of(*words: object, incomplete: str = "") -> list[str]:
    return [value for kind, value in completed(*words, incomplete=incomplete) if kind == "plain"]


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    sample(
        [
            (["rule"], "TPU11", ["TPU112", "TPU113"]),
            (["rule"], "tpu11", ["TPU112"]),
            (["rule"], "unknown-t", ["unknown-topology"]),
            (["catalog"], "", ["v6e", "prices", "zones", "sources"]),
            (["catalog"], "v5", ["v5e", "v5p"]),
            (["catalog", "prices", "--generation"], "v", ["v5e", "v6e"]),
            (["explain"], "v5p-12", ["v5p-128"]),
            (["explain"], "TPU112", ["TPU112"]),
            (["explain", PROD], "", ["train-east", "train-east/pretrain"]),
            (["explain", PROD], "train-east/", ["train-east/pretrain"]),
            ([], "val", ["validate"]),
        ],
        4,
    ),
    ids=lambda value: " ".join(map(str, value)).replace(str(ROOT), "") if isinstance(value, list) else None,
)
def test_a_shell_gets_the_words_that_fit(words: list[object], incomplete: str, expected: list[str]) -> None:
    found = words_of(*words, incomplete=incomplete)
    assert set(expected) <= set(found)
    assert [word for word in found if not word.lower().startswith(incomplete.lower())] == []


def test_rules_have_their_title_as_description() -> None:
    environment = {**os.environ, "_GKE_TPU_COMPLETE": "fish_complete", "COMP_WORDS": "gke-tpu rule", "COMP_CWORD": ""}
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    ).stdout
    assert "plain,TPU112\tUnknown topology" in out


def test_the_shell_completes_files_of_plans() -> None:
    for words in (["validate"], ["preview"], ["explain"]):
        assert ("file", "") in completed(*words)


def test_nothing_is_completed_after_the_item_of_a_plan() -> None:
    assert completed("explain", PROD, "train-east") == []


@pytest.mark.parametrize(
    "content", ["", "a: [", 'version: 1\nproject: x\nclusters: {"a$(id)": {}, "b\\e[1m": {}, c: {}}\n']
)
def test_a_hostile_plan_reaches_no_shell(tmp_path: pathlib.Path, content: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(content, encoding="utf-8")
    assert [word for word in words_of("explain", plan) if not word.isalnum()] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_command_prints_the_script_of_a_shell(shell: str) -> None:
    assert f"_GKE_TPU_COMPLETE={shell}_source gke-tpu" in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "_GKE_TPU_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_GKE_TPU_COMPLETE" in done.stdout
